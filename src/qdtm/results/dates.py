"""A column of dates as people write them in, days out.

The way of writing is found for the column as a whole: "03/04/2001" alone could be two days, but not beside
"25/04/2001". Where even the whole column could be read both ways, the user is asked. A date is the day as it
is written; the time of day and its zone are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import partial

import numpy as np
from numpy.typing import NDArray

from qdtm.corpus.document_store import as_field
from qdtm.errors import ParameterError

Reader = Callable[[str], datetime]

_TIMES = ("", " %H:%M", " %H:%M:%S", " %I:%M %p", " %I:%M:%S %p")
_DAY_FIRST = ("%d/%m/%Y", "%d.%m.%Y", "%d-%m-%Y", "%d/%m/%y", "%d.%m.%y")
_MONTH_FIRST = ("%m/%d/%Y", "%m.%d.%Y", "%m-%d-%Y", "%m/%d/%y", "%m.%d.%y")
_CLEAR = (
    "%Y", "%Y-%m", "%Y/%m", "%Y/%m/%d", "%Y.%m.%d", "%d %B %Y", "%d %b %Y", "%B %d, %Y", "%b %d, %Y",
    "%B %d %Y", "%b %d %Y", "%A, %d %B %Y", "%A, %B %d, %Y", "%B %Y", "%b %Y", "%d-%b-%Y", "%d-%b-%y",
    "%a %b %d %H:%M:%S %z %Y",
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Dates:
    """The days of documents.

    Attributes
    ----------
    days : ndarray of datetime64[D], shape (D,)
        NaT where there is none.
    n_missing : int
        Values that are empty.
    n_unreadable : int
        Values that are no date.
    """

    days: NDArray[np.datetime64]
    n_missing: int
    n_unreadable: int


def read_dates(values: Sequence[object], date_format: str | None = None, column: str = "dates") -> Dates:
    """Read dates as people write them.

    Parameters
    ----------
    values : sequence
        Texts, or dates of any library; empty ones are missing.
    date_format : str, optional
        As in `datetime.strptime`; found from the values without.
    column : str
        What an error calls them.

    Raises
    ------
    ParameterError
        If none can be read, or they can be read in two ways.
    """
    texts = [" ".join(as_field(value).split()) for value in values]
    known: dict[str, np.datetime64] = {"": np.datetime64("NaT")}
    distinct = [text for text in dict.fromkeys(texts) if text]
    for text, read in zip(distinct, _read_all(distinct, date_format, column), strict=True):
        known[text] = np.datetime64("NaT") if read is None else np.datetime64(read.date(), "D")
    days = np.array([known[text] for text in texts], "datetime64[D]")
    n_missing = texts.count("")
    n_unreadable = int(np.isnat(days).sum()) - n_missing
    if np.isnat(days).all():
        example = f", such as {distinct[0][:40]!r}" if distinct else ""
        raise ParameterError(
            f"No date in {column!r} can be read{example}; give date_format (--date-format), "
            "such as '%d.%m.%Y'."
        )
    return Dates(days, n_missing, n_unreadable)


def check_date_format(date_format: str) -> None:
    """Refuse a way to write dates that has no year, or that nobody can read.

    Raises
    ------
    ParameterError
    """
    day = datetime(2011, 2, 3)
    try:
        read = datetime.strptime(day.strftime(date_format), date_format)
    except ValueError:
        read = None
    if read is None or read.year != day.year:
        raise ParameterError(f"The date format is {date_format!r}; give one with a year, such as '%d.%m.%Y'.")


def _read_all(texts: Sequence[str], date_format: str | None, column: str) -> list[datetime | None]:
    if date_format is not None:
        return [_try([partial(_as_format, date_format=date_format)], text) for text in texts]
    clear: list[Reader] = [
        _as_iso,
        *(partial(_as_format, date_format=f) for f in _CLEAR),
        _as_mail,
        _as_seconds,
    ]
    found = [_try(clear, text) for text in texts]
    unclear = [i for i, read in enumerate(found) if read is None]
    if unclear:
        for i, read in zip(unclear, _by_column([texts[i] for i in unclear], column), strict=True):
            found[i] = read
    return found


def _by_column(texts: Sequence[str], column: str) -> list[datetime | None]:
    """Read dates of which the day or the month may come first; all of them the same way."""
    day_first = [_try(_readers(_DAY_FIRST), text) for text in texts]
    month_first = [_try(_readers(_MONTH_FIRST), text) for text in texts]
    n_day, n_month = sum(x is not None for x in day_first), sum(x is not None for x in month_first)
    if n_day == n_month and day_first != month_first:
        example = next(t for t, a, b in zip(texts, day_first, month_first, strict=True) if a != b)
        raise ParameterError(
            f"The dates in {column!r} can be read day first or month first (such as {example[:40]!r}); "
            "give date_format (--date-format), such as '%d/%m/%Y'."
        )
    return day_first if n_day >= n_month else month_first


def _readers(formats: Sequence[str]) -> list[Reader]:
    return [partial(_as_format, date_format=day + time) for day in formats for time in _TIMES]


def _try(readers: Sequence[Reader], text: str) -> datetime | None:
    """Return what the first reader makes of a text that can."""
    for reader in readers:
        try:
            read = reader(text)
        except (ValueError, TypeError, OverflowError, IndexError, OSError):
            continue
        return read
    return None


def _as_iso(text: str) -> datetime:
    if text.isdecimal() and len(text) != 8:
        raise ValueError(text)  # a year, or seconds
    return datetime.fromisoformat(text)


def _as_format(text: str, date_format: str) -> datetime:
    return datetime.strptime(text, date_format)


def _as_mail(text: str) -> datetime:
    if ":" not in text:
        raise ValueError(text)
    return parsedate_to_datetime(text)


def _as_seconds(text: str) -> datetime:
    """Read seconds, or thousandths of them, since 1970."""
    if not text.isdecimal() or len(text) not in (9, 10, 12, 13):
        raise ValueError(text)
    return datetime.fromtimestamp(int(text) / (1000 if len(text) > 10 else 1), UTC)
