"""What must be known of a corpus before a query is answered at once: a corpus in, its views out.

Learning goes on in a thread of its own, once for an open corpus. Most corpora were learned when they were
read, and it takes a moment; of one that was not, `share` says how far it is.
"""

from __future__ import annotations

import logging
from functools import cache
from threading import Event, Thread

from qdtm.corpus import Corpus
from qdtm.embeddings import load_vectors
from qdtm.embeddings.loading import vectors_for
from qdtm.embeddings.vectors import WordVectors, embed_vocabulary
from qdtm.errors import QdtmError
from qdtm.evidence.corpus_views import CorpusViews, views_of
from qdtm.sampler.background import background_of
from qdtm.sampler.engines import Threads
from qdtm.sampler.progress import Progress
from qdtm.settings import n_threads

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
