"""Where phase 1 starts if it starts as the paper does.

In: a `ParentProblem`. Out: a `Chain` that is ready to run.

The paper starts from K = Q + 1: a document with a concept word wholly in that word's parent topic, any other
in the one background topic. That works when the queries together cover the corpus. A lone query would
swallow it: its parent has no rival. So queries that leave much of the corpus uncovered join a background that
was learned before (`qdtm.sampler.joining`).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from qdtm.sampler.assignment import assign
from qdtm.sampler.chain import Chain, ChainState, open_chain
from qdtm.sampler.engines import Engine, Threads
from qdtm.sampler.problem import ParentProblem, fixed_topics, parent_rules, with_concept_documents

PHASE = 1
"""First number of the random streams of phase 1."""


def start_as_paper(
    problem: ParentProblem, seed: int, engine: Engine | None = None, *, state: ChainState | None = None
) -> Chain:
    """Start as Initialize in Appendix C: whole documents in one topic; or take up where it was put down."""
    tokens, offsets = with_concept_documents(problem)
    start = assign(
        tokens, offsets, topics_as_paper(tokens, offsets, fixed_topics(problem), problem.n_parents)
    )
    return open_chain(engine or Threads(), start, parent_rules(problem), seed, (PHASE,), state=state)


def topics_as_paper(
    tokens: NDArray[np.int32], offsets: NDArray[np.int64], fixed_topic: NDArray[np.int32], n_parents: int
) -> NDArray[np.int32]:
    """Put each document into the topic of the first concept word met, or the background, (N,)."""
    fixed = fixed_topic[tokens]  # (N,)
    document = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    home = np.full(len(offsets) - 1, n_parents, np.int32)  # (D,)
    concept = np.flatnonzero(fixed >= 0)[::-1]  # backwards: the first concept word met is written last
    home[document[concept]] = fixed[concept]
    return np.where(fixed >= 0, fixed, home[document]).astype(np.int32)
