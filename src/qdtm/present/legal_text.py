"""Texts of the user's in, texts that a format can hold out: for XML, for one line, for the name of a file."""

from __future__ import annotations

import re
import unicodedata
from html import escape

_NOT_IN_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_CONTROLS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufffe\uffff]")
_DIRECTIONS = re.compile("[\u202a-\u202e\u2066-\u2069\u200e\u200f\ufeff]")
_NOT_IN_NAMES = re.compile(r'[\\/:*?"<>|#^\[\]%&{}$!@`=;,~\'()+]+')
_DEVICES = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)", re.IGNORECASE)  # what Windows takes for a device
_LONGEST_NAME = 120  # bytes, so that an ending and a number have room


def in_xml(text: str) -> str:
    """Return a text without the characters that XML 1.0 cannot hold."""
    return _NOT_IN_XML.sub("", text)


def xml(value: object) -> str:
    """Return a value as it stands between tags or in an attribute; line ends and tabs are kept there."""
    kept = escape(in_xml(str(value)), quote=True)
    return kept.replace("\r", "&#13;").replace("\n", "&#10;").replace("\t", "&#9;")


def one_line(text: str) -> str:
    """Return a text on one line, without control characters."""
    return " ".join(_CONTROLS.sub(" ", text).split())


def same_places(text: str) -> str:
    """Return a text that any program reads alike, each character where it was.

    Line ends become one; where a page ends, a line does.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\f", "\n")
    return _CONTROLS.sub(" ", text).replace("\ufeff", " ")


def file_name(text: str, otherwise: str = "untitled") -> str:
    """Return what a file can be called on any system: no path, no device, not too long, never hidden."""
    kept = _NOT_IN_NAMES.sub(" ", _DIRECTIONS.sub("", unicodedata.normalize("NFC", one_line(text))))
    kept = " ".join(kept.split()).strip(". -_")
    kept = kept.encode("utf-8", "ignore")[:_LONGEST_NAME].decode("utf-8", "ignore").rstrip(". ")
    if not kept or _DEVICES.fullmatch(kept.split(".")[0].strip()):
        return f"{otherwise} {kept}".strip()
    return kept


class DistinctNames:
    """Names that differ from each other also where capitals do not count: the second gets a number."""

    def __init__(self) -> None:
        self._used: dict[str, int] = {}

    def name(self, wanted: str, number: str = " {}") -> str:
        """Return the name, or the name with a number that no other has."""
        found = wanted
        while unicodedata.normalize("NFKC", found).casefold() in self._used:
            key = unicodedata.normalize("NFKC", wanted).casefold()
            self._used[key] = self._used.get(key, 1) + 1
            found = wanted + number.format(self._used[key])
        self._used[unicodedata.normalize("NFKC", found).casefold()] = 1
        return found
