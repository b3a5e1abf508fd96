"""What every reader of files yields and is told, and which column is which."""

from __future__ import annotations

import difflib
import warnings
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice, pairwise
from pathlib import Path
from typing import BinaryIO

from qdtm.corpus.document_store import as_field
from qdtm.errors import CorpusError

# --- records ------------------------------------------------------------------------------------------------

MAX_TEXT_MB = 64
"""The longest line, cell or file that is taken as one document, in millions of characters (2**20)."""

MAX_TEXT = MAX_TEXT_MB * 2**20

_N_NAMED, _N_REASONS = 3, 12


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
    text_name : str
        What the user calls the text: the names of its columns, if it is from any.
    is_numbered : bool
        Whether its id is but its number in the file.
    """

    id: str
    text: str
    fields: Mapping[str, str] = field(default_factory=dict)
    id_name: str = field(default="", compare=False)
    title: str = ""
    title_name: str = field(default="", compare=False)
    text_name: str = field(default="", compare=False)
    is_numbered: bool = field(default=False, compare=False)


@dataclass(frozen=True)
class ReadOptions:
    """What the user says about a file.

    Attributes
    ----------
    text_column : str, sequence of str or None
        The column (or key) of the text, or several, whose texts are joined; None to find it, and to have a
        title that is found counted as its first words.
    id_column : str or None
        The column of the name; None to find it.
    encoding : str or None
        The encoding of the file; None to find it.
    all_fields : bool
        Whether the text, the name and the title are among the fields too, as a preview of a table needs them.
    title_column : str or None
        The column of the title; None to find it, "none" for none.
    table : str or None
        Which table of a database; None for the only one.
    before : Record or None
        Of the table before this one: its columns are taken again where they are.
    """

    text_column: str | Sequence[str] | None = None
    id_column: str | None = None
    encoding: str | None = None
    all_fields: bool = False
    title_column: str | None = None
    table: str | None = None
    before: Record | None = None


class Meter:
    """Tells how much of a source has been read.

    Attributes
    ----------
    share : callable
        Gives the share that has been read.
    n_files : int
        How many files the source has.
    passed : PassedOver
        Those that could not be read.
    """

    def __init__(self) -> None:
        self.share: Callable[[], float] = lambda: 0.0
        self.n_files = 1
        self.passed = PassedOver()

    def watch(self, file: BinaryIO, size: int) -> None:
        """Measure by the position in a file of `size` bytes."""
        self.share = lambda: min(1.0, file.tell() / size) if size and not file.closed else 1.0

    def set(self, share: float) -> None:
        """Say outright how much has been read."""
        self.share = lambda: share

    def follow(self, part: Meter, start: float, share: float) -> None:
        """Measure by how much has been read of a part, which begins at `start`."""
        self.share = lambda: min(1.0, start + share * part.share())


@dataclass
class PassedOver:
    """Files that could not be read, by the reason, to be told of in one line.

    Attributes
    ----------
    reasons : dict of str to list of str
        The names of the files, by what kept them from being read.
    n_read : int
        How many documents came from them before that.
    """

    reasons: dict[str, list[str]] = field(default_factory=dict)
    n_read: int = 0

    def add(self, name: str, place: str, error: Exception, n_read: int = 0) -> None:
        """Remember a file, why it could not be read, and how many documents of it were read before."""
        file = Path(place)
        known = [repr(str(file)), repr(place), repr(file.name), f"Reading {file.name!r}"]
        said = str(error).strip(" .").replace(known[-1], known[0])
        begins = next((each for each in known if said.startswith(each)), None)
        reason = said.removeprefix(begins) if begins else f": {said}"
        for each in known:
            reason = reason.replace(each, "it")
        if n_read:
            reason += f" (its first {n_read:,} are in)"
            self.n_read += n_read
        self.reasons.setdefault(reason, []).append(name)

    def __len__(self) -> int:
        return sum(map(len, self.reasons.values()))

    def lines(self, n: int) -> list[str]:
        """Return a line for each file, of the first `n`."""
        named = (repr(name) + reason for reason, names in self.reasons.items() for name in names)
        return list(islice(named, n))

    def __str__(self) -> str:
        frequent = sorted(self.reasons.items(), key=lambda each: -len(each[1]))
        said = [_named(names) + reason for reason, names in frequent[:_N_REASONS]]
        n_more = sum(len(names) for _, names in frequent[_N_REASONS:])
        said += [f"{n_more:,} more for other reasons"] if n_more else []
        sentence = "; ".join(said)
        return sentence if sentence.endswith("?") else f"{sentence}."

    def tell(self, source: str) -> None:
        """Warn of the files that were passed over, if there are any."""
        if self.reasons:
            n = len(self)
            message = f"{n:,} {'file' if n == 1 else 'files'} of {source} passed over: {self}"
            warnings.warn(message, CorpusWarning, stacklevel=3)


def _named(names: list[str]) -> str:
    """Return the first names, and how many more there are."""
    more = f" and {len(names) - _N_NAMED:,} more:" if len(names) > _N_NAMED else ""
    return ", ".join(map(repr, names[:_N_NAMED])) + more


Reader = Callable[[Path, ReadOptions, Meter], Iterator[Record]]
"""A reader yields the records of a file or folder, in order."""


# --- which column is which ----------------------------------------------------------------------------------
#
# Column names and a few rows in, the columns of the text, the name and the title out.

_TEXT_NAMES = (
    "text", "full_text", "fulltext", "full text", "body", "content", "contents", "document", "article",
    "message", "tweet", "post", "comment", "review", "abstract", "transcript", "speech", "answer", "response",
    "description", "summary", "sentence", "snippet", "headline", "title",
)  # fmt: skip
_ID_NAMES = ("id", "doc_id", "docid", "document_id")
_TITLE_NAMES = (
    "title", "headline", "heading", "head line", "subject", "subject line", "article title", "document title",
    "doc title", "paper title", "news title", "post title", "titel", "überschrift", "schlagzeile", "betreff",
    "titre", "título", "titulo", "titular", "asunto", "titolo", "oggetto", "rubrik", "tytuł", "başlık",
    "заголовок", "название", "标题", "標題", "题目", "タイトル", "제목", "name",
)  # fmt: skip
_PERHAPS_NO_TITLE = "name"
"""As often whose text it is as what it is called, so it is not counted unless the user says so."""
_LONGEST_TITLE = 200  # characters on average
_N_LISTED = 30

NO_TITLE = "none"
"""What to say for the column of titles where none should be looked for."""

N_PEEKED = 50
"""How many rows a reader looks at before it decides."""

MAX_COLUMNS = 16_384
"""As many as a spreadsheet has."""


_JOINED = " + "


def text_columns_of(text_name: str, names: Container[str] = ()) -> tuple[str, ...]:
    """Return the columns that a `Record.text_name` stands for; `names` are those there are, if known."""
    return (text_name,) if not text_name or text_name in names else tuple(text_name.split(_JOINED))


@dataclass(frozen=True)
class ColumnRoles:
    """Which columns of a table are what, by their positions.

    Attributes
    ----------
    text : tuple of int
        Whose texts are joined, if they are more than one.
    id, title : int or None
    """

    text: tuple[int, ...]
    id: int | None
    title: int | None

    @property
    def apart(self) -> frozenset[int]:
        """The columns that are no fields."""
        return frozenset((*self.text, *(c for c in (self.id, self.title) if c is not None)))

    def names(self, columns: Sequence[str]) -> dict[str, str]:
        """Return what a `Record` says about the roles."""
        id_name, title_name = ("" if c is None else columns[c] for c in (self.id, self.title))
        return {
            "id_name": id_name,
            "title_name": title_name,
            "text_name": _JOINED.join(columns[c] for c in self.text),
        }


def find_roles(
    names: Sequence[str], rows: Sequence[Sequence[object]], options: ReadOptions, source: str
) -> ColumnRoles:
    """Return which columns hold the text, the name and the title.

    Parameters
    ----------
    names : sequence of str
        The columns there are.
    rows : sequence of sequences
        The first rows.
    options : ReadOptions
        The user's choice.
    source : str
        What messages call the table.

    Raises
    ------
    CorpusError
        If there is no column that the user names; the message lists those there are.
    """
    options = _as_before(names, options)
    text = find_text_columns(names, rows, options.text_column, source)
    name = find_id_column(names, options.id_column, source)
    taken = (name, *text) if len(text) == 1 else (name,)  # one of several texts may well be the title
    title = find_title_column(names, rows, options.title_column, taken, source)
    if options.text_column is None and title is not None and title not in text:
        text = (title, *text) if _counts_as_text(names, rows, title) else text
    return ColumnRoles(text, name, title)


def _counts_as_text(names: Sequence[str], rows: Sequence[Sequence[object]], title: int) -> bool:
    """Return whether a column has titles by its name and its looks, whoever found it."""
    called = _called(names[title])
    return called != _PERHAPS_NO_TITLE and called in _TITLE_NAMES and _are_titles(rows, title)


def _as_before(names: Sequence[str], options: ReadOptions) -> ReadOptions:
    """Take the columns that the table before had, where the user names none and this one has them too."""
    before = options.before
    if before is None or options.text_column is not None:
        return options
    texts = text_columns_of(before.text_name, names)
    if not set(texts) <= set(names):
        return options
    title = options.title_column or (before.title_name if before.title_name in names else None)
    return replace(
        options,
        text_column=texts,
        id_column=options.id_column or (before.id_name if before.id_name in names else None),
        title_column=title or (None if before.title_name else NO_TITLE),
    )


def join_texts(texts: Iterable[str]) -> str:
    """Return the texts of several columns as one, with a blank line between them.

    A text with which the next one begins is not repeated.
    """
    there = [text for text in texts if text and not text.isspace()]
    begun = [text for text, after in pairwise(there) if after.lstrip().startswith(text.strip())]
    return "\n\n".join(text for text in there if text not in begun)


def find_text_columns(
    names: Sequence[str], rows: Sequence[Sequence[object]], wanted: str | Sequence[str] | None, source: str
) -> tuple[int, ...]:
    """Return the positions of the columns that hold the texts.

    What the user wants is a column, several in a list, or several with commas between them, unless one column
    has that very name. Without: the column with a usual name ("text", "body", "content", ...), the only
    column, or the one with the longest texts in `rows`, in that order; the last is a guess, and warned about.
    """
    if wanted is None:
        return (_guess_text_column(names, rows, source),)
    if not isinstance(wanted, str):
        several = [str(name) for name in wanted]
    elif "," in wanted and _position(names, wanted) is None:
        several = [name.strip() for name in wanted.split(",") if name.strip()]
    else:
        several = [wanted]
    if not several:
        raise CorpusError(f"No column is named in {wanted!r}; name those with the text.")
    return tuple(dict.fromkeys(find_column(names, name, source) for name in several))


def _guess_text_column(names: Sequence[str], rows: Sequence[Sequence[object]], source: str) -> int:
    folded = [_folded(name) for name in names]
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
    folded = [_folded(name) for name in names]
    return next((folded.index(usual) for usual in _ID_NAMES if usual in folded), None)


def find_title_column(
    names: Sequence[str],
    rows: Sequence[Sequence[object]],
    wanted: str | None,
    taken: Container[int | None],
    source: str,
) -> int | None:
    """Return the position of the column of titles: the user's choice, or one that is called so and has some.

    A column is not guessed if it is `taken` for something else, or if its first values are not like titles:
    words, short, and nearly always different, which those of a category are not.
    """
    if wanted is not None:
        at = _position(names, wanted)
        is_none = at is None and wanted.strip().casefold() in ("", NO_TITLE)
        return None if is_none else find_column(names, wanted, source)
    called = [_called(name) for name in names]
    places = (called.index(usual) for usual in _TITLE_NAMES if usual in called)
    return next((c for c in places if c not in taken and _are_titles(rows, c)), None)


def _are_titles(rows: Sequence[Sequence[object]], c: int) -> bool:
    values = [text for row in rows if c < len(row) and (text := as_field(row[c]).strip())]
    n_worded = sum(any(map(str.isalpha, value)) for value in values)
    return (
        2 * len(values) >= len(rows) > 0
        and 2 * n_worded >= len(values)
        and 2 * len(set(values)) > len(values)
        and sum(map(len, values)) <= _LONGEST_TITLE * len(values)
    )


def _called(name: str) -> str:
    return _folded(name).replace("_", " ").replace("-", " ")


def _folded(name: str) -> str:
    return name.strip().casefold()


def _position(names: Sequence[str], wanted: str) -> int | None:
    """Return where a column is, None if there is none, or more than one but for case and outer spaces."""
    if wanted in names:
        return list(names).index(wanted)
    folded = [_folded(name) for name in names]
    return folded.index(_folded(wanted)) if folded.count(_folded(wanted)) == 1 else None


def find_column(names: Sequence[str], wanted: str, source: str) -> int:
    """Return the position of a column by its name, of which case and outer spaces may be wrong."""
    position = _position(names, wanted)
    if position is not None:
        return position
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
