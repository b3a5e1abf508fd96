"""The views of an index in parts: what `CorpusViews` are to a corpus in memory, with the same numbers.

In: who holds the parts (`Sections`). Out: `PartedViews`. Documents are seen where they are; here are arrays
over words and topics, a few numbers a document, and those documents that something is learned from: all that
name the query and a bounded sample of the others. Shares of topics are kept here as they would be in memory,
where they fit into `MOST_KEPT`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from qdtm.corpus.corpus import Corpus
from qdtm.corpus.phrase_index import WordSplit
from qdtm.evidence.corpus_views import ContextRows, CorpusViews, TopicLooks, digest
from qdtm.evidence.meaning_view import RIDGE, MeaningView, common_part, regression, sum_up
from qdtm.evidence.sections import Sections, Setup, Words
from qdtm.evidence.views import (
    MOST_KEPT,
    FloatArray,
    IntArray,
    TopicView,
    View,
    WordView,
    share_with,
    topics_of_words,
    usual_topics,
)
from qdtm.storage.mapped import empty_beside


class PartedViews(CorpusViews):
    """What all queries of an index in parts share.

    Parameters
    ----------
    sections : Sections
    corpus : DistinctCorpus
        The index, opened.
    word_topic : ndarray of shape (V, K)
        Tokens of each entry of the vocabulary in each background topic.
    word_vectors : ndarray of float32, shape (V, d), or None
    """

    def __init__(
        self,
        sections: Sections,
        corpus: Corpus,
        word_topic: NDArray[Any],
        word_vectors: NDArray[np.float32] | None,
    ) -> None:
        split = WordSplit.of(corpus)
        names: Sequence[str] = corpus.vocabulary
        if split is not None:
            word_topic, names = split.totals(word_topic), split.words
            word_vectors = None if word_vectors is None else split.own(word_vectors, corpus.vocabulary)
        self._share(corpus.document_hashes, split=split, names=names, original=corpus.distinct.original)
        self.parts = _Parts(sections, split, corpus.offsets, word_topic, word_vectors)
        self.encoded = None
        self.views: list[View] = [_Words(self.parts), _topic_view(self.parts)]
        if word_vectors is not None:
            self.views.append(_Vectors(self.parts))

    def context(self, words: Sequence[int]) -> ContextRows:
        """What documents say but for some words, where they are."""
        return _Context(self.parts, tuple(words))

    def topic_looks(self, corpus: Corpus, token_topics: NDArray[np.int32]) -> TopicLooks:
        """What the topics of tokens say, worked out where the documents are."""
        at = corpus.offsets[self.parts.bounds]

        def looks(q: int, words: Sequence[int]) -> tuple[FloatArray, FloatArray]:
            bits = [np.packbits(token_topics[first:last] == q) for first, last in pairwise(at.tolist())]
            found = self.parts.each("topic_tokens", [(each,) for each in bits])
            n_own, n_tokens, n_w, n_zw = (sum(each) for each in zip(*found, strict=True))
            usual = float(n_own) / max(n_tokens, 1)
            totals = (self.parts.share(n_w), self.parts.share(n_zw))
            calls = [(each, usual, tuple(words), *totals) for each in bits]
            seen, unseen = zip(*self.parts.each("topic_looks", calls), strict=True)
            return self.parts.together(seen), self.parts.together(unseen)

        return looks


class _Parts:
    """The sections, with what all of them are told."""

    def __init__(
        self,
        sections: Sections,
        split: WordSplit | None,
        offsets: NDArray[np.int64],
        word_topic: NDArray[Any],
        vectors: NDArray[np.float32] | None,
    ) -> None:
        self._sections, self.bounds, self._offsets = sections, sections.bounds, offsets
        self.n_documents = n_documents = len(offsets) - 1
        matrix = None if split is None else split.matrix
        shared = sections.share(matrix)
        self.frequency: IntArray = sum(sections.each("frequency", self._same(shared)))
        self.n_words, self.word_topic = len(self.frequency), word_topic
        key = f"{digest(word_topic)!r} {digest(vectors)!r}"
        setup = Setup(key, matrix, n_documents, self.frequency, word_topic, vectors, np.zeros(0))
        self._setup = sections.share(setup)
        if vectors is not None:
            sums = [one for each in self.each("vector_sums", self._same()) for one in each]
            self.common = common_part(sums, n_documents)
            self._setup = sections.share(setup._replace(common=self.common))

    def share(self, value: Any) -> Any:
        """Put something where all sections can take it from."""
        return self._sections.share(value)

    def _same(self, *arguments: Any) -> list[tuple[Any, ...]]:
        return [arguments] * (len(self.bounds) - 1)

    def each(self, method: str, calls: Sequence[Sequence[Any]]) -> list[Any]:
        """Call a method of each section with arguments of its own."""
        return self._sections.each(method, [(self._setup, *arguments) for arguments in calls])

    def same(self, method: str, *arguments: Any) -> list[Any]:
        """Call a method of each section with the same arguments."""
        return self.each(method, self._same(*arguments))

    def scores(self, method: str, labels: FloatArray, before: tuple[Any, ...], *after: Any) -> FloatArray:
        """Let each section score its documents, given the labels of these, (D,)."""
        return self.together(self.each(method, [(*before, own, *after) for own in self.cut(labels)]))

    def together(self, pieces: Sequence[NDArray[Any]]) -> NDArray[Any]:
        """Put what sections say of their documents one after the other, where numbers of documents are."""
        found = empty_beside(self._offsets, (self.n_documents, *pieces[0].shape[1:]), pieces[0].dtype)
        return np.concatenate(pieces, out=found)

    def chain(self, method: str, labels: FloatArray, *before: Any) -> FloatArray:
        """Add up the labels of all documents for each word, in the order of documents, (V',).

        The sums of different words do not know each other: as many ranges of words as there are sections are
        on their way at a time.
        """
        calls = [(self._setup, *before, self.share(own)) for own in self.cut(labels)]
        ends = self.n_words * np.arange(len(calls) + 1) // len(calls)
        carried = [(first, np.zeros(last - first)) for first, last in pairwise(ends.tolist())]
        return np.concatenate([total for _, total in self._sections.chains(method, calls, carried)])

    def cut(self, values: NDArray[Any]) -> list[NDArray[Any]]:
        """Cut numbers of documents into those of each section."""
        return np.split(values, self.bounds[1:-1])

    def take(self, method: str, rows: IntArray, *before: Any) -> Any:
        """Bring something of some documents here, in their order; rows may be in any."""
        order = np.argsort(rows, kind="stable")
        ends = np.searchsorted(rows[order], self.bounds)
        own = [rows[order][a:b] - start for a, b, start in zip(ends, ends[1:], self.bounds, strict=False)]
        found = _stack(self.each(method, [(*before, each) for each in own]))
        return found[np.argsort(order, kind="stable")]


def _stack(pieces: Iterable[Any]) -> Any:
    listed = list(pieces)
    return sparse.vstack(listed, format="csr") if sparse.issparse(listed[0]) else np.concatenate(listed)


class _Words:
    """`WordView`, where the documents are."""

    def __init__(self, parts: _Parts, hide: Words = ()) -> None:
        self._parts, self._hide = parts, hide

    def __call__(self, labels: FloatArray) -> FloatArray:
        """Score the documents."""
        n_with = self._parts.share(self._parts.chain("word_total", labels))
        return self._parts.scores("word_scores", labels, (self._hide,), n_with, float(labels.sum()))

    def hidden(self, words: Sequence[int]) -> _Words:
        """Return the same view of documents without some words."""
        return _Words(self._parts, tuple(words))

    def of(self, rows: IntArray) -> WordView:
        """Return the same view of some documents, here."""
        parts = self._parts
        counts = parts.take("split_rows", rows)
        some = WordView(counts, self._hide, share_with(parts.frequency, parts.n_documents))
        return some.of(np.arange(len(rows)))

    def features(self, rows: IntArray) -> None:
        """Return nothing: words are too many."""


class _Topics:
    """`TopicView` of more documents than shares are kept of, where they are."""

    def __init__(self, parts: _Parts, hide: Words = ()) -> None:
        self._parts, self._hide = parts, hide
        self._p_kw = topics_of_words(parts.word_topic, hide)
        nothing = np.zeros(parts.word_topic.shape[1])
        self._p_k = usual_topics(self._mixture(np.ones(parts.n_documents), nothing))

    def _mixture(self, labels: FloatArray, p_k: FloatArray) -> FloatArray:
        return np.asarray(self._parts.chain("topic_total", labels, self._hide, p_k) @ self._p_kw)

    def __call__(self, labels: FloatArray) -> FloatArray:
        """Score the documents."""
        n_k, before = self._mixture(labels, self._p_k), (self._hide, self._p_k)
        return self._parts.scores("topic_scores", labels, before, n_k, float(labels.sum()))

    def hidden(self, words: Sequence[int]) -> _Topics:
        """Return the same view of documents without some words."""
        return _Topics(self._parts, tuple(words))

    def of(self, rows: IntArray) -> TopicView:
        """Return the same view of some documents, here."""
        parts = self._parts
        counts = parts.take("split_rows", rows)
        return TopicView(counts, parts.word_topic, self._hide, self._p_k).of(np.arange(len(rows)))

    def features(self, rows: IntArray) -> FloatArray:
        """Return how far the square roots of the topics' shares are from the usual ones, (n, K)."""
        shares = self._parts.take("topic_shares", rows, self._hide, self._p_k)
        return np.asarray(np.sqrt(shares) - np.sqrt(self._p_k))

    def shares(self, rows: IntArray | None = None) -> FloatArray:
        """The share of each topic in some documents, or all, (n, K)."""
        if rows is not None:
            return np.asarray(self._parts.take("topic_shares", rows, self._hide, self._p_k))
        return self._parts.together(self._parts.same("topic_shares", self._hide, self._p_k, None))

    @property
    def p_k(self) -> FloatArray:
        """The usual share of each topic, (K,)."""
        return self._p_k


class _KeptTopics:
    """`TopicView` of few documents, whose shares of topics are kept here; their words are elsewhere.

    Views of documents without some words share the array: what is other in them stands in it while they are
    asked.
    """

    def __init__(
        self, parts: _Parts, topics: _Topics, shares: FloatArray, rows: IntArray, instead: FloatArray
    ) -> None:
        self._parts, self._there, self._shares = parts, topics, shares
        self._rows, self._instead = rows, instead

    def __call__(self, labels: FloatArray) -> FloatArray:
        """Score the documents."""
        with self._changed() as view:
            return view(labels)

    def hidden(self, words: Sequence[int]) -> _KeptTopics:
        """Return the same view of documents without some words."""
        hide = tuple(words)
        there = self._there.hidden(hide)
        found = self._parts.same("rows_with", hide)
        rows = np.concatenate([own + start for own, start in zip(found, self._parts.bounds, strict=False)])
        return _KeptTopics(self._parts, there, self._shares, rows, there.shares(rows))

    def of(self, rows: IntArray) -> TopicView:
        """Return the same view of some documents."""
        with self._changed():
            return TopicView.of_shares(self._shares[rows], self._parts.word_topic, self._there.p_k)

    def features(self, rows: IntArray) -> FloatArray:
        """Return how far the square roots of the topics' shares are from the usual ones, (n, K)."""
        with self._changed() as view:
            return view.features(rows)

    @contextmanager
    def _changed(self) -> Iterator[TopicView]:
        before = self._shares[self._rows]
        self._shares[self._rows] = self._instead
        try:
            yield TopicView.of_shares(self._shares, self._parts.word_topic, self._there.p_k)
        finally:
            self._shares[self._rows] = before


def _topic_view(parts: _Parts) -> View:
    there = _Topics(parts)
    if parts.n_documents * parts.word_topic.shape[1] > MOST_KEPT:
        return there
    none, shares = np.zeros(0, np.int64), there.shares()
    return _KeptTopics(parts, there, shares, none, shares[:0])


class _Vectors:
    """`MeaningView` by word vectors, where the documents are."""

    def __init__(self, parts: _Parts, hide: Words = ()) -> None:
        self._parts, self._hide = parts, hide
        grams = [gram for each in parts.same("grams", hide) for gram in each]
        self._inverse = regression(grams, RIDGE)
        self._shared = parts.share(self._inverse)

    def __call__(self, labels: FloatArray) -> FloatArray:
        """Score the documents, each without its own label."""
        found = self._parts.each("vector_totals", [(self._hide, own) for own in self._parts.cut(labels)])
        weights = self._inverse @ sum_up([total for each in found for total in each])
        return self._parts.scores("vector_scores", labels, (self._hide, self._shared), weights)

    def hidden(self, words: Sequence[int]) -> _Vectors:
        """Return the same view of documents without some words."""
        return _Vectors(self._parts, tuple(words))

    def of(self, rows: IntArray) -> MeaningView:
        """Return the same view of some documents, here."""
        taken = self._parts.take("vector_rows", rows, self._hide)
        return MeaningView.of_features(taken, self._parts.common)

    def features(self, rows: IntArray) -> FloatArray:
        """Return the vectors of some documents without what all have in common, (n, d)."""
        taken = self._parts.take("vector_rows", rows, self._hide)
        return np.asarray(taken[:, 1:].astype(np.float64))


class _Context(ContextRows):
    """`ContextRows`, where the documents are."""

    def __init__(self, parts: _Parts, words: Words) -> None:
        self._parts, self._words = parts, words

    def rows(self, rows: IntArray) -> Any:
        """Some documents, CSR of shape (n, V)."""
        return self._parts.take("context_rows", rows, self._words)

    def score(self, folds: NDArray[np.int64], models: Mapping[int, Any]) -> FloatArray:
        """Score each document by the linear model of its fold, (D,)."""
        shared = self._parts.share(dict(models))
        calls = [(self._words, own, shared) for own in self._parts.cut(folds)]
        return self._parts.together(self._parts.each("context_scores", calls))
