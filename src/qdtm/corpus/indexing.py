"""Texts, or documents as lists of tokens, in, flat integer arrays out, in one pass.

The pass keeps four bytes for each token and one entry for each distinct token; the inner loop (split,
look up, append) runs in C, or compiled where there is much to split. Words are chosen afterwards, when their
frequencies are known, and the tokens of the others are taken out of the arrays.
"""

from __future__ import annotations

import dataclasses
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qdtm.corpus.text import TextPipeline
from qdtm.corpus.tokenizer import may_go_on
from qdtm.corpus.vocabulary import VocabularyLimits
from qdtm.errors import CorpusError

# --- a hash of each document's words ------------------------------------------------------------------------
#
# A hash of each document's words: documents as numbers in, a number a document out.
#
# It stands for the content of a document wherever an order or a sample is needed that does not depend on the
# order of the rows in a file.

BLOCK = 2**20
"""So many tokens are worked on at a time, so that what is needed on the way stays small."""

_FACTOR, _START = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xCBF29CE484222325)


def hash_documents(
    tokens: NDArray[np.int32] | NDArray[np.uint64], offsets: NDArray[np.int64]
) -> NDArray[np.uint64]:
    """Hash the words of each document in their order, shape (D,).

    The sum over a document's tokens of a mixed (word, place), mixed again: the same in any order of
    documents. Words are numbers; those of several vocabularies, hashes of their own.
    """
    parts = [
        _hash_block(tokens[offsets[first] : offsets[last]], offsets[first : last + 1] - offsets[first])
        for first, last in blocks_of(offsets)
    ]
    return np.concatenate([np.zeros(0, np.uint64), *parts])


def blocks_of(offsets: NDArray[np.int64]) -> Iterator[tuple[int, int]]:
    """Yield ranges of documents that together have about a block of tokens."""
    first, n_documents = 0, len(offsets) - 1
    while first < n_documents:
        last = int(np.searchsorted(offsets, offsets[first] + BLOCK, side="right")) - 1
        last = max(first + 1, last)
        yield first, last
        first = last


def _hash_block(tokens: NDArray[Any], offsets: NDArray[np.int64]) -> NDArray[np.uint64]:
    lengths = np.diff(offsets)
    place = np.arange(len(tokens), dtype=np.int64) - np.repeat(offsets[:-1], lengths)
    with np.errstate(over="ignore"):
        each = _mix(_mix(tokens.astype(np.uint64) + _START) + place.astype(np.uint64) * _FACTOR)
        sums = np.zeros(len(lengths), np.uint64)
        filled = lengths > 0
        if filled.any():
            sums[filled] = np.add.reduceat(each, offsets[:-1][filled], dtype=np.uint64)
        return _mix(sums + lengths.astype(np.uint64))


