"""Files from the user's machine: the part of the start page that takes them, and what is asked about them."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

from nicegui import background_tasks, ui
from nicegui.events import GenericEventArguments, UploadEventArguments

from qdtm.app.context import AppContext
from qdtm.app.corpora import Upload, place_for, read_upload, write_upload
from qdtm.app.jobs import Job
from qdtm.app.pages.frame import button, frame, page, show_problem
from qdtm.app.requests import IndexRequest, PreviewRequest
from qdtm.app.templating import Panel, guarded, tell
from qdtm.app.upload import columns_of_upload
from qdtm.app.workspace import NotFoundError
from qdtm.corpus.passage_split import PARAGRAPHS
from qdtm.corpus.readers.read import READERS
from qdtm.errors import CorpusError, StorageError

_SECONDS = 0.3
MAX_FILES = 2_000
_N_REFUSED = 20
_MORE_LANGUAGES = (
    "arabic", "bulgarian", "catalan", "czech", "danish", "finnish", "greek", "hebrew", "hindi", "hungarian",
    "indonesian", "korean", "norwegian", "persian", "polish", "romanian", "russian", "slovak", "swedish",
    "turkish", "ukrainian", "vietnamese",
)  # fmt: skip
_LANGUAGES = {
    "english": "English",
    "german": "German",
    "french": "French",
    "spanish": "Spanish",
    "italian": "Italian",
    "dutch": "Dutch",
    "portuguese": "Portuguese",
    **{name: name.title() for name in _MORE_LANGUAGES},
    "none": "Another language (no stop words)",
}
_SPLITS = {"": "As a whole", PARAGRAPHS: "By passage: paragraphs", "200": "By passage: about 200 words"}
_NONE = "(none)"
_ROLES = (("id", "Name of a document"), ("title", "Title"), ("time", "Date"), ("group", "Group"))
_REASONS = {
    "accept": "files of this kind cannot be read",
    "max-file-size": "it is too large",
    "max-total-size": "the files are too large together",
    "max-files": f"there are more than {MAX_FILES:,} files",
    "duplicate": "it is there already",
}
"""What the uploader says of a file that it does not take."""

_REJECTED = "(found) => emit(found.slice(0, 50).map((each) => [each.failedPropValidation, each.file.name]))"
_DROP = """<div class="drop">
<button type="button" class="button" id="choose-file" @click="props.pickFiles">Choose files</button>
<q-uploader-add-trigger></q-uploader-add-trigger>
<span role="status">{{ props.isUploading
  ? `Uploading: ${props.uploadedFiles.length} of ${props.files.length} files, ${props.uploadProgressLabel} of ${props.uploadSizeLabel}`
  : "or drop them here, several at once" }}</span>
<progress v-if="props.isUploading" class="line" max="1" :value="props.uploadProgress"
  aria-label="How much has been uploaded"></progress>
</div>"""  # noqa: E501
"""The inside of the uploader, as Vue reads it; nothing of a user's is in it."""


def register(context: AppContext) -> None:
    """Add the page."""

    @page("/columns/{job_id}")
    async def columns(job_id: str) -> None:
        with frame("Columns", "Corpus"):
            _columns(context, context.jobs.get(job_id))


# --- taking files ------------------------------------------------------------------------------------------


def build_upload(context: AppContext) -> None:
    """Show where files can be chosen or dropped; when all have arrived, go to what is asked about them."""
    arriving = _Arriving(context)
    Panel("upload.html", max_mb=context.max_upload_bytes >> 20, max_files=MAX_FILES)
    uploader = ui.upload(
        multiple=True,
        auto_upload=True,
        max_file_size=context.max_upload_bytes,
        max_total_size=context.max_upload_bytes,
        max_files=MAX_FILES,
        on_upload=arriving.begin,
    )
    uploader.props(f'flat bordered accept="{",".join(READERS)}"').classes("uploader")
    uploader.add_slot("header", _DROP)
    uploader.on("rejected", arriving.refuse, js_handler=_REJECTED)
    uploader.on("finish", lambda: guarded(arriving.finish), args=[])


