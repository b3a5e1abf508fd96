"""The corpus pages: choose or upload one, say what its columns are, watch it being read."""

from __future__ import annotations

import asyncio

from nicegui import ui
from nicegui.events import UploadEventArguments

from qdtm.app.context import AppContext
from qdtm.app.corpora import (
    DEMO,
    DEMO_NAME,
    forget_corpus,
    list_corpora,
    new_upload,
    read_upload,
    tidy_corpora,
    write_upload,
)
from qdtm.app.jobs import Job
from qdtm.app.pages.frame import button, frame, page, show_problem
from qdtm.app.requests import FitRequest, IndexRequest, PreviewRequest
from qdtm.app.templating import Panel, guarded, tell
from qdtm.app.upload import columns_of_upload
from qdtm.app.workspace import NotFoundError
from qdtm.corpus.readers.read import READERS

_N_LISTED = 30
_SECONDS = 0.3
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
_NONE = "(none)"
_ROLES = (("id", "Name of a document"), ("title", "Title"), ("time", "Date"), ("group", "Group"))
_DROP = """<div class="drop">
<button type="button" class="button" id="choose-file" @click="props.pickFiles">Choose a file</button>
<q-uploader-add-trigger></q-uploader-add-trigger>
<span role="status">{{ props.isUploading ? props.uploadProgressLabel : "or drop it here" }}</span>
</div>"""
"""The inside of the uploader, as Vue reads it; nothing of a user's is in it."""


def register(context: AppContext) -> None:
    """Add the pages."""

    @page("/")
    async def home() -> None:
        with frame("Start", "Corpus"):
            _home(context)

    @page("/columns/{job_id}")
    async def columns(job_id: str) -> None:
        with frame("Columns", "Corpus"):
            _columns(context, context.jobs.get(job_id))

    @page("/reading/{job_id}")
    async def reading(job_id: str) -> None:
        with frame("Reading", "Corpus"):
            _reading(context, job_id)


# --- start -------------------------------------------------------------------------------------------------


def _home(context: AppContext) -> None:
    def show() -> None:
        fits = [job for job, _ in zip(context.jobs.fits(), range(_N_LISTED), strict=False)]
        corpora = [about for about in list_corpora(context.workspace) if about.id != DEMO][:_N_LISTED]
        recent.show(fits=[(job, _title(job)) for job in fits], corpora=corpora)

    def forget(id: str) -> None:
        context.jobs.remove(id)
        tidy_corpora(context.workspace, context.jobs)
        show()

    def forget_one(id: str) -> None:
        forget_corpus(context.workspace, context.jobs, id)
        show()

    Panel("home.html", {"demo": lambda _: _open_demo(context)}, demo_name=DEMO_NAME)
    with ui.element("section").classes("upload").props('aria-label="Your own texts"'):
        megabytes, kinds = context.max_upload_bytes >> 20, ", ".join(READERS)
        Panel("upload.html", max_mb=megabytes)
        uploader = ui.upload(
            auto_upload=True,
            max_file_size=context.max_upload_bytes,
            on_upload=lambda event: guarded(_take_upload, context, event),
            on_rejected=lambda: tell(f"This file cannot be taken: {kinds}, {megabytes:,} MB at most."),
        )
        uploader.props(f'flat bordered accept="{",".join(READERS)}"').classes("uploader")
        uploader.add_slot("header", _DROP)
    recent = Panel("recent.html", {"forget": forget, "forget-corpus": forget_one})
    show()


def _open_demo(context: AppContext) -> None:
    """Go to the demo articles; the first time they may still be read."""
    folder = context.workspace.folder("corpora", DEMO)
    if (folder / "about.json").exists():
        ui.navigate.to(f"/ask/{DEMO}")
        return
    folder.mkdir(exist_ok=True)
    reading = (job for job in map(context.jobs.get, context.workspace.ids("jobs")) if _reads_demo(job))
    job = next(reading, None)
    id = job.id if job else context.jobs.submit(IndexRequest(DEMO, DEMO_NAME, demo=True))
    ui.navigate.to(f"/reading/{id}")


