"""Documents as lists of tokens in, flat integer arrays out, in one pass.

The pass keeps one small integer for each token and one entry for each distinct token; the inner loop (split,
look up, append) runs in C. Words are chosen afterwards, when their frequencies are known, and the tokens of
the others are taken out of the arrays.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qdtm.corpus.vocabulary import VocabularyLimits
from qdtm.errors import CorpusError

LEFT_OUT = -1

_LONGEST_NUMBER = 4
"""Longer numbers that are left out are not remembered, for there is no end to them."""

WordOf = Callable[[str], str | None]


@dataclass(frozen=True)
class IndexedTokens:
    """Flat tokens over a list of words.

    Attributes
    ----------
    words : list of str, length V
    tokens : ndarray of int32, shape (N,)
        Word index of each token, document after document.
    offsets : ndarray of int64, shape (D + 1,)
        Document `j` is `tokens[offsets[j]:offsets[j + 1]]`.
    n_read : int
        The number of tokens before any was left out.
    """

    words: list[str]
    tokens: NDArray[np.int32]
    offsets: NDArray[np.int64]
    n_read: int

    @property
    def n_documents(self) -> int:
        """The number of documents, empty ones included."""
        return len(self.offsets) - 1


class _WordNumbers(dict[str, int]):
    """Word numbers by token, worked out when a token is first met; open-ended, or for fixed words only."""

    def __init__(self, word_of: WordOf, fixed_words: Sequence[str] | None) -> None:
        self._word_of = word_of
        self._is_open = fixed_words is None
        self.numbers: dict[str, int] = {word: w for w, word in enumerate(fixed_words or ())}

    def __missing__(self, token: str) -> int:
        if not isinstance(token, str):
            raise TypeError(f"the token {token!r} is not a string")
        word = self._word_of(token)
        if word is None or word == "":
            number = LEFT_OUT
        elif self._is_open:
            number = self.numbers.setdefault(word, len(self.numbers))
        else:
            number = self.numbers.get(word, LEFT_OUT)
        if number != LEFT_OUT or len(token) <= _LONGEST_NUMBER or not token.isdecimal():
            self[token] = number
        return number


def index_documents(
    documents: Iterable[Iterable[str]], word_of: WordOf, *, fixed_words: Sequence[str] | None = None
) -> IndexedTokens:
    """Number the words of all documents, reading each document once.

    Parameters
    ----------
    documents : iterable of iterables of str
        The tokens of each document.
    word_of : callable
        The word that a token becomes, or None; called once for each distinct token.
    fixed_words : sequence of str, optional
        Number these words only, in this order, and leave out all others.

    Returns
    -------
    IndexedTokens
        Without `fixed_words`, words are numbered as they are met.
    """
    numbers = _WordNumbers(word_of, fixed_words)
    flat, ends = array("i"), array("q", [0])
    for j, tokens in enumerate(documents):
        try:
            flat.fromlist(list(map(numbers.__getitem__, tokens)))
        except TypeError as error:
            raise CorpusError(f"Document {j} cannot be read as words: {error}.") from error
        ends.append(len(flat))
    kept, offsets = _drop_left_out(np.asarray(flat, dtype=np.int32), np.asarray(ends, dtype=np.int64))
    return IndexedTokens(list(numbers.numbers), kept, offsets, n_read=len(flat))


def apply_limits(indexed: IndexedTokens, limits: VocabularyLimits) -> IndexedTokens:
    """Keep the words that the limits allow, in alphabetical order, and the tokens of those words."""
    n_documents, n_words = indexed.n_documents, len(indexed.words)
    matrix = count_matrix(indexed.tokens, indexed.offsets, n_words)  # (D, V)
    frequency = np.bincount(matrix.indices, minlength=n_words).astype(np.int64)  # (V,)
    counts = np.bincount(indexed.tokens, minlength=n_words).astype(np.int64)  # (V,)
    chosen = limits.select(indexed.words, frequency, counts, n_documents)
    return renumber(indexed, [indexed.words[w] for w in chosen])


def renumber(indexed: IndexedTokens, words: Sequence[str]) -> IndexedTokens:
    """Express tokens over another list of words, leaving out the words it does not have."""
    numbers = {word: w for w, word in enumerate(words)}
    new_number = np.array([numbers.get(word, LEFT_OUT) for word in indexed.words], dtype=np.int32)  # (V,)
    kept, offsets = _drop_left_out(new_number[indexed.tokens], indexed.offsets)
    return IndexedTokens(list(words), kept, offsets, n_read=indexed.n_read)


def count_matrix(tokens: NDArray[np.int32], offsets: NDArray[np.int64], n_words: int) -> Any:
    """Count the words of each document.

    Returns
    -------
    scipy.sparse.csr_matrix of int32, shape (D, V)
        With sorted indices.
    """
    from scipy.sparse import csr_matrix

    ones = np.ones(len(tokens), dtype=np.int32)
    matrix = csr_matrix((ones, tokens.copy(), offsets.copy()), shape=(len(offsets) - 1, n_words))
    matrix.sum_duplicates()
    return matrix


def _drop_left_out(
    flat: NDArray[np.int32], ends: NDArray[np.int64]
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    is_kept = flat != LEFT_OUT  # (N,)
    n_kept_before = np.concatenate([[0], np.cumsum(is_kept)])  # (N + 1,)
    return flat[is_kept], n_kept_before[ends].astype(np.int64)