class _Arriving:
    """The files that one page of a browser sends, one after the other."""

    def __init__(self, context: AppContext) -> None:
        self._context = context
        self._upload: Upload | None = None
        self._n_bytes = 0
        self._tasks: list[asyncio.Task[None]] = []
        self._refused: list[str] = []

    def begin(self, event: UploadEventArguments) -> None:
        """Keep a file under a name of ours, or say why not. It is there before the browser hears of it."""
        name = event.file.name[:200]
        try:
            self._n_bytes += event.file.size()
            if self._n_bytes > self._context.max_upload_bytes or len(self._tasks) >= MAX_FILES:
                raise CorpusError(f"{name!r}: the files are too many or too large together.")
            workspace = self._context.workspace
            upload = self._upload or Upload(workspace.new("corpora"))
            file = replace(place_for(workspace, upload, name), size=event.file.size())
        except CorpusError as error:
            self._note(str(error))
            return
        self._upload = replace(upload, files=(*upload.files, file))
        self._tasks.append(background_tasks.create(event.file.save(Path(file.place))))

    def refuse(self, event: GenericEventArguments) -> None:
        """Remember what the browser did not send; what it says may be anything."""
        found = event.args if isinstance(event.args, list) else []
        for each in found[:50]:
            if isinstance(each, list) and len(each) == 2 and all(isinstance(part, str) for part in each):
                self._note(f"{each[1][:200]!r}: {_REASONS.get(each[0], 'it cannot be taken')}.")
        if self._upload is None and self._refused:
            tell(f"Not taken: {self._refused[-1]}")

    async def finish(self) -> None:
        """Look at what has arrived."""
        arrived, tasks = self._upload, self._tasks
        self._upload, self._tasks, self._n_bytes = None, [], 0
        try:
            await asyncio.gather(*tasks)
        except OSError as error:  # such as a full disk
            raise StorageError(f"The files could not be kept: {error.strerror or error}.") from error
        if arrived is None:
            if self._refused:
                tell(self._refused[-1])
            return
        upload = replace(arrived, refused=tuple(self._refused))
        await asyncio.to_thread(write_upload, self._context.workspace, upload)
        job = self._context.jobs.submit(PreviewRequest(upload.id))
        ui.navigate.to(f"/columns/{job}")

    def _note(self, line: str) -> None:
        if line not in self._refused and len(self._refused) < _N_REFUSED:
            self._refused.append(line)


# --- columns -----------------------------------------------------------------------------------------------


def _columns(context: AppContext, job: Job) -> None:
    if not isinstance(job.request, PreviewRequest):
        raise NotFoundError("There is no such upload.")
    waiting = Panel("looking.html", progress={})

    def look() -> None:
        now = context.jobs.get(job.id)
        if not now.has_ended:
            waiting.show(progress=now.progress)
            return
        timer.cancel()
        waiting.delete()
        with place:
            if now.state == "done":
                _choose_columns(context, now)
            else:
                show_problem(
                    now.message or "The files were not read; upload them again.", label="Choose other files"
                )

    place = ui.element("div")
    timer = ui.timer(_SECONDS, look)


def _choose_columns(context: AppContext, job: Job) -> None:
    """Show what was found and its first rows, and ask what is what."""
    preview, id = job.outcome["preview"], job.request.corpus
    upload = read_upload(context.workspace, id)
    names, guess, seems, long = (preview[name] for name in ("columns", "guess", "language", "long"))
    notes = [note for note in job.outcome.get("notes", []) if " passed over: " not in note]
    Panel(
        "preview.html",
        upload=upload,
        preview=preview,
        notes=notes,
        language="" if seems == "english" else seems,
    )
    choices: dict[str, ui.select] = {}
    with ui.element("div").classes("fields-row"):
        if names and preview["has_tables"]:
            texts = guess["text"] or names[0]
            texts = [texts] if isinstance(texts, str) else list(texts)
            choices["text"] = _select("Text (several are joined)", names, texts)
        for key, label in _ROLES if preview["has_tables"] else _ROLES[-2:]:
            if names:
                choices[key] = _select(label, [_NONE, *names], guess[key] or _NONE)
        language = _select("Language", _LANGUAGES, seems if seems in _LANGUAGES else "none")
        split = _select("Judge documents", _SPLITS, PARAGRAPHS if long else "")
        name = ui.input("What to call this corpus", value=upload.name).props("outlined dense maxlength=100")

    def submit() -> None:
        chosen = {key: select.value for key, select in choices.items()}
        request = IndexRequest(
            id,
            (name.value or "").strip() or upload.name,
            columns_of_upload(chosen, names),
            str(language.value),
            split=str(split.value),
        )
        ui.navigate.to(f"/reading/{context.jobs.submit(request)}")

    button("Read the corpus", lambda: guarded(submit), id="read-corpus")


def _select(label: str, options: list[str] | dict[str, str], value: str | list[str]) -> ui.select:
    """Show a choice of one, or of several if the value is a list."""
    select = ui.select(options, label=label, value=value, multiple=isinstance(value, list))
    return select.props("outlined dense options-dense").classes("choice")