def _reads_demo(job: Job) -> bool:
    return isinstance(job.request, IndexRequest) and job.request.demo and not job.has_ended


async def _take_upload(context: AppContext, event: UploadEventArguments) -> None:
    """Keep a file under a name of ours, and look at its first rows."""
    upload = new_upload(context.workspace, event.file.name)
    await event.file.save(upload.path)
    await asyncio.to_thread(write_upload, context.workspace, upload)
    job = context.jobs.submit(PreviewRequest(upload.id))
    ui.navigate.to(f"/columns/{job}")


def _title(job: Job) -> str:
    if not isinstance(job.request, FitRequest):
        return ""
    return ", ".join(query.name for query in job.request.queries)


# --- columns -----------------------------------------------------------------------------------------------


def _columns(context: AppContext, job: Job) -> None:
    if not isinstance(job.request, PreviewRequest):
        raise NotFoundError("There is no such upload.")
    waiting = Panel("waiting.html", message="Looking at the first rows …")

    def look() -> None:
        now = context.jobs.get(job.id)
        if not now.has_ended:
            return
        timer.cancel()
        waiting.delete()
        with place:
            if now.state == "done":
                _choose_columns(context, now)
            else:
                show_problem(
                    now.message or "The file was not read; upload it again.", label="Choose another file"
                )

    place = ui.element("div")
    timer = ui.timer(_SECONDS, look)


def _choose_columns(context: AppContext, job: Job) -> None:
    """Show the first rows, and ask what is what."""
    preview, id = job.outcome["preview"], job.request.corpus
    upload = read_upload(context.workspace, id)
    names, guess, seems = preview["columns"], preview["guess"], preview["language"]
    Panel(
        "preview.html",
        upload=upload,
        columns=names,
        rows=preview["rows"],
        guess=guess,
        notes=job.outcome.get("notes", []),
        language="" if seems == "english" else seems,
    )
    choices: dict[str, ui.select] = {}
    with ui.element("div").classes("fields-row"):
        if names:
            choices["text"] = _select("Text (several are joined)", names, [guess["text"] or names[0]])
            for key, label in _ROLES:
                choices[key] = _select(label, [_NONE, *names], guess[key] or _NONE)
        language = _select("Language", _LANGUAGES, seems if seems in _LANGUAGES else "none")
        name = ui.input("What to call this corpus", value=upload.name).props("outlined dense maxlength=100")

    def submit() -> None:
        chosen = {key: select.value for key, select in choices.items()}
        request = IndexRequest(
            id,
            (name.value or "").strip() or upload.name,
            columns_of_upload(chosen, names),
            str(language.value),
        )
        ui.navigate.to(f"/reading/{context.jobs.submit(request)}")

    button("Read the corpus", lambda: guarded(submit), id="read-corpus")


def _select(label: str, options: list[str] | dict[str, str], value: str | list[str]) -> ui.select:
    """Show a choice of one, or of several if the value is a list."""
    select = ui.select(options, label=label, value=value, multiple=isinstance(value, list))
    return select.props("outlined dense options-dense").classes("choice")


# --- reading -----------------------------------------------------------------------------------------------


def _reading(context: AppContext, job_id: str) -> None:
    request = context.jobs.get(job_id).request
    if not isinstance(request, IndexRequest):
        raise NotFoundError("There is no such corpus.")
    panel = Panel("reading.html", {"stop": lambda _: context.jobs.cancel(job_id)})

    def look() -> None:
        job = context.jobs.get(job_id)
        if job.state == "done":
            timer.cancel()
            ui.navigate.to(f"/ask/{request.corpus}")
        elif job.has_ended:
            timer.cancel()
            panel.delete()
            show_problem(job.message or "The reading was interrupted; upload the file again.")
        else:
            panel.show(name=request.name, state=job.state, progress=job.progress)

    timer = ui.timer(_SECONDS, look)
    look()
