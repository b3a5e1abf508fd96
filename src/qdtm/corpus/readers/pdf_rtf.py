"""Files that need the extra `documents` in, their contents out: .pdf (pypdfium2) and .rtf (striprtf)."""

from __future__ import annotations

import re
import threading
import time
import warnings
from pathlib import Path
from typing import Any

from qdtm.corpus.readers.contents import PAGE, Contents, check_size, damage, needed
from qdtm.corpus.readers.encoding import reading_errors
from qdtm.corpus.readers.records import MAX_TEXT, MAX_TEXT_MB, CorpusWarning
from qdtm.errors import CorpusError

MAX_PAGES = 5_000
MAX_PDF_BYTES = 2**30
MAX_SECONDS = 300.0
"""Nobody's page takes longer than milliseconds; one that is made to is not waited for."""

_ONE_AT_A_TIME = threading.Lock()  # PDFium may not be used by two threads
_LINE_END_HYPHEN = re.compile(r"(?:[\x02\ufffe]|(?<=[^\W\d_])-\n)(?=[a-zà-ÿ])")
_LETTERLESS = str.maketrans({"\x02": "-", "\ufffe": "-", "\0": " "})


# --- .pdf ---------------------------------------------------------------------------------------------------


def read_pdf(path: Path, _encoding: str | None) -> Contents:
    """Read the text of a PDF file, page by page."""
    pdfium = needed("pypdfium2", "documents", path)
    with reading_errors(path):
        path.open("rb").close()  # what the system says is clearer than what PDFium does
        if path.stat().st_size > MAX_PDF_BYTES:
            raise CorpusError(f"{str(path)!r} is larger than {MAX_PDF_BYTES >> 20:,} MB.")
    with _ONE_AT_A_TIME, damage(path, "a PDF"):
        document = _opened(pdfium, path)
        try:
            pages = _pages(document, path)
            said = document.get_metadata_dict()
        finally:
            document.close()
    if not any(map(str.strip, pages)):
        raise CorpusError(f"{str(path)!r} has no text; is it scanned?")
    return Contents(PAGE.join(pages), said["Title"], said["CreationDate"], said["Author"])


def _opened(pdfium: Any, path: Path) -> Any:
    try:
        return pdfium.PdfDocument(path)
    except pdfium.PdfiumError as error:
        if "password" in str(error).lower() or "security" in str(error).lower():
            raise CorpusError(f"{str(path)!r} is encrypted.") from error
        raise


def _pages(document: Any, path: Path) -> list[str]:
    """Return the text of each page, of the first `MAX_PAGES`."""
    n_pages, left, deadline = len(document), MAX_TEXT, time.monotonic() + MAX_SECONDS
    pages = []
    for number in range(min(n_pages, MAX_PAGES)):
        pages.append(_page(document, number))
        left -= len(pages[-1])
        if left < 0:
            raise CorpusError(f"{str(path)!r} has more than {MAX_TEXT_MB} MB of text; split it.")
        if time.monotonic() > deadline:
            raise CorpusError(f"{str(path)!r} takes more than {MAX_SECONDS:.0f} seconds to read.")
    if n_pages > MAX_PAGES:
        message = f"{path.name!r} has {n_pages:,} pages; the first {MAX_PAGES:,} were read."
        warnings.warn(message, CorpusWarning, stacklevel=2)
    return pages


def _page(document: Any, number: int) -> str:
    """Return the text of a page, with words put together that the end of a line had cut."""
    page = document[number]
    try:
        text = page.get_textpage().get_text_bounded(errors="replace")
    finally:
        page.close()
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace(PAGE, "\n")
    return _LINE_END_HYPHEN.sub("", text).translate(_LETTERLESS)


# --- .rtf ---------------------------------------------------------------------------------------------------
#
# Two patterns of striprtf look through the rest of a line for each field and each font: what they would find
# is taken away before, or is small.

_LONGEST_FONTS = 2**15
_PICTURE = re.compile(r"[0-9a-fA-F\s]{4000,}+")
_INFO = {name: re.compile(r"\{\\" + name + r"\s([^{}]{0,1000})\}") for name in ("title", "author")}
_CREATED = re.compile(r"\{\\creatim\\yr(\d{4})\\mo(\d{1,2})\\dy(\d{1,2})")
_FONTS = re.compile(r"\{[^{}]{0,50}\\fonttbl")
_HEAD = 2**18


def read_rtf(path: Path, _encoding: str | None) -> Contents:
    """Read a file in Rich Text Format."""
    striprtf = needed("striprtf.striprtf", "documents", path)
    with reading_errors(path):
        check_size(path)
        source = path.read_bytes().decode("cp1252", "replace")
    with damage(path, "an RTF"):
        if not source.lstrip().startswith("{\\rtf"):
            raise CorpusError(f"{str(path)!r} is not an RTF file, or is damaged.")

        def plain(rtf: str) -> str:
            return str(striprtf.rtf_to_text(rtf, errors="replace")).replace("\0", " ")

        head = source[:_HEAD]
        found = {name: pattern.search(head) for name, pattern in _INFO.items()}
        said = {name: plain("{\\rtf1\\ansi " + match[1] + "}") for name, match in found.items() if match}
        created = _CREATED.search(head)
        date = "-".join(part.zfill(2) for part in created.groups()) if created else ""
        text = plain(_bounded(source))
    return Contents(text.strip(), said.get("title", ""), date, said.get("author", ""))


def _bounded(source: str) -> str:
    """Return RTF without pictures, without what fields are made from, and with a short list of fonts."""
    source = _PICTURE.sub(" ", source).replace("fldinst", "fieldinst")
    fonts = _FONTS.search(source)
    if fonts is None or source.find("}}", fonts.end(), fonts.end() + _LONGEST_FONTS) >= 0:
        return source
    return source.replace("fcharset", "fchars")
