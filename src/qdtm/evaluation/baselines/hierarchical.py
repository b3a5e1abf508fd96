"""Hierarchical LDA by tomotopy (the paper's HTM): a corpus in, a tree of topics out.

Topics of the second level stand for parents, those of the third for subtopics.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from qdtm.corpus import Corpus
from qdtm.evaluation.baselines.collapsed import add_documents, word_columns
from qdtm.evaluation.baselines.extras import require
from qdtm.evaluation.baselines.topic_fit import FloatArray, TrainingProgress

_DEPTH = 3
_STEP = 10


@dataclass(frozen=True, eq=False)
class TopicTree:
    """The second and third level of a hierarchy of topics.

    Attributes
    ----------
    parents : ndarray of shape (P, V)
        p(word | topic) of the second level.
    children : tuple of ndarray of shape (S, V), length P
        p(word | topic) of each parent's children.
    child_prevalence : tuple of ndarray of shape (S,), length P
        Their share of the corpus' tokens.
    """

    parents: FloatArray
    children: tuple[FloatArray, ...]
    child_prevalence: tuple[FloatArray, ...]


@dataclass(frozen=True)
class HTM:
    """Hierarchical LDA: the nested Chinese restaurant process (Blei et al. 2004), three levels.

    Attributes
    ----------
    alpha, gamma, eta : float
        Prior of levels in a document, of new topics, of words; as the paper's experiments take them.
    n_sweeps : int
    """

    alpha: float = 0.1
    gamma: float = 0.1
    eta: float = 0.01
    n_sweeps: int = 300

    def fit(self, corpus: Corpus, seed: int = 0, progress: TrainingProgress | None = None) -> TopicTree:
        """Find the tree of a corpus; the same seed finds the same."""
        tomotopy = require("tomotopy", "baselines")
        model = tomotopy.HLDAModel(depth=_DEPTH, alpha=self.alpha, gamma=self.gamma, eta=self.eta, seed=seed)
        add_documents(model, corpus)
        for n_done in range(0, self.n_sweeps, _STEP):
            model.train(min(_STEP, self.n_sweeps - n_done), workers=1)
            if progress is not None:
                progress(min(n_done + _STEP, self.n_sweeps), self.n_sweeps)
        return _read_tree(model, corpus)


def _read_tree(model: Any, corpus: Corpus) -> TopicTree:
    live = [k for k in range(model.k) if model.is_live_topic(k)]
    parents = [k for k in live if model.level(k) == 1]
    families = [
        [int(k) for k in model.children_topics(parent) if model.is_live_topic(int(k))] for parent in parents
    ]
    n_k = np.asarray(model.get_count_by_topics(), dtype=np.float64) / max(1, corpus.n_tokens)
    return TopicTree(
        parents=_probabilities(model, corpus, parents),
        children=tuple(_probabilities(model, corpus, family) for family in families),
        child_prevalence=tuple(n_k[family] for family in families),
    )


def _probabilities(model: Any, corpus: Corpus, topics: list[int]) -> FloatArray:
    """Return p(word | topic) over the corpus' vocabulary, (n_topics, V)."""
    columns = word_columns(model, corpus)
    rows = np.zeros((len(topics), corpus.n_words))
    for row, k in zip(rows, topics, strict=True):
        row[columns] = model.get_topic_word_dist(k)
    return rows
