"""Keyword in context: a corpus and what is searched in it, lines out.

The search has the language of queries: words (documents that have all of them), `"phrases"`, `OR`, `econom*`
and `-word`, in any number, capitals and punctuation aside. It runs over the texts as readers see them; the
index of words says which of them need to be read.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import pairwise
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import NDArray

from qdtm.corpus.corpus import Corpus
from qdtm.corpus.document_store import DOCUMENT, Document
from qdtm.corpus.lemmas import number_forms
from qdtm.corpus.markup import address_spans
from qdtm.corpus.tokenizer import OWN_LETTERS, is_unspaced, next_token, token_around, unicode_spans
from qdtm.errors import ParameterError, QueryError
from qdtm.progress import check_cancelled
from qdtm.queries.query import Item, Query
from qdtm.queries.resolve import MIN_PATTERN_LETTERS, closest_words, resolve_items, shape_of
from qdtm.queries.term_index import IntArray, TermIndex
from qdtm.queries.text_search import TextSearch, signed_form, standing_alone
from qdtm.reprs import quoted

Sort = Literal["document", "left", "right"]
SORTS: tuple[Sort, ...] = ("document", "left", "right")

MOST_LINES = 10_000
"""Lines that are kept; all are counted."""

WIDTH = 40
"""Characters of the text on either side of a keyword."""

NEAR = 8
"""Words of a search stand together within so many words of the text, as where a document names a query."""

LONGEST_SEARCH = 500
"""Characters of a search."""

_WIDEST = 1_000
_SORTED_BY = 4  # words on a side by which lines are sorted
_SHOWN = 10  # lines in a repr
_LONGEST_ABBREVIATION = 8  # letters of "U.S.S.R."
_WORDS = re.compile(r"\w+")

Span = tuple[int, int]
Key = tuple[Any, ...]


# --- what comes out -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ConcordanceLine:
    """One place where a corpus has what was searched.

    Attributes
    ----------
    left, keyword, right : str
        The text before it, what was found as it is written, and the text after it, each on one line.
    row : int
        The document's row in the corpus, from 0.
    start, end : int
        Which characters of the document's text the keyword is.
    id, title : str
        Of the document.
    """

    left: str
    keyword: str
    right: str
    row: int
    start: int
    end: int
    id: str
    title: str


@dataclass(frozen=True, repr=False)
class Concordance(Sequence[ConcordanceLine]):
    """The places where a corpus has what was searched, each with the text around it.

    Attributes
    ----------
    query : str
        What was searched.
    lines : tuple of ConcordanceLine
        The first of all, in the order that was asked for.
    n_lines, n_documents : int
        How many there are in all, and in how many documents.
    advice : str
        Where nothing was found: why, and what is near.
    id_name : str
        What the user calls the ids of documents.
    """

    query: str
    lines: tuple[ConcordanceLine, ...]
    n_lines: int
    n_documents: int
    advice: str = ""
    id_name: str = DOCUMENT

    def __len__(self) -> int:
        return len(self.lines)

    def __iter__(self) -> Iterator[ConcordanceLine]:
        return iter(self.lines)

    @overload
    def __getitem__(self, index: int) -> ConcordanceLine: ...

    @overload
    def __getitem__(self, index: slice) -> Concordance: ...

    def __getitem__(self, index: int | slice) -> ConcordanceLine | Concordance:
        return replace(self, lines=self.lines[index]) if isinstance(index, slice) else self.lines[index]

    @property
    def summary(self) -> str:
        """What was found, in one line."""
        if not self.n_lines:
            return self.advice
        lines = "1 line" if self.n_lines == 1 else f"{self.n_lines:,} lines"
        where = "1 document" if self.n_documents == 1 else f"{self.n_documents:,} documents"
        shown = f"; the first {len(self):,} are shown" if len(self) < self.n_lines else ""
        return f"{lines} in {where}{shown}"

    def to_frame(self) -> Any:
        """Return a pandas DataFrame, a row for each line.

        Raises
        ------
        MissingExtraError
            If pandas is not installed.
        """
        from qdtm.results.table_formats import table_frame
        from qdtm.results.tables import concordance_table

        return table_frame(concordance_table(self))

    def __repr__(self) -> str:
        said = f"Concordance({quoted(self.query)}: {self.summary})"
        shown = self.lines[:_SHOWN]
        before, keyword = (max((len(x) for x in c), default=0) for c in _sides(shown))
        return "\n".join(
            [said, *(f"{x.left:>{before}}  {x.keyword:<{keyword}}  {x.right}".rstrip() for x in shown)]
        )


def _sides(lines: Sequence[ConcordanceLine]) -> tuple[list[str], list[str]]:
    return [line.left for line in lines], [line.keyword for line in lines]


# --- searching ----------------------------------------------------------------------------------------------


def find_concordance(
    corpus: Corpus,
    query: str,
    *,
    width: int = WIDTH,
    sort: Sort | NDArray[Any] = "document",
    limit: int = MOST_LINES,
) -> Concordance:
    """Find all places where a corpus has what is searched.

    Words that are searched together are one keyword where they stand within `NEAR` words of each other; in a
    document that has them only further apart, each is one. Addresses of the web and of mail are no words.

    Parameters
    ----------
    corpus : Corpus
    query : str
        Words, `"phrases"`, `OR`, `econom*`, `-word`.
    width : int
        Characters on either side.
    sort : {"document", "left", "right"} or ndarray of shape (D,)
        By the order of the corpus, by the words before or after the keyword, or by a value of each document,
        least first.
    limit : int
        Lines that are kept.

    Raises
    ------
    QueryError
        If the search cannot be read, or has no word.
    """
    _check(width, limit, sort)
    search = _Search(corpus, query)
    kept, n_lines, n_documents = _Kept(limit, _sort_key(sort)), 0, 0
    for document, spans in search.found():
        n_documents += 1
        n_lines += len(spans)
        if not (kept.in_order and len(kept.lines) >= limit):
            kept.add(_line(document, span, width) for span in spans)
    advice = "" if n_lines else search.advice()
    return Concordance(query, kept.finish(), n_lines, n_documents, advice, corpus.documents.id_name)


def _check(width: object, limit: object, sort: object) -> None:
    for name, value, most in (("width", width, _WIDEST), ("limit", limit, None)):
        if isinstance(value, bool) or not isinstance(value, int) or value < 1 or (most and value > most):
            up_to = f" to {most:,}" if most else " or more"
            raise ParameterError(f"The {name} is {value!r}; give a whole number of 1{up_to}.")
    if isinstance(sort, str) and sort not in SORTS:
        raise ParameterError(f"The lines cannot be sorted by {sort!r}; give {', '.join(map(repr, SORTS))}.")


class _Kept:
    """The first lines of all in an order, while more of them come."""

    def __init__(self, limit: int, key: Callable[[ConcordanceLine], Key] | None) -> None:
        self._limit, self._key = limit, key
        self.lines: list[ConcordanceLine] = []

    @property
    def in_order(self) -> bool:
        """Whether lines come in the order in which they are kept."""
        return self._key is None

    def add(self, lines: Iterable[ConcordanceLine]) -> None:
        self.lines += lines
        if len(self.lines) >= 2 * self._limit:
            self.finish()

    def finish(self) -> tuple[ConcordanceLine, ...]:
        if self._key is not None:
            self.lines.sort(key=self._key)  # stable: what is equal stays in the order of the corpus
        del self.lines[self._limit :]
        return tuple(self.lines)


def _sort_key(sort: Sort | NDArray[Any]) -> Callable[[ConcordanceLine], Key] | None:
    if not isinstance(sort, str):
        values = sort.tolist()
        return lambda line: (values[line.row],)
    if sort == "left":
        return lambda line: tuple(_WORDS.findall(line.left.casefold())[: -_SORTED_BY - 1 : -1])
    if sort == "right":
        return lambda line: tuple(_WORDS.findall(line.right.casefold())[:_SORTED_BY])
    return None


# --- lines --------------------------------------------------------------------------------------------------


def _line(document: Document, span: Span, width: int) -> ConcordanceLine:
    text, (start, end) = document.text, span
    reach = 4 * width + 40  # there may be many blanks
    left = " ".join(text[max(0, start - reach) : start].split())
    right = " ".join(text[end : end + reach].split())
    return ConcordanceLine(
        left=left if len(left) <= width else _last_of(left, width),
        keyword=" ".join(text[start:end].split()),
        right=right if len(right) <= width else _first_of(right, width),
        row=document.index,
        start=start,
        end=end,
        id=document.id,
        title=document.title,
    )


def _last_of(text: str, width: int) -> str:
    """Return the end of a text, from where a word begins if that is near."""
    at = len(text) - width
    if text[at - 1] != " ":
        found = text.find(" ", at, at + width // 2)
        at = found + 1 if found >= 0 else at
    while at < len(text) and unicodedata.combining(text[at]):
        at += 1
    return text[at:]


def _first_of(text: str, width: int) -> str:
    """Return the beginning of a text, up to where a word ends if that is near."""
    at = width
    if text[at] != " ":
        found = text.rfind(" ", width - width // 2, at)
        at = found if found >= 0 else at
    while at < len(text) and unicodedata.combining(text[at]):
        at += 1
    return text[:at].rstrip()


# --- which documents ----------------------------------------------------------------------------------------


class _Search:
    """A search that was taken apart: which documents may have it, and where a text does."""

    def __init__(self, corpus: Corpus, text: str) -> None:
        if len(text) > LONGEST_SEARCH:
            raise QueryError(
                f"The search has {len(text):,} characters, and at most {LONGEST_SEARCH} are allowed; keep "
                "the words that matter most."
            )
        asked = Query(text).phrase  # which refuses what cannot be read
        self._corpus, self._text = corpus, text
        self._alternatives = [_without_connectives(items, corpus) for items in asked.alternatives]
        if not all(self._alternatives):
            raise QueryError(f"There is no word in {quoted(text)}; give one to search for.")
        self._barred = [term for item in asked.excluded if (term := _term(item, corpus))]

    def found(self) -> Iterator[tuple[Document, list[Span]]]:
        """Yield each document that has it, in order, and where."""
        masked = self._corpus.pipeline.strip_markup
        for document in self._candidates():
            check_cancelled()
            text = _Text(document.text)
            spans = [span for terms in self._alternatives for span in _together(text, terms)]
            if spans and masked:
                spans = _outside(spans, address_spans(document.text))
            if spans and not any(term.places(text) for term in self._barred):
                yield document, _apart(spans)

    def advice(self) -> str:
        """Say why nothing is found, naming words that no document has."""
        rare = [term for terms in self._alternatives for term in terms if term.is_rare]
        for term in rare:
            if term.written.casefold() not in self._corpus.word_index:
                near = closest_words(term.written, self._corpus.vocabulary)
                hint = f" Closest: {', '.join(map(repr, near))}." if near else ""
                return f"No document has {quoted(term.written)}.{hint}"
        return f"No document has {quoted(self._text)}."

    def _candidates(self) -> Iterator[Document]:
        rows = [_all_of(terms) for terms in self._alternatives]
        known = [each for each in rows if each is not None]
        if len(known) < len(rows):
            return iter(self._corpus.documents)
        return self._corpus.documents.select(reduce(np.union1d, known).tolist())


def _all_of(terms: Sequence[_Term]) -> IntArray | None:
    """Return the documents that may have all of some terms; None if any may."""
    known = [slot.rows for term in terms for slot in term.slots if slot.rows is not None]
    return reduce(np.intersect1d, known) if known else None


def _without_connectives(items: Sequence[Item], corpus: Corpus) -> list[_Term]:
    """Return what is searched: "in" and "of" are passed over where there is something else."""
    search = TextSearch.of(corpus)
    terms = [term for item in items if (term := _term(item, corpus))]
    spoken = [term for term in terms if not (search.is_stop_word(term.written) and len(term.slots) == 1)]
    telling = [term for term in terms if term in spoken or not search.is_connective(term.written)]
    return telling if spoken else terms


def _outside(spans: Sequence[Span], others: Sequence[Span]) -> list[Span]:
    return [span for span in spans if not any(start <= span[0] < end for start, end in others)]


def _apart(spans: Iterable[Span]) -> list[Span]:
    """Return spans in order, those left out that overlap one before them."""
    kept: list[Span] = []
    for span in sorted(spans, key=lambda each: (each[0], -each[1])):
        if not kept or span[0] >= kept[-1][1]:
            kept.append(span)
    return kept


def _together(text: _Text, terms: Sequence[_Term]) -> list[Span]:
    """Return where a text has all of some terms together; each of them alone, if nowhere; [] if not all."""
    places = []
    for term in terms:
        if not (found := term.places(text)):
            return []
        places.append(found)
    if len(places) == 1:
        return places[0]
    near = list(_near(text.text, places))
    return near or [span for each in places for span in each]


def _near(text: str, places: Sequence[Sequence[Span]]) -> Iterator[Span]:
    """Yield the shortest stretches of a text that have one of each of several, near each other."""
    everywhere = sorted((span, t) for t, spans in enumerate(places) for span in spans)
    last: dict[int, Span] = {}
    for span, t in everywhere:
        last[t] = span
        chain = sorted(last.values())
        if len(chain) == len(places) and all(
            _gap(text, one, other) <= NEAR for one, other in pairwise(chain)
        ):
            yield chain[0][0], max(end for _, end in chain)
            last.clear()


def _gap(text: str, one: Span, other: Span) -> int:
    """Count the words between two spans; what is clearly far apart is not counted out."""
    if other[0] - one[1] > 40 * NEAR:
        return NEAR + 1
    return len(_WORDS.findall(text, one[1], other[0]))


# --- where a text has a word --------------------------------------------------------------------------------


class _Text:
    """A text of a document, and what its words are looked for in."""

    def __init__(self, text: str) -> None:
        self.text = text
        lowered = text.lower()
        plain = text.isascii() or (
            len(lowered) == len(text) and "\u00ad" not in text and unicodedata.is_normalized("NFC", text)
        )
        self.lowered = lowered.replace("’", "'") if plain else None  # None: only word by word
        self._tokens: list[tuple[str, Span]] | None = None

    @property
    def tokens(self) -> list[tuple[str, Span]]:
        """All words as they are written, and where they stand."""
        if self._tokens is None:
            self._tokens = list(unicode_spans(self.text))
        return self._tokens


@dataclass(frozen=True, eq=False)
class _Glance:
    """What a text in small letters has in it where a word may be."""

    stems: re.Pattern[str]
    dotted: re.Pattern[str] | None = None  # "u.s.": such a text is read word by word


@dataclass(frozen=True, eq=False)
class _Slot:
    """What may stand at one place: words by their folded form, or by a shape."""

    is_wanted: Callable[[str], bool]
    glance: _Glance | None  # None: nothing is known
    rows: IntArray | None  # documents that may have it; None: any

    def places(self, text: _Text) -> list[Span]:
        lowered, glance = text.lowered, self.glance
        if glance is None or lowered is None or not self.is_at_a_glance(text):
            return [span for token, span in text.tokens if self.is_wanted(token)]
        found, end = [], 0
        for match in glance.stems.finditer(lowered):
            if match.start() >= end and (around := token_around(text.text, match.start())):
                token, (start, end) = around
                if self.is_wanted(token):
                    found.append((start, end))
        return found

    def is_at_a_glance(self, text: _Text) -> bool:
        """Return whether the word stands in a text only as the glance sees it."""
        glance, lowered = self.glance, text.lowered
        if glance is None or lowered is None:
            return False
        return glance.dotted is None or glance.dotted.search(lowered) is None


@dataclass(frozen=True, eq=False)
class _Term:
    """A word or a phrase that is searched."""

    written: str
    slots: tuple[_Slot, ...] = ()
    literal: re.Pattern[str] | None = None  # of scripts without spaces, and of signs: as it is written

    @property
    def is_rare(self) -> bool:
        """Whether the vocabulary does not have it."""
        return any(slot.rows is None for slot in self.slots) or self.literal is not None

    def places(self, text: _Text) -> list[Span]:
        """Return where a text has it, in order."""
        if self.literal is not None:
            return [match.span() for match in self.literal.finditer(text.text)]
        if len(self.slots) == 1:
            return self.slots[0].places(text)
        if all(slot.is_at_a_glance(text) for slot in self.slots):
            return list(self._going_on(text))
        return list(self._side_by_side(text.tokens))

    def _going_on(self, text: _Text) -> Iterator[Span]:
        """Yield where the first word is followed by the others."""
        first, *others = self.slots
        for start, end in first.places(text):
            for slot in others:
                after = next_token(text.text, end)
                if after is None or not slot.is_wanted(after[0]):
                    break
                end = after[1][1]
            else:
                yield start, end

    def _side_by_side(self, tokens: Sequence[tuple[str, Span]]) -> Iterator[Span]:
        """Yield the same, read word by word."""
        n = len(self.slots)
        for i in range(len(tokens) - n + 1):
            if all(slot.is_wanted(tokens[i + k][0]) for k, slot in enumerate(self.slots)):
                yield tokens[i][1][0], tokens[i + n - 1][1][1]


def _term(item: Item, corpus: Corpus) -> _Term | None:
    """Return what an item of a search is looked for as; None for signs, which are passed over."""
    if item.kind == "pattern":
        return _Term(item.text, (_shaped(item.text),))
    if is_unspaced(item.text):
        return _Term(item.text, literal=_anywhere("".join(item.text.split())))
    if _is_told_by_signs(form := signed_form(item.text)):
        return _Term(item.text, literal=standing_alone([form]))
    tokens = TextSearch.of(corpus).split(item.text)
    if tokens:
        return _Term(item.text, tuple(_slot(token, corpus) for token in tokens))
    has_symbol = any(unicodedata.category(letter) == "So" for letter in item.text)
    return _Term(item.text, literal=_anywhere(item.text)) if has_symbol else None


def _anywhere(text: str) -> re.Pattern[str]:
    return re.compile(re.escape(text), re.IGNORECASE)


def _is_told_by_signs(form: str) -> bool:
    """Return whether a word says more than its parts: "C++", "AT&T" and "9/11" do, "TCP/IP" does not."""
    return bool(form) and not all(part.isalpha() for part in form.split("/"))


def _shaped(pattern: str) -> _Slot:
    """Return what `econom*` stands for: all words of the texts that look so."""
    parts = re.sub(r"[^\w*']", "", pattern.lower().replace("’", "'")).split("*")
    if sum(map(len, parts)) < MIN_PATTERN_LETTERS:
        raise QueryError(f"The pattern {quoted(pattern)} is too short; give at least two letters.")
    shape = shape_of("*".join(parts))
    glance = _Glance(re.compile(re.escape(max(parts, key=len))))
    return _Slot(lambda token: shape.fullmatch(token.lower().replace("’", "'")) is not None, glance, None)


def _slot(token: str, corpus: Corpus) -> _Slot:
    """Return what a word stands for in the texts: its forms that the corpus knows, or else itself."""
    search, index = TextSearch.of(corpus), TermIndex.of(corpus)
    known = [word for word in resolve_items([Item(token)], corpus, in_text=False) if word.is_known]
    written = [
        form
        for word in known
        for form in (word.forms[0] if word.forms else [corpus.vocabulary[match] for match in word.matches])
    ]
    wanted = frozenset(map(search.fold, [token, *written])) | frozenset(map(str.lower, written))
    terms = [w for word in known for term in word.terms for w in term]
    rows = np.flatnonzero(index.frequency(terms)) if terms else None
    return _Slot(lambda each: search.fold(each) in wanted, _glance(wanted, corpus), rows)


def _glance(wanted: frozenset[str], corpus: Corpus) -> _Glance | None:
    """Return what a text must have, in small letters, that has one of some folded words."""
    pipeline = corpus.pipeline
    if callable(pipeline.lemmatizer) or pipeline.language in OWN_LETTERS or min(map(len, wanted)) < 2:
        return None
    forms = set(wanted)
    if pipeline.language in (None, "english"):
        forms |= {form for word in wanted for form in number_forms(word)}
    if "usa" in forms:
        forms.add("us")
    dotted = [".".join(form) for form in forms if len(form) <= _LONGEST_ABBREVIATION and form.isalpha()]
    return _Glance(_any_of(forms), _any_of(dotted) if dotted else None)


def _any_of(words: Iterable[str]) -> re.Pattern[str]:
    """Return the expression for the beginnings of words: what begins with another is left to it."""
    by_length = sorted(words, key=len)
    first = [word for i, word in enumerate(by_length) if not word.startswith(tuple(by_length[:i]))]
    return re.compile("|".join(map(re.escape, sorted(first))))
