"""Small problems of phase 1, to be started and fitted."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import sparse

from qdtm.embeddings.similarity import PromotionGraph, promotion_graph
from qdtm.sampler.problem import ParentProblem, Priors


def problem_of(
    documents: Sequence[Sequence[int]],
    concept_words: Sequence[Sequence[int]],
    *,
    n_words: int,
    related: Sequence[np.ndarray] | None = None,
    promotion_weight: float = 0.0,
    unit: np.ndarray | None = None,
    evidence: np.ndarray | None = None,
    **before: object,
) -> ParentProblem:
    """Pose a problem of documents as lists of words; `related[q]` is (V, C_q); no evidence is 0.5 for all."""
    words = [np.array(c, np.int32) for c in concept_words]
    graph = promotion_graph(None, words, 1.0, n_words=n_words)
    if related is not None:
        n_related = np.stack([pairs.sum(axis=1) for pairs in related], axis=1).astype(np.int32)  # (V, Q)
        graph = PromotionGraph(0.5, tuple(words), tuple(map(sparse.csr_array, related)), n_related)
    return ParentProblem(
        tokens=np.array([w for document in documents for w in document], np.int32),
        offsets=np.cumsum([0, *map(len, documents)]).astype(np.int64),
        n_words=n_words,
        concept_words=words,
        graph=graph,
        unit=unit,
        promotion_weight=promotion_weight,
        priors=Priors(),
        evidence=np.full((len(documents), len(words)), 0.5, np.float32) if evidence is None else evidence,
        **before,
    )
