"""The whole sampler: phase 1 for all queries, then phase 2 for each.

In: a corpus, its concepts, their reach and related words, and `Settings`. Out: `TwoPhases`.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from qdtm.concepts.reach import Reach
from qdtm.sampler.parents import ParentFit, fit_parents
from qdtm.sampler.problem import ParentProblem
from qdtm.sampler.progress import Interruption, ProgressCallback, defer_interrupts
from qdtm.sampler.starts import choose_n_background, start_as_paper, start_from_reach
from qdtm.sampler.subtopics import SubtopicFit, cut_out, fit_subtopics

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
) -> TwoPhases:
    """Fit the parent topics, then split each; Ctrl-C ends it with what there is."""
    with defer_interrupts() as interruption:
        parents = _first_phase(problem, reaches, settings, progress, interruption)
        subtopics: tuple[SubtopicFit, ...] = ()
        if settings.subtopics and not interruption.requested:
            subtopics = _second_phase(problem, parents, names, settings, progress, interruption)
    token_subtopics = np.full(len(problem.tokens), -1, np.int32)
    for q, fit in enumerate(subtopics):
        token_subtopics[parents.token_topics == q] = fit.token_subtopics
    return TwoPhases(parents, subtopics, token_subtopics)


def _first_phase(
    problem: ParentProblem,
    reaches: Sequence[Reach],
    settings: Settings,
    progress: ProgressCallback | None,
    interruption: Interruption,
) -> ParentFit:
    # DEVIATION(1): a lone query starts from its reach, beside a background; the paper's start is for queries
    # that cover the corpus.
    n_background = settings.n_background_topics or choose_n_background(reaches)
    if settings.start_as_paper or n_background == 1:
        chain = start_as_paper(problem, settings.seed, settings.n_jobs)
    else:
        chain = start_from_reach(
            problem,
            reaches,
            n_background,
            settings.seed,
            settings.n_jobs,
            progress=progress,
            interruption=interruption,
        )
    return fit_parents(problem, chain, settings.schedule, progress=progress, interruption=interruption)


def _second_phase(
    problem: ParentProblem,
    parents: ParentFit,
    names: Sequence[str],
    settings: Settings,
    progress: ProgressCallback | None,
    interruption: Interruption,
) -> tuple[SubtopicFit, ...]:
    """Split every parent; each has its own random stream, so threads do not change the result."""

    def split(q: int) -> SubtopicFit:
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
            name=names[q],
            n_jobs=settings.n_jobs if problem.n_parents == 1 else 1,
            progress=progress,
            interruption=interruption,
        )

    queries = range(problem.n_parents)
    if settings.n_jobs == 1 or problem.n_parents == 1:
        return tuple(split(q) for q in queries)
    with ThreadPoolExecutor(settings.n_jobs) as pool:
        return tuple(pool.map(split, queries))
