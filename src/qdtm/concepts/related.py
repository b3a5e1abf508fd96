"""Words that a corpus does have, for a query that it hardly names: a query in, words of the vocabulary out.

With a sentence encoder: what the documents that lie nearest to the query have in common, beyond what others
have. Without: words whose vectors lie near the query's own. They are proposed, never asked for in silence.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from qdtm.concepts.term_index import FloatArray, TermIndex
from qdtm.corpus.corpus import Corpus
from qdtm.embeddings.vectors import WordVectors, embed_vocabulary

N_RELATED = 5
"""Words that are proposed at most."""

N_NEAREST, NEAREST_SHARE, MIN_NEAREST = 30, 0.1, 3
"""Documents that a query's neighbourhood has, at most this share of all; and those of them that a proposed
word must stand in."""

MIN_COSINE = 0.6
"""To the mean of the query's words; below, words of another subject begin."""


@dataclass(frozen=True)
class RelatedWord:
    """A word that lies near a query, and how many documents of the corpus have it."""

    word: str
    n_documents: int


def related_words(
    phrase: Sequence[str],
    corpus: Corpus,
    own: Sequence[int],
    vectors: WordVectors | None,
    nearness: FloatArray | None = None,
) -> tuple[int, ...]:
    """Propose words for a query: their places in the vocabulary, best first.

    Parameters
    ----------
    phrase : sequence of str
        The query's words, as typed.
    corpus : Corpus
    own : sequence of int
        The query's words in the vocabulary, which are not proposed.
    vectors : WordVectors, optional
    nearness : ndarray of float64, shape (D,), optional
        How near each document is to the query, by a sentence encoder.
    """
    if nearness is not None:
        scores = _shared_by_nearest(TermIndex.of(corpus), nearness)
    elif vectors is not None:
        scores = _near_in_meaning(phrase, corpus, vectors)
    else:
        return ()
    scores[list(own)] = 0.0
    scores[[w for w, word in enumerate(corpus.vocabulary) if word in phrase]] = 0.0
    best = np.argsort(-scores, kind="stable")[:N_RELATED]
    return tuple(int(w) for w in best if scores[w] > 0.0)


def _shared_by_nearest(index: TermIndex, nearness: FloatArray) -> FloatArray:
    """How much more documents near a query have each word than others: p log(p / q) over documents, (V,)."""
    n_nearest = max(min(N_NEAREST, int(NEAREST_SHARE * len(nearness))), MIN_NEAREST)
    nearest = np.argsort(-nearness, kind="stable")[:n_nearest]
    n_near = np.bincount(index.by_document[nearest].indices, minlength=index.n_words)  # (V,)
    p_near = n_near / len(nearest)
    usual = np.maximum(index.document_frequency, 1) / index.n_documents
    gain = p_near * np.log(np.maximum(p_near, 1e-12) / usual)
    return np.where(n_near >= min(MIN_NEAREST, len(nearest)), np.maximum(gain, 0.0), 0.0)


def _near_in_meaning(phrase: Sequence[str], corpus: Corpus, vectors: WordVectors) -> FloatArray:
    """The cosine of each word to the mean of the query's words, if all of these have a vector, (V,)."""
    asked = [word for word in phrase if vectors.find(word) is not None]
    if not asked or len(asked) < len(phrase):
        return np.zeros(len(corpus.vocabulary))
    unit = embed_vocabulary(vectors, [*asked, *corpus.vocabulary]).unit.astype(np.float64)
    mean = unit[: len(asked)].sum(axis=0)
    cosine = unit[len(asked) :] @ (mean / max(float(np.linalg.norm(mean)), 1e-12))
    return np.where(cosine > MIN_COSINE, cosine, 0.0)
