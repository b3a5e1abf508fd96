"""The ground of a fit: its tokens, and how chains are started on them.

In: a problem and where to sweep. Out: the chains of both phases at their start.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from qdtm.concepts.reach import Reach
from qdtm.sampler.assignment import unassigned
from qdtm.sampler.chain import Chain, ChainState, open_chain
from qdtm.sampler.engines import Engine
from qdtm.sampler.parents import ParentFit
from qdtm.sampler.problem import ParentProblem
from qdtm.sampler.starts import place_claims, start_as_paper
from qdtm.sampler.subtopics import PHASE, cut_out, subtopic_rules


class Ground:
    """All tokens in this process, from where an engine may take them.

    Parameters
    ----------
    problem : ParentProblem
    seed : int
    engine : Engine
    """

    def __init__(self, problem: ParentProblem, seed: int, engine: Engine) -> None:
        self._problem, self._seed, self._engine = problem, seed, engine

    @property
    def n_tokens(self) -> int:
        """The tokens of the corpus, N."""
        return len(self._problem.tokens)

    def start_as_paper(self, state: ChainState | None = None) -> Chain:
        """Start phase 1 as the paper does."""
        return start_as_paper(self._problem, self._seed, self._engine, state=state)

    def start_from_reach(
        self, reaches: Sequence[Reach], n_background: int, state: ChainState | None = None
    ) -> Chain:
        """Start phase 1 from the reach of each query."""
        return place_claims(self._problem, reaches, n_background, self._seed, self._engine, state=state)

    def end_parents(self, chain: Chain) -> None:
        """Let the engine forget the shards: all is known here."""
        chain.shards.release()

    def start_subtopics(
        self, parents: ParentFit, q: int, state: ChainState | None = None, *, alone: bool = True
    ) -> tuple[Chain, int]:
        """Start phase 2 with the parent's tokens in the last sample."""
        problem = self._problem
        where = np.flatnonzero(parents.token_topics == q)
        tokens, offsets = cut_out(problem.tokens, problem.offsets, where)
        rules = subtopic_rules(tokens, problem.n_words, problem.priors)
        start = unassigned(tokens, offsets)
        chain = open_chain(self._engine, start, rules, self._seed, (PHASE, q), alone=alone, state=state)
        return chain, len(tokens)