def _mix(x: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The finisher of splitmix64 (Steele, Lea and Flood 2014)."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed: NDArray[np.uint64] = x ^ (x >> np.uint64(31))
    return mixed


# --- tokens as numbers --------------------------------------------------------------------------------------

LEFT_OUT = -1

SCANNED_AT_ONCE = 2**22
"""So many characters are split by compiled code at a time; for fewer in all it is not worth loading."""

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
    joined : ndarray of uint8, shape (N,), optional
        1 for a token that stands side by side with the one before it in the text. None where that is not
        known: no phrases are found there.
    """

    words: list[str]
    tokens: NDArray[np.int32]
    offsets: NDArray[np.int64]
    n_read: int
    joined: NDArray[np.uint8] | None = None

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


def index_texts(
    texts: Iterable[str], pipeline: TextPipeline, *, fixed_words: Sequence[str] | None = None
) -> IndexedTokens:
    """Split texts and number their words, reading each text once.

    Parameters
    ----------
    texts : iterable of str
    pipeline : TextPipeline
        Its steps from a text to words; not its limits.
    fixed_words : sequence of str, optional
        As in `index_documents`, whose outcome for the pipeline's tokens this is.

    Returns
    -------
    IndexedTokens
    """
    pieces = _pieces(texts, SCANNED_AT_ONCE)
    first = next(pieces, [])
    if pipeline.tokenizer == "unicode" and sum(map(len, first)) >= SCANNED_AT_ONCE:
        return _index_scanned(chain([first], pieces), pipeline, fixed_words)
    every = chain(first, chain.from_iterable(pieces))
    if pipeline.finds_phrases:
        return _index_joined(every, pipeline, fixed_words)
    return index_documents(map(pipeline.split, every), pipeline.word, fixed_words=fixed_words)


def _index_joined(
    texts: Iterable[str], pipeline: TextPipeline, fixed_words: Sequence[str] | None
) -> IndexedTokens:
    """Number the words of texts, and keep which of them stand side by side."""
    numbers = _WordNumbers(pipeline.word, fixed_words)
    kept = _KeptTokens(keep_joined=True)
    block, joined, ends = array("i"), array("B"), array("q")
    for text in texts:
        tokens, side_by_side = pipeline.split_joined(text)
        block.fromlist(list(map(numbers.__getitem__, tokens)))
        joined.extend(side_by_side)
        ends.append(len(block))
        if len(block) >= BLOCK:
            kept.add(np.asarray(block), np.asarray(ends), np.asarray(joined))
            block, joined, ends = array("i"), array("B"), array("q")
    kept.add(np.asarray(block), np.asarray(ends), np.asarray(joined))
    return kept.finish(list(numbers.numbers))


def _index_scanned(
    pieces: Iterable[list[str]], pipeline: TextPipeline, fixed_words: Sequence[str] | None
) -> IndexedTokens:
    """Number the words of many texts with `scan_texts`, a piece at a time."""
    from qdtm.corpus.tokenizer_kernels import scan_texts

    numbers = _WordNumbers(pipeline.word, fixed_words)
    kept = _KeptTokens(keep_joined=pipeline.finds_phrases)
    for piece in pieces:
        scanned = scan_texts(list(map(pipeline.clean, piece)))
        number_of = np.array([numbers[token] for token in scanned.distinct], np.int32)
        if pipeline.finds_phrases:
            goes_on = np.array(list(map(may_go_on, scanned.distinct)), np.uint8)
            scanned.joined[1:] &= goes_on[scanned.tokens[:-1]]
        kept.add(number_of[scanned.tokens], scanned.ends, scanned.joined)
    return kept.finish(list(numbers.numbers))


def _pieces(texts: Iterable[str], n_characters: int) -> Iterator[list[str]]:
    """Yield the texts in lists, each with as many characters as asked for but the last."""
    piece: list[str] = []
    length = 0
    for text in texts:
        piece.append(text)
        length += len(text)
        if length >= n_characters or len(piece) >= n_characters:  # empty texts must not gather without end
            yield piece
            piece, length = [], 0
    if piece:
        yield piece


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
    kept = _KeptTokens()
    block, ends = array("i"), array("q")
    for j, tokens in enumerate(documents):
        try:
            block.fromlist(list(map(numbers.__getitem__, tokens)))
        except TypeError as error:
            raise CorpusError(f"Document {j} cannot be read as words: {error}.") from error
        ends.append(len(block))
        if len(block) >= BLOCK:
            kept.add(np.asarray(block), np.asarray(ends))
            block, ends = array("i"), array("q")
    kept.add(np.asarray(block), np.asarray(ends))
    return kept.finish(list(numbers.numbers))


def apply_limits(indexed: IndexedTokens, limits: VocabularyLimits) -> IndexedTokens:
    """Keep the words that the limits allow, in alphabetical order, and the tokens of those words."""
    counted = np.full(indexed.n_documents, limits.count_copies)
    if not limits.count_copies:
        counted |= first_of_each(hash_documents(indexed.tokens, indexed.offsets))
    in_documents, occurrences = word_frequencies(indexed, counted)
    chosen = limits.select(indexed.words, in_documents, occurrences, int(counted.sum()))
    return renumber(indexed, [indexed.words[w] for w in chosen])


def first_of_each(hashes: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """Mark the first document of each content, (D,)."""
    first = np.zeros(len(hashes), np.bool_)
    first[np.unique(hashes, return_index=True)[1]] = True
    return first


def check_tokens_left(n_documents: int, n_read: int, n_tokens: int) -> None:
    """Raise unless there are documents with tokens, of `n_read` before cleaning."""
    if not n_documents:
        raise CorpusError("The corpus is empty: it has no documents.")
    if n_tokens:
        return
    if not n_read:
        raise CorpusError(f"The corpus is empty: there is no word in any of its {n_documents:,} documents.")
    raise CorpusError(
        f"Nothing is left of the {n_documents:,} documents after cleaning: all {n_read:,} tokens are "
        "stop words, numbers or too short; change the TextPipeline (language, stop_words, min_token_length)."
    )


def check_words_left(n_left: int, n_words: int, limits: VocabularyLimits, n_documents: int) -> None:
    """Raise unless the limits leave a word of `n_words`."""
    if n_left:
        return
    lowest, highest = limits.document_range(n_documents)
    raise CorpusError(
        f"None of the {n_words:,} words is left: none occurs in at least {lowest:,} and at "
        f"most {highest:,} of the {n_documents:,} documents; change min_df or max_df."
    )


def renumber(indexed: IndexedTokens, words: Sequence[str]) -> IndexedTokens:
    """Express tokens over another list of words, leaving out the words it does not have."""
    numbers = {word: w for w, word in enumerate(words)}
    new_number = np.array([numbers.get(word, LEFT_OUT) for word in indexed.words], dtype=np.int32)  # (V,)
    kept = _KeptTokens(keep_joined=indexed.joined is not None)
    for first, last in blocks_of(indexed.offsets):
        start, end = indexed.offsets[first], indexed.offsets[last]
        joined = None if indexed.joined is None else indexed.joined[start:end]
        kept.add(new_number[indexed.tokens[start:end]], indexed.offsets[first + 1 : last + 1] - start, joined)
    return dataclasses.replace(kept.finish(list(words)), n_read=indexed.n_read)


def count_numbers(values: NDArray[np.integer[Any]], minlength: int = 0) -> NDArray[np.int64]:
    """Count how often each number from 0 occurs, as `np.bincount` does, a block at a time."""
    n_numbers = max(int(values.max(initial=-1)) + 1, minlength)
    counts = np.zeros(n_numbers, np.int64)
    for at in range(0, len(values), BLOCK):
        counts += np.bincount(values[at : at + BLOCK], minlength=n_numbers)
    return counts


def word_frequencies(
    indexed: IndexedTokens, counted: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Count the documents and the occurrences of each word, a block of documents at a time; shapes (V,).

    Parameters
    ----------
    counted : ndarray of bool, shape (D,)
        Which documents count.
    """
    n_words = len(indexed.words)
    in_documents = np.zeros(n_words, dtype=np.int64)  # (V,)
    occurrences = np.zeros(n_words, dtype=np.int64)  # (V,)
    for first, last in blocks_of(indexed.offsets):
        start, end = indexed.offsets[first], indexed.offsets[last]
        lengths = np.diff(indexed.offsets[first : last + 1])
        tokens = indexed.tokens[start:end][np.repeat(counted[first:last], lengths)]
        offsets = np.concatenate([[0], np.cumsum(lengths[counted[first:last]])])
        in_documents += _document_frequency(tokens, offsets, n_words)
        occurrences += np.bincount(tokens, minlength=n_words)
    return in_documents, occurrences


def _document_frequency(
    tokens: NDArray[np.int32], offsets: NDArray[np.int64], n_words: int
) -> NDArray[np.int64]:
    """Count the documents of each word, shape (V,); sorting by word is faster than sorting each document."""
    from scipy.sparse import csr_matrix

    present = np.ones(len(tokens), dtype=np.bool_)
    by_word = csr_matrix((present, tokens, offsets), shape=(len(offsets) - 1, n_words)).tocsc()
    by_word.sum_duplicates()
    starts: NDArray[np.integer[Any]] = by_word.indptr  # (V + 1,)
    return np.diff(starts).astype(np.int64)


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


class _KeptTokens:
    """Tokens that grow by blocks of whole documents, without those that are left out."""

    def __init__(self, *, keep_joined: bool = False) -> None:
        self._tokens = array("i")
        self._offsets = array("q", [0])
        self._joined = array("B") if keep_joined else None
        self._n_read = 0

    def add(
        self, block: NDArray[np.int32], ends: NDArray[np.int64], joined: NDArray[np.uint8] | None = None
    ) -> None:
        """Append documents, given by their tokens and the end of each document in the block.

        What follows a token that is left out is side by side with nothing.
        """
        is_kept = block != LEFT_OUT
        if self._joined is not None and joined is not None:
            follows = joined.copy()
            follows[1:] &= is_kept[:-1]
            self._joined.frombytes(follows[is_kept].tobytes())
        n_kept_before = np.concatenate([[0], np.cumsum(is_kept)])
        self._offsets.frombytes((len(self._tokens) + n_kept_before[ends]).astype(np.int64).tobytes())
        self._tokens.frombytes(block[is_kept].astype(np.int32).tobytes())
        self._n_read += len(block)

    def finish(self, words: list[str]) -> IndexedTokens:
        """Return what has been added."""
        joined = None if self._joined is None else np.asarray(self._joined)
        return IndexedTokens(words, np.asarray(self._tokens), np.asarray(self._offsets), self._n_read, joined)
