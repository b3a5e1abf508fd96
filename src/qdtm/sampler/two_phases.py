"""The whole sampler: phase 1 for all queries, then phase 2 for each.

In: a corpus, its concepts, their reach and related words, and `Settings`. Out: `TwoPhases`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from qdtm.concepts.reach import Reach
from qdtm.sampler.checkpoint import ChainKeeper
from qdtm.sampler.engines import Engine
from qdtm.sampler.grounds import Ground
from qdtm.sampler.parents import ParentFit, fit_parents
from qdtm.sampler.problem import ParentProblem
from qdtm.sampler.progress import Interruption, ProgressCallback
from qdtm.sampler.running import KeepChain, Saved
from qdtm.sampler.starts import choose_n_background, learn_background
from qdtm.sampler.subtopics import SubtopicFit, split_parent

if TYPE_CHECKING:
    from qdtm.settings import Settings


@dataclass(frozen=True, eq=False)
class TwoPhases:
    """What both phases found.

    Parameters
    ----------
    parents : ParentFit
    subtopics : tuple of SubtopicFit
        One a query; empty if none were asked for, or the user stopped before.
    token_subtopics : ndarray of int32, shape (N,)
        The subtopic of each token of the corpus, -1 for none.
    """

    parents: ParentFit
    subtopics: tuple[SubtopicFit, ...]
    token_subtopics: NDArray[np.int32]


def run_two_phases(
    problem: ParentProblem,
    reaches: Sequence[Reach],
    names: Sequence[str],
    settings: Settings,
    progress: ProgressCallback | None = None,
    *,
    engine: Engine,
    interruption: Interruption,
    ground: Ground,
    keeper_of: Callable[[str], ChainKeeper] | None = None,
) -> TwoPhases:
    """Fit the parent topics, then split each; a request to stop ends it with what there is.

    Parameters
    ----------
    engine : Engine
        Where to sweep.
    interruption : Interruption
        Whether to stop.
    ground : Ground
        Starts the chains.
    keeper_of : callable, optional
        Gives what keeps the chain of a name; chains that are there already go on.
    """
    fit = _Fit(problem, settings, ground, engine, keeper_of, progress, interruption)
    parents = _first_phase(fit, reaches)
    subtopics: tuple[SubtopicFit, ...] = ()
    if settings.subtopics and not interruption.requested:
        subtopics = _second_phase(fit, parents, names)
    token_subtopics = np.full(len(problem.tokens), -1, np.int32)
    for q, found in enumerate(subtopics):
        token_subtopics[parents.token_topics == q] = found.token_subtopics
    return TwoPhases(parents, subtopics, token_subtopics)


@dataclass(frozen=True, eq=False)
class _Fit:
    """What both phases need."""

    problem: ParentProblem
    settings: Settings
    ground: Ground
    engine: Engine
    keeper_of: Callable[[str], ChainKeeper] | None
    progress: ProgressCallback | None
    interruption: Interruption

    def kept(self, name: str) -> tuple[Saved | None, KeepChain | None]:
        """Where a chain was put down, and what writes it down."""
        if self.keeper_of is None:
            return None, None
        keeper = self.keeper_of(name)
        return keeper.saved(), keeper.keep


def _first_phase(fit: _Fit, reaches: Sequence[Reach]) -> ParentFit:
    settings = fit.settings
    saved, keep = fit.kept("parents")
    state, run = saved or (None, None)
    # DEVIATION(1): a lone query starts from its reach, beside a background; the paper's start is for queries
    # that cover the corpus.
    n_background = settings.n_background_topics or choose_n_background(reaches)
    if settings.start_as_paper or n_background == 1:
        chain = fit.ground.start_as_paper(state)
    else:
        chain = fit.ground.start_from_reach(reaches, n_background, state)
        learn_background(chain, fit.progress, fit.interruption, keep)
    parents = fit_parents(
        fit.problem,
        chain,
        settings.schedule,
        progress=fit.progress,
        interruption=fit.interruption,
        run=run,
        keep=keep,
    )
    fit.ground.end_parents(chain)
    return parents


def _second_phase(fit: _Fit, parents: ParentFit, names: Sequence[str]) -> tuple[SubtopicFit, ...]:
    """Split every parent; each has its own random stream, so it does not matter who is first."""
    problem, settings, engine = fit.problem, fit.settings, fit.engine

    def split(q: int) -> SubtopicFit:
        saved, keep = fit.kept(f"subtopics-{q}")
        state = saved and saved.state
        chain, n_tokens = fit.ground.start_subtopics(parents, q, state, alone=problem.n_parents == 1)
        enough = settings.fewest_tokens(fit.ground.n_tokens, n_tokens)
        return split_parent(
            chain,
            settings.schedule,
            enough,
            name=names[q],
            saved=saved,
            keep=keep,
            progress=fit.progress,
            interruption=fit.interruption,
        )

    queries = range(problem.n_parents)
    if engine.n_workers == 1 or problem.n_parents == 1:
        return tuple(split(q) for q in queries)
    with ThreadPoolExecutor(engine.n_workers) as pool:
        return tuple(pool.map(split, queries))
