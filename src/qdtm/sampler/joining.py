"""A parent topic joins a chain that has settled: phase 1 for a query that comes later.

In: a `ParentProblem` whose last query is new, the state of the other topics, and the reach of each query.
Out: a `Chain` that starts where the others ended.

The new parent takes its concept words wherever they are, the documents that its reach claims, and those
background topics that lie mostly in such documents: they were about the query before it was asked. Everything
else stays where it was, and only documents that could have to do with the new query are swept again.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from qdtm.concepts.reach import Reach, n_claimed
from qdtm.sampler.assignment import assign
from qdtm.sampler.chain import Chain, open_chain
from qdtm.sampler.engines import Engine
from qdtm.sampler.problem import ParentProblem, fixed_topics, parent_rules, with_concept_documents
from qdtm.sampler.running import Schedule
from qdtm.sampler.starts import claimed_documents

PHASE = 4
"""First number of the random streams of a query that comes later; the second is its place."""

SCHEDULE = Schedule(min_sweeps=20, max_sweeps=20, check_every=2, window=4)
"""All but the new parent has settled before."""

MOSTLY = 0.4
"""A background topic with more of its tokens in claimed documents becomes part of the new parent.

Below a half, because claims are cautious: a query claims fewer documents than are about it."""

MARGIN = 3
"""Documents are swept again up to so many times the number that the new query claims."""


def start_joining(
    problem: ParentProblem,
    reaches: Sequence[Reach],
    token_topics: NDArray[np.int32],
    token_promoted: NDArray[np.uint8],
    seed: int,
    engine: Engine,
) -> Chain:
    """Start from where the other topics are; background topics move up by one column.

    Documents that the new query cannot change count as claimed: `unclaimed_only` leaves them as they are.

    Parameters
    ----------
    problem : ParentProblem
        Its last query is the new one.
    reaches : sequence of Reach
        Of all queries.
    token_topics, token_promoted : ndarray of shape (N,)
        The state without it.
    """
    newest, n_tokens = problem.n_parents - 1, len(problem.tokens)
    tokens, offsets = with_concept_documents(problem)
    fixed = fixed_topics(problem)[tokens]  # (N',): the concept words' own documents come last
    claims = claimed_documents(reaches, len(problem.offsets) - 1)
    claimed = np.repeat(claims == newest, np.diff(problem.offsets))  # (N,)
    before = token_topics + (token_topics >= newest)
    taken = claimed | lies_mostly_in(before, claimed, newest)
    topics = fixed.copy()
    topics[:n_tokens] = np.where(fixed[:n_tokens] >= 0, fixed[:n_tokens], np.where(taken, newest, before))
    assignment = assign(tokens, offsets, topics)
    promotes = np.flatnonzero((token_promoted > 0) & (topics[:n_tokens] == before) & (before < newest))
    if problem.promotion_weight:
        assignment.links[promotes] = problem.graph.n_related[tokens[promotes], topics[promotes]]
    swept = np.zeros(len(offsets) - 1, np.bool_)
    swept[documents_to_sweep(problem, reaches[-1])] = True
    return open_chain(engine, assignment, parent_rules(problem), seed, (PHASE, newest), unclaimed=swept)


def lies_mostly_in(topics: NDArray[np.int32], claimed: NDArray[np.bool_], newest: int) -> NDArray[np.bool_]:
    """Which tokens are of a background topic that lies mostly in claimed documents, (N,)."""
    n_k = np.bincount(topics, minlength=newest + 1)
    inside = np.bincount(topics[claimed], minlength=len(n_k)) / np.maximum(n_k, 1)
    inside[: newest + 1] = 0.0
    mostly: NDArray[np.bool_] = (inside > MOSTLY)[topics]
    return mostly


def documents_to_sweep(problem: ParentProblem, reach: Reach) -> NDArray[np.int64]:
    """The documents that a new query could change: those that speak for it, and those with its words."""
    scores, n_documents = reach.document_scores, len(problem.offsets) - 1
    likely = np.argsort(-scores, kind="stable")[: MARGIN * n_claimed(reach.breadth, n_documents)]
    is_word = np.zeros(problem.n_words, bool)
    is_word[problem.concept_words[-1]] = True
    document = np.repeat(np.arange(n_documents), np.diff(problem.offsets))
    return np.union1d(likely, document[is_word[problem.tokens]])
