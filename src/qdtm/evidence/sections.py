"""Documents of an index in parts, as one worker holds them: some parts in a row, and the views of these.

In: what all documents add up to, which the caller found out from all sections. Out: what these documents add
to a sum, or their scores. Sums over documents are taken in the order of the corpus, from section to section
or block by block (`views.BLOCK`), so that they do not depend on how many sections there are.

What a section works out is remembered, and worked out again by a worker that took the place of one that died:
every call brings all that is needed (`Setup`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from qdtm.corpus.parts import read_part
from qdtm.evidence.corpus_views import ContextRows
from qdtm.evidence.kernels import counts_of_words, labels_by_word, tokens_of_topic, weights_by_word
from qdtm.evidence.meaning_view import MeaningView, block_sums, mean_vector_rows, vectors_without
from qdtm.evidence.topic_looks import looks_by_others
from qdtm.evidence.views import (
    FloatArray,
    IntArray,
    TopicView,
    WordView,
    document_frequency,
    rows_with,
    share_with,
    tfidf,
)

Words = tuple[int, ...]
Carried = tuple[int, FloatArray]
"""The first of some words in a row, and what documents before add up to for each of them."""


class Sections(Protocol):
    """Who holds the parts of an index; each holds some in a row.

    Attributes
    ----------
    bounds : ndarray of int64, shape (S + 1,)
        Where each section begins among the documents, and where the last ends.
    remembered : dict
        What was made of them.
    """

    bounds: NDArray[np.int64]
    remembered: dict[Any, Any]

    def share(self, value: Any) -> Any:
        """Put something where all can take it from; give what stands for it in a call."""
        ...

    def each(self, method: str, calls: Sequence[Sequence[Any]]) -> list[Any]:
        """Call a method of each section, side by side, with arguments of its own."""
        ...

    def chains(self, method: str, calls: Sequence[Sequence[Any]], carried: Sequence[Any]) -> list[Any]:
        """Call a method of each section in turn, for each of several things that are carried.

        What one section returns is the last argument of the next. While one works on the first, the section
        before it can work on the second.
        """
        ...


class Setup(NamedTuple):
    """What all documents have, for the views of some of them.

    Attributes
    ----------
    key : str
        Of all that follows.
    split : CSR matrix of shape (V, V'), or None
        Which words each entry of the vocabulary has.
    n_documents : int
    frequency : ndarray of int64, shape (V',)
    word_topic : ndarray of shape (V', K)
    vectors : ndarray of float32, shape (V', d), or None
    common : ndarray of float64, shape (d,)
        What all documents' vectors have in common; empty before it is known.
    """

    key: str
    split: Any
    n_documents: int
    frequency: IntArray
    word_topic: NDArray[Any]
    vectors: NDArray[np.float32] | None
    common: FloatArray


class Section:
    """Some parts of an index, in a row.

    Parameters
    ----------
    place : str
        Of the index.
    first, last : int
        From which part to which, without the last.
    n_words : int
        V.
    """

    def __init__(self, place: str, first: int, last: int, n_words: int) -> None:
        self._place, self._range, self._n_words = place, range(first, last), n_words
        self._known: dict[Any, Any] = {}

    # --- documents ---------------------------------------------------------------------------------------

    @cached_property
    def _numbers(self) -> dict[str, NDArray[Any]]:
        """Tokens, and counts as CSR, of the parts one after the other."""
        parts = [read_part(self._place, p) for p in self._range]
        found = {
            name: np.concatenate([part[name] for part in parts]) for name in ("tokens", "words", "counts")
        }
        for name in ("offsets", "starts"):
            sizes = [np.diff(part[name]) for part in parts]
            found[name] = np.concatenate([[0], np.cumsum(np.concatenate(sizes))]).astype(np.int64)
        return found

    @cached_property
    def counts(self) -> Any:
        """How often each document has each entry of the vocabulary, CSR, (D, V)."""
        numbers = self._numbers
        shape = (len(numbers["offsets"]) - 1, self._n_words)
        found = csr_matrix((numbers["counts"], numbers["words"], numbers["starts"]), shape=shape)
        found.has_canonical_format = True
        return found

    def _split_counts(self, split: Any) -> Any:
        """The counts of words in place of entries, (D, V')."""

        def made() -> Any:
            found = (self.counts @ split).tocsr()
            found.sort_indices()
            return found

        return self.counts if split is None else self._remember(("split",), made)

    def _remember(self, key: Any, make: Any) -> Any:
        if key not in self._known:
            self._known[key] = make()
        return self._known[key]

    def frequency(self, split: Any) -> IntArray:
        """In how many documents each word is, (V',)."""
        return document_frequency(self._split_counts(split))

    # --- views -------------------------------------------------------------------------------------------

    def _words(self, setup: Setup, hide: Words) -> WordView:
        counts = self._split_counts(setup.split)
        usual = share_with(setup.frequency, setup.n_documents)
        found: WordView = self._remember(("words", setup.key), lambda: WordView(counts, p_word=usual))
        return found.hidden(hide)

    def _weighted(self, setup: Setup) -> Any:
        counts = self._split_counts(setup.split)
        make = lambda: tfidf(counts, setup.frequency, setup.n_documents)  # noqa: E731
        return self._remember(("weighted", setup.key), make)

    def word_total(self, setup: Setup, labels: FloatArray, carried: Carried) -> Carried:
        """Add the labels of documents that have each of some words to those before."""
        first, before = carried
        columns, total = self._by_word(setup), before.copy()
        labels_by_word(columns.indptr[first : first + len(total) + 1], columns.indices, labels, total)
        return first, total

    def _by_word(self, setup: Setup) -> Any:
        """The counts of words, read by words: CSC, (D, V')."""
        return self._remember(("by word",), lambda: self._split_counts(setup.split).tocsc())

    def word_scores(
        self, setup: Setup, hide: Words, labels: FloatArray, n_with: FloatArray, n_labelled: float
    ) -> FloatArray:
        """Score the documents by words."""
        return self._words(setup, hide).score(labels, n_with, n_labelled)

    def _topics(self, setup: Setup, hide: Words, p_k: FloatArray) -> TopicView:
        counts = self._split_counts(setup.split)
        make = lambda: TopicView(counts, setup.word_topic, hide, p_k)  # noqa: E731
        found: TopicView = self._forgetting("topics", (setup.key, hide), make)
        return found.with_usual(p_k)

    def _forgetting(self, kind: str, key: Any, make: Any) -> Any:
        """Remember something of a kind, for the documents as they are and for the words hidden last."""
        if (kind, key) not in self._known:
            self._known = {k: v for k, v in self._known.items() if k[0] != kind or not k[1][-1]}
        return self._remember((kind, key), make)

    def topic_total(
        self, setup: Setup, hide: Words, p_k: FloatArray, labels: FloatArray, carried: Carried
    ) -> Carried:
        """Add some words of labelled documents to those before."""
        first, before = carried
        columns, total = self._by_word(setup), before.copy()
        starts = columns.indptr[first : first + len(total) + 1]
        weights = self._topics(setup, hide, p_k).weights(labels)
        weights_by_word(starts, columns.indices, columns.data, weights, total)
        return first, total

    def topic_shares(self, setup: Setup, hide: Words, p_k: FloatArray, rows: IntArray | None) -> FloatArray:
        """The share of each topic in some documents, or all, (n, K)."""
        every = np.arange(self.counts.shape[0]) if rows is None else rows
        return self._topics(setup, hide, p_k).shares(every)

    def topic_scores(
        self, setup: Setup, hide: Words, p_k: FloatArray, labels: FloatArray, n_k: FloatArray, n: float
    ) -> FloatArray:
        """Score the documents by topics."""
        return self._topics(setup, hide, p_k).score(labels, n_k, n)

    def rows_with(self, setup: Setup, words: Words) -> IntArray:
        """The documents that have any of some words."""
        return rows_with(self._split_counts(setup.split), words)

    def split_rows(self, setup: Setup, rows: IntArray) -> Any:
        """The counts of some documents, (n, V')."""
        return self._split_counts(setup.split)[rows]

    def vector_sums(self, setup: Setup) -> list[FloatArray]:
        """The sums of the documents' vectors, a block after the other."""
        return block_sums(self._vectors(setup))

    def _vectors(self, setup: Setup) -> NDArray[np.float32]:
        assert setup.vectors is not None
        return mean_vector_rows(self._weighted(setup), np.array(setup.vectors))

    def _meaning(self, setup: Setup, hide: Words) -> MeaningView:
        def made() -> MeaningView:
            assert setup.vectors is not None
            without = vectors_without(self._weighted(setup), np.array(setup.vectors))
            return MeaningView.of_some(self._vectors(setup), setup.common, without)

        plain: MeaningView = self._remember(("meaning", (setup.key, ())), made)
        if not hide:
            return plain
        found: MeaningView = self._forgetting("meaning", (setup.key, hide), lambda: plain.without(hide))
        return found

    def grams(self, setup: Setup, hide: Words) -> list[NDArray[np.float32]]:
        """The products of the documents' vectors, a block after the other."""
        return self._meaning(setup, hide).grams()

    def vector_totals(self, setup: Setup, hide: Words, labels: FloatArray) -> list[NDArray[np.float32]]:
        """The sums of labelled documents' vectors, a block after the other."""
        return self._meaning(setup, hide).totals(labels)

    def vector_scores(
        self, setup: Setup, hide: Words, inverse: FloatArray, labels: FloatArray, weights: FloatArray
    ) -> FloatArray:
        """Score the documents by their vectors."""
        view = self._meaning(setup, hide)
        if not view.is_settled:
            view.settle(inverse)
        return view.score(labels, weights)

    def vector_rows(self, setup: Setup, hide: Words, rows: IntArray) -> NDArray[np.float32]:
        """The vectors of some documents, (n, 1 + d)."""
        return self._meaning(setup, hide).rows(rows)

    # --- context and topics ------------------------------------------------------------------------------

    def _context(self, setup: Setup, words: Words) -> ContextRows:
        make = lambda: ContextRows(self._weighted(setup), words)  # noqa: E731
        found: ContextRows = self._forgetting("context", (setup.key, words), make)
        return found

    def context_rows(self, setup: Setup, words: Words, rows: IntArray) -> Any:
        """Some documents by tf-idf without some words, (n, V')."""
        return self._context(setup, words).rows(rows)

    def context_scores(
        self, setup: Setup, words: Words, folds: NDArray[np.int64], models: Mapping[int, Any]
    ) -> FloatArray:
        """Score each document by the model of its fold."""
        return self._context(setup, words).score(folds, models)

    def topic_tokens(
        self, setup: Setup, in_topic: NDArray[np.uint8]
    ) -> tuple[int, int, FloatArray, FloatArray]:
        """Count tokens of a topic and all, and both for each word; bits say which tokens the topic has."""
        counts, own, n_tokens = self._own(setup, in_topic)
        return int(own.sum()), n_tokens, *counts_of_words(counts.indices, counts.data, own, counts.shape[1])

    def topic_looks(
        self, setup: Setup, in_topic: NDArray[np.uint8], usual: float, words: Words, *totals: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """What the topic says of each document."""
        counts, own, _ = self._own(setup, in_topic)
        n_w, n_zw = (np.asarray(total) for total in totals)
        return looks_by_others(counts, own, usual, words, n_w, n_zw)

    def _own(self, setup: Setup, in_topic: NDArray[np.uint8]) -> tuple[Any, NDArray[np.int32], int]:
        """The counts of words, and how many tokens of a topic each document has of each of its words."""
        from qdtm.corpus.phrase_index import split_tokens  # slow to load

        tokens, offsets = self._numbers["tokens"], self._numbers["offsets"]
        chosen = np.unpackbits(in_topic, count=len(tokens)).astype(np.bool_)
        counts = self._split_counts(setup.split)
        if setup.split is not None:
            tokens, offsets, n_each = split_tokens(setup.split, tokens, offsets)
            chosen = np.repeat(chosen, n_each)
        return counts, tokens_of_topic(counts.indptr, counts.indices, tokens, offsets, chosen), len(tokens)
