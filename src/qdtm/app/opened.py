"""Corpora and results that are open: ids in, objects out, the last few kept.

They never change, so all pages and threads share them.
"""

from __future__ import annotations

import asyncio
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from qdtm.app.checks import check_stamp, with_checks
from qdtm.app.corpora import SAVED
from qdtm.app.depth import open_subtopics, read_opened
from qdtm.app.exploring import Explorer
from qdtm.app.jobs import RESULT, Jobs
from qdtm.app.labels import read_labels
from qdtm.app.learning import Learning
from qdtm.app.workspace import NotFoundError, Workspace
from qdtm.corpus import Corpus
from qdtm.results.alignment import Aligner
from qdtm.results.result import Result

T = TypeVar("T")


class Shelf(Generic[T]):
    """Keeps the last few of what took long to make; safe to use from several threads."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._kept: OrderedDict[Hashable, T] = OrderedDict()
        self._lock = threading.Lock()
        self._making: dict[Hashable, threading.Lock] = {}

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return what is kept under a key; make it if it is not there, once however many ask."""
        with self._lock:
            making = self._making.setdefault(key, threading.Lock())
        with making:
            with self._lock:
                if key in self._kept:
                    self._kept.move_to_end(key)
                    return self._kept[key]
            made = make()
            with self._lock:
                self._kept[key] = made
                while len(self._kept) > self._size:
                    self._making.pop(self._kept.popitem(last=False)[0], None)
            return made


@dataclass(frozen=True, eq=False)
class OpenCorpus:
    """A corpus with what finds its words in texts, and what is learned of it.

    Attributes
    ----------
    corpus : Corpus
    aligner : Aligner
    learning : Learning
    turn : asyncio.Lock
        Held while a question is answered: one at a time.
    """

    corpus: Corpus
    aligner: Aligner
    learning: Learning
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)


@dataclass
class Opened:
    """Opens what the workspace has.

    Parameters
    ----------
    workspace : Workspace
    jobs : Jobs
    """

    workspace: Workspace
    jobs: Jobs
    _corpora: Shelf[OpenCorpus] = field(default_factory=lambda: Shelf(4))
    _results: Shelf[Explorer] = field(default_factory=lambda: Shelf(8))

    def corpus(self, id: str) -> OpenCorpus:
        """Open a corpus."""
        path = self.workspace.existing("corpora", id) / SAVED
        stamp = (path / "qdtm.json").stat().st_mtime_ns if (path / "qdtm.json").is_file() else 0

        def load() -> OpenCorpus:
            corpus = Corpus.load(path)
            return OpenCorpus(corpus, Aligner(corpus), Learning(corpus))

        return self._corpora.get((id, stamp), load)

    def result(self, id: str) -> Explorer:
        """Open the result of a fit, under the names that its topics have now, as deep as it was looked into.

        Raises
        ------
        NotFoundError
            If there is no result, or not yet.
        """
        job = self.jobs.get(id)
        if not job.has_result:
            raise NotFoundError("This fit has no result to look at.")
        labels, opened = read_labels(job.folder), read_opened(job.folder)

        def load() -> Explorer:
            result = open_subtopics(Result.load(job.folder / RESULT), opened)
            result = with_checks(job.folder, result)
            return Explorer(result.with_labels(labels) if labels else result)

        key = (id, tuple(sorted(labels.items())), tuple(opened), check_stamp(job.folder))
        return self._results.get(key, load)
