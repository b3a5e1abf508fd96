"""What all pages share: the workspace, its jobs, and the corpora and results that are open."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from functools import cache, partial
from pathlib import Path
from threading import Event, Thread
from typing import Generic, TypeVar

from qdtm.app.annotations import check_stamp, earlier_answers, read_codes, with_checks
from qdtm.app.corpora import SAVED, CorpusGoneError, where_is
from qdtm.app.explorer import Explorer
from qdtm.app.findings import write_findings
from qdtm.app.jobs import RESULT, Job, Jobs
from qdtm.app.workspace import NotFoundError, Workspace
from qdtm.corpus import Corpus
from qdtm.embeddings import load_vectors
from qdtm.embeddings.loading import vectors_for
from qdtm.embeddings.vectors import WordVectors, embed_vocabulary
from qdtm.errors import QdtmError
from qdtm.evidence.corpus_views import CorpusViews, views_of
from qdtm.progress import Progress
from qdtm.queries import Query
from qdtm.results.corrections import corrections_of
from qdtm.results.hand_check.hand_check import HandCheck
from qdtm.results.journal import Journal
from qdtm.results.passages import Aligner
from qdtm.results.result import Result
from qdtm.sampler.background import background_of
from qdtm.sampler.engines import Threads
from qdtm.settings import n_threads

# --- what is learned of a corpus ----------------------------------------------------------------------------
#
# What must be known of a corpus before a query is answered at once: a corpus in, its views out.
#
# Learning goes on in a thread of its own, once for an open corpus. Most corpora were learned when they were
# read, and it takes a moment; of one that was not, `share` says how far it is.

_log = logging.getLogger("qdtm.app")


class Learning:
    """Learns what a corpus is about, from now on.

    Parameters
    ----------
    corpus : Corpus

    Attributes
    ----------
    share : float
        How much is learned.
    vectors : WordVectors or None
        None as long as they are not known.
    """

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        self.share = 0.0
        self.vectors: WordVectors | None = None
        self._views: CorpusViews | None = None
        self._problem = ""
        self._ended = Event()
        Thread(target=self._run, daemon=True).start()

    @property
    def has_ended(self) -> bool:
        """Whether the views are there, or will not come."""
        return self._ended.is_set()

    @property
    def views(self) -> CorpusViews:
        """The views of the corpus; waits for them.

        Raises
        ------
        QdtmError
            If they could not be made.
        """
        self._ended.wait()
        if self._views is None:
            raise QdtmError(self._problem)
        return self._views

    def _run(self) -> None:
        try:
            self._learn()
        except QdtmError as error:
            self._problem = str(error)
        except Exception:
            _log.exception("a corpus could not be learned")
            self._problem = "What this corpus is about could not be learned; the server's log has more."
        finally:
            self._ended.set()

    def _learn(self) -> None:
        spec = vectors_for(self._corpus.pipeline.language)
        self.vectors = vectors() if spec == "glove" else load_vectors(spec, self._corpus)
        with Threads(n_threads(None)) as engine:
            background_of(self._corpus, engine, progress=self._note)
        known = self.vectors
        unit = None if known is None else embed_vocabulary(known, self._corpus.vocabulary).unit
        self._views = views_of(self._corpus.distinct, unit)

    def _note(self, progress: Progress) -> None:
        self.share = progress.sweep / max(progress.max_sweeps, 1)


@cache
def vectors() -> WordVectors | None:
    """Return the bundled word vectors."""
    return load_vectors("glove")


# --- open corpora and results -------------------------------------------------------------------------------
#
# Corpora and results that are open: ids in, objects out, the last few kept.
#
# They never change, so all pages and threads share them.

T = TypeVar("T")


class LastUsed(Generic[T]):
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
            self.keep(key, made)
            return made

    def keep(self, key: Hashable, made: T) -> None:
        """Keep something under a key, in place of what is there."""
        with self._lock:
            self._kept[key] = made
            self._kept.move_to_end(key)
            while len(self._kept) > self._size:
                self._making.pop(self._kept.popitem(last=False)[0], None)


@dataclass(frozen=True, eq=False)
class OpenCorpus:
    """A corpus with what finds its words in texts, and what is learned of it.

    Attributes
    ----------
    corpus : Corpus
    aligner : Aligner
    learning : Learning
    said : callable
        Returns what people said of a query's documents before, if they did.
    turn : asyncio.Lock
        Held while a question is answered: one at a time.
    """

    corpus: Corpus
    aligner: Aligner
    learning: Learning
    said: Callable[[Query], HandCheck | None] = lambda _: None
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
    _corpora: LastUsed[OpenCorpus] = field(default_factory=lambda: LastUsed(4))
    _loaded: LastUsed[Result] = field(default_factory=lambda: LastUsed(4))
    _results: LastUsed[Explorer] = field(default_factory=lambda: LastUsed(8))

    def corpus(self, id: str) -> OpenCorpus:
        """Open a corpus."""
        path = self.workspace.existing("corpora", id) / SAVED
        stamp = (path / "qdtm.json").stat().st_mtime_ns if (path / "qdtm.json").is_file() else 0

        def load() -> OpenCorpus:
            corpus = Corpus.load(path)
            n = corpus.n_documents
            said = partial(earlier_answers, self.workspace, id, n_documents=n)
            return OpenCorpus(corpus, Aligner(corpus), Learning(corpus), said)

        return self._corpora.get((id, stamp), load)

    def result(self, id: str) -> Explorer:
        """Open the result of a fit, as it was corrected by now.

        Raises
        ------
        NotFoundError
            If there is no result, or not yet.
        CorpusGoneError
            If its corpus was removed for good.
        """
        job = self.jobs.get(id)
        if not job.has_result:
            raise NotFoundError("This fit has no result to look at.")
        history, index = Journal(job.folder).history, self._index(job)

        def load() -> Explorer:
            found = self._loaded.get((id, index), lambda: Result.load(job.folder / RESULT, corpus=index))
            shown, n = with_checks(job.folder, found.with_history(history)), found.corpus.n_documents
            write_findings(job.folder, shown)
            return Explorer(shown, lambda: read_codes(job.folder, n))

        corrections = tuple(act.number for act in corrections_of(history))
        return self._results.get((id, index, corrections, check_stamp(job.folder)), load)

    def remember(self, id: str, result: Result) -> None:
        """Keep what was found of a result since it was loaded: subtopics that were split."""
        found = replace(result.as_found, checks=())
        self._loaded.keep((id, self._index(self.jobs.get(id))), Result(found, result.corpus))

    def _index(self, job: Job) -> Path | None:
        """Return where the corpus of a result is if it is in the bin; None if the result finds it itself.

        Raises
        ------
        CorpusGoneError
            If it was removed for good.
        """
        where = where_is(self.workspace, job.request.corpus)
        if where == "there" or (job.folder / RESULT / SAVED).is_dir():
            return None
        if where == "gone":
            raise CorpusGoneError("The corpus of this result was removed for good; its tables are left.")
        return self.workspace.binned("corpora", job.request.corpus) / SAVED


# --- all of it ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class AppContext:
    """What a page needs to do its work.

    Attributes
    ----------
    workspace : Workspace
    jobs : Jobs
    opened : Opened
    max_upload_bytes : int
    threads : int
        That a fit may use.
    """

    workspace: Workspace
    jobs: Jobs
    opened: Opened
    max_upload_bytes: int
    threads: int
