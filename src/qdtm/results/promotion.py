"""Which words pulled on which concept words: the sampler's promotion graph in, `RelatedWords` out.

It is kept with a fit so that a promoted token can be explained without word vectors at hand.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qdtm.embeddings.similarity import PromotionGraph


@dataclass(frozen=True, eq=False, repr=False)
class RelatedWords:
    """The pairs of a word and a concept word of one query whose vectors are near, P of them.

    Attributes
    ----------
    words : ndarray of int32, shape (P,)
        The vocabulary index of the word that promotes.
    concept_words : ndarray of int32, shape (P,)
        That of the concept word it is related to.
    cosine : ndarray of float32, shape (P,)
        How near they are.
    """

    words: NDArray[np.int32]
    concept_words: NDArray[np.int32]
    cosine: NDArray[np.float32]

    def __post_init__(self) -> None:
        if not self.words.shape == self.concept_words.shape == self.cosine.shape or self.words.ndim != 1:
            raise ValueError("the arrays of related words differ in length")
        if not np.isfinite(self.cosine).all():
            raise ValueError("a cosine of related words is not a number")

    def __len__(self) -> int:
        return len(self.words)

    def nearest(self) -> dict[int, tuple[int, float]]:
        """Return, for each word that promotes, the nearest concept word and the cosine."""
        order = np.lexsort((self.concept_words, -self.cosine))[::-1]  # the nearest is written last
        pairs = zip(self.words[order], self.concept_words[order], self.cosine[order], strict=True)
        return {int(word): (int(concept), float(cosine)) for word, concept, cosine in pairs}

    @classmethod
    def none(cls) -> RelatedWords:
        """Return no pairs."""
        return cls(np.zeros(0, np.int32), np.zeros(0, np.int32), np.zeros(0, np.float32))


def promoting_words(graph: PromotionGraph, unit: NDArray[np.float32] | None) -> tuple[RelatedWords, ...]:
    """List the pairs of a promotion graph.

    Parameters
    ----------
    graph : PromotionGraph
    unit : ndarray of shape (V, d) or None
        Word vectors of length 1; None if nothing promotes.

    Returns
    -------
    tuple of RelatedWords
        One a query.
    """
    if unit is None:
        return tuple(RelatedWords.none() for _ in graph.concept_words)
    return tuple(
        _pairs(related, words, unit)
        for related, words in zip(graph.related, graph.concept_words, strict=True)
    )


def _pairs(related: object, concept: NDArray[np.int32], unit: NDArray[np.float32]) -> RelatedWords:
    word, column = related.nonzero()  # type: ignore[attr-defined]
    words, concept_words = word.astype(np.int32), concept[column]
    cosine = np.einsum("pd,pd->p", unit[words], unit[concept_words])
    return RelatedWords(words, concept_words, cosine.astype(np.float32))


def check_related(related: Sequence[RelatedWords], concepts: Sequence[Sequence[int]], n_words: int) -> None:
    """Raise unless all pairs are of words that exist and of the query's own concept words.

    Parameters
    ----------
    related : sequence of RelatedWords
        One a query, or none at all.
    concepts : sequence of sequence of int
        The concept words of each query.
    n_words : int
    """
    if len(related) not in (0, len(concepts)):
        raise ValueError(f"there are related words for {len(related)} of {len(concepts)} queries")
    for pairs, words in zip(related, concepts, strict=False):
        if len(pairs) and not (pairs.words.min() >= 0 and pairs.words.max() < n_words):
            raise ValueError("a related word does not exist")
        if not np.isin(pairs.concept_words, list(words)).all():
            raise ValueError("a word is related to one that is no concept word")
