"""Text of word processors and books in, its contents out: .docx, .odt and .epub, which are XML in a zip file.

The XML is read as it passes by: no tree is built, and a document type, with which entities could be declared,
is refused.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Mapping
from pathlib import Path
from urllib.parse import unquote
from xml.parsers import expat
from zipfile import ZipFile

from qdtm.corpus.readers.contents import Contents, damage, open_package
from qdtm.corpus.readers.markup_files import html_contents
from qdtm.corpus.readers.records import MAX_TEXT, MAX_TEXT_MB
from qdtm.errors import CorpusError

_MAX_MEMBERS = 20_000
_MAX_GROWTH = 200
_FREE_BYTES = 2**23


class Package:
    """The zip file of a document, whose parts are read within bounds."""

    def __init__(self, path: Path, archive: ZipFile) -> None:
        self._path = path
        self._archive = archive
        self._allowed = min(4 * MAX_TEXT, _FREE_BYTES + _MAX_GROWTH * path.stat().st_size)
        self.names = archive.namelist()
        if len(self.names) > _MAX_MEMBERS:
            raise CorpusError(f"{str(path)!r} has {len(self.names):,} parts; that is no document.")

    def read(self, name: str) -> bytes:
        """Return a part; nothing if it is not there."""
        if name not in self._archive.NameToInfo:
            return b""
        about = self._archive.getinfo(name)
        if about.flag_bits & 1:
            raise CorpusError(f"{str(self._path)!r} is encrypted; save it without a password.")
        if about.file_size > MAX_TEXT:
            raise CorpusError(f"{str(self._path)!r} has a part of more than {MAX_TEXT_MB} MB.")
        self._allowed -= about.file_size
        if self._allowed < 0:
            raise CorpusError(f"{str(self._path)!r} unpacks to more than {_MAX_GROWTH} times its size.")
        return self._archive.read(name)


class _Gathered:
    """The text of an XML part, gathered as its elements pass by; names are without their namespaces.

    Parameters
    ----------
    inside : collection of str
        The elements whose text counts, at any depth inside them.
    ends : mapping of str to str
        What is written at the end of an element.
    skipped : collection of str
        The elements of which nothing counts.
    attributes : collection of str
        The elements whose attributes are kept, in order.
    """

    def __init__(
        self,
        inside: Collection[str],
        ends: Mapping[str, str],
        skipped: Collection[str] = (),
        attributes: Collection[str] = (),
    ) -> None:
        self.pieces: list[str] = []
        self.values: dict[str, str] = {}
        self.elements: list[tuple[str, dict[str, str]]] = []
        self._inside, self._ends, self._skipped, self._attributes = inside, ends, skipped, attributes
        self._n_inside = self._n_skipped = 0

    def feed(self, data: bytes) -> _Gathered:
        """Read a part; nothing if there is none."""
        if not data:
            return self
        parser = expat.ParserCreate(namespace_separator=" ")
        parser.buffer_text = True
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._text
        parser.StartDoctypeDeclHandler = _refuse
        parser.Parse(data, True)
        return self

    def __str__(self) -> str:
        return "".join(self.pieces)

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        local = name.rpartition(" ")[2]
        self._n_skipped += local in self._skipped
        self._n_inside += local in self._inside
        if local in self._attributes:
            self.elements.append((local, {key.rpartition(" ")[2]: each for key, each in attributes.items()}))

    def _end(self, name: str) -> None:
        local = name.rpartition(" ")[2]
        self._n_inside -= local in self._inside
        if local in self._ends and not self._n_skipped:
            self.pieces.append(self._ends[local])
        self._n_skipped -= local in self._skipped

    def _text(self, text: str) -> None:
        if self._n_inside and not self._n_skipped:
            self.pieces.append(text)


def _refuse(*_: object) -> None:
    raise ValueError("a document type, which could declare entities without end")


def _metadata(data: bytes) -> dict[str, str]:
    """Return the first text of each element of metadata, by its name."""
    said: dict[str, str] = {}
    names = ("title", "creator", "initial-creator", "date", "created", "creation-date")
    for name in names:
        gathered = _Gathered((name,), {name: "\n"}).feed(data)
        said[name] = str(gathered).strip().partition("\n")[0]
    return said


# --- .docx --------------------------------------------------------------------------------------------------

_WORD_ENDS = {"p": "\n", "tab": "\t", "br": "\n", "cr": "\n", "tc": " "}
_WORD_PART = re.compile(r"word/document\d{0,3}\.xml")


def read_docx(path: Path, _encoding: str | None) -> Contents:
    """Read a text of Word: paragraphs, tables, then foot- and endnotes; without what was deleted."""
    with open_package(path, "a .docx") as archive, damage(path, "a .docx"):
        package = Package(path, archive)
        part = next((name for name in package.names if _WORD_PART.fullmatch(name)), None)
        if part is None:
            raise CorpusError(f"{str(path)!r} is not a .docx file, or is damaged.")
        gathered = _Gathered(("t",), _WORD_ENDS, ("Fallback", "tabs", "del"))
        for name in (part, "word/footnotes.xml", "word/endnotes.xml"):
            gathered.feed(package.read(name))
        said = _metadata(package.read("docProps/core.xml"))
    return Contents(str(gathered).strip(), said["title"], said["created"], said["creator"])


# --- .odt ---------------------------------------------------------------------------------------------------

_ODT_ENDS = {"p": "\n", "h": "\n", "tab": "\t", "line-break": "\n", "s": " "}


def read_odt(path: Path, _encoding: str | None) -> Contents:
    """Read an OpenDocument text: headings, paragraphs, then notes; without changes and comments."""
    with open_package(path, "an .odt") as archive, damage(path, "an .odt"):
        package = Package(path, archive)
        if b"encryption-data" in package.read("META-INF/manifest.xml"):
            raise CorpusError(f"{str(path)!r} is encrypted; save it without a password.")
        content = package.read("content.xml")
        if not content:
            raise CorpusError(f"{str(path)!r} is not an .odt file, or is damaged.")
        skipped = ("tracked-changes", "annotation", "note-citation", "sequence-decls")
        gathered = _Gathered(("p", "h"), _ODT_ENDS, (*skipped, "note")).feed(content)
        notes = _Gathered(("note-body",), _ODT_ENDS, skipped).feed(content)
        said = _metadata(package.read("meta.xml"))
    text = f"{str(gathered).strip()}\n\n{' '.join(str(notes).split())}".strip()
    date, author = said["creation-date"] or said["date"], said["initial-creator"] or said["creator"]
    return Contents(text, said["title"], date, author)


# --- .epub --------------------------------------------------------------------------------------------------


def read_epub(path: Path, _encoding: str | None) -> Contents:
    """Read a book: its chapters in the order of reading."""
    with open_package(path, "an .epub") as archive, damage(path, "an .epub"):
        package = Package(path, archive)
        container = _Gathered((), {}, (), ("rootfile",)).feed(package.read("META-INF/container.xml"))
        place = container.elements[0][1]["full-path"]
        opf = package.read(place)
        chapters = _chapters(opf, posixpath.dirname(place))
        locked = package.read("META-INF/encryption.xml").decode("utf-8", "replace")
        if any(name in locked for name in chapters):
            raise CorpusError(f"{str(path)!r} is encrypted; save it without a password.")
        pages = [html_contents(package.read(name).decode("utf-8-sig", "replace")).text for name in chapters]
        said = _metadata(opf)
    text = "\n\n".join(page for page in pages if page)
    return Contents(text, said["title"], said["date"], said["creator"])


def _chapters(opf: bytes, folder: str) -> list[str]:
    """Return the names of a book's chapters in their order, each once, without the table of contents."""
    gathered = _Gathered((), {}, (), ("item", "itemref")).feed(opf)
    items = [item for kind, item in gathered.elements if kind == "item"]
    names = {item["id"]: item["href"] for item in items if "nav" not in item.get("properties", "").split()}
    order = [ref["idref"] for kind, ref in gathered.elements if kind == "itemref"]
    places = (
        posixpath.normpath(posixpath.join(folder, unquote(names[each]))) for each in order if each in names
    )
    return list(dict.fromkeys(places))
