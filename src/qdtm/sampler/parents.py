"""Phase 1: one parent topic for each query, and the background beside them.

In: a `ParentProblem` and a chain at its start. Out: `ParentFit`, topics in their final order.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qdtm.progress import Interruption, ProgressCallback
from qdtm.sampler.chain import Chain
from qdtm.sampler.convergence import KeepChain, Run, Schedule, run_chain
from qdtm.sampler.filtering import promotion_probability, topic_directions
from qdtm.sampler.problem import ParentProblem
from qdtm.sampler.trace import Trace
from qdtm.storage.mapped import map_blocks, places_where

REFRESH_ALWAYS, REFRESH_EVERY = 20, 5
"""Promotion probabilities are refreshed before each of the first sweeps, then before every few."""


@dataclass(frozen=True, eq=False)
class ParentFit:
    """What phase 1 found. Topics 0 to Q - 1 are the parents, then the background, largest first.

    Parameters
    ----------
    word_topic : ndarray of shape (V, K)
        Tokens of word w in topic k, averaged over samples; a word's row sums to its tokens in the corpus.
    promoted_mass : ndarray of shape (V, Q)
        Mass promoted to each concept word, averaged over samples.
    token_topics : ndarray of int32, shape (N,)
        The topic of each token of the corpus in the last sample.
    token_promoted : ndarray of uint8, shape (N,)
        Whether the token promoted.
    trace : Trace
    prevalence : ndarray of shape (n, Q)
        The share of each parent topic at the recorded sweeps of the trace.
    columns : ndarray of int64, shape (K,)
        The column of the chain that each topic was.
    """

    word_topic: NDArray[np.float64]
    promoted_mass: NDArray[np.float64]
    token_topics: NDArray[np.int32]
    token_promoted: NDArray[np.uint8]
    trace: Trace
    prevalence: NDArray[np.float64]
    columns: NDArray[np.int64]

    def tokens_of(self, q: int) -> NDArray[np.int64]:
        """The places of the tokens of a parent topic, rising."""
        return places_where(lambda topics: topics == q, self.token_topics)


def fit_parents(
    problem: ParentProblem,
    chain: Chain,
    schedule: Schedule,
    *,
    progress: ProgressCallback | None = None,
    interruption: Interruption | None = None,
    run: Run | None = None,
    keep: KeepChain | None = None,
) -> ParentFit:
    """Run phase 1 from where the chain stands; `run` and `keep` as in `run_chain`."""
    result = run_chain(
        chain,
        schedule,
        stage="parents",
        before_sweep=word_filter(problem),
        progress=progress,
        interruption=interruption,
        run=run,
        keep=keep,
    )
    last = chain.assignment
    for q, words in enumerate(problem.concept_words):
        result.n_wk[words, q] -= 1.0  # the concept words' own document is no part of the corpus
    token_topics, links = last.topics[: len(problem.tokens)], last.links[: len(problem.tokens)]
    in_use = np.flatnonzero(chain.counts.n_wk.any(axis=0)).astype(np.int32)
    order = final_order(result.n_wk, in_use, problem.n_parents)
    position = np.full(result.n_wk.shape[1], -1, np.int32)
    position[order] = np.arange(len(order))
    return ParentFit(
        word_topic=result.n_wk[:, order],
        promoted_mass=promoted_mass(problem, result.promoted_wq, chain.rules.promotion_weight),
        token_topics=map_blocks(position.__getitem__, token_topics, dtype=np.int32),
        token_promoted=map_blocks(lambda links: links > 0, links, dtype=np.uint8),
        trace=result.trace,
        prevalence=prevalence(problem, result.parent_tokens),
        columns=order,
    )


def prevalence(problem: ParentProblem, parent_tokens: NDArray[np.int64]) -> NDArray[np.float64]:
    """Turn tokens of parents (n, Q) to shares of the corpus, without the concept words' own documents."""
    own = np.array([len(words) for words in problem.concept_words])  # (Q,)
    shares: NDArray[np.float64] = (parent_tokens - own) / max(len(problem.tokens), 1)
    return shares


def word_filter(problem: ParentProblem) -> Callable[[Chain], None] | None:
    """Make the function that refreshes lambda of eq. 18 before a sweep; None if nothing is filtered."""
    promoting = np.flatnonzero(problem.graph.n_related.any(axis=1))
    if problem.unit is None or not problem.promotion_weight or not len(promoting):
        return None
    unit, promoting_unit = problem.unit, problem.unit[promoting]  # (V, d), (P, d)

    def refresh(chain: Chain) -> None:
        if chain.n_sweeps > REFRESH_ALWAYS and chain.n_sweeps % REFRESH_EVERY:
            return
        n_wk, promoted_wq = chain.counts
        mass = promoted_mass(problem, promoted_wq, chain.rules.promotion_weight)  # (V, Q)
        weighted = topic_directions(
            n_wk, unit, problem.concept_words, smoothing=float(chain.rules.beta[0]), promoted=mass
        )
        directions = (weighted / chain.topic_mass()[:, None])[chain.in_use]  # parents first: none can die
        chain.rules.promotion_probability[promoting] = promotion_probability(
            directions.astype(np.float32), promoting_unit, problem.n_parents
        )

    return refresh


def promoted_mass(
    problem: ParentProblem, promoted_wq: NDArray[np.floating | np.integer], weight: float
) -> NDArray[np.float64]:
    """Spread the promoted tokens over the concept words they are related to, u to each (eq. 16), (V, Q)."""
    mass = np.zeros((problem.n_words, problem.n_parents))
    for q, words in enumerate(problem.graph.concept_words):
        mass[words, q] = weight * (promoted_wq[:, q].astype(np.float64) @ problem.graph.related[q])
    return mass


def final_order(n_wk: NDArray[np.float64], in_use: NDArray[np.int32], n_parents: int) -> NDArray[np.int64]:
    """Columns in their final order: the parents, then every background topic in use, largest first.

    `in_use` are those that tokens have in the last sample.
    """
    size = n_wk.sum(axis=0)
    used = np.union1d(np.flatnonzero(size > 0), in_use)
    background = used[used >= n_parents]
    return np.concatenate([np.arange(n_parents), background[np.argsort(-size[background], kind="stable")]])
