"""Reprs that fit a screen: values in, short text out.

Whatever a user looks at in a notebook or at a prompt is written with these, however long a query, a text or
a list of words is.
"""

from __future__ import annotations

import reprlib
from collections.abc import Sequence

LONGEST = 200
"""Characters of a repr of one line."""


class _Brief(reprlib.Repr):
    """Python's own shortened reprs, with limits for words and short texts."""

    def __init__(self) -> None:
        super().__init__()
        self.maxstring = self.maxother = 60
        self.maxlist = self.maxtuple = 4
        self.maxdict = 3
        self.maxlevel = 3


_BRIEF = _Brief()


def counted(n: int, noun: str) -> str:
    """Return how many there are of something: "1 subtopic", "2 subtopics"."""
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {noun}s"


def quoted(value: object) -> str:
    """Return the repr of a value, the middle of it left out if it is long."""
    return _BRIEF.repr(value)


def listed(words: Sequence[str], n: int = 5, limit: int = 80) -> str:
    """Return the first words of a list as one line: "fire, wind, smoke, ..."."""
    line = ", ".join(words[:n]) + (", …" if len(words) > n else "")
    return line if len(line) <= limit else line[: limit - 1] + "…"


def on_screen(text: str) -> str:
    """Return a line that is no longer than a screen bears; its closing bracket stays."""
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 2]}…{text[-1]}"
