"""Phase 2: each parent topic is split into subtopics, whose number the model infers (eq. 11-15).

In: the tokens of one parent topic in the last sample of phase 1, or of a subtopic in the last one of phase 2.
Out: `SubtopicFit`.

It is the same process on that part of the corpus: nothing is fixed, nothing promotes, smoothing runs over the
parent's own words, and only subtopics of the same parent compete. In the first sweep a token may not stay in
the parent, so all tokens start without a topic and draw one after the other.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qdtm.sampler.assignment import unassigned
from qdtm.sampler.chain import Chain, open_chain
from qdtm.sampler.engines import Engine, Threads
from qdtm.sampler.kernels import Rules
from qdtm.sampler.problem import Priors
from qdtm.sampler.progress import Interruption, ProgressCallback
from qdtm.sampler.running import KeepChain, Saved, Schedule, run_chain
from qdtm.sampler.trace import Trace

PHASE, DEEPER = 2, 3
"""First number of the random streams of phase 2, for a parent topic and for a subtopic that is opened."""


@dataclass(frozen=True, eq=False)
class SubtopicFit:
    """What phase 2 found in one topic. Subtopics are in order of size, largest first.

    Parameters
    ----------
    counts : ndarray of shape (V, S)
        Tokens of word w in each subtopic that is kept, averaged over samples.
    rest : float
        Share of the parent's tokens in subtopics that were too small to keep.
    token_subtopics : ndarray of int32, shape (N_q,)
        The subtopic of each of the parent's tokens in the last sample, -1 if it was not kept.
    trace : Trace
    """

    counts: NDArray[np.float64]
    rest: float
    token_subtopics: NDArray[np.int32]
    trace: Trace


def fit_subtopics(
    tokens: NDArray[np.int32],
    offsets: NDArray[np.int64],
    n_words: int,
    priors: Priors,
    schedule: Schedule,
    min_tokens: float,
    seed: int,
    of: tuple[int, ...],
    *,
    name: str | None = None,
    engine: Engine | None = None,
    alone: bool = True,
    saved: Saved | None = None,
    keep: KeepChain | None = None,
    progress: ProgressCallback | None = None,
    interruption: Interruption | None = None,
) -> SubtopicFit:
    """Split one parent topic, or one subtopic.

    Parameters
    ----------
    tokens, offsets : ndarray
        The topic's tokens, document by document.
    min_tokens : float
        Subtopics with fewer tokens are not kept.
    seed : int
    of : tuple of int
        The numbers of the topic's id, (0, 1) for "0.1"; they name its random stream.
    engine : Engine, optional
        Where to sweep; by default in the caller's thread. `alone` as in `Engine.place`.
    saved : Saved, optional
        Where it was put down; by default it begins.
    keep : callable, optional
        As in `run_chain`.
    """
    words, own = np.unique(tokens, return_inverse=True)  # most words of the corpus are not the topic's
    chain = open_chain(
        engine or Threads(),
        unassigned(own.astype(np.int32), offsets),
        subtopic_rules(own, len(words), priors),
        seed,
        (PHASE, *of) if len(of) == 1 else (DEEPER, len(of), *of),
        alone=alone,
        state=saved and saved.state,
    )
    found = split_parent(
        chain, schedule, min_tokens, name=name, saved=saved, keep=keep, progress=progress,
        interruption=interruption,
    )  # fmt: skip
    counts = np.zeros((n_words, found.counts.shape[1]))
    counts[words] = found.counts
    return replace(found, counts=counts)


def split_parent(
    chain: Chain,
    schedule: Schedule,
    min_tokens: float,
    *,
    name: str | None = None,
    saved: Saved | None = None,
    keep: KeepChain | None = None,
    progress: ProgressCallback | None = None,
    interruption: Interruption | None = None,
) -> SubtopicFit:
    """Run phase 2 for one parent topic from where its chain stands; parameters as in `fit_subtopics`."""
    result = run_chain(
        chain,
        schedule,
        stage="subtopics",
        query=name,
        progress=progress,
        interruption=interruption,
        run=saved and saved.run,
        keep=keep,
    )
    subtopic = chain.assignment.topics  # (N_q,)
    chain.shards.release()
    size = result.n_wk.sum(axis=0)
    alive = chain.counts.n_wk.any(axis=0)
    kept = np.flatnonzero(alive & (size >= min_tokens))
    kept = kept[np.argsort(-size[kept], kind="stable")]
    position = np.full(len(size), -1, np.int32)
    position[kept] = np.arange(len(kept))
    rest = 1.0 - size[kept].sum() / max(size.sum(), 1.0)
    return SubtopicFit(result.n_wk[:, kept], max(0.0, float(rest)), position[subtopic], result.trace)


def subtopic_rules(tokens: NDArray[np.integer[Any]], n_words: int, priors: Priors) -> Rules:
    """The rules of phase 2: no concept words, no promotion, smoothing over |W_q| words.

    `tokens` are the parent's, or each word that it has.
    """
    return Rules(
        alpha=float(priors.alpha),
        gamma=float(priors.gamma),
        promotion_weight=0.0,
        prior_words=float(len(np.unique(tokens))),
        beta=np.full(1, priors.beta, np.float32),
        fixed_topic=np.full(n_words, -1, np.int32),
        n_related=np.zeros((n_words, 0), np.int32),
        promotion_probability=np.zeros((n_words, 0), np.float32),
    )


def cut_out(
    tokens: NDArray[np.int32], offsets: NDArray[np.int64], where: NDArray[np.int64]
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Cut a topic's tokens, at positions `where` (rising), out of the corpus; documents without any go."""
    lengths = np.diff(np.searchsorted(where, offsets))
    return tokens[where], np.concatenate([[0], np.cumsum(lengths[lengths > 0])])
