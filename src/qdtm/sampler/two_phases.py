"""The whole sampler: phase 1 for all queries, then phase 2 for each.

In: a `ParentProblem` and `Settings`. Out: `TwoPhases`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from qdtm.evidence.cutoff import weights_about
from qdtm.sampler.checkpoint import ChainKeeper
from qdtm.sampler.engines import Engine
from qdtm.sampler.joining import start_joining
from qdtm.sampler.parents import ParentFit, fit_parents
from qdtm.sampler.problem import ParentProblem
from qdtm.sampler.progress import Interruption, ProgressCallback
from qdtm.sampler.running import KeepChain, Saved
from qdtm.sampler.starts import start_as_paper
from qdtm.sampler.subtopics import SubtopicFit, cut_out, fit_subtopics, split_documents

if TYPE_CHECKING:
    from qdtm.settings import Settings


Judge = Callable[[ParentFit], NDArray[np.float32]]
"""Says how likely each document is to be about each query, (D, Q), given their topics."""


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
    relevance : ndarray of float32, shape (D, Q), optional
        How likely each document is to be about each query, if somebody could say.
    """

    parents: ParentFit
    subtopics: tuple[SubtopicFit, ...]
    token_subtopics: NDArray[np.int32]
    relevance: NDArray[np.float32] | None = None


def run_two_phases(
    problem: ParentProblem,
    names: Sequence[str],
    settings: Settings,
    progress: ProgressCallback | None = None,
    *,
    engine: Engine,
    interruption: Interruption,
    keeper_of: Callable[[str], ChainKeeper] | None = None,
    judge: Judge | None = None,
) -> TwoPhases:
    """Fit the parent topics, then split each; a request to stop ends it with what there is.

    Parameters
    ----------
    engine : Engine
        Where to sweep.
    interruption : Interruption
        Whether to stop.
    keeper_of : callable, optional
        Gives what keeps the chain of a name; chains that are there already go on.
    judge : callable, optional
        Says how relevant documents are, given the parents; only those about a query are split then. By
        default, as with the paper's preset, all tokens of a parent are.
    """
    fit = _Fit(problem, settings, engine, keeper_of, progress, interruption)
    parents = _first_phase(fit)
    relevance = None if judge is None else judge(parents)
    subtopics: tuple[SubtopicFit, ...] = ()
    if settings.subtopics and not interruption.requested:
        subtopics = _second_phase(fit, parents, names, relevance)
    token_subtopics = np.full(len(problem.tokens), -1, np.int32)
    for q, found in enumerate(subtopics):
        token_subtopics[parents.token_topics == q] = found.token_subtopics
    return TwoPhases(parents, subtopics, token_subtopics, relevance)


@dataclass(frozen=True, eq=False)
class _Fit:
    """What both phases need."""

    problem: ParentProblem
    settings: Settings
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


def _first_phase(fit: _Fit) -> ParentFit:
    problem, settings = fit.problem, fit.settings
    saved, keep = fit.kept("parents")
    state, run = saved or (None, None)
    # DEVIATION(1): a lone query joins a background, with evidence; the paper's start is for queries that
    # cover the corpus.
    joins = problem.before is not None
    start = start_joining if joins else start_as_paper
    chain = start(problem, settings.seed, fit.engine, state=state)
    parents = fit_parents(
        problem,
        chain,
        settings.joining_schedule if joins else settings.schedule,
        progress=fit.progress,
        interruption=fit.interruption,
        run=run,
        keep=keep,
    )
    chain.shards.release()
    return parents


def _second_phase(
    fit: _Fit, parents: ParentFit, names: Sequence[str], relevance: NDArray[np.float32] | None
) -> tuple[SubtopicFit, ...]:
    """Split every parent; each has its own random stream, so it does not matter who is first."""
    problem, engine = fit.problem, fit.engine

    def split(q: int) -> SubtopicFit:
        if relevance is None:
            return _split_as_paper(fit, parents, q, names[q])
        return split_documents(
            problem.tokens,
            problem.offsets,
            problem.n_words,
            parents.token_topics == q,
            weights_about(relevance[:, q]),
            fit.settings.priors,
            fit.settings.fewest_tokens(len(problem.tokens), int((parents.token_topics == q).sum())),
            fit.settings.seed,
            (q,),
            name=names[q],
            parts=problem.parts,
            engine=engine,
            alone=problem.n_parents == 1,
            progress=fit.progress,
            interruption=fit.interruption,
        )

    queries = range(problem.n_parents)
    if engine.n_workers == 1 or problem.n_parents == 1:
        return tuple(split(q) for q in queries)
    with ThreadPoolExecutor(engine.n_workers) as pool:
        return tuple(pool.map(split, queries))


def _split_as_paper(fit: _Fit, parents: ParentFit, q: int, name: str) -> SubtopicFit:
    """Split a parent as the paper does: all its tokens, wherever they are."""
    problem, settings = fit.problem, fit.settings
    saved, keep = fit.kept(f"subtopics-{q}")
    where = np.flatnonzero(parents.token_topics == q)
    tokens, offsets = cut_out(problem.tokens, problem.offsets, where)
    return fit_subtopics(
        tokens,
        offsets,
        problem.n_words,
        settings.priors,
        settings.schedule,
        settings.fewest_tokens(len(problem.tokens), len(tokens)),
        settings.seed,
        (q,),
        name=name,
        engine=fit.engine,
        alone=problem.n_parents == 1,
        saved=saved,
        keep=keep,
        progress=fit.progress,
        interruption=fit.interruption,
    )
