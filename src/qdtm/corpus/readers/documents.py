"""Files that are one document each in, records out: which reader reads which."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

from qdtm.corpus.readers.contents import Contents, read_text
from qdtm.corpus.readers.encoding import is_empty
from qdtm.corpus.readers.markup_files import read_html, read_markdown
from qdtm.corpus.readers.office_files import read_docx, read_epub, read_odt
from qdtm.corpus.readers.pdf_files import read_pdf
from qdtm.corpus.readers.records import CorpusWarning, Meter, ReadOptions, Record
from qdtm.corpus.readers.references import arranged
from qdtm.corpus.readers.rtf_files import read_rtf
from qdtm.errors import CorpusError


def _read_plain(path: Path, encoding: str | None) -> Contents:
    text, found = read_text(path, encoding)
    return Contents(text, encoding=found)


DOCUMENTS: dict[str, Callable[[Path, str | None], Contents]] = {
    ".txt": _read_plain,
    ".md": read_markdown,
    ".markdown": read_markdown,
    ".html": read_html,
    ".htm": read_html,
    ".xhtml": read_html,
    ".docx": read_docx,
    ".docm": read_docx,
    ".odt": read_odt,
    ".rtf": read_rtf,
    ".epub": read_epub,
    ".pdf": read_pdf,
}
"""What reads a file as one document, by its ending."""


def document_contents(path: Path, ending: str, encoding: str | None) -> Contents:
    """Read a file as one document.

    Raises
    ------
    CorpusError
        If it cannot be read, or has no text.
    """
    if not is_empty(path):
        contents = DOCUMENTS[ending](path, encoding)
        if contents.text.strip():
            return contents
    raise CorpusError(f"{str(path)!r} has no text.")


def read_document(path: Path, options: ReadOptions, meter: Meter) -> Iterator[Record]:
    """Yield the one document that a file is; its name is the file's."""
    contents = document_contents(path, path.suffix.lower(), options.encoding)
    if contents.encoding is not None and contents.encoding.note:
        warnings.warn(f"{path.name!r} {contents.encoding.note}", CorpusWarning, stacklevel=2)
    record = Record(path.stem, contents.text, contents.fields, title=contents.own_title)
    yield from arranged([record], options, path)
    meter.set(1.0)
