"""The passage that makes a document relevant: a query and its documents in, `Passage`s out.

Every list, table, export, report and page shows what is chosen here: where most words of the query stand
together, and among such places where most words of its topic are.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from qdtm.corpus.corpus import Corpus
from qdtm.corpus.document_store import Document
from qdtm.corpus.phrase_index import PhraseIndex
from qdtm.queries.concept import Concept
from qdtm.queries.text_search import TextSearch
from qdtm.results.distributions import FloatArray
from qdtm.results.fit import ModelFit
from qdtm.results.passages import LONGEST_ALIGNED, Aligner, Mark, Passage, excerpt, folded_places, forms_of
from qdtm.results.splits import subtopic_weights

EXCERPT = 240
"""Characters of a passage in lists and tables."""

OTHERS = 0.5
"""Other words of a topic are marked half as strongly as the query's own."""


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
    """

    def __init__(
        self, corpus: Corpus, concept: Concept, weights: FloatArray, aligner: Aligner | None = None
    ) -> None:
        self._aligner = aligner or Aligner(corpus)
        self._own = query_words(concept, corpus)
        self._concept = frozenset(concept.word_indices)
        self._weights = OTHERS * np.asarray(weights, np.float64)
        self._weights[sorted(self._own)] = 1.0
        self._search = TextSearch.of(corpus)
        beyond = [word for word in concept.check.words if word.status in ("rare", "in text")]
        self._forms = frozenset().union(*(each for word in beyond for each in forms_of(word, self._search)))

    def passage(self, document: Document, limit: int = EXCERPT) -> Passage:
        """Return the passage of a document that makes it relevant, at most `limit` characters."""
        text = document.text[:LONGEST_ALIGNED]
        marks = [
            Mark(*span, float(self._weights[word]), word in self._concept, word in self._own)
            for word, span in self._aligner.places(document.index, text)
        ]
        if self._forms:
            marks = sorted([*marks, *self._beyond(text)], key=lambda mark: mark.start)
        return excerpt(text, marks, limit)

    def _beyond(self, text: str) -> Iterator[Mark]:
        """Yield where words of the query stand that the vocabulary does not have."""
        for word, span in folded_places(text, self._search):
            if word in self._forms:
                yield Mark(*span, 1.0, is_concept=True, is_query=True)


def reasons_of(
    fit: ModelFit, corpus: Corpus, q: int, s: int | None = None, aligner: Aligner | None = None
) -> Reasons:
    """Return what chooses the passages of documents about query `q`, or in its subtopic at position `s`."""
    weights = fit.query_weights[:, q]
    if s is not None:
        weights = subtopic_weights(fit, q, weights)[:, s]
    return Reasons(corpus, fit.concepts[q], weights, aligner)


def query_words(concept: Concept, corpus: Corpus) -> frozenset[int]:
    """Return which words of the vocabulary are the query's own, and which phrases have one of them.

    Of a query by keywords these are the user's own.
    """
    origin = "query" if any(word.origin == "query" for word in concept.words) else "user"
    own = {word.index: word.word for word in concept.words if word.origin == origin}
    phrases = PhraseIndex.of(corpus)
    return frozenset(own).union(*(phrases.with_word(word) for word in own.values()))
