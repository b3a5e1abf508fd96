"""LDA with prior knowledge about words: ISLDA, SCLDA and DF-LDA, on one kernel.

In: a corpus and keywords or links. Out: `TopicFit` of averaged counts. Topic q belongs to the q-th list of
keywords (DF-LDA does not know which of its topics that is); the last topic is free.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import combinations, pairwise

import numpy as np
from numpy.typing import NDArray

from experiments.baselines.forest import (
    NO_FOREST,
    Forest,
    Pair,
    draw_favoured,
    make_knowledge,
    n_columns,
    plant_forest,
)
from experiments.baselines.gibbs import Array, Knowledge, Priors, State, sweep
from experiments.baselines.topic_fit import (
    FloatArray,
    Schedule,
    TopicFit,
    TrainingProgress,
    WordIds,
    fit_of_counts,
    keyword_ids,
    smoothed_topics,
    without_shared,
)
from qdtm.corpus import Corpus
from qdtm.errors import ParameterError
from qdtm.sampler.kernels import open_stream

_STARTS, _SWEEPS, _FAVOURED = range(3)
"""Random streams of a seed."""


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


# --- models -----------------------------------------------------------------------------------------------


Keywords = Sequence[Sequence[str]]
WordPairs = Sequence[tuple[str, str]]


@dataclass(frozen=True)
class ISLDA:
    """LDA whose keywords may have their own topics only (Nikolenko, Koltcov and Koltsova 2017).

    Attributes
    ----------
    keywords : sequence of sequences of str
        Words of topic 0, of topic 1, and so on; a word of two topics may have either.
    n_topics : int, optional
        By default one more than there are lists.
    alpha, beta : float, optional
        By default 1 / n_topics, as in the paper's experiments.
    schedule : Schedule
    """

    keywords: Keywords
    n_topics: int | None = None
    alpha: float | None = None
    beta: float | None = None
    schedule: Schedule = field(default_factory=Schedule)

    def chain(self, corpus: Corpus, seed: int = 0) -> ConstrainedChain:
        """Start a chain."""
        n_topics = _n_topics(self.n_topics, self.keywords)
        potentials = _potentials(keyword_ids(corpus, self.keywords), n_topics, elsewhere=0.0)
        return ConstrainedChain(
            corpus,
            n_topics,
            alpha=1.0 / n_topics if self.alpha is None else self.alpha,
            beta=1.0 / n_topics if self.beta is None else self.beta,
            knowledge=make_knowledge(corpus.n_words, n_topics, potentials=potentials),
            seed=seed,
        )

    def fit(self, corpus: Corpus, seed: int = 0, progress: TrainingProgress | None = None) -> TopicFit:
        """Find the topics of a corpus; the same seed finds the same."""
        return self.chain(corpus, seed).run(self.schedule, progress)


@dataclass(frozen=True)
class SCLDA:
    """Sparse constrained LDA: knowledge of words as potentials (Yang, Downey and Boyd-Graber 2015).

    Attributes
    ----------
    keywords : sequence of sequences of str
        Words of topic 0, of topic 1, and so on: in other topics they have the potential exp(-strength).
    strength : float
        With 0, keywords mean nothing.
    must_links, cannot_links : sequence of (str, str)
        Pairs of words: each has the potential max(1, n / floor), or its inverse, in a topic where the other
        has n tokens.
    floor : float
        The original's lambda; with infinity, links mean nothing.
    n_topics : int, optional
        By default one more than there are lists.
    alpha, beta : float
        As the original paper suggests.
    schedule : Schedule
    """

    keywords: Keywords = ()
    strength: float = 5.0
    must_links: WordPairs = ()
    cannot_links: WordPairs = ()
    floor: float = 1.0
    n_topics: int | None = None
    alpha: float = 0.1
    beta: float = 0.01
    schedule: Schedule = field(default_factory=Schedule)

    def chain(self, corpus: Corpus, seed: int = 0) -> ConstrainedChain:
        """Start a chain."""
        if not (self.strength >= 0 and self.floor > 0):
            raise ParameterError(
                f"strength is {self.strength} and floor is {self.floor}; give 0 or more, and more than 0."
            )
        n_topics = _n_topics(self.n_topics, self.keywords)
        elsewhere = float(np.exp(-self.strength))
        potentials = _potentials(keyword_ids(corpus, self.keywords), n_topics, elsewhere=elsewhere)
        knowledge = make_knowledge(
            corpus.n_words,
            n_topics,
            potentials=potentials,
            must_links=_pair_ids(corpus, self.must_links),
            cannot_links=_pair_ids(corpus, self.cannot_links),
            floor=self.floor,
        )
        return ConstrainedChain(
            corpus, n_topics, alpha=self.alpha, beta=self.beta, knowledge=knowledge, seed=seed
        )

    def fit(self, corpus: Corpus, seed: int = 0, progress: TrainingProgress | None = None) -> TopicFit:
        """Find the topics of a corpus; the same seed finds the same."""
        return self.chain(corpus, seed).run(self.schedule, progress)


@dataclass(frozen=True)
class DFLDA:
    """LDA with a Dirichlet forest prior (Andrzejewski, Zhu and Craven 2009).

    Attributes
    ----------
    keywords : sequence of sequences of str
        The words of a list are must-linked. A word of two lists is left out, or it would join them.
    must_links, cannot_links : sequence of (str, str)
        Further links.
    eta : float
        Strength; 1 is plain LDA, the original takes 100.
    n_topics : int, optional
        By default one more than there are lists.
    alpha, beta : float
        As the paper's experiments take them.
    schedule : Schedule
    """

    keywords: Keywords = ()
    must_links: WordPairs = ()
    cannot_links: WordPairs = ()
    eta: float = 100.0
    n_topics: int | None = None
    alpha: float = 0.5
    beta: float = 0.1
    schedule: Schedule = field(default_factory=Schedule)

    def chain(self, corpus: Corpus, seed: int = 0) -> ConstrainedChain:
        """Start a chain."""
        if not self.eta > 0:
            raise ParameterError(f"eta is {self.eta}; give a number above 0 (1 is plain LDA).")
        n_topics = _n_topics(self.n_topics, self.keywords)
        groups = without_shared(keyword_ids(corpus, self.keywords))
        must = [pair for group in groups for pair in pairwise(group)] + _pair_ids(corpus, self.must_links)
        forest = plant_forest(must, _pair_ids(corpus, self.cannot_links))
        knowledge = make_knowledge(corpus.n_words, n_topics, forest=forest, eta=self.eta)
        return ConstrainedChain(
            corpus, n_topics, alpha=self.alpha, beta=self.beta, knowledge=knowledge, forest=forest, seed=seed
        )

    def fit(self, corpus: Corpus, seed: int = 0, progress: TrainingProgress | None = None) -> TopicFit:
        """Find the topics of a corpus; the same seed finds the same."""
        return self.chain(corpus, seed).run(self.schedule, progress)


def all_pairs(keywords: Keywords) -> list[tuple[str, str]]:
    """Return all pairs of words of the same list."""
    return [pair for words in keywords for pair in combinations(words, 2)]


def _n_topics(n_topics: int | None, keywords: Keywords) -> int:
    chosen = len(keywords) + 1 if n_topics is None else n_topics
    if chosen < max(1, len(keywords)):
        raise ParameterError(f"n_topics is {chosen}, but there are keywords for {len(keywords)} topics.")
    return chosen


def _potentials(groups: Sequence[WordIds], n_topics: int, *, elsewhere: float) -> dict[int, list[float]]:
    """Return the factor of each keyword in each topic: 1 in its own, `elsewhere` in others."""
    factors: dict[int, list[float]] = {}
    for q, group in enumerate(groups):
        for w in group:
            factors.setdefault(w, [elsewhere] * n_topics)[q] = 1.0
    return factors


def _pair_ids(corpus: Corpus, pairs: Iterable[tuple[str, str]]) -> list[Pair]:
    """Return pairs as vocabulary numbers; a pair with a word that the corpus lacks is left out."""
    found = keyword_ids(corpus, list(pairs))
    return [(ids[0], ids[1]) for ids in found if len(ids) == 2]
