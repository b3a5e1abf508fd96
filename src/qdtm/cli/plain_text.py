"""Text of unknown origin in, text that is safe to print out.

A document may hold control characters, colour codes or marks that reverse the reading direction; none of them
may reach a terminal.
"""

from __future__ import annotations

import re

_ESCAPE = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|(?:\x1b\]|\x9d)[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?|\x1b.?"
)
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]+")


def one_line(text: str, limit: int | None = None) -> str:
    """Return a text on one line, without control characters, cut to `limit` characters."""
    text = " ".join(_UNPRINTABLE.sub(" ", _ESCAPE.sub("", text)).split())
    if limit is None or len(text) <= limit:
        return text
    cut = text[: limit - 1]
    at_a_space = cut.rsplit(" ", 1)[0]
    return (at_a_space if len(at_a_space) > limit // 2 else cut).rstrip(" ,.;:") + "…"
