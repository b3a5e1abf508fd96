"""The background: what a corpus is about before anything is asked of it.

In: the tokens of a corpus. Out: `Background`, the topic of each token. A Hierarchical Dirichlet Process over
the whole corpus, learned once for a corpus, whatever is asked of it later and with whatever seed. It is kept
in the index of the corpus, or in the cache folder, found again by the corpus' fingerprint; so is what there
is of it when learning is interrupted or killed, and the next to ask goes on from there.
"""

from __future__ import annotations

import shutil
from contextlib import suppress
from dataclasses import dataclass
from math import isqrt
from pathlib import Path
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from qdtm.corpus.corpus import Corpus
from qdtm.corpus.distinct import DistinctCorpus, LearnedTopics, read_learned, write_learned
from qdtm.corpus.indexing import count_numbers
from qdtm.errors import StorageError
from qdtm.progress import Progress, ProgressCallback, defer_interrupts
from qdtm.sampler.assignment import unassigned
from qdtm.sampler.chain import Chain, open_chain
from qdtm.sampler.checkpoint import ChainKeeper, Checkpoint
from qdtm.sampler.convergence import Run, Saved, has_settled
from qdtm.sampler.engines import Engine, Threads
from qdtm.sampler.kernels import BACKGROUND, count_words
from qdtm.sampler.problem import Priors, check_countable
from qdtm.sampler.subtopics import subtopic_rules
from qdtm.storage.cache import atomic_path, cache_directory
from qdtm.storage.mapped import blocks, map_blocks

SEED = 0

LEAST_SWEEPS, MOST_SWEEPS = 60, 100
"""It is learned in so many sweeps, until the likelihood settles..."""

MOST_TOKENS_SWEPT = 10**9
"""... or so many tokens have been swept in all: a large corpus settles late, and is known well before."""

LOOK_EVERY, WINDOW = 5, 6
"""Sweeps between two looks at the likelihood, and how many looks are compared with as many before."""

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

    @property
    def n_topics(self) -> int:
        """The number of topics, K."""
        return int(self.word_topic.shape[1])

    @classmethod
    def of_topics(cls, tokens: NDArray[np.int32], topics: NDArray[np.int32], n_words: int) -> Background:
        """Number the topics by their size, and count their words."""
        size = count_numbers(topics)
        order = np.argsort(-size, kind="stable")[: int((size > 0).sum())]
        if (order != np.arange(len(size))[: len(order)]).any():  # those that were kept are in order
            place = np.full(len(size), -1, np.int32)
            place[order] = np.arange(len(order), dtype=np.int32)
            topics = map_blocks(place.__getitem__, topics, dtype=np.int32)
        word_topic = np.zeros((n_words, max(len(order), 1)), np.float32)
        count_words(tokens, topics, word_topic)
        return cls(topics, word_topic)


def n_topics_for(n_documents: int) -> int:
    """How many topics the background of so many documents starts with."""
    return min(MOST_TOPICS, max(2, isqrt(n_documents)))


