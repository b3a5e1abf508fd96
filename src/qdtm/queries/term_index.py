"""The corpus as retrieval sees it, by documents and by words, with sums that hold in any order.

In: the document-term matrix. Out: `TermIndex`, which reads it by documents and by words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from qdtm.corpus.corpus import Corpus
from qdtm.corpus.indexing import blocks_of
from qdtm.storage.mapped import moved_beside

# --- the corpus by documents and by words -------------------------------------------------------------------

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class TermIndex:
    """Counts of words in documents, read both ways.

    Parameters
    ----------
    by_document : scipy.sparse.csr_array of int, shape (D, V)
    by_word : scipy.sparse.csc_array of int, shape (D, V)
        The same counts, so that a word's documents are found at once.
    """

    by_document: Any
    by_word: Any

    @classmethod
    def from_matrix(cls, matrix: Any) -> TermIndex:
        """Index a document-term matrix of shape (D, V)."""
        by_document = sparse.csr_array(matrix)
        return cls(by_document, by_document.tocsc())

    @classmethod
    def of(cls, corpus: Corpus) -> TermIndex:
        """Return the index of a corpus, which is made once and lives as long as the corpus."""
        if corpus not in _INDICES:
            _INDICES[corpus] = cls(
                sparse.csr_array(corpus.document_term_matrix), sparse.csc_array(corpus.counts_by_word)
            )
        return _INDICES[corpus]

    @property
    def n_documents(self) -> int:
        """The number D of documents, empty ones included."""
        return int(self.by_document.shape[0])

    @property
    def n_words(self) -> int:
        """The number V of vocabulary words."""
        return int(self.by_document.shape[1])

    @cached_property
    def lengths(self) -> IntArray:
        """Tokens of each document, shape (D,)."""
        return moved_beside(self.by_document.data, _sums(self.by_document.data, self.by_document.indptr))

    @cached_property
    def word_counts(self) -> IntArray:
        """Occurrences of each word, shape (V,)."""
        return _sums(self.by_word.data, self.by_word.indptr)

    @cached_property
    def document_frequency(self) -> IntArray:
        """How many documents have each word, shape (V,)."""
        return np.asarray(np.diff(self.by_word.indptr), np.int64)

    @cached_property
    def p_collection(self) -> FloatArray:
        """p(w|C), the share of each word in all tokens, shape (V,)."""
        return self.word_counts / max(1, int(self.word_counts.sum()))

    def documents_of(self, word: int) -> tuple[IntArray, IntArray]:
        """Return the documents that have a word, in order, and how often each has it."""
        span = slice(self.by_word.indptr[word], self.by_word.indptr[word + 1])
        return self.by_word.indices[span].astype(np.int64), self.by_word.data[span].astype(np.int64)

    def count_documents(self, words: Sequence[int]) -> int:
        """Count the documents that have any of the words."""
        return int((self.frequency(words) > 0).sum())

    def frequency(self, words: Sequence[int]) -> IntArray:
        """Return how often each document has any of the words, shape (D,)."""
        frequency = np.zeros(self.n_documents, dtype=np.int64)
        for word in words:
            documents, counts = self.documents_of(word)
            frequency[documents] += counts
        return frequency


def _sums(values: NDArray[np.int32], offsets: NDArray[Any]) -> IntArray:
    """Add up the values between each offset and the next."""
    filled = np.flatnonzero(np.diff(offsets) > 0)
    sums = np.zeros(len(offsets) - 1, dtype=np.int64)
    for first, last in blocks_of(ends := np.append(offsets[filled], offsets[-1])):
        block = values[ends[first] : ends[last]]
        sums[filled[first:last]] = np.add.reduceat(block, ends[first:last] - ends[first], dtype=np.int64)
    return sums


_INDICES: WeakKeyDictionary[Corpus, TermIndex] = WeakKeyDictionary()


# --- sums in any order --------------------------------------------------------------------------------------
#
# Sums that do not depend on the order of their terms.
#
# In: numbers. Out: the same numbers in whole units, which add up exactly, so that a score does not depend on
# the order of the documents.

SHARE_BITS = 60
"""Shares of one whole are added up in multiples of 2**-60."""

_MOST_BITS = 62


def in_units(values: FloatArray, n_bits: int) -> IntArray:
    """Return numbers as multiples of 2**-n_bits, rounded."""
    return np.rint(np.ldexp(values, n_bits)).astype(np.int64)


def bits_for(n_terms: int) -> int:
    """Return how fine the units may be in which `n_terms` numbers, none above 1, are added up."""
    return _MOST_BITS - int(n_terms).bit_length()
