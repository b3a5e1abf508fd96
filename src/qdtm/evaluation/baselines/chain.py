"""Run the constrained sampler: a corpus, priors and knowledge in, a `TopicFit` of averaged counts out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qdtm.corpus import Corpus
from qdtm.errors import ParameterError
from qdtm.evaluation.baselines.forest import Forest, draw_favoured
from qdtm.evaluation.baselines.gibbs import Array, Knowledge, Priors, State, sweep
from qdtm.evaluation.baselines.knowledge import NO_FOREST, n_columns
from qdtm.evaluation.baselines.topic_fit import (
    FloatArray,
    TopicFit,
    TrainingProgress,
    fit_of_counts,
    smoothed_topics,
)
from qdtm.sampler.streams import open_stream

_STARTS, _SWEEPS, _FAVOURED = range(3)
"""Random streams of a seed."""


@dataclass(frozen=True)
class Schedule:
    """How long a chain runs: counts are averaged over every `thin`-th sweep after `burn_in` of `n_sweeps`."""

    n_sweeps: int = 400
    burn_in: int = 200
    thin: int = 10

    def __post_init__(self) -> None:
        if not (0 <= self.burn_in < self.n_sweeps and 1 <= self.thin <= self.n_sweeps - self.burn_in):
            raise ParameterError(
                f"{self.n_sweeps} sweeps, {self.burn_in} of them before every {self.thin}-th is averaged, "
                "leave nothing to average; give more sweeps."
            )

    def limited_to(self, max_sweeps: int | None) -> Schedule:
        """Return the schedule with at most so many sweeps, half of them to burn in."""
        if max_sweeps is None or max_sweeps >= self.n_sweeps:
            return self
        burn_in = max_sweeps // 2
        return Schedule(max_sweeps, burn_in, min(self.thin, max_sweeps - burn_in))

    def is_sample(self, n_done: int) -> bool:
        """Whether the counts after so many sweeps are averaged."""
        return n_done > self.burn_in and (n_done - self.burn_in) % self.thin == 0


class ConstrainedChain:
    """A chain of the sampler: step it, or run it to the end.

    Parameters
    ----------
    corpus : Corpus
    n_topics : int
    alpha, beta : float
        Symmetric priors.
    knowledge : Knowledge
    forest : Forest
        The one that is in `knowledge`.
    seed : int
    """

    def __init__(
        self,
        corpus: Corpus,
        n_topics: int,
        *,
        alpha: float,
        beta: float,
        knowledge: Knowledge,
        forest: Forest = NO_FOREST,
        seed: int = 0,
    ) -> None:
        self.corpus, self.n_topics = corpus, n_topics
        columns = n_columns(n_topics)
        smoothing = np.zeros(columns, dtype=np.float32)  # (C,)
        smoothing[:n_topics] = alpha
        self.priors, self.knowledge, self.forest, self.seed = Priors(smoothing, beta), knowledge, forest, seed
        self.state = _count(corpus, _start(corpus, n_topics, knowledge, seed), knowledge, columns)
        self._stream = open_stream(seed, _SWEEPS)
        self._rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(_FAVOURED,)))
        self._draw_favoured()

    def step(self) -> None:
        """Draw every token's topic once, then what each topic favours."""
        sweep(self.corpus.tokens, self.corpus.offsets, self.state, self.priors, self.knowledge, self._stream)
        self._draw_favoured()

    def run(self, schedule: Schedule, progress: TrainingProgress | None = None) -> TopicFit:
        """Sweep as the schedule says and average."""
        n_wk = np.zeros((self.corpus.n_words, self.n_topics))  # (V, K)
        n_jk = np.zeros((self.corpus.n_documents, self.n_topics))  # (D, K)
        n_samples = 0
        for n_done in range(1, schedule.n_sweeps + 1):
            self.step()
            if schedule.is_sample(n_done):
                n_wk += self.state.n_wk[:, : self.n_topics]
                n_jk += self.document_counts()
                n_samples += 1
            if progress is not None:
                progress(n_done, schedule.n_sweeps)
        alpha = self.priors.alpha[: self.n_topics].astype(np.float64)
        shares = n_jk / n_samples + alpha
        topics = smoothed_topics(n_wk / n_samples, self.priors.beta)
        shares /= shares.sum(axis=1, keepdims=True)
        return fit_of_counts(self.corpus.vocabulary, n_wk / n_samples, topics, shares)

    def document_counts(self) -> FloatArray:
        """Return the tokens of each document in each topic now, (D, K)."""
        lengths = np.diff(self.corpus.offsets)
        cells = np.repeat(np.arange(len(lengths)), lengths) * self.n_topics + self.state.topic_of
        flat = np.bincount(cells, minlength=len(lengths) * self.n_topics)
        return flat.reshape(-1, self.n_topics).astype(np.float64)

    def _draw_favoured(self) -> None:
        """Choose for each topic and component which groups it favours, and count their tokens."""
        forest, knowledge = self.forest, self.knowledge
        n_gk = self.state.n_gk.astype(np.float64)
        for r, groups in enumerate(forest.components):
            for k in range(self.n_topics):
                liked = draw_favoured(
                    n_gk[:, k], forest, r, beta=self.priors.beta, eta=knowledge.eta, rng=self._rng
                )
                knowledge.favoured[list(groups), k] = 0
                knowledge.favoured[list(liked), k] = 1
                knowledge.favoured_size[r, k] = knowledge.group_size[list(liked)].sum()
                self.state.n_mk[r, k] = self.state.n_gk[list(liked), k].sum()


def _start(corpus: Corpus, n_topics: int, knowledge: Knowledge, seed: int) -> NDArray[np.int32]:
    """Return a random topic for each token, among those that its word's potential leaves open."""
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(_STARTS,)))
    topics = rng.integers(0, n_topics, corpus.n_tokens).astype(np.int32)  # (N,)
    rows = knowledge.row_of[corpus.tokens]
    for row in np.unique(rows[rows >= 0]):
        likely = knowledge.potential[row, :n_topics].astype(np.float64)
        (places,) = np.nonzero(rows == row)
        topics[places] = rng.choice(n_topics, size=len(places), p=likely / likely.sum())
    return topics


def _count(corpus: Corpus, topic_of: NDArray[np.int32], knowledge: Knowledge, columns: int) -> State:
    """Count tokens by word and topic, and by what their words belong to."""
    n_wk = np.zeros((corpus.n_words, columns), dtype=np.float32)  # (V, C)
    np.add.at(n_wk, (corpus.tokens, topic_of), 1.0)
    words = np.flatnonzero(knowledge.row_of >= 0)
    group = knowledge.group_of[knowledge.row_of[words]]
    n_gk = _sum_rows(n_wk[words], group, len(knowledge.group_size))
    n_rk = _sum_rows(n_gk, knowledge.component_of, len(knowledge.component_size))
    return State(topic_of, n_wk, n_wk.sum(axis=0, dtype=np.float64), n_gk, n_rk, np.zeros_like(n_rk))


def _sum_rows(rows: Array, owner: Array, n_owners: int) -> Array:
    """Add up rows that have the same owner; owner -1 is none."""
    sums = np.zeros((n_owners, rows.shape[1]), dtype=np.float32)
    np.add.at(sums, owner[owner >= 0], rows[owner >= 0])
    return sums
