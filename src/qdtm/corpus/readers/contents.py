"""What is known of a file that is one document."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import ModuleType
from zipfile import ZipFile

from qdtm.corpus.readers.encoding import Encoding, find_encoding, reading_errors
from qdtm.corpus.readers.records import MAX_TEXT, MAX_TEXT_MB
from qdtm.errors import CorpusError, MissingExtraError

PAGE = "\f"
"""What stands between two pages of a text: `qdtm.results.passages` counts them, to say "p. 12"."""

_OLE = b"\xd0\xcf\x11\xe0"
"""How files of Office before 2007 begin, and those that a password keeps shut."""

_DATE = re.compile(r"(?:D:)?(\d{4})(?:-?(\d\d)(?:-?(\d\d))?)?")
_NO_TITLE = re.compile(
    r"microsoft word\b.*|untitled.*|(?:new )?document\s*\d*|.*\.(?:docx?|rtf|odt|dvi|tex|indd)", re.I
)
_LONGEST = 1_000


@dataclass(frozen=True)
class Contents:
    """A file that is one document.

    Attributes
    ----------
    text : str
        With `PAGE` between pages, where they are known.
    title, date, author : str
        What the file says; empty where it says nothing.
    encoding : Encoding, optional
        How it was decoded, if that had to be found out.
    """

    text: str
    title: str = ""
    date: str = ""
    author: str = ""
    encoding: Encoding | None = None

    @property
    def fields(self) -> dict[str, str]:
        """What becomes fields, in their order; only what there is."""
        known = {"date": iso_date(self.date), "author": _line(self.author)}
        return {name: value for name, value in known.items() if value}

    @property
    def own_title(self) -> str:
        """The title, unless it is one that a program made up."""
        title = _line(self.title)
        return "" if _NO_TITLE.fullmatch(title) else title


def _line(text: str) -> str:
    return " ".join(text[:_LONGEST].split())


def iso_date(text: str) -> str:
    """Return a date as a file has it ("D:20190506...", "2019-05-06T12:00Z") as year, month and day."""
    found = _DATE.match(text.strip())
    return "-".join(part for part in found.groups() if part) if found else _line(text)[:40]


def read_text(path: Path, wanted: str | None) -> tuple[str, Encoding]:
    """Return a whole file as text, and how it was decoded."""
    with reading_errors(path):
        check_size(path)
        encoding = find_encoding(path, wanted)
        text = path.read_bytes().decode(encoding.name, encoding.errors)
    return text.replace("\0", " ").replace("\r\n", "\n").replace("\r", "\n"), encoding


def check_size(path: Path) -> None:
    """Refuse a file that is larger than a document may be.

    Raises
    ------
    CorpusError
    """
    if path.stat().st_size > MAX_TEXT:
        raise CorpusError(f"{str(path)!r} is larger than {MAX_TEXT_MB} MB; split it.")


def needed(module: str, extra: str, path: Path) -> ModuleType:
    """Import a package of an extra."""
    try:
        return import_module(module)
    except ImportError as error:
        raise MissingExtraError(
            f"Reading {path.name!r} needs the extra {extra!r}: pip install 'qdtm[{extra}]'."
        ) from error


def open_package(path: Path, kind: str) -> ZipFile:
    """Open a document or workbook that is a zip file, of a kind such as "an .odt"."""
    with reading_errors(path):
        with path.open("rb") as file:
            if file.read(len(_OLE)) == _OLE:
                raise CorpusError(f"{str(path)!r} is encrypted, or of an old kind; save it as {kind} again.")
        with damage(path, kind):
            return ZipFile(path)


@contextmanager
def damage(path: Path, kind: str) -> Iterator[None]:
    """Turn what a package raises for a damaged file into one line; its parts may raise anything."""
    try:
        yield
    except (CorpusError, KeyboardInterrupt):
        raise
    except Exception as error:
        raise CorpusError(f"{str(path)!r} is not {kind} file, or is damaged.") from error
