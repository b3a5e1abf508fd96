"""Passages: where in a text the reason stands, and the piece around it that is shown.

Nothing here is HTML: a `Piece` is plain text with a level, and whoever shows it escapes it.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from qdtm.corpus.corpus import Corpus
from qdtm.corpus.document_store import Document
from qdtm.corpus.passage_split import SENTENCE_END
from qdtm.corpus.phrase_index import PhraseIndex, words_within
from qdtm.corpus.text import TextPipeline
from qdtm.corpus.tokenizer import is_unspaced
from qdtm.errors import CorpusError
from qdtm.queries.answerability import WordCheck
from qdtm.queries.check import QueryCheck
from qdtm.queries.text_search import TextSearch, signed_form

# --- passages -----------------------------------------------------------------------------------------------

LEVELS = (0.25, 0.5, 0.75)
"""How much a word must count to be marked weakly, clearly, strongly."""

_BREAK = re.compile(r"\s|(?<=[，、；：。！？])")  # where a line may be cut, also in a text without spaces
_DOTS = re.compile(r"…(?: …)+")  # where a passage that was cut is followed by another
_SEPARATORS = re.compile(
    r"(?:\s|[.,;:!?…·•*|/–—=_~-]{1,20}(?=\s)|[,;:–—。，、；：！？])*"
)  # not ".net" nor "-5"
_LEAD = 120  # characters that may stand before the first mark of an excerpt, at most
_QUERY_FIRST = 100.0  # more than all other words of an excerpt together
_BESIDE = 5  # characters between words that stand side by side
_AGAIN = 0.25  # a word that was met before in the same excerpt


@dataclass(frozen=True, slots=True)
class Mark:
    """A stretch of a text that counts.

    Attributes
    ----------
    start, end : int
        Its first character, and the one after its last.
    weight : float
        How much it counts, 0 to 1.
    is_concept : bool
        Whether it is a concept word.
    of_query : tuple of str
        The words of the query that it has, if any: where most of these stand is shown before all else.
    """

    start: int
    end: int
    weight: float
    is_concept: bool = False
    of_query: tuple[str, ...] = ()

    def moved(self, by: int) -> Mark:
        """Return the same some characters further on."""
        return replace(self, start=self.start + by, end=self.end + by)


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of a text, all of it marked alike.

    Attributes
    ----------
    text : str
    level : int
        0 for plain text, 1 to 3 for words that count, the more the higher.
    is_concept : bool
    """

    text: str
    level: int = 0
    is_concept: bool = False


