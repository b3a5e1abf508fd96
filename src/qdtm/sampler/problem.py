"""What phase 1 is asked to do, and the rules that follow from it.

In: the corpus' tokens, the concept words and who promotes whom. Out: tokens with the concept words' own
documents, and the `Rules` of the kernel.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qdtm.embeddings.similarity import PromotionGraph
from qdtm.errors import CorpusError
from qdtm.sampler.kernels import Rules
from qdtm.storage.mapped import concatenate_beside

# --- phase 1 as a problem -----------------------------------------------------------------------------------

# DEVIATION(6): 0.3 becomes 307/1024.
MASS_UNIT = 2.0**-10
"""Promotion weights are multiples of it, so that sums of them are exact."""


@dataclass(frozen=True)
class Priors:
    """Hyperparameters of the Hierarchical Dirichlet Process; the defaults are the paper's."""

    alpha: float = 1.0
    beta: float = 0.5
    gamma: float = 1.5


PAPERS_WORDS = 5_000
"""The paper's vocabulary, for which its beta is."""


# DEVIATION(10): the paper has no larger vocabulary.
def smoothing_for(priors: Priors, n_words: int) -> Priors:
    """The priors with a beta that smooths a vocabulary above the paper's as much in all as the paper's."""
    return replace(priors, beta=priors.beta * min(1.0, PAPERS_WORDS / max(n_words, 1)))


@dataclass(frozen=True, eq=False)
class ParentProblem:
    """What phase 1 works on.

    Parameters
    ----------
    tokens, offsets : ndarray of shape (N,) and (D + 1,)
        The corpus.
    n_words : int
        V.
    concept_words : sequence of ndarray of int32
        Of each query; distinct between queries.
    graph : PromotionGraph
        Which words promote which concept words.
    unit : ndarray of shape (V, d) or None
        Word vectors of length 1, for word filtering; None lets every related word promote.
    promotion_weight : float
        u of eq. 16; 0 promotes nothing.
    priors : Priors
    evidence : ndarray of float32, shape (D, Q)
        How likely each document is to be about each query.
    before : ndarray of int32, shape (N,), optional
        The topic of each token before the queries: of a background, or of a fit with the first `n_before` of
        them. None starts as the paper does.
    promoted_before : ndarray of uint8, shape (N,), optional
        Whether each token promoted in that fit.
    n_before : int
        The queries that are in `before` already.
    parts : CSR matrix of shape (V, V'), optional
        1 where an entry of the vocabulary has a word: phrases have several. By default each is a word.
    word_vectors : ndarray of float32, shape (V, d), optional
        Of length 1; subtopics are groups of documents that are alike by their words and the means of these.
    document_vectors : ndarray of float32, shape (D, e), optional
        What a sentence encoder makes of the documents, which then stands in place of those means.
    """

    tokens: NDArray[np.int32]
    offsets: NDArray[np.int64]
    n_words: int
    concept_words: Sequence[NDArray[np.int32]]
    graph: PromotionGraph
    unit: NDArray[np.float32] | None
    promotion_weight: float
    priors: Priors
    evidence: NDArray[np.float32]
    before: NDArray[np.int32] | None = None
    promoted_before: NDArray[np.uint8] | None = None
    n_before: int = 0
    parts: Any = None
    word_vectors: NDArray[np.float32] | None = None
    document_vectors: NDArray[np.float32] | None = None

    @property
    def n_parents(self) -> int:
        """The number of queries, Q."""
        return len(self.concept_words)


def with_concept_documents(problem: ParentProblem) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Append each query's concept words as a document of their own, so that no parent topic can die."""
    lengths = [len(words) for words in problem.concept_words]
    tokens = concatenate_beside(problem.tokens, *problem.concept_words)
    offsets = np.concatenate([problem.offsets, problem.offsets[-1] + np.cumsum(lengths, dtype=np.int64)])
    return tokens, offsets


def fixed_topics(problem: ParentProblem) -> NDArray[np.int32]:
    """The parent topic of each concept word, -1 for free words, (V,)."""
    fixed = np.full(problem.n_words, -1, np.int32)
    for q, words in enumerate(problem.concept_words):
        fixed[words] = q
    return fixed


def parent_rules(problem: ParentProblem) -> Rules:
    """The rules of phase 1. Promotion probabilities start at 1 and are refreshed by word filtering."""
    shape = (problem.n_words, problem.n_parents)
    weight = round(problem.promotion_weight / MASS_UNIT) * MASS_UNIT
    return Rules(
        alpha=float(problem.priors.alpha),
        gamma=float(problem.priors.gamma),
        promotion_weight=weight,
        prior_words=float(problem.n_words),
        beta=np.full(1, problem.priors.beta, np.float32),
        fixed_topic=fixed_topics(problem),
        n_related=problem.graph.n_related if weight else np.zeros(shape, np.int32),
        promotion_probability=np.ones(shape, np.float32),
    )


# --- exact counts -------------------------------------------------------------------------------------------
#
# How often a word may occur so that its counts stay exact: word counts in, an error out if one is too many.
#
# The kernel counts in float32, which holds every whole number up to 2**24 and not all beyond. No count of a
# word in a topic is larger than the count of the word, so a look at the corpus is enough. All else is
# counted in whole numbers of 32 or 64 bits, and promoted mass is never added up as it goes: it is a number
# of tokens times a multiple of 2**-10, worked out anew for every sweep, so that it cannot drift.

MAX_OCCURRENCES = 2**24 - 1
"""Of a word in a corpus; one more is left for the document of concept words."""


def check_countable(word_counts: NDArray[np.int64], vocabulary: Sequence[str]) -> None:
    """Refuse a corpus that has a word more often than can be counted exactly.

    Parameters
    ----------
    word_counts : ndarray of int64, shape (V,)
    vocabulary : sequence of str, length V

    Raises
    ------
    CorpusError
    """
    most = int(np.argmax(word_counts)) if len(word_counts) else None
    if most is not None and word_counts[most] > MAX_OCCURRENCES:
        raise CorpusError(
            f"The word {vocabulary[most]!r} occurs {int(word_counts[most]):,} times, and a word is counted "
            f"exactly up to {MAX_OCCURRENCES:,} times; make it a stop word, lower max_df, or fit a part."
        )
