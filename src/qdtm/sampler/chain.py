"""A Markov chain over assignments: the counts that all shards share, and how a sweep moves them on.

In: shards in their places, and rules. Out: the same shards, swept, and the counts and tables after it. Both
phases of the model are chains; they differ in their rules, their start and what they refresh. The log
likelihood that tells when a chain has settled is here too.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from qdtm.errors import StorageError
from qdtm.jit import njit
from qdtm.sampler.assignment import Resting, columns_for, pad_columns, part, widen
from qdtm.sampler.base_measure import draw_shares, draw_tables
from qdtm.sampler.engines import Engine, Orders, PlacedShards, n_shards_for
from qdtm.sampler.kernels import Array, Assignment, Counts, Rules, open_stream, topic_sizes, word_kinds

# --- the chain ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class ChainState:
    """Where a chain was put down; taken up there, it goes on as if it had never stopped.

    Parameters
    ----------
    n_sweeps : int
    n_columns : int
        How wide the counts are.
    m_k : ndarray of int64, shape (C,)
    promotion_probability : ndarray of float32, shape (V, Q)
    topics : ndarray of int32, shape (M,)
        Of the tokens that are swept, as `links` is.
    links : ndarray of uint16, shape (M,)
    """

    n_sweeps: int
    n_columns: int
    m_k: NDArray[np.int64]
    promotion_probability: NDArray[np.float32]
    topics: NDArray[np.int32]
    links: NDArray[np.uint16]


class Chain:
    """The state of one chain and the ways to move it on.

    Parameters
    ----------
    shards : PlacedShards
        The start; the chain changes it.
    rules : Rules
        Arrays over topics may be shorter than needed; the chain widens them.
    seed : int
    path : tuple of int
        Which chain of that seed this is; shard h in sweep s draws from the stream (seed, *path, s, h).
    n_tokens : int
        How many are in the shards.
    resting : Resting, optional
        What documents add that are not in the shards, because they keep their topics. By default there are
        none.
    state : ChainState, optional
        Where the chain was put down; `shards` stand there already. By default it begins.
    """

    def __init__(
        self,
        shards: PlacedShards,
        rules: Rules,
        seed: int,
        path: tuple[int, ...],
        *,
        n_tokens: int = 0,
        resting: Resting | None = None,
        state: ChainState | None = None,
    ) -> None:
        n_words, n_parents = rules.n_related.shape
        least = max(columns_for(max(shards.n_topics(), n_parents)), resting.n_columns if resting else 0)
        n_columns = state.n_columns if state else least
        standing = shards.count(n_words, n_parents, n_columns)
        self.shards, self.resting = shards, resting
        self.counts: Counts = standing.counts
        self.n_tokens = n_tokens
        self.m_k = standing.m_k  # (C,): tables of each topic
        if resting is not None:
            self.counts.n_wk[:, : resting.n_columns] += resting.counts.n_wk
            self.counts.promoted_wq[:] += resting.counts.promoted_wq
            self.m_k[: resting.n_columns] += resting.tally.documents_kn[:, 1:].sum(axis=1)
        self.m_k = state.m_k.copy() if state else self.m_k
        self.rules = rules
        if state is not None:
            self.rules.promotion_probability[:] = state.promotion_probability
        self.word_kind = word_kinds(rules)
        self.seed, self.path = seed, path
        self.n_sweeps = state.n_sweeps if state else 0

    @property
    def state(self) -> ChainState:
        """What to write down of it; its arrays are the chain's own."""
        assignment = self.shards.assignment()
        return ChainState(
            n_sweeps=self.n_sweeps,
            n_columns=self.counts.n_wk.shape[1],
            m_k=self.m_k,
            promotion_probability=self.rules.promotion_probability,
            topics=assignment.topics,
            links=assignment.links,
        )

    @property
    def assignment(self) -> Assignment:
        """Every token with its topic now; a cluster has to bring it here."""
        swept = self.shards.assignment()
        return swept if self.resting is None else self.resting.join(swept)

    @property
    def n_parents(self) -> int:
        """The number of parent topics, Q."""
        return int(self.rules.n_related.shape[1])

    @property
    def in_use(self) -> NDArray[np.bool_]:
        """Which columns are topics, (C,)."""
        in_use: NDArray[np.bool_] = self.m_k > 0
        return in_use

    @property
    def n_columns(self) -> int:
        """Sweep over so many columns: the topics in use and some spare."""
        last = int(np.flatnonzero(self.in_use).max(initial=-1))
        return columns_for(max(last + 1, self.n_parents))

    def leading_words(self, n: int = 10) -> tuple[tuple[int, ...], ...]:
        """The `n` words with most tokens in each topic that is given, best first; for whoever watches."""
        n_wq = self.counts.n_wk[:, : self.n_parents]  # (V, Q)
        n = min(n, len(n_wq))
        best = np.argpartition(-n_wq, n - 1, axis=0)[:n]  # (n, Q)
        order = np.argsort(-np.take_along_axis(n_wq, best, axis=0), axis=0, kind="stable")
        return tuple(map(tuple, np.take_along_axis(best, order, axis=0).T.tolist()))

    def topic_mass(self) -> NDArray[np.float64]:
        """The denominator of f_k: tokens, promoted mass and smoothing, (C,)."""
        beta = np.float32(self.rules.beta[0])
        n_k: NDArray[np.float64] = topic_sizes(self.counts.n_wk)
        mass = n_k + self.rules.prior_words * float(beta)
        links_wq = np.multiply(self.counts.promoted_wq, self.rules.n_related, dtype=np.int64)
        links = links_wq.sum(axis=0, dtype=np.float64)
        mass[: self.n_parents] += self.rules.promotion_weight * links
        return mass

    def step(self) -> None:
        """Draw G_0, sweep once over the documents in the shards, and draw the tables."""
        n_columns = self.n_columns
        self._widen(n_columns)
        mass = self.topic_mass()
        stream = open_stream(self.seed, *self.path, self.n_sweeps)
        prior = np.zeros(len(self.m_k), np.float32)
        prior[:n_columns] = self.rules.alpha * draw_shares(self.m_k, self.rules.gamma, n_columns, stream)
        orders = Orders(
            rules=self.rules,
            word_kind=self.word_kind,
            mass_k=mass,
            prior_k=prior,
            in_use=self.in_use,
            n_columns=n_columns,
            stream=(self.seed, *self.path, self.n_sweeps),
            births=self.n_sweeps % self.shards.n_shards,
            in_turn=not self.in_use.any(),  # nobody has a topic yet: topics are born in all shards, this once
        )
        tally = self.shards.sweep(orders, self.counts)
        if self.resting is not None:
            self.resting.add_to(tally)
        self.m_k = pad_columns(draw_tables(tally, prior, stream), len(self.m_k))
        self.n_sweeps += 1

    def _widen(self, n_columns: int) -> None:
        """Make room for so many topics."""
        if n_columns > self.counts.n_wk.shape[1]:
            self.counts = widen(self.counts, n_columns)
            self.m_k = pad_columns(self.m_k, n_columns)
        if n_columns > len(self.rules.beta):
            self.rules = self.rules._replace(beta=np.full(n_columns, self.rules.beta[0], np.float32))

    def log_likelihood(self) -> float:
        """Log probability of the words given their topics, per token."""
        return log_likelihood(self.counts.n_wk, self.rules.beta[0], self.rules.prior_words)


