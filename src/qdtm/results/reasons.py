"""The passage that makes a document relevant: a query and its documents in, `Passage`s out.

Every list, table, export, report and page shows what is chosen here: where most words of the query stand
together, and among such places where most words of its topic are. Of a document that is judged by passage it
is in the most relevant one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qdtm.corpus.corpus import Corpus
from qdtm.corpus.document_store import Document
from qdtm.corpus.passage_split import Span
from qdtm.corpus.phrase_index import PhraseIndex
from qdtm.queries.concept import Concept
from qdtm.queries.text_search import TextSearch
from qdtm.results.distributions import FloatArray
from qdtm.results.fit import ModelFit
from qdtm.results.passages import (
    LEVELS,
    LONGEST_ALIGNED,
    Aligner,
    Mark,
    Passage,
    excerpt,
    folded_places,
    forms_of,
    letters_end,
    page_of,
    past_separators,
)
from qdtm.results.splits import subtopic_weights

EXCERPT = 240
"""Characters of a passage in lists and tables."""

OTHERS = 0.5
"""Other words of a topic count half; the query's own are always marked most strongly."""


class Reasons:
    """Chooses the passages of documents that are about one query.

    Parameters
    ----------
    corpus : Corpus
    concept : Concept
        Of the query.
    weights : ndarray of float64, shape (V,)
        How much of each word is the topic's, 0 to 1.
    aligner : Aligner, optional
        Of the corpus, if there is one already.
    passages : ndarray of shape (P,), optional
        Where documents are judged by passage, how relevant each passage is.
    """

    def __init__(
        self,
        corpus: Corpus,
        concept: Concept,
        weights: FloatArray,
        aligner: Aligner | None = None,
        passages: NDArray[Any] | None = None,
    ) -> None:
        self._corpus = corpus
        self._best = None if corpus.passages is None or passages is None else corpus.passages.best(passages)
        self._aligner = aligner or Aligner(corpus)
        self._own = query_words(concept, corpus)
        self._concept = frozenset(concept.word_indices)
        weights = np.asarray(weights, np.float64)
        own = sorted(self._own)
        self._weights = OTHERS * weights
        self._weights[own] = LEVELS[-1] + (1.0 - LEVELS[-1]) * weights[own]  # the more the topic's the more
        self._search = TextSearch.of(corpus)
        beyond = [word for word in concept.check.words if word.status in ("rare", "in text")]
        self._forms = frozenset().union(*(each for word in beyond for each in forms_of(word, self._search)))

    def passage(self, document: Document, limit: int = EXCERPT) -> Passage:
        """Return the passage of a document that makes it relevant, at most `limit` characters.

        A title that is the first line of the text is left out, unless it alone has the words of the query:
        it stands beside the passage wherever that is shown.
        """
        start, end = self.span(document)
        text = document.text[start : min(end, start + LONGEST_ALIGNED)]
        marks = self._marks(document.index, text)
        if start == 0 and (head := _end_of_title(document.title, text, marks)):
            marks = [mark.moved(-head) for mark in marks if mark.start >= head]
            found = excerpt(text[head:], marks, limit)
            found = replace(
                found, start=found.start + head, page=page_of(text, found.start + head, found.pieces)
            )
        else:
            found = excerpt(text, marks, limit)
        return found if self._best is None else found.within(document.text, start)

    def marks(self, document: Document) -> list[Mark]:
        """Return where in a document the words stand that count, in order."""
        return self._marks(document.index, document.text[:LONGEST_ALIGNED])

    def span(self, document: Document) -> Span:
        """Return which part of a document's text is its most relevant passage: all of it if it has one."""
        passages, split = self._corpus.passages, self._corpus.pipeline.split_documents
        if self._best is None or passages is None or split is None:
            return 0, len(document.text)
        return passages.span(document.text, document.index, int(self._best[document.index]), split)

    def _marks(self, row: int, text: str) -> list[Mark]:
        marks = [
            Mark(*span, float(self._weights[word]), word in self._concept, self._own.get(word, ()))
            for word, span in self._aligner.places(row, text)
        ]
        if self._forms:
            marks = sorted([*marks, *self._beyond(text)], key=lambda mark: mark.start)
        return marks

    def _beyond(self, text: str) -> Iterator[Mark]:
        """Yield where words of the query stand that the vocabulary does not have."""
        for word, span in folded_places(text, self._search, [self._forms]):
            if word in self._forms:
                yield Mark(*span, 1.0, is_concept=True, of_query=(word,))


def reasons_of(
    fit: ModelFit,
    corpus: Corpus,
    q: int,
    s: int | None = None,
    aligner: Aligner | None = None,
    passages: NDArray[Any] | None = None,
) -> Reasons:
    """Return what chooses the passages of documents about query `q`, or in its subtopic at position `s`.

    Of new documents that are judged by passage, `passages` says how relevant each is, (P,).
    """
    weights = fit.query_weights[:, q]
    if s is not None:
        weights = subtopic_weights(fit, q, weights)[:, s]
    known = fit.scored.relevance[:, q] if passages is None else passages
    return Reasons(corpus, fit.concepts[q], weights, aligner, known)


def query_words(concept: Concept, corpus: Corpus) -> dict[int, tuple[str, ...]]:
    """Return which words of the vocabulary are the query's own or phrases with them, and which each has.

    Of a query by keywords these are the user's own.
    """
    origin = "query" if any(word.origin == "query" for word in concept.words) else "user"
    phrases, found = PhraseIndex.of(corpus), defaultdict[int, list[str]](list)
    for own in concept.words:
        if own.origin == origin:
            for index in {own.index, *phrases.with_word(own.word)}:
                found[index].append(own.word)
    return {index: tuple(words) for index, words in found.items()}


def _end_of_title(title: str, text: str, marks: Sequence[Mark]) -> int:
    """Return where a text goes on after a first line that is its title; 0 if it has none that may go."""
    head = first_line_end(title, text)
    named = [mark.start for mark in marks if mark.of_query]
    return head if not named or max(named) >= head else 0


def first_line_end(title: str, text: str) -> int:
    """Return where the rest of a text begins whose first line is its title; 0 if it is not."""
    at = letters_end(text[: 4 * len(title) + 100], title) if title else None
    if at is None:
        return 0
    rest = past_separators(text, at)
    return rest if rest < len(text) and "\n" in text[at:rest] else 0
