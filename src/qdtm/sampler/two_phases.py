"""The whole sampler: phase 1 for all queries, then phase 2 for each, in one chain or several.

In: a `ParentProblem` and `Settings`. Out: `Chains`: the `TwoPhases` of the first chain, and what of each
can be compared.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from qdtm.evidence.breadth import weights_about
from qdtm.progress import Interruption, Progress, ProgressCallback, defer_interrupts
from qdtm.sampler.checkpoint import ChainKeeper, Checkpoint
from qdtm.sampler.convergence import KeepChain, Saved
from qdtm.sampler.engines import Engine, Threads
from qdtm.sampler.initialise import start_as_paper, start_joining
from qdtm.sampler.kernels import FURTHER_CHAINS
from qdtm.sampler.parents import ParentFit, fit_parents
from qdtm.sampler.problem import ParentProblem
from qdtm.sampler.subtopics import SubtopicFit, cut_out, fit_subtopics, split_documents
from qdtm.storage.mapped import full_beside

if TYPE_CHECKING:
    from qdtm.settings import Settings


# --- phase 1, then phase 2 ----------------------------------------------------------------------------------

RelevanceOf = Callable[[ParentFit], NDArray[np.float32]]
"""How likely each document is to be about each query, (D, Q), given their topics."""


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
    relevance_of: RelevanceOf | None = None,
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
    relevance_of : callable, optional
        How relevant documents are, given the parents; only those about a query are split then. By
        default, as with the paper's preset, all tokens of a parent are.
    """
    fit = _Fit(problem, settings, engine, keeper_of, progress, interruption)
    parents = _first_phase(fit)
    relevance = None if relevance_of is None else relevance_of(parents)
    subtopics: tuple[SubtopicFit, ...] = ()
    if settings.subtopics and not interruption.requested:
        subtopics = _second_phase(fit, parents, names, relevance)
    token_subtopics = full_beside(problem.tokens, -1, np.int32)
    for q, found in enumerate(subtopics):
        token_subtopics[parents.tokens_of(q)] = found.token_subtopics
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
        where = parents.tokens_of(q)
        return split_documents(
            problem.tokens,
            problem.offsets,
            problem.n_words,
            where,
            weights_about(relevance[:, q]),
            fit.settings.priors,
            fit.settings.fewest_tokens(len(problem.tokens), len(where)),
            fit.settings.seed,
            (q,),
            name=names[q],
            parts=problem.parts,
            word_vectors=problem.word_vectors,
            document_vectors=problem.document_vectors,
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
    where = parents.tokens_of(q)
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


# --- independent chains -------------------------------------------------------------------------------------
#
# Independent chains of the whole sampler, side by side.
#
# In: what `run_two_phases` takes, and a number of chains. Out: `Chains`: all of the first chain, and of
# every chain that came to its end what can be compared (`ChainSummary`).
#
# Chain 0 has the user's seed, so it is the same with any number of chains beside it; the others' seeds
# follow from it. Threads only decide where a chain runs.

_SECONDS = 0.2  # between two looks for Ctrl-C while chains run on threads


@dataclass(frozen=True, eq=False)
class ChainSummary:
    """What is compared between chains.

    Parameters
    ----------
    seed : int
    subtopic_counts : tuple of ndarray of float32, shape (V, S_q)
        One a query; empty without subtopics.
    log_likelihood : ndarray of shape (n,)
        Of a token, while parent topics were sampled.
    prevalence : ndarray of shape (n, Q)
        The share of each parent topic at the same sweeps.
    """

    seed: int
    subtopic_counts: tuple[NDArray[np.float32], ...]
    log_likelihood: NDArray[np.float64]
    prevalence: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Chains:
    """All of the first chain, and the summaries of those that are complete.

    Parameters
    ----------
    first : TwoPhases
    complete : tuple of ChainSummary
        In order; the first chain's comes first, unless it was stopped: then there are none.
    """

    first: TwoPhases
    complete: tuple[ChainSummary, ...]


def run_chains(
    problem: ParentProblem,
    names: Sequence[str],
    settings: Settings,
    progress: ProgressCallback | None = None,
    *,
    engine: Engine,
    checkpoint: Checkpoint | None = None,
    relevance_of: RelevanceOf | None = None,
) -> Chains:
    """Run the sampler `settings.n_chains` times; Ctrl-C ends all of them, and keeps what is complete.

    Parameters
    ----------
    engine : Engine
        Where to sweep. On a cluster, one chain after the other has it; threads are shared out among chains.
    checkpoint : Checkpoint, optional
        Where the chains are kept; those that are there already go on.
    relevance_of : callable, optional
        As in `run_two_phases`.
    """
    n_workers = min(engine.n_workers, settings.n_chains) if settings.engine == "threads" else 1
    lock = threading.Lock()
    first: list[TwoPhases] = []
    with defer_interrupts() as interruption:

        def run(c: int) -> ChainSummary | None:
            if c and interruption.requested:
                return None
            own = replace(settings, seed=chain_seed(settings.seed, c))
            tell = None if progress is None else _numbered(progress, c, settings.n_chains, lock)
            with nullcontext(engine) if n_workers == 1 else Threads(engine.n_workers // n_workers) as place:
                found = run_two_phases(
                    problem,
                    names,
                    own,
                    tell,
                    engine=place,
                    interruption=interruption,
                    keeper_of=None if checkpoint is None else checkpoint.keepers(c),
                    relevance_of=relevance_of,
                )
            if c == 0:
                first.append(found)
            return summarise(found, own)

        summaries = _run_all(run, settings.n_chains, n_workers, interruption)
    complete = tuple(summary for summary in summaries if summary is not None)
    return Chains(first[0], complete if summaries[0] is not None else ())


def chain_seed(seed: int, chain: int) -> int:
    """Return the seed of a chain: the user's own for the first."""
    if chain == 0:
        return seed
    state = np.random.SeedSequence(seed, spawn_key=(FURTHER_CHAINS, chain)).generate_state(1, np.uint64)
    return int(state[0] >> np.uint64(1))


def summarise(found: TwoPhases, settings: Settings) -> ChainSummary | None:
    """Return what of a chain is compared; None if it did not come to its end."""
    parents = found.parents
    traces = [parents.trace, *(fit.trace for fit in found.subtopics)]
    if any(trace.interrupted for trace in traces) or (settings.subtopics and not found.subtopics):
        return None
    sampled = parents.trace.sweeps > parents.trace.n_sweeps - parents.trace.n_samples  # (n_looks,)
    sampled[-1] = True  # a short chain may not have been looked at while it sampled
    return ChainSummary(
        settings.seed,
        tuple(fit.counts.astype(np.float32) for fit in found.subtopics),
        parents.trace.log_likelihood[sampled],
        parents.prevalence[sampled],
    )


def _run_all(
    run: Callable[[int], ChainSummary | None], n_chains: int, n_workers: int, interruption: Interruption
) -> list[ChainSummary | None]:
    """Run all chains, on threads if there are several; the caller's own thread stays free for Ctrl-C."""
    if n_workers == 1:
        return [run(c) for c in range(n_chains)]
    with ThreadPoolExecutor(n_workers, "qdtm-chain") as pool:
        futures = [pool.submit(run, c) for c in range(n_chains)]
        try:
            return [_result(future) for future in futures]
        except BaseException:
            interruption.requested = True  # the others end after their sweep
            raise


def _result(future: Future[ChainSummary | None]) -> ChainSummary | None:
    while wait([future], _SECONDS).not_done:
        pass  # awake now and then: a signal that another thread received is handled here
    return future.result()


def _numbered(
    progress: ProgressCallback, chain: int, n_chains: int, lock: threading.Lock
) -> ProgressCallback:
    """Make a chain's callback: it names the chain, and waits for those of other chains."""

    def tell(seen: Progress) -> None:
        with lock:
            progress(replace(seen, chain=chain, n_chains=n_chains))

    return tell