def learn_background(
    tokens: NDArray[np.int32],
    offsets: NDArray[np.int64],
    n_words: int,
    engine: Engine,
    *,
    n_topics: int | None = None,
    progress: ProgressCallback | None = None,
    keeper: ChainKeeper | None = None,
) -> Background:
    """Learn the topics of a corpus.

    Parameters
    ----------
    n_topics : int, optional
        Topics to start with; more are opened or closed as the model finds fit.
    keeper : ChainKeeper, optional
        Where learning goes on, and is written down now and then, and at Ctrl-C.

    Raises
    ------
    KeyboardInterrupt
        At Ctrl-C, once what there is has been written down.
    """
    saved = None if keeper is None else _saved(keeper)
    state, run = saved or (None, Run())
    rng = np.random.default_rng(np.random.SeedSequence(SEED, spawn_key=(BACKGROUND,)))
    n_topics = n_topics or n_topics_for(len(offsets) - 1)
    start = unassigned(tokens, offsets)
    for here in blocks(len(tokens)):
        start.topics[here] = rng.integers(0, n_topics, here.stop - here.start, dtype=np.int32)
    chain = open_chain(
        engine, start, subtopic_rules(tokens, n_words, PRIORS), SEED, (BACKGROUND,), state=state
    )
    most = int(np.clip(MOST_TOKENS_SWEPT // max(len(tokens), 1), LEAST_SWEEPS, MOST_SWEEPS))
    with defer_interrupts() as interruption:
        while not run.finished:
            chain.step()
            run.done += 1
            likelihood = run.history.look(chain, run.done) if run.done % LOOK_EVERY == 0 else None
            run.settled = has_settled(run.history.log_likelihood, WINDOW)
            run.finished = run.settled or run.done >= most
            if progress is not None:
                n_now = int(chain.in_use.sum())
                progress(Progress("background", None, run.done, most, n_now, likelihood))
            if keeper is not None and not run.finished:
                (keeper.keep_now if interruption.requested else keeper.keep)(chain, run)
            if interruption.requested:
                raise KeyboardInterrupt
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
    """Return the background of a corpus' distinct documents: learned once, then remembered.

    Parameters
    ----------
    n_topics : int, optional
        As in `learn_background`.
    """
    inside = corpus.distinct
    known = known_background(inside, n_topics)
    if known is None:
        known = _remember(inside, n_topics, _learn(inside, n_topics, engine or Threads(), progress))
    return known


def known_background(corpus: Corpus, n_topics: int | None = None) -> Background | None:
    """Return the background of a corpus if it was learned before: here, in its index, or in the cache."""
    inside = corpus.distinct
    known = _KNOWN.get(inside, {}).get(n_topics)
    if known is not None:
        return known
    learned = inside.learned if n_topics is None else None
    if learned is None or learned.made_by != MADE_BY:
        learned = read_learned(_path_of(inside, n_topics), inside.n_tokens)
    if learned is None or learned.made_by != MADE_BY:
        return None
    return _remember(inside, n_topics, learned)


def _remember(corpus: DistinctCorpus, n_topics: int | None, learned: LearnedTopics) -> Background:
    if n_topics is None:
        corpus.remember(learned)
    background = Background.of_topics(corpus.tokens, learned.topics, corpus.n_words)
    _KNOWN.setdefault(corpus, {})[n_topics] = background
    return background


def _path_of(corpus: DistinctCorpus, n_topics: int | None) -> Path:
    """Where the cache has the background of a corpus."""
    name = f"{corpus.fingerprint[:40]}-{n_topics or 'auto'}.safetensors"
    return cache_directory() / "backgrounds" / name


def _learn(
    corpus: DistinctCorpus, n_topics: int | None, engine: Engine, progress: ProgressCallback | None
) -> LearnedTopics:
    """Learn, and keep what was learned; no cache is no reason to stop."""
    check_countable(corpus.word_counts, corpus.vocabulary)
    path = _path_of(corpus, n_topics)
    checkpoint = Checkpoint(path.with_suffix(".unfinished"))
    found = learn_background(
        corpus.tokens,
        corpus.offsets,
        corpus.n_words,
        engine,
        n_topics=n_topics,
        progress=progress,
        keeper=_PatientKeeper(checkpoint, "background"),
    )
    learned = LearnedTopics(found.token_topics, MADE_BY)
    with suppress(StorageError, OSError):
        with atomic_path(path) as temporary:
            write_learned(temporary, learned)
        shutil.rmtree(checkpoint.folder, ignore_errors=True)
        _make_room(path)
    return learned


def _make_room(newest: Path) -> None:
    """Remove the oldest files of the folder until the rest may stay; what is unfinished is the oldest."""
    kept = sorted(newest.parent.iterdir(), key=lambda entry: (entry != newest, -entry.stat().st_mtime))
    sizes = np.cumsum([_size(entry) for entry in kept])
    for entry, size in zip(kept[1:], sizes[1:].tolist(), strict=True):
        if size > MOST_KEPT:
            shutil.rmtree(entry) if entry.is_dir() else entry.unlink(missing_ok=True)


def _size(entry: Path) -> int:
    files = entry.rglob("*") if entry.is_dir() else (entry,)
    return sum(file.stat().st_size for file in files)


class _PatientKeeper(ChainKeeper):
    """A keeper whose failures only cost the time to learn again."""

    def keep_now(self, chain: Chain, run: Run) -> None:
        """Write the chain down, if the disk allows."""
        with suppress(StorageError, OSError):
            super().keep_now(chain, run)


def _saved(keeper: ChainKeeper) -> Saved | None:
    """Where learning was put down; None if it never was, or what there is cannot be used."""
    try:
        return keeper.saved()
    except (StorageError, OSError):
        return None


_KNOWN: WeakKeyDictionary[Corpus, dict[int | None, Background]] = WeakKeyDictionary()

MADE_BY = f"qdtm background 2, {LEAST_SWEEPS} to {MOST_SWEEPS} sweeps, beta {PRIORS.beta}"
"""What topics are learned with: others that are found in a file are learned anew."""
