"""Where documents mention a query: a corpus and a `QueryCheck` in, a passage of each document out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from qdtm.concepts.check import QueryCheck
from qdtm.concepts.in_text import TextSearch
from qdtm.concepts.verdict import WordCheck
from qdtm.corpus.corpus import Corpus
from qdtm.corpus.store import Document
from qdtm.results.alignment import REACH, Span, find_token
from qdtm.results.passages import sentence_around

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
    passage : str
        With "…" where it was cut.
    """

    index: int
    id: str
    passage: str


def mentions_of(check: QueryCheck, corpus: Corpus) -> tuple[Mention, ...]:
    """Return the documents that a check lists, those that name the query most first."""
    search = TextSearch.of(corpus)
    wanted = [_forms(word, search) for word in check.words if word.status in ("known", "rare", "in text")]
    forms = [each for group in wanted for each in group]
    return tuple(_mention(document, forms, search) for document in corpus.documents.select(check.named))


def _forms(word: WordCheck, search: TextSearch) -> list[frozenset[str]]:
    """Return what each of the words of a query word or phrase looks like in a text, folded."""
    spoken = [token for token in search.split(word.word) if not search.is_stop_word(token)]
    if len(spoken) > 1:
        return [frozenset({search.fold(token)}) for token in spoken]
    single = [match for match in word.matches if " " not in match]
    written = single or spoken or search.split(word.word)
    return [frozenset([*map(search.fold, written), *map(str.lower, written)])]


def _mention(document: Document, forms: list[frozenset[str]], search: TextSearch) -> Mention:
    at = _first_place(document.text, forms, search)
    passage = sentence_around(document.text, at, (), LONGEST)
    text = " ".join(passage.text.split())
    return Mention(
        document.index,
        document.id,
        f"{'… ' if passage.cut_before else ''}{text}{' …' if passage.cut_after else ''}",
    )


def _first_place(text: str, forms: list[frozenset[str]], search: TextSearch) -> int:
    """Return the first character of the first place where most of the words stand nearest each other."""
    best, found = (0, 0), 0  # how many words, and by how little they are apart
    last: dict[int, tuple[int, int]] = {}  # where each word stood last
    for i, (word, (start, _)) in enumerate(_places(text, search)):
        hits = [f for f, form in enumerate(forms) if word in form]
        last |= dict.fromkeys(hits, (i, start))
        near = [place for place in last.values() if i - place[0] <= NEAR]
        if hits and (len(near), min(near)[0] - i) > best:
            best, found = (len(near), min(near)[0] - i), min(near)[1]
    return found


def _places(text: str, search: TextSearch) -> Iterator[tuple[str, Span]]:
    """Yield the words of a text, folded, and where they stand."""
    end = 0
    for token in search.split(text):
        span = find_token(text, token, end, REACH)
        if span is not None:
            end = span[1]
            yield search.fold(token), span
