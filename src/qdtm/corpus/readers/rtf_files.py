"""A file in Rich Text Format in, its contents out (striprtf, of the extra `documents`).

Two patterns of striprtf look through the rest of a line for each field and each font: what they would find is
taken away before, or is small.
"""

from __future__ import annotations

import re
from pathlib import Path

from qdtm.corpus.readers.contents import Contents, check_size, damage, needed
from qdtm.corpus.readers.encoding import reading_errors
from qdtm.errors import CorpusError

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
    """Return RTF without pictures and what fields are made from, with notes and a short list of fonts."""
    source = _PICTURE.sub(" ", source).replace("fldinst", "fieldinst")
    source = source.replace("\\*\\footnote", "\\tab ").replace("\\footnote", "\\tab ")
    fonts = _FONTS.search(source)
    if fonts is None or source.find("}}", fonts.end(), fonts.end() + _LONGEST_FONTS) >= 0:
        return source
    return source.replace("fcharset", "fchars")