def open_chain(
    engine: Engine,
    assignment: Assignment,
    rules: Rules,
    seed: int,
    path: tuple[int, ...],
    *,
    n_shards: int | None = None,
    evidence_jq: NDArray[np.float32] | None = None,
    swept: NDArray[np.bool_] | None = None,
    alone: bool = True,
    state: ChainState | None = None,
) -> Chain:
    """Put the shards of an assignment into their places and make a chain of them.

    Parameters
    ----------
    n_shards : int, optional
        By default what the corpus asks for.
    evidence_jq : ndarray of float32, shape (D, Q), optional
        What the prior of each parent topic is multiplied with in each document; by default 1.
    swept : ndarray of bool, shape (D,), optional
        The documents that are swept, the others keep their topics; by default all.

    See Also
    --------
    Engine.place : for `alone`.
    Chain : for the other parameters.
    """
    n_words = len(rules.n_related)
    if evidence_jq is None:
        evidence_jq = np.ones((len(assignment.offsets) - 1, rules.n_related.shape[1]), np.float32)
    resting = None
    if swept is not None and not swept.all():
        assignment, resting = part(assignment, swept, rules)
        evidence_jq = evidence_jq[swept]
    if state is not None:
        n_tokens = len(assignment.tokens)
        if len(state.topics) != n_tokens:
            raise StorageError(f"The saved chain has {len(state.topics):,} tokens, not {n_tokens:,}.")
        assignment = assignment._replace(topics=state.topics, links=state.links)
    n_shards = n_shards or n_shards_for(len(assignment.tokens), n_words)
    shards = engine.place(assignment, n_shards, n_words, evidence_jq=evidence_jq, alone=alone)
    n_tokens = len(assignment.tokens)
    return Chain(shards, rules, seed, path, n_tokens=n_tokens, resting=resting, state=state)