@dataclass(frozen=True)
class Passage:
    """A text or a part of it, in pieces.

    Attributes
    ----------
    pieces : tuple of Piece
    cut_before, cut_after : bool
        Whether there is more of the text on either side.
    start : int
        Which character of the text is its first.
    page : int, optional
        On which page the first of its strongest words stands, from 1, of a text whose pages are known (form
        feeds stand between them).
    """

    pieces: tuple[Piece, ...]
    cut_before: bool = False
    cut_after: bool = False
    start: int = 0
    page: int | None = None

    def within(self, text: str, at: int) -> Passage:
        """Return it as a part of a longer text, in which what it was cut from begins at `at`."""
        start = self.start + at
        end = start + len(self.text)
        before, after = text[:start].strip() != "", text[end:].strip() != ""
        page = page_of(text, start, self.pieces)
        return replace(self, cut_before=before, cut_after=after, start=start, page=page)

    @property
    def text(self) -> str:
        """The passage without marks."""
        return "".join(piece.text for piece in self.pieces)

    def begins_with(self, title: str) -> bool:
        """Whether it is how a text begins, and that is how the title is made: to show both says it twice."""
        begun, line = title.rstrip("… "), " ".join(self.text.split())
        in_word = begun == title and line[len(begun) - 1 : len(begun) + 1].isalnum() and line != begun
        return not self.cut_before and begun != "" and line.startswith(begun) and not in_word

    def after(self, title: str) -> Passage:
        """Return it without a whole title that it begins with, to be shown below it."""
        text, end = self.text, letters_end(self.text, title)
        if end is None or not self.begins_with(title) or title.endswith("…"):
            return self
        n = past_separators(text, end)
        if n == len(text):
            return self
        return replace(self, pieces=tuple(_from(self.pieces, n)), start=self.start + n)

    @property
    def line(self) -> str:
        """The passage on one line, with "…" where there is more of the text, and its page at the end."""
        line = _with_dots(" ".join(self.text.split()), self.cut_before, self.cut_after)
        return f"{line} ({self.place})" if self.place else line

    @property
    def place(self) -> str:
        """On which page it is, as "p. 12"; empty where pages are not known."""
        return "" if self.page is None else f"p. {self.page:,}"

    def shortened(self, limit: int) -> str:
        """Return at most `limit` characters of it on one line, around the first of its strongest words."""
        line = " ".join(self.text.split())
        if len(line) <= limit:
            return self.line
        before = _before_strongest(self.pieces)
        start = _word_start(line, len(" ".join(before.split())) - limit // 3)
        end = line.rfind(" ", start + limit // 2, start + limit)
        end = end if end > 0 and start + limit < len(line) else min(start + limit, len(line))
        return _with_dots(line[start:end], start > 0 or self.cut_before, end < len(line) or self.cut_after)


def _from(pieces: Iterable[Piece], start: int) -> Iterator[Piece]:
    """Yield what pieces have from a place on."""
    for piece in pieces:
        text, start = piece.text[start:], max(0, start - len(piece.text))
        yield from [replace(piece, text=text)] if text else []


def letters_end(text: str, line: str) -> int | None:
    """Return where a text goes on after a line that it begins with, spaces aside; None if with another."""
    at = 0
    for word in line.split():
        at = len(text) - len(text[at:].lstrip())
        if not text.startswith(word, at):
            return None
        at += len(word)
    return at


def past_separators(text: str, at: int) -> int:
    """Return where a text goes on after blanks and stray punctuation: at a word, a quote or a bracket.

    Examples
    --------
    >>> past_separators("Sphinx. - A tool", 6), past_separators("(A tool)", 0)
    (10, 0)
    """
    found = _SEPARATORS.match(text, at)
    return found.end() if found else at


def _with_dots(line: str, before: bool, after: bool) -> str:
    return f"{'… ' if before else ''}{line}{' …' if after else ''}"


def level_of(weight: float) -> int:
    """Return how strongly a word of this weight is marked, 0 to 3."""
    return sum(weight >= least for least in LEVELS)


def whole(text: str, marks: Iterable[Mark]) -> Passage:
    """Return all of a text."""
    pieces = tuple(_pieces(text, 0, len(text), marks))
    return Passage(pieces, page=page_of(text, 0, pieces))


def excerpt(text: str, marks: Sequence[Mark], limit: int = 600) -> Passage:
    """Return the part of a text, at most `limit` characters, in which the words count most together."""
    if len(text) <= limit:
        return whole(text, marks)
    start, end = _best_window(text, marks, limit)
    pieces = tuple(_pieces(text, start, end, marks))
    return Passage(pieces, start > 0, end < len(text), start, page_of(text, start, pieces))


def sentence_around(text: str, at: int, marks: Sequence[Mark], limit: int = 300) -> Passage:
    """Return the sentence that has the character `at`, cut to `limit` characters around it."""
    first, last = max(0, at - limit), min(len(text), at + limit)
    ends = [match.end() for match in SENTENCE_END.finditer(text, first, last)]
    start = max((end for end in ends if end <= at), default=first)
    end = min((end for end in ends if end > at), default=last)
    whole_start, whole_end = start in (0, *ends), end in (len(text), *ends)
    if end - start > limit:
        start, whole_start = max(start, _word_start(text, at - limit // 2)), False
    if end - start > limit:
        end, whole_end = _word_end(text, start + limit, at + 1), False
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    pieces = tuple(_pieces(text, start, end, marks))
    return Passage(pieces, not whole_start, not whole_end, start, page_of(text, start, pieces))


def page_of(text: str, start: int, pieces: Sequence[Piece]) -> int | None:
    """Return the page of the first of the strongest words, from 1; None where pages are not known."""
    if "\f" not in text:
        return None
    return text.count("\f", 0, start + len(_before_strongest(pieces))) + 1


def _before_strongest(pieces: Sequence[Piece]) -> str:
    """Return what stands before the first of the strongest words, and before the first letter of it."""
    at = max(range(len(pieces)), key=lambda i: pieces[i].level, default=0)
    first = pieces[at].text if pieces else ""
    return "".join(piece.text for piece in pieces[:at]) + first[: len(first) - len(first.lstrip())]


def _best_window(text: str, marks: Sequence[Mark], limit: int) -> tuple[int, int]:
    """Return where the marks of `limit` characters weigh most; the earliest among equals.

    The words of the query come before all others, and another word counts for more than the same again; a
    phrase of them counts as its words and for itself, and so do two that stand side by side.
    """
    best, best_start, total, first = 0.0, 0, 0.0, 0
    met: Counter[str] = Counter()
    counted = [_counted(mark, text) for mark in marks]
    for i, mark in enumerate(marks[1:], start=1):
        if mark.of_query and marks[i - 1].of_query and mark.start - marks[i - 1].end <= _BESIDE:
            pair = " ".join(sorted({*mark.of_query, *marks[i - 1].of_query}))
            counted[i] += [(pair, _QUERY_FIRST * mark.weight)] if pair not in mark.of_query else []
    longest = limit - _lead(limit)
    for mark, words in zip(marks, counted, strict=True):
        for word, weight in words:
            total += _AGAIN * weight if met[word] else weight
            met[word] += 1
        while mark.end - marks[first].start > longest and marks[first] is not mark:
            for word, weight in counted[first]:
                met[word] -= 1
                total -= _AGAIN * weight if met[word] else weight
            first += 1
        if total > best + 1e-9:
            best, best_start = total, marks[first].start
    start = _lead_in(text, best_start, _lead(limit))
    start = past_separators(text, start) if start else 0
    end = min(len(text), start + limit)
    if end < len(text):
        breaks = [found.start() for found in _BREAK.finditer(text, start + limit // 2, end)]
        end = breaks[-1] if breaks else _between_letters(text, end)
    return start, end


def _counted(mark: Mark, text: str) -> list[tuple[str, float]]:
    """The words that a mark stands for in the weight of a window, and what each adds when first met."""
    if mark.of_query:
        return [(word, _QUERY_FIRST * mark.weight) for word in mark.of_query]
    return [(text[mark.start : mark.end].casefold(), mark.weight)]


def _lead(limit: int) -> int:
    """How many characters of an excerpt may stand before its first mark."""
    return min(_LEAD, limit // 3)


def _lead_in(text: str, at: int, lead: int) -> int:
    """Return the start of the sentence at `at` if it is near, else of a word some characters before."""
    earliest = max(0, at - lead)
    ends = [match.end() for match in SENTENCE_END.finditer(text, earliest, at)]
    return ends[-1] if ends else 0 if earliest == 0 else _word_start(text, earliest)


def _word_start(text: str, at: int) -> int:
    """Return the first place at or soon after `at` where a word begins."""
    if at <= 0:
        return 0
    found = _BREAK.search(text, at, at + 40)
    return _between_letters(text, at) if found is None else found.end()


def _word_end(text: str, at: int, earliest: int) -> int:
    """Return the last place at or shortly before `at`, but not before `earliest`, where a word ends."""
    breaks = [found.start() for found in _BREAK.finditer(text, max(earliest, at - 40), at + 1)]
    return breaks[-1] if breaks else _between_letters(text, at)


def _between_letters(text: str, at: int) -> int:
    """Return `at`, or the place before the letter whose combining mark stands there."""
    while 0 < at < len(text) and unicodedata.combining(text[at]):
        at -= 1
    return at


def _pieces(text: str, start: int, end: int, marks: Iterable[Mark]) -> Iterator[Piece]:
    """Yield the text from `start` to `end`, cut where the marking changes."""
    at = start
    inside = [mark for mark in marks if mark.start >= start and mark.end <= end]
    for mark in sorted(inside, key=lambda mark: mark.start):
        level = level_of(mark.weight)
        if mark.start < at or not (level or mark.is_concept):
            continue
        if mark.start > at:
            yield Piece(text[at : mark.start])
        yield Piece(text[mark.start : mark.end], level, mark.is_concept)
        at = mark.end
    if at < end:
        yield Piece(text[at:end])


# --- where tokens stand in a text ---------------------------------------------------------------------------
#
# Where the tokens of a document stand in its text: a corpus and a document in, spans of characters out.
#
# A corpus keeps words, not places. They are found again by splitting the text with the corpus's own pipeline
# and looking for each token from where the last one ended. What markup or an entity hides stays without a
# place; no token is ever given a wrong word.

Span = tuple[int, int]
"""The first character of a token, and the one after its last."""

REACH = 1_200
"""How far ahead a token is looked for: a little more than the longest tag that a pipeline takes away."""

LONGEST_ALIGNED = 200_000
"""Characters of a document that are looked through for marks."""

_DEFAULT = TextPipeline()
_NEAR = 40  # characters within which a token may begin or end inside a longer run of letters
_LONGEST_ABBREVIATION = 8  # letters of "U.S.S.R."


class Aligner:
    """Finds the places of tokens in texts, and remembers what becomes of each token.

    Parameters
    ----------
    corpus : Corpus
    """

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        self._phrases = PhraseIndex.of(corpus)
        self._vocabulary = frozenset(words_within(corpus))
        self._words: tuple[dict[str, str | None], dict[str, str | None]] = ({}, {})  # own, default
        self._last: tuple[tuple[int, str], list[tuple[int, Span]]] = ((-1, ""), [])

    def spans(self, j: int, text: str) -> list[Span | None]:
        """Return where each token of document `j` stands in its text, None where that is not known.

        The k-th token of a word is taken to be the k-th of its places.
        """
        places: dict[int, deque[Span]] = defaultdict(deque)
        for word, span in self.places(j, text):
            places[word].append(span)
        tokens = self._corpus.tokens[self._corpus.offsets[j] : self._corpus.offsets[j + 1]]
        return [places[word].popleft() if places[word] else None for word in tokens.tolist()]

    def places(self, j: int, text: str) -> list[tuple[int, Span]]:
        """Return the words of document `j` in its text (or the beginning of it), and where they stand.

        Ready tokens may have been made by other means than the corpus knows. Where its pipeline finds
        nothing, the default one is tried, and then the words themselves. The last answer is remembered: a
        document may be about several queries.
        """
        last = self._last
        if last[0] != (j, text):
            last = self._last = (j, text), self._places(j, text)
        return last[1]

    def _places(self, j: int, text: str) -> list[tuple[int, Span]]:
        own = set(self._corpus.tokens[self._corpus.offsets[j] : self._corpus.offsets[j + 1]].tolist())
        for pipeline in (self._corpus.pipeline, _DEFAULT):
            try:
                places = [place for place in self._find(text, pipeline) if place[0] in own]
            except CorpusError:  # a function of the user's that was not saved
                continue
            if places:
                return places
        return self._in_order(j, text)

    def _in_order(self, j: int, text: str) -> list[tuple[int, Span]]:
        """Look for the document's own words in turn, for ready tokens or where the tokenizer is gone."""
        folded = text.lower()
        folded = folded if len(folded) == len(text) else text  # some capitals become two letters
        places, end, reach = [], 0, _NEAR
        for word in self._corpus.tokens[self._corpus.offsets[j] : self._corpus.offsets[j + 1]].tolist():
            written = self._corpus.vocabulary[word]
            find = _find_inside if is_unspaced(written) else find_token
            span = find(folded, written, end, reach)
            if span is None:
                reach = min(2 * reach, REACH)
                continue
            places.append((word, span))
            end, reach = span[1], _NEAR
        return places

    def _find(self, text: str, pipeline: TextPipeline) -> list[tuple[int, Span]]:
        """Return the words of the vocabulary that a pipeline finds in a text, and where they stand."""
        tokens, joined = self._split(text, pipeline)
        known = self._words[pipeline is _DEFAULT]
        words = [known[t] if t in known else self._word(t, pipeline) for t in tokens]
        follows = [each and before is not None for each, before in zip(joined, [None, *words], strict=False)]
        cut = {first: (phrase, n) for phrase, first, n in self._phrases.cut(words, follows)}
        places, end, reach, i = [], 0, REACH, 0
        while i < len(tokens):
            phrase, n = cut.get(i, (None, 1))
            if phrase is None and words[i] is None:  # half of a text: stop words, and what is too rare
                i += 1
                continue
            spans: list[Span] = []
            for token in tokens[i : i + n]:
                span = find_token(text, token, end, reach)
                if span is None:
                    reach = min(2 * reach, len(text))  # after a long address that the pipeline took away
                    continue
                end, reach = span[1], REACH
                spans.append(span)
            word = words[i] if phrase is None else phrase
            number = self._corpus.word_index.get(word) if isinstance(word, str) else word
            if number is not None and len(spans) == n:
                places.append((number, (spans[0][0], spans[-1][1])))
            i += n
        return places

    def _split(self, text: str, pipeline: TextPipeline) -> tuple[list[str], list[bool]]:
        """Return the tokens of a text, and which may go on with a phrase."""
        if self._phrases:
            return pipeline.split_joined(text)
        tokens = pipeline.split(text)
        return tokens, [False] * len(tokens)

    def _word(self, token: str, pipeline: TextPipeline) -> str | None:
        """Return the word that a token becomes, if the vocabulary has it, if only in phrases."""
        known = self._words[pipeline is _DEFAULT]
        if token not in known:
            word = pipeline.word(token)
            known[token] = word if word in self._vocabulary else None
        return known[token]


def find_token(text: str, token: str, start: int, reach: int) -> Span | None:
    """Find a token in a text at `start` or at most `reach` characters later.

    A place where it stands apart from other letters is preferred; else one with dots between its letters
    ("U.S."), else one nearby inside a longer run (languages without spaces).
    """
    stop = start + reach + len(token)
    at = first = text.find(token, start, stop)
    while at >= 0:
        if _stands_apart(text, at, at + len(token)):
            return at, at + len(token)
        at = text.find(token, at + 1, stop)
    if 1 < len(token) <= _LONGEST_ABBREVIATION:
        dotted = re.compile(r"\.".join(map(re.escape, token))).search(text, start, stop + len(token))
        if dotted is not None:
            return dotted.span()
    return (first, first + len(token)) if 0 <= first - start <= _NEAR else None


def _find_inside(text: str, token: str, start: int, reach: int) -> Span | None:
    """Find a token of a script without spaces, which may stand anywhere."""
    at = text.find(token, start, start + reach + len(token))
    return (at, at + len(token)) if at >= 0 else None


def _stands_apart(text: str, start: int, end: int) -> bool:
    before, after = text[start - 1 : start], text[end : end + 1]
    return not (before.isalnum() or after.isalnum())


# --- where a query is mentioned -----------------------------------------------------------------------------
#
# Where documents mention a query: a corpus and a `QueryCheck` in, a passage of each document out.

NEAR = 8
"""Words of a query that stand within so many words of the text are taken together."""

LONGEST = 200
"""Characters of a passage at most."""


@dataclass(frozen=True)
class Mention:
    """A document that mentions a query, and the sentence in which it does so first.

    Attributes
    ----------
    index : int
        Its row in the corpus.
    id : str
    title : str
    passage : str
        With "…" where it was cut; sentences that have the query's words apart, one after the other.
    """

    index: int
    id: str
    title: str
    passage: str


def mentions_of(check: QueryCheck, corpus: Corpus) -> tuple[Mention, ...]:
    """Return the documents that a check lists, those that name the query most first."""
    search = TextSearch.of(corpus)
    wanted = [forms_of(word, search) for word in check.words if word.status in ("known", "rare", "in text")]
    forms = [each for group in wanted for each in group]
    return tuple(_mention(document, forms, search) for document in corpus.documents.select(check.named))


def forms_of(word: WordCheck, search: TextSearch) -> list[frozenset[str]]:
    """Return what each of the words of a query word or phrase looks like in a text, folded."""
    form = signed_form(word.word)
    if form and word.status == "in text" and len(search.documents_with(form)):
        return [frozenset({form})]
    spoken = [token for token in search.split(word.word) if not search.is_stop_word(token)]
    if len(spoken) > 1:
        return [frozenset({search.fold(token)}) for token in spoken]
    single = [match for match in word.matches if " " not in match]
    written = single or spoken or search.split(word.word)
    return [frozenset([*map(search.fold, written), *map(str.lower, written)])]


def _mention(document: Document, forms: list[frozenset[str]], search: TextSearch) -> Mention:
    at = _first_place(document.text, forms, search)
    passage = sentence_around(document.text, at, (), LONGEST)
    lines = [passage.line, *_elsewhere(document.text, passage, forms, search)]
    return Mention(document.index, document.id, document.title, _DOTS.sub("…", " … ".join(lines)))


def _elsewhere(text: str, passage: Passage, forms: list[frozenset[str]], search: TextSearch) -> Iterator[str]:
    """Yield the sentences where the words stand first that a passage does not have."""
    shown, end = passage.start, passage.start + len(passage.text)
    places = [(word, span[0]) for word, span in folded_places(text, search, forms)]
    for form in forms:
        at = [start for word, start in places if word in form]
        if at and not any(shown <= start < end for start in at):
            yield sentence_around(text, at[0], (), LONGEST // 2).line


def _first_place(text: str, forms: list[frozenset[str]], search: TextSearch) -> int:
    """Return the first character of the first place where most of the words stand nearest each other."""
    best, found = (0, 0), 0  # how many words, and by how little they are apart
    last: dict[int, tuple[int, int]] = {}  # where each word stood last
    for i, (word, (start, _)) in enumerate(folded_places(text, search, forms)):
        hits = [f for f, form in enumerate(forms) if word in form]
        last |= dict.fromkeys(hits, (i, start))
        near = [place for place in last.values() if i - place[0] <= NEAR]
        if hits and (len(near), min(near)[0] - i) > best:
            best, found = (len(near), min(near)[0] - i), min(near)[1]
    return found


def folded_places(
    text: str, search: TextSearch, forms: Iterable[Iterable[str]] = ()
) -> Iterator[tuple[str, Span]]:
    """Yield the words of a text, folded, and where they stand; those with signs whole that are wanted."""
    end = 0
    signed = sorted({each for form in forms for each in form if signed_form(each)})
    for token in search.split(text, signed):
        span = find_token(text, token, end, REACH)
        if span is not None:
            end = span[1]
            yield search.fold(token), span
