"""What every reader of files yields, and what it is told: `Record`, `ReadOptions`, `Meter`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

MAX_TEXT_MB = 64
"""The longest line, cell or file that is taken as one document, in millions of characters (2**20)."""

MAX_TEXT = MAX_TEXT_MB * 2**20


class CorpusWarning(UserWarning):
    """Something about a corpus was repaired or guessed, and the user should know."""


@dataclass(frozen=True, slots=True)
class Record:
    """One document as it was read.

    Attributes
    ----------
    id : str
        Its name for display.
    text : str
    fields : mapping of str to str
        Everything else that came with it.
    id_name : str
        What the user calls the id: the name of its column, if it is from one.
    """

    id: str
    text: str
    fields: Mapping[str, str] = field(default_factory=dict)
    id_name: str = field(default="", compare=False)


@dataclass(frozen=True)
class ReadOptions:
    """What the user says about a file.

    Attributes
    ----------
    text_column, id_column : str or None
        The columns (or keys) of the text and of the name; None to find them.
    encoding : str or None
        The encoding of the file; None to find it.
    all_fields : bool
        Whether the text and the name are among the fields too, as a preview of a table needs them.
    """

    text_column: str | None = None
    id_column: str | None = None
    encoding: str | None = None
    all_fields: bool = False


class Meter:
    """Tells how much of a source has been read."""

    def __init__(self) -> None:
        self.share: Callable[[], float] = lambda: 0.0

    def watch(self, file: BinaryIO, size: int) -> None:
        """Measure by the position in a file of `size` bytes."""
        self.share = lambda: min(1.0, file.tell() / size) if size and not file.closed else 1.0

    def set(self, share: float) -> None:
        """Say outright how much has been read."""
        self.share = lambda: share


Reader = Callable[[Path, ReadOptions, Meter], Iterator[Record]]
"""A reader yields the records of a file or folder, in order."""
