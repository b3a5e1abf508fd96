"""What all queries of a corpus share: its views, made once.

In: a corpus, its background and vectors. Out: `CorpusViews`.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import cached_property
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from threadpoolctl import threadpool_limits

from qdtm.corpus.corpus import Corpus
from qdtm.corpus.phrase_index import WordSplit
from qdtm.evidence.meaning_view import MeaningView, word_vector_view
from qdtm.evidence.views import FloatArray, TopicView, View, WordView, tfidf
from qdtm.progress import check_cancelled
from qdtm.storage.mapped import moved_beside

if TYPE_CHECKING:
    from qdtm.evidence.sections import Sections
    from qdtm.sampler.background import Background


# --- all views of a corpus ----------------------------------------------------------------------------------

T = TypeVar("T")
Reread = Callable[[NDArray[np.int64], Sequence[str]], NDArray[np.float32]]

TopicLooks = Callable[[int, Sequence[int]], tuple[FloatArray, FloatArray]]

MOST_REMEMBERED = 16
"""What was learned of the last queries is remembered: a query that is asked again, with other words left out
or beside another query, is answered at once."""


class TopicTokens(NamedTuple):
    """The counts of words, (D, V), and the words and the topics of all tokens, (N,)."""

    counts: Any
    tokens: NDArray[np.int32]
    offsets: NDArray[np.int64]
    topics: NDArray[np.int32]


class ContextRows:
    """Documents by tf-idf without some words, each of length 1.

    Parameters
    ----------
    weighted : CSR matrix of shape (D, V)
        From `tfidf`.
    words : sequence of int
        Which are hidden.
    """

    def __init__(self, weighted: Any, words: Sequence[int]) -> None:
        from sklearn.preprocessing import normalize  # slow to load

        visible = np.ones(weighted.shape[1])
        visible[list(words)] = 0.0
        self._features = normalize(weighted @ sparse.diags(visible)).tocsr()

    def rows(self, rows: NDArray[np.int64]) -> Any:
        """Some documents, CSR of shape (n, V)."""
        return self._features[rows]

    def score(self, folds: NDArray[np.int64], models: Mapping[int, Any]) -> FloatArray:
        """Score each document by the linear model of its fold, (D,)."""
        scores = np.zeros(len(folds))
        for fold, model in models.items():
            rows = np.flatnonzero(folds == fold)
            if len(rows):
                scores[rows] = model.decision_function(self._features[rows])
        return scores


class CorpusViews:
    """What all queries of a corpus share.

    Parameters
    ----------
    counts : CSR matrix of shape (D, V)
    hashes : ndarray of uint64, shape (D,)
        Of the documents' content.
    background : ndarray of shape (V, K), optional
        Tokens of each word in each background topic.
    word_vectors : ndarray of float32, shape (V, d), optional
        Of length 1.
    document_vectors : ndarray of float32, shape (D, e), optional
        By a sentence encoder.
    split : WordSplit, optional
        Where the vocabulary has phrases. Views see the words of these: a document that has "tire pressure"
        has something in common with one that has "tire", above all where documents are short.
    reread : callable, optional
        From rows and words to the vectors of these documents without the words.
    names : sequence of str
        The words, as the views number them; needed to read documents again.
    original : ndarray of int64, shape (D,), optional
        Which document each is a near copy of, itself if of none.
    """

    def __init__(
        self,
        counts: Any,
        hashes: NDArray[np.uint64],
        *,
        background: NDArray[Any] | None = None,
        word_vectors: NDArray[np.float32] | None = None,
        document_vectors: NDArray[np.float32] | None = None,
        split: WordSplit | None = None,
        reread: Reread | None = None,
        names: Sequence[str] = (),
        original: NDArray[np.int64] | None = None,
    ) -> None:
        self._share(hashes, split=split, names=names, original=original)
        self._counts = counts
        self.weighted = tfidf(counts)
        self.views: list[View] = [WordView(counts)]
        if background is not None:
            self.views.append(TopicView(counts, background).kept())
        if word_vectors is not None:
            self.views.append(word_vector_view(self.weighted, word_vectors))
        self.encoded = None if document_vectors is None else MeaningView.of_vectors(document_vectors)
        if self.encoded is not None:
            self.views.append(self.encoded)
        self._reread = reread

    def _share(
        self,
        hashes: NDArray[np.uint64],
        *,
        split: WordSplit | None,
        names: Sequence[str],
        original: NDArray[np.int64] | None,
    ) -> None:
        """Keep what is needed wherever the documents are."""
        self.hashes, self._split, self._names = hashes, split, names
        self._original = np.arange(len(hashes)) if original is None else original
        self.copy_hashes = moved_beside(hashes, hashes[self._original])  # the same of near copies
        self._hidden: tuple[tuple[int, ...], list[View]] | None = None
        self._remembered: OrderedDict[Hashable, Any] = OrderedDict()

    def places(self, words: Sequence[int], forms: Sequence[str]) -> tuple[int, ...]:
        """Return a query's words as the views number them: entries of the vocabulary, or words of phrases."""
        return tuple(words) if self._split is None else self._split.places(forms)

    def topic_tokens(self, corpus: Corpus, token_topics: NDArray[np.int32]) -> TopicTokens:
        """Return the tokens of a corpus, and the topic of each, as the views number words."""
        if self._split is None:
            return TopicTokens(self._counts, corpus.tokens, corpus.offsets, token_topics)
        tokens, offsets, n_each = self._split.tokens(corpus.tokens, corpus.offsets)
        return TopicTokens(self._counts, tokens, offsets, np.repeat(token_topics, n_each))

    def counted(self, strength: FloatArray) -> NDArray[np.bool_] | None:
        """Which documents a query is learned from, (D,); None for all.

        Of near copies the one that names it most, if any does: thirty versions of one story are one reason.

        Parameters
        ----------
        strength : ndarray of float64, shape (D,)
            How much each document names the query.
        """
        named = np.flatnonzero(strength > 0)
        best = named[np.lexsort((named, -strength[named]))]
        groups, first = np.unique(self._original[best], return_index=True)
        counted = ~np.isin(self._original, groups)
        counted[best[first]] = True
        return None if counted.all() else counted

    def hidden(self, words: Sequence[int]) -> list[View]:
        """Return the views of documents without some words; the last are kept: they take long to make."""
        last, wanted = self._hidden, tuple(words)
        if last is None or last[0] != wanted:
            with threadpool_limits(1, "blas"):  # sums of several threads would depend on their number
                last = self._hidden = wanted, [view.hidden(wanted) for view in self.views]
        return last[1]

    def context(self, words: Sequence[int]) -> ContextRows:
        """What documents say but for some words, for a regression that tells who names a query."""
        return ContextRows(self.weighted, words)

    def topic_looks(self, corpus: Corpus, token_topics: NDArray[np.int32]) -> TopicLooks:
        """What the topics of tokens say: a function of a query, whose topic has its number, and its words."""
        from qdtm.evidence.topic_looks import topic_looks  # slow to load

        counts, tokens, offsets, topics = self.topic_tokens(corpus, token_topics)
        return lambda q, words: topic_looks(counts, tokens, offsets, topics == q, words)

    def encoded_without(self, words: Sequence[int], rows: NDArray[np.int64]) -> MeaningView | None:
        """Return the encoder's view with some documents read again, without some words; None without one."""
        if self.encoded is None or self._reread is None or not len(rows):
            return self.encoded
        vectors = self._reread(rows, [self._names[w] for w in words])
        with threadpool_limits(1, "blas"):  # sums of several threads would depend on their number
            return self.encoded.changed(rows, vectors)

    @cached_property
    def neighbours(self) -> NeighbourView | None:
        """What the nearest documents by the encoder are about; None without one."""
        if self.encoded is None:
            return None
        with threadpool_limits(1, "blas"):  # sums of several threads would depend on their number
            return NeighbourView(self.encoded.vectors, self.hashes)

    def remember(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return what was made under a key, or make it; the last few are kept."""
        found = self._remembered.pop(key, None)
        found = make() if found is None else found
        self._remembered[key] = found
        while len(self._remembered) > MOST_REMEMBERED:
            self._remembered.popitem(last=False)
        return found


def views_of(
    corpus: Corpus,
    word_vectors: NDArray[np.float32] | None,
    *,
    document_vectors: NDArray[np.float32] | None = None,
    reread: Reread | None = None,
    background: Background | None = None,
    sections: Sections | None = None,
) -> CorpusViews:
    """Make the views of a corpus; the last are remembered with it.

    Parameters
    ----------
    word_vectors : ndarray of float32, shape (V, d), or None
        Of length 1.
    document_vectors : ndarray of float32, shape (D, e), optional
        By a sentence encoder.
    reread : callable, optional
        From rows and words to the vectors of these documents without the words.
    background : Background, optional
        By default it is learned, if it was not before.
    sections : Sections, optional
        Who holds the parts of the corpus; by default it is looked at here.
    """
    if background is None:
        from qdtm.sampler.background import background_of  # slow to load

        background = background_of(corpus)
    topics = background.word_topic
    key = (digest(topics), digest(word_vectors), digest(document_vectors))
    if sections is not None and document_vectors is None:
        from qdtm.evidence.parted_views import PartedViews

        if key not in sections.remembered:
            sections.remembered = {key: PartedViews(sections, corpus, topics, word_vectors)}
        found: CorpusViews = sections.remembered[key]
        return found
    known = _KNOWN.get(corpus)
    if known is not None and known[0] == key:
        return known[1]
    counts, split = corpus.document_term_matrix, WordSplit.of(corpus)
    if split is not None:
        counts, topics = split.counts(counts), split.totals(topics)
        word_vectors = None if word_vectors is None else split.own(word_vectors, corpus.vocabulary)
    with threadpool_limits(1, "blas"):  # sums of several threads would depend on their number
        views = CorpusViews(
            counts,
            corpus.document_hashes,
            background=topics,
            word_vectors=word_vectors,
            document_vectors=document_vectors,
            split=split,
            reread=reread,
            names=corpus.vocabulary if split is None else split.words,
            original=getattr(corpus, "original", None),
        )
    _KNOWN[corpus] = key, views
    return views


def digest(values: NDArray[Any] | None) -> bytes | None:
    """Return a short mark of an array's content."""
    return None if values is None else blake2b(np.ascontiguousarray(values).data, digest_size=16).digest()


_KNOWN: WeakKeyDictionary[Corpus, tuple[Any, CorpusViews]] = WeakKeyDictionary()


# --- nearest neighbours -------------------------------------------------------------------------------------
#
# What the nearest documents are about: vectors and labels in, a score a document out.
#
# A line through all documents (`MeaningView`) cannot follow a subject that has several places; neighbours
# do.

N_NEIGHBOURS = 30
"""Documents that are asked of each; taken over from the model before."""

MOST_COMPARED = 10_000
"""Neighbours are looked for among so many documents, chosen by their hashes: no square of a large corpus."""

_ROWS_AT_ONCE = 1_000


class NeighbourView:
    """The labels of the documents nearest to each, nearer ones counting more; never its own.

    Parameters
    ----------
    vectors : ndarray of float32, shape (D, e)
        Of length 1.
    hashes : ndarray of uint64, shape (D,)
        Of the documents' content.
    """

    def __init__(self, vectors: NDArray[np.float32], hashes: NDArray[np.uint64]) -> None:
        compared = np.sort(np.argsort(hashes, kind="stable")[:MOST_COMPARED])
        k = max(min(N_NEIGHBOURS, len(compared) - 1), 0)
        self._nearest = np.zeros((len(vectors), k), np.int64)
        self._weights = np.zeros((len(vectors), k))
        others = np.ascontiguousarray(vectors[compared].T)  # (e, n)
        for first in range(0, len(vectors) if k else 0, _ROWS_AT_ONCE):
            check_cancelled()
            rows = np.arange(first, min(first + _ROWS_AT_ONCE, len(vectors)))
            cosine = vectors[rows] @ others
            cosine[rows[:, None] == compared] = -np.inf  # not itself
            nearest = np.argpartition(-cosine, k - 1, axis=1)[:, :k]
            self._nearest[rows] = compared[nearest]
            self._weights[rows] = np.maximum(np.take_along_axis(cosine, nearest, axis=1), 0.0)
        self._weights /= np.maximum(self._weights.sum(axis=1, keepdims=True), 1e-12)

    def __call__(self, labels: FloatArray) -> FloatArray:
        """Score the documents, (D,)."""
        return np.asarray((self._weights * labels[self._nearest]).sum(axis=1))
