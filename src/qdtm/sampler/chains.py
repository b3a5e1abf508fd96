"""Independent chains of the whole sampler, side by side.

In: what `run_two_phases` takes, and a number of chains. Out: `Chains`: all of the first chain, and of every
chain that came to its end what can be compared (`ChainSummary`).

Chain 0 has the user's seed, so it is the same with any number of chains beside it; the others' seeds follow
from it. Threads only decide where a chain runs.
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

from qdtm.sampler.checkpoint import Checkpoint
from qdtm.sampler.engines import Engine, Threads
from qdtm.sampler.problem import ParentProblem
from qdtm.sampler.progress import Interruption, Progress, ProgressCallback, defer_interrupts
from qdtm.sampler.two_phases import Judge, TwoPhases, run_two_phases

if TYPE_CHECKING:
    from qdtm.settings import Settings

CHAIN_STREAM = 3
"""First number of the streams that seeds of further chains are drawn from."""

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
    judge: Judge | None = None,
) -> Chains:
    """Run the sampler `settings.n_chains` times; Ctrl-C ends all of them, and keeps what is complete.

    Parameters
    ----------
    engine : Engine
        Where to sweep. On a cluster, one chain after the other has it; threads are shared out among chains.
    checkpoint : Checkpoint, optional
        Where the chains are kept; those that are there already go on.
    judge : callable, optional
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
                    judge=judge,
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
    state = np.random.SeedSequence(seed, spawn_key=(CHAIN_STREAM, chain)).generate_state(1, np.uint64)
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
