"""The background: what a corpus is about before anything is asked of it.

In: the tokens of a corpus. Out: `Background`, the topic of each token. A Hierarchical Dirichlet Process over
the whole corpus, learned once for a corpus, whatever is asked of it later and with whatever seed.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import version
from math import isqrt
from pathlib import Path
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from qdtm.cache import atomic_path, cache_directory
from qdtm.corpus.corpus import Corpus
from qdtm.errors import StorageError
from qdtm.sampler.assignment import assign
from qdtm.sampler.chain import open_chain
from qdtm.sampler.engines import Engine, Threads
from qdtm.sampler.problem import Priors
from qdtm.sampler.progress import Progress, ProgressCallback
from qdtm.sampler.subtopics import subtopic_rules

PHASE = 5
"""First number of the random streams of the background."""

SEED = 0

N_SWEEPS = 60

MOST_TOPICS = 100
"""The topics that the background of a large corpus starts with; a small one starts with sqrt(D)."""

MOST_KEPT = 2**30
"""Bytes of backgrounds that the cache folder holds; the oldest go first."""

PRIORS = Priors(beta=0.1)
"""Topics of the background are finer than the paper's, whose smoothing is for a few broad ones."""


@dataclass(frozen=True, eq=False)
class Background:
    """Topics of a corpus.

    Attributes
    ----------
    token_topics : ndarray of int32, shape (N,)
        The topic of each token, largest topic first.
    word_topic : ndarray of float32, shape (V, K)
        Tokens of word w in topic k.
    """

    token_topics: NDArray[np.int32]
    word_topic: NDArray[np.float32]

    @classmethod
    def of_topics(cls, tokens: NDArray[np.int32], topics: NDArray[np.int32], n_words: int) -> Background:
        """Number the topics by their size, and count their words."""
        size = np.bincount(topics)
        order = np.argsort(-size, kind="stable")[: int((size > 0).sum())]
        place = np.full(len(size), -1, np.int32)
        place[order] = np.arange(len(order), dtype=np.int32)
        topics, n_topics = place[topics], max(len(order), 1)
        cells = np.bincount(tokens.astype(np.int64) * n_topics + topics, minlength=n_words * n_topics)
        return cls(topics, cells.reshape(n_words, n_topics).astype(np.float32))


def learn_background(
    tokens: NDArray[np.int32],
    offsets: NDArray[np.int64],
    n_words: int,
    engine: Engine,
    *,
    n_topics: int | None = None,
    progress: ProgressCallback | None = None,
) -> Background:
    """Learn the topics of a corpus.

    Parameters
    ----------
    n_topics : int, optional
        Topics to start with; more are opened or closed as the model finds fit.
    """
    rng = np.random.default_rng(np.random.SeedSequence(SEED, spawn_key=(PHASE,)))
    n_topics = n_topics or min(MOST_TOPICS, max(2, isqrt(len(offsets) - 1)))
    start = assign(tokens, offsets, rng.integers(0, n_topics, len(tokens), dtype=np.int32))
    chain = open_chain(engine, start, subtopic_rules(tokens, n_words, PRIORS), SEED, (PHASE,))
    for done in range(1, N_SWEEPS + 1):
        chain.step()
        if progress is not None:
            progress(Progress("background", None, done, N_SWEEPS, int(chain.in_use.sum()), None))
    topics = chain.assignment.topics
    chain.shards.release()
    return Background.of_topics(tokens, topics, n_words)


def background_of(
    corpus: Corpus,
    engine: Engine | None = None,
    *,
    n_topics: int | None = None,
    progress: ProgressCallback | None = None,
) -> Background:
    """Return the background of a corpus: learned once, then remembered here and in the cache folder."""
    known = _KNOWN.setdefault(corpus, {})
    if n_topics not in known:
        path = (
            cache_directory() / "backgrounds" / f"{corpus.fingerprint[:40]}-{n_topics or 'auto'}.safetensors"
        )
        topics = _read(path, corpus)
        if topics is None:
            found = learn_background(
                corpus.tokens,
                corpus.offsets,
                corpus.n_words,
                engine or Threads(),
                n_topics=n_topics,
                progress=progress,
            )
            _keep(path, found.token_topics)
        else:
            found = Background.of_topics(corpus.tokens, topics, corpus.n_words)
        known[n_topics] = found
    return known[n_topics]


def _read(path: Path, corpus: Corpus) -> NDArray[np.int32] | None:
    """Read topics that were kept; None if there are none, or they are damaged or of other versions."""
    from safetensors import SafetensorError, safe_open

    if not path.is_file():
        return None
    try:
        with safe_open(path, framework="numpy") as file:
            if (file.metadata() or {}).get("made_by") != _MADE_BY:
                return None
            topics = np.asarray(file.get_tensor("topics"))
    except (SafetensorError, OSError):
        return None
    sound = topics.ndim == 1 and len(topics) == corpus.n_tokens and topics.dtype == np.int16
    return topics.astype(np.int32) if sound and topics.min(initial=0) >= 0 else None


def _keep(path: Path, topics: NDArray[np.int32]) -> None:
    """Keep topics for the next time, and others as there is room; no cache is no reason to stop."""
    from safetensors.numpy import save_file

    if topics.max(initial=0) > np.iinfo(np.int16).max:
        return
    try:
        with atomic_path(path) as temporary:
            save_file({"topics": topics.astype(np.int16)}, temporary, metadata={"made_by": _MADE_BY})
        kept = sorted(path.parent.glob("*.safetensors"), key=lambda file: -file.stat().st_mtime)
        sizes = np.cumsum([file.stat().st_size for file in kept])
        for file, size in zip(kept[1:], sizes[1:].tolist(), strict=True):
            if size > MOST_KEPT:
                file.unlink(missing_ok=True)
    except (StorageError, OSError):
        return


_KNOWN: WeakKeyDictionary[Corpus, dict[int | None, Background]] = WeakKeyDictionary()
_MADE_BY = ", ".join(
    ["qdtm background 1", f"{N_SWEEPS} sweeps", f"beta {PRIORS.beta}"]
    + [f"{package} {version(package)}" for package in ("numba", "numpy")]
)
