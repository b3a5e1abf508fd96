"""What every reader of files yields and is told, and which column is which."""

from __future__ import annotations

import difflib
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from qdtm.corpus.document_store import as_field
from qdtm.errors import CorpusError

# --- records ------------------------------------------------------------------------------------------------

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
    title : str
        What it is called; empty if nothing says so.
    title_name : str
        What the user calls the title: the name of its column, if it is from one.
    """

    id: str
    text: str
    fields: Mapping[str, str] = field(default_factory=dict)
    id_name: str = field(default="", compare=False)
    title: str = ""
    title_name: str = field(default="", compare=False)


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
        Whether the text, the name and the title are among the fields too, as a preview of a table needs them.
    title_column : str or None
        The column (or key) of the title; None to find it.
    """

    text_column: str | None = None
    id_column: str | None = None
    encoding: str | None = None
    all_fields: bool = False
    title_column: str | None = None


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


# --- which column is which ----------------------------------------------------------------------------------
#
# Column names and a few rows in, the columns of the text and of the name out.

_TEXT_NAMES = (
    "text", "full_text", "fulltext", "full text", "body", "content", "contents", "document", "article",
    "message", "tweet", "post", "comment", "review", "abstract", "transcript", "speech", "answer", "response",
    "description", "summary", "sentence", "snippet", "headline", "title",
)  # fmt: skip
_ID_NAMES = ("id", "doc_id", "docid", "document_id")
_N_LISTED = 30

N_PEEKED = 50
"""How many rows a reader looks at before it decides."""

MAX_COLUMNS = 16_384
"""As many as a spreadsheet has."""


def find_text_column(
    names: Sequence[str], rows: Sequence[Sequence[object]], wanted: str | None, source: str
) -> int:
    """Return the position of the column that holds the texts.

    Parameters
    ----------
    names : sequence of str
        The columns there are.
    rows : sequence of sequences
        The first rows.
    wanted : str or None
        The user's choice. Without one: the column with a usual name ("text", "body", "content", ...), the
        only column, or the one with the longest texts in `rows`, in that order; the last is a guess, and
        warned about.
    source : str
        What the message calls the table.

    Raises
    ------
    CorpusError
        If there is no such column; the message lists those there are.
    """
    if wanted is not None:
        return find_column(names, wanted, source)
    folded = [name.strip().casefold() for name in names]
    for usual in _TEXT_NAMES:
        if usual in folded:
            return folded.index(usual)
    if len(names) == 1:
        return 0
    position = max(
        range(len(names)), key=lambda c: sum(len(as_field(row[c])) for row in rows if c < len(row))
    )
    warnings.warn(
        f"No text column was named for {source}; {names[position]!r}, with the longest texts, was taken.",
        CorpusWarning,
        stacklevel=2,
    )
    return position


def find_id_column(names: Sequence[str], wanted: str | None, source: str) -> int | None:
    """Return the position of the column that names the documents: the user's choice, or one called "id"."""
    if wanted is not None:
        return find_column(names, wanted, source)
    folded = [name.strip().casefold() for name in names]
    return next((folded.index(usual) for usual in _ID_NAMES if usual in folded), None)


def find_column(names: Sequence[str], wanted: str, source: str) -> int:
    """Return the position of a column by its name, of which case and outer spaces may be wrong."""
    if wanted in names:
        return list(names).index(wanted)
    folded = [name.strip().casefold() for name in names]
    if folded.count(wanted.strip().casefold()) == 1:
        return folded.index(wanted.strip().casefold())
    closest = difflib.get_close_matches(wanted, names, n=1)
    hint = f" Closest: {closest[0]!r}." if closest else ""
    listed = ", ".join(repr(name) for name in names[:_N_LISTED])
    more = f" and {len(names) - _N_LISTED} more" if len(names) > _N_LISTED else ""
    raise CorpusError(f"Column {wanted!r} is not in {source}.{hint} Columns: {listed}{more}.")


def distinct_names(names: Sequence[str]) -> list[str]:
    """Return names that are all different and not empty: "a", "a", "" become "a", "a_2", "column_3"."""
    taken: set[str] = set()
    used: dict[str, int] = {}
    distinct = []
    for position, name in enumerate(names, start=1):
        base = candidate = name.strip() or f"column_{position}"
        count = used.get(base, 1)  # not from 2 again, or a thousand equal names take a million steps
        while candidate in taken:
            count += 1
            candidate = f"{base}_{count}"
        used[base] = count
        taken.add(candidate)
        distinct.append(candidate)
    return distinct


def check_width(n_columns: int, source: str) -> None:
    """Refuse a table that is wider than any spreadsheet.

    Raises
    ------
    CorpusError
    """
    if n_columns > MAX_COLUMNS:
        raise CorpusError(
            f"{source} has {n_columns:,} columns or keys; at most {MAX_COLUMNS:,} are read. Leave some out."
        )
