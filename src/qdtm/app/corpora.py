"""The corpora of a workspace: what they are called, how large they are, what was left out of them.

`corpora/<id>/` holds `upload.json` and the uploaded files until they are read, then `about.json` and the
saved corpus. Results refer to that; they read it in the bin too, where a corpus that the user removes stays
for thirty days.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path, PurePath
from typing import Any, Literal

from qdtm.app.bin import discard
from qdtm.app.jobs import Jobs
from qdtm.app.requests import Columns
from qdtm.app.workspace import NotFoundError, Workspace, read_json, write_json
from qdtm.corpus.readers.read import READERS
from qdtm.corpus.readers.sources import SourceFile
from qdtm.errors import CorpusError, ParameterError

DEMO = "demo"
DEMO_NAME = "News articles (demo)"
SAVED = "corpus"
"""The saved corpus, inside its folder."""


class CorpusGoneError(NotFoundError):
    """The corpus of a result was removed for good."""


_ABOUT, _UPLOAD = "about.json", "upload.json"
_LONGEST_NAME = 120


@dataclass(frozen=True)
class Dropped:
    """Words that did not enter the vocabulary, counted in the first documents.

    Attributes
    ----------
    stop_words, rare_words : tuple of (str, int)
        The most frequent ones, with their occurrences. Stop words, numbers and very short ones are the first;
        the second are too rare, or too many.
    n_stop_words, n_rare_words : int
        How many different ones there are.
    n_documents : int
        How many documents were looked through.
    """

    stop_words: tuple[tuple[str, int], ...]
    rare_words: tuple[tuple[str, int], ...]
    n_stop_words: int
    n_rare_words: int
    n_documents: int


@dataclass(frozen=True)
class AboutCorpus:
    """What the app knows of a corpus without opening it."""

    id: str
    name: str
    created: str
    columns: Columns
    language: str
    fields: tuple[str, ...]
    n_documents: int
    n_empty: int
    n_words: int
    n_tokens: int
    top_words: tuple[tuple[str, int], ...]
    dropped: Dropped
    n_passages: int = 0
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Upload:
    """Files that have been uploaded and not yet read.

    Attributes
    ----------
    id : str
        Of the corpus that they become.
    files : tuple of SourceFile
        Under names of ours, beside those that the user knows.
    refused : tuple of str
        What was said of files that were not taken.
    """

    id: str
    files: tuple[SourceFile, ...] = ()
    refused: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """What to call them all."""
        n_more = len(self.files) - 1
        first = self.files[0].name if self.files else "upload"
        return first if n_more < 1 else f"{first} and {n_more:,} more"

    @property
    def n_bytes(self) -> int:
        """How large they are together."""
        return sum(file.size for file in self.files)


def write_about(workspace: Workspace, about: AboutCorpus) -> None:
    """Write down what is known of a corpus; from now on it is listed."""
    write_json(workspace.existing("corpora", about.id) / _ABOUT, asdict(about))


def read_about(workspace: Workspace, id: str) -> AboutCorpus:
    """Return what is known of a corpus.

    Raises
    ------
    NotFoundError
        If there is none, or no more, or it has not been read yet.
    """
    folder = workspace.existing("corpora", id)
    values = read_json(folder / _ABOUT)
    if values is None:
        raise NotFoundError("This corpus has not been read yet; choose its columns first.")
    try:
        return _about(values)
    except (KeyError, TypeError, ValueError, OverflowError):
        raise NotFoundError("This corpus is damaged; upload it again.") from None


def list_corpora(workspace: Workspace) -> Iterator[AboutCorpus]:
    """Yield the corpora that have been read, newest first."""
    for id in workspace.ids("corpora"):
        try:
            yield read_about(workspace, id)
        except NotFoundError:
            continue


def remove_corpus(workspace: Workspace, jobs: Jobs, id: str) -> None:
    """Move a corpus to the bin.

    Raises
    ------
    ParameterError
        If it is the demo, or a fit on it is under way.
    """
    if id == DEMO:
        raise ParameterError("The demo articles stay.")
    name = read_about(workspace, id).name
    if any(not job.has_ended for job in jobs.fits() if job.request.corpus == id):
        raise ParameterError(f"A fit on {name!r} is under way; wait for it, or stop it first.")
    discard(workspace, "corpora", id, name)


Whereabouts = Literal["there", "bin", "gone"]


def where_is(workspace: Workspace, id: str) -> Whereabouts:
    """Say where the corpus of a result is now."""
    if workspace.folder("corpora", id).is_dir():
        return "there"
    return "bin" if workspace.binned("corpora", id).is_dir() else "gone"


def place_for(workspace: Workspace, upload: Upload, name: str) -> SourceFile:
    """Return the place for one more file; its name is kept for display, its ending decides how it is read.

    Raises
    ------
    CorpusError
        If there is no reader for such files.
    """
    shown = PurePath(name.replace("\\", "/")).name.strip()[-_LONGEST_NAME:] or "upload"
    stem, suffix = PurePath(shown).stem, PurePath(shown).suffix.lower()
    if suffix not in READERS:
        raise CorpusError(f"Files like {shown!r} cannot be read. Known: {', '.join(READERS)}.")
    taken = {file.name for file in upload.files}
    others = (f"{stem} ({number}){suffix}" for number in itertools.count(2))
    free = shown if shown not in taken else next(other for other in others if other not in taken)
    packed = PurePath(stem).suffix.lower() if suffix == ".gz" else ""
    inner = packed if packed in READERS else ""
    place = workspace.folder("corpora", upload.id) / f"source-{len(upload.files)}{inner}{suffix}"
    return SourceFile(str(place), 0, free)


def write_upload(workspace: Workspace, upload: Upload) -> None:
    """Write down that files have arrived whole."""
    files = [[file.name, PurePath(file.place).name, file.size] for file in upload.files]
    values = {"files": files, "refused": list(upload.refused)}
    write_json(workspace.existing("corpora", upload.id) / _UPLOAD, values)


def read_upload(workspace: Workspace, id: str) -> Upload:
    """Return files that have arrived.

    Raises
    ------
    NotFoundError
        If there are none, or they have been read already.
    """
    folder = workspace.existing("corpora", id)
    values = read_json(folder / _UPLOAD) or {}
    try:
        files = tuple(
            SourceFile(str(folder / PurePath(str(place)).name), int(size), str(name))
            for name, place, size in values["files"]
        )
        refused = tuple(map(str, values.get("refused", ())))
        are_there = bool(files) and all(Path(file.place).is_file() for file in files)
    except (KeyError, TypeError, ValueError, OverflowError, OSError):  # what nobody would call a file, too
        are_there = False
    if not are_there:
        raise NotFoundError("There is no such upload; it may have been read already.")
    return Upload(id, files, refused)


def remove_upload(upload: Upload) -> None:
    """Remove what has been read."""
    for file in upload.files:
        Path(file.place).unlink(missing_ok=True)


def _about(values: Mapping[str, Any]) -> AboutCorpus:
    dropped = dict(values["dropped"])
    for name in ("stop_words", "rare_words"):
        dropped[name] = _pairs(dropped[name])
    return AboutCorpus(
        **{
            **values,
            "columns": Columns(**values["columns"]),
            "fields": tuple(map(str, values["fields"])),
            "top_words": _pairs(values["top_words"]),
            "notes": tuple(map(str, values.get("notes", ()))),
            "dropped": Dropped(**dropped),
        }
    )


def _pairs(values: Any) -> tuple[tuple[str, int], ...]:
    return tuple((str(word), int(count)) for word, count in values)
