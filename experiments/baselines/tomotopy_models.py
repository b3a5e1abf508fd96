"""The models of tomotopy: LDA, LDA whose keywords have a prior, the HDP, hierarchical LDA (the paper's HTM).

In: a corpus. Out: a `TopicFit` of averaged counts, or a tree of topics: those of the second level stand for
parents, those of the third for subtopics.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from experiments.baselines.topic_fit import (
    FloatArray,
    Schedule,
    TopicFit,
    TrainingProgress,
    fit_of_counts,
    keyword_ids,
    require,
    smoothed_topics,
)
from qdtm.corpus import Corpus

LONG = Schedule(n_sweeps=2000, burn_in=1000, thin=20)
"""Without keywords a chain takes longer to find where topics are."""


@dataclass(frozen=True)
class LDA:
    """Latent Dirichlet allocation (Blei, Ng and Jordan 2003), sampled by tomotopy on one thread.

    Attributes
    ----------
    n_topics : int
    alpha, beta : float, optional
        By default 1 / n_topics, as in the paper's experiments. They stay where they are.
    schedule : Schedule
    """

    n_topics: int
    alpha: float | None = None
    beta: float | None = None
    schedule: Schedule = LONG

    def fit(self, corpus: Corpus, seed: int = 0, progress: TrainingProgress | None = None) -> TopicFit:
        """Find the topics of a corpus; the same seed finds the same."""
        return _fit(self, corpus, (), 1.0, seed, progress)


@dataclass(frozen=True)
class SeededLDA:
    """LDA with a larger prior of each keyword in its own topic (tomotopy's word priors).

    Attributes
    ----------
    keywords : sequence of sequences of str
        Words of topic 0, of topic 1, and so on.
    weight : float
        The keywords' prior in their own topic; elsewhere it is `beta`.
    n_topics : int, optional
        By default one more than there are lists.
    alpha, beta : float, optional
        By default 1 / n_topics.
    schedule : Schedule
    """

    keywords: Sequence[Sequence[str]]
    weight: float = 100.0
    n_topics: int | None = None
    alpha: float | None = None
    beta: float | None = None
    schedule: Schedule = field(default_factory=Schedule)

    def fit(self, corpus: Corpus, seed: int = 0, progress: TrainingProgress | None = None) -> TopicFit:
        """Find the topics of a corpus; the same seed finds the same."""
        n_topics = len(self.keywords) + 1 if self.n_topics is None else self.n_topics
        plain = LDA(n_topics, self.alpha, self.beta, self.schedule)
        return _fit(plain, corpus, self.keywords, self.weight, seed, progress)


def _fit(
    settings: LDA,
    corpus: Corpus,
    keywords: Sequence[Sequence[str]],
    weight: float,
    seed: int,
    progress: TrainingProgress | None,
) -> TopicFit:
    """Train the model in steps, and average its counts over the samples of the schedule."""
    n_topics, schedule = settings.n_topics, settings.schedule
    alpha, beta = (1.0 / n_topics if prior is None else prior for prior in (settings.alpha, settings.beta))
    model = require("tomotopy").LDAModel(k=n_topics, alpha=alpha, eta=beta, seed=seed)
    model.optim_interval = 0
    prior = _word_prior(model, corpus, keywords, beta, weight, n_topics)  # (V, K)
    add_documents(model, corpus)
    n_wk = np.zeros((corpus.n_words, n_topics))  # (V, K)
    theta = np.zeros((corpus.n_documents, n_topics))  # (D, K)
    n_samples, n_done = 0, 0
    while n_done < schedule.n_sweeps:
        step = (
            schedule.burn_in if n_done < schedule.burn_in else min(schedule.thin, schedule.n_sweeps - n_done)
        )
        model.train(step, workers=1)
        n_done += step
        if schedule.is_sample(n_done):
            n_wk += _word_counts(model, corpus, prior)
            theta += document_shares(model, corpus)
            n_samples += 1
        if progress is not None:
            progress(n_done, schedule.n_sweeps)
    n_wk /= n_samples
    topics = np.asarray(((n_wk + prior) / (n_wk + prior).sum(axis=0)).T)
    return fit_of_counts(corpus.vocabulary, n_wk, topics, theta / n_samples)


def add_documents(model: Any, corpus: Corpus) -> None:
    """Give a model of tomotopy all documents; it takes no empty one."""
    for tokens in np.split(corpus.tokens, corpus.offsets[1:-1]):
        if len(tokens):
            model.add_doc([corpus.vocabulary[w] for w in tokens])


def document_shares(model: Any, corpus: Corpus) -> FloatArray:
    """Return the topic shares of each document, (D, K); an empty one has equal shares."""
    shares = np.full((corpus.n_documents, model.k), 1.0 / model.k)
    shares[np.diff(corpus.offsets) > 0] = [document.get_topic_dist() for document in model.docs]
    return shares


def word_columns(model: Any, corpus: Corpus) -> NDArray[np.int64]:
    """Return for each word of tomotopy's vocabulary its number in the corpus'."""
    return np.array([corpus.word_index[word] for word in model.used_vocabs], dtype=np.int64)


def _word_prior(
    model: Any, corpus: Corpus, keywords: Sequence[Sequence[str]], beta: float, weight: float, n_topics: int
) -> FloatArray:
    """Tell the model the prior of the keywords; return the prior of all words, (V, K)."""
    prior = np.full((corpus.n_words, n_topics), beta)
    for q, words in enumerate(keyword_ids(corpus, keywords)):
        prior[list(words), q] = weight
    for w in np.flatnonzero((prior != beta).any(axis=1)):
        model.set_word_prior(corpus.vocabulary[w], prior[w].tolist())
    return prior


def _word_counts(model: Any, corpus: Corpus, prior: FloatArray) -> FloatArray:
    """Return the tokens of each word in each topic, (V, K), from the probabilities that tomotopy tells."""
    columns = word_columns(model, corpus)
    n_k = np.asarray(model.get_count_by_topics(), dtype=np.float64)  # (K,)
    counts = np.zeros_like(prior)
    for k in range(model.k):
        smoothing = prior[columns, k]
        p = np.asarray(model.get_topic_word_dist(k), dtype=np.float64)
        counts[columns, k] = np.rint(p * (n_k[k] + smoothing.sum()) - smoothing).clip(0)
    return counts


# --- the hierarchical Dirichlet process -------------------------------------------------------------------


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
        model = require("tomotopy").HDPModel(
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


# --- hierarchical LDA -------------------------------------------------------------------------------------


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
        tomotopy = require("tomotopy")
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