# --- log likelihood -----------------------------------------------------------------------------------------
#
# In: topic-word counts. Out: log p(words | topics) with the topics' distributions integrated out, per token.

TABLE_SIZE = 4096
"""Counts below it are looked up; log-gamma is the cost of a likelihood, and most counts are small."""


def log_likelihood(n_wk: NDArray[np.floating[Any]], beta: float, prior_words: float) -> float:
    """Sum over topics of log [ Gamma(V b) / Gamma(n_k + V b) * prod_w Gamma(n_wk + b) / Gamma(b) ].

    Parameters
    ----------
    n_wk : ndarray of shape (V, C)
        Whole numbers; a column without any is no topic.
    beta : float
        Smoothing b.
    prior_words : float
        The V of the formula: all words, or those of the parent in the second phase.
    """
    beta = float(beta)
    words, n_k, n_large = look_up(n_wk, _log_rising(beta))
    if n_large:
        large = n_wk[n_wk >= TABLE_SIZE].astype(np.float64)
        words += (gammaln(large + beta) - gammaln(beta)).sum()
    used = n_k[n_k > 0]
    topics = (gammaln(prior_words * beta) - gammaln(used + prior_words * beta)).sum()
    return float((words + topics) / max(used.sum(), 1.0))


@lru_cache(maxsize=8)
def _log_rising(beta: float) -> NDArray[np.float64]:
    """Log [ Gamma(n + b) / Gamma(b) ] for small n."""
    table: NDArray[np.float64] = gammaln(np.arange(TABLE_SIZE) + beta) - gammaln(beta)
    return table


@njit(nogil=True, cache=True)
def look_up(n_wk: Array, table: Array) -> Any:
    """Sum up the table's entries of all counts that it has; return it, the sizes n_k and how many it lacks.

    NumPy: ``table[n_wk[n_wk < len(table)]].sum(), n_wk.sum(axis=0), (n_wk >= len(table)).sum()``
    """
    total, n_large = 0.0, 0
    n_k = np.zeros(n_wk.shape[1], np.float64)
    for w in range(n_wk.shape[0]):
        for k in range(n_wk.shape[1]):
            n = n_wk[w, k]
            if n > 0:
                n_k[k] += n
                if n < table.size:
                    total += table[int(n)]
                else:
                    n_large += 1
    return total, n_k, n_large
