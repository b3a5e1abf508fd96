"""The hierarchical Dirichlet process by tomotopy: a corpus in, a `TopicFit` of its live topics out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from qdtm.corpus import Corpus
from qdtm.evaluation.baselines.collapsed import add_documents, document_shares, word_columns
from qdtm.evaluation.baselines.extras import require
from qdtm.evaluation.baselines.topic_fit import FloatArray, TopicFit, fit_of_counts, smoothed_topics


@dataclass(frozen=True)
class HDP:
    """LDA that finds the number of its topics (Teh et al. 2006), sampled by tomotopy on one thread.

    Topics come and go, so that counts cannot be averaged: the last sample is read.

    Attributes
    ----------
    alpha, gamma, eta : float
        Concentration of documents, of new topics, and the prior of words; tomotopy's defaults.
    initial_topics : int
    n_sweeps : int
    """

    alpha: float = 0.1
    gamma: float = 0.1
    eta: float = 0.01
    initial_topics: int = 20
    n_sweeps: int = 200

    def fit(self, corpus: Corpus, seed: int = 0) -> TopicFit:
        """Find the topics of a corpus; the same seed finds the same."""
        model = require("tomotopy", "baselines").HDPModel(
            initial_k=self.initial_topics, alpha=self.alpha, gamma=self.gamma, eta=self.eta, seed=seed
        )
        add_documents(model, corpus)
        model.train(self.n_sweeps, workers=1)
        live = [k for k in range(model.k) if model.is_live_topic(k)]
        n_wk = self._word_counts(model, corpus, live)
        shares = document_shares(model, corpus)[:, live]
        return fit_of_counts(
            corpus.vocabulary,
            n_wk,
            smoothed_topics(n_wk, self.eta),
            shares / shares.sum(axis=1, keepdims=True),
        )

    def _word_counts(self, model: Any, corpus: Corpus, live: list[int]) -> FloatArray:
        """Return the tokens of each word in each live topic, (V, K), from tomotopy's probabilities."""
        columns = word_columns(model, corpus)
        n_k = np.asarray(model.get_count_by_topics(), dtype=np.float64)
        counts = np.zeros((corpus.n_words, len(live)))
        for column, k in enumerate(live):
            p = np.asarray(model.get_topic_word_dist(k, normalize=True), dtype=np.float64)
            counts[columns, column] = np.rint(p * (n_k[k] + self.eta * len(columns)) - self.eta).clip(0)
        return counts
