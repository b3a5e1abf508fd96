"""The phrases that a vocabulary has, by their words; documents expressed in them, and taken apart again.

In: a corpus with phrases (`qdtm.corpus.phrases` finds them). Out: `PhraseIndex` and `WordSplit`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from qdtm.corpus.indexing import IndexedTokens, renumber
from qdtm.corpus.phrases import cut_phrases

if TYPE_CHECKING:
    from qdtm.corpus.corpus import Corpus


class PhraseIndex:
    """The phrases of a vocabulary, by their words.

    Parameters
    ----------
    vocabulary : sequence of str
        A phrase is an entry of several words, parted by spaces.
    """

    def __init__(self, vocabulary: Sequence[str]) -> None:
        self.words_of: dict[int, tuple[str, ...]] = {
            w: tuple(entry.split(" ")) for w, entry in enumerate(vocabulary) if " " in entry
        }
        self._with_word: dict[str, list[int]] = {}
        for w, words in self.words_of.items():
            for word in dict.fromkeys(words):
                self._with_word.setdefault(word, []).append(w)
        self._entries = {words: w for w, words in self.words_of.items()}
        self._openings = {words[:n] for words in self._entries for n in range(1, len(words))}
        self._first = {words[0] for words in self._entries}

    @classmethod
    def of(cls, corpus: Any) -> PhraseIndex:
        """Return the phrases of a corpus, which are looked up once; none if its pipeline finds none."""
        if corpus not in _INDICES:
            _INDICES[corpus] = cls(corpus.vocabulary if corpus.pipeline.finds_phrases else ())
        return _INDICES[corpus]

    def __len__(self) -> int:
        return len(self.words_of)

    @property
    def words(self) -> Iterable[str]:
        """All words of phrases."""
        return self._with_word.keys()

    def with_word(self, word: str) -> tuple[int, ...]:
        """Return the phrases that have a word."""
        return tuple(self._with_word.get(word, ()))

    def length(self, entry: int) -> int:
        """Return how many words an entry of the vocabulary has."""
        return len(self.words_of.get(entry, ("",)))

    def find(self, words: Sequence[str]) -> int | None:
        """Return the phrase that words are, if they are one."""
        return self._entries.get(tuple(words))

    def cut(self, words: Sequence[str | None], joined: Sequence[bool]) -> Iterator[tuple[int, int, int]]:
        """Yield the phrases of a sequence of words as `cut_phrases` cuts them: number, first place, length.

        None stands for a word that the vocabulary does not have.
        """
        i, first = 0, self._first
        while i < len(words):
            if words[i] not in first:
                i += 1
                continue
            best, n = (-1, 1), 1
            while i + n < len(words) and joined[i + n] and tuple(words[i : i + n]) in self._openings:
                n += 1
                found = self._entries.get(tuple(words[i : i + n]))  # type: ignore[arg-type]
                best = best if found is None else (found, n)
            if best[0] >= 0:
                yield best[0], i, best[1]
            i += best[1]


def words_within(corpus: Any) -> list[str]:
    """Return the words of a corpus' vocabulary, those of its phrases included, each once."""
    phrases = PhraseIndex.of(corpus)
    single = (word for w, word in enumerate(corpus.vocabulary) if w not in phrases.words_of)
    return list(dict.fromkeys([*single, *phrases.words]))


def express(indexed: IndexedTokens, like: Corpus) -> IndexedTokens:
    """Express documents in the vocabulary of a corpus, whose phrases are cut out; other words are left out.

    Of ready tokens nobody knows what stood between them: they are taken to stand side by side.
    """
    phrases = PhraseIndex.of(like)
    if not phrases:
        return renumber(indexed, like.vocabulary)
    numbers = {word: w for w, word in enumerate(indexed.words)}
    known = {
        like.vocabulary[p]: tuple(numbers[word] for word in words)
        for p, words in phrases.words_of.items()
        if all(word in numbers for word in words)
    }
    if indexed.joined is None:
        joined = np.ones(len(indexed.tokens), np.uint8)
        indexed = replace(indexed, joined=joined)
    return cut_phrases(indexed, known, like.vocabulary)


def split_phrases(indexed: IndexedTokens, corpus: Corpus) -> IndexedTokens:
    """Take the phrases of a corpus apart; their words stand side by side, and nothing else is known to."""
    split = WordSplit.of(corpus)
    if split is None:
        return indexed
    tokens, offsets, n_each = split.tokens(indexed.tokens, indexed.offsets)
    joined = np.ones(len(tokens), np.uint8)
    joined[np.cumsum(n_each) - n_each] = 0
    return replace(indexed, words=split.words, tokens=tokens, offsets=offsets, joined=joined)


class WordSplit:
    """The vocabulary of a corpus taken apart: which words each entry has.

    Parameters
    ----------
    corpus : Corpus

    Attributes
    ----------
    words : list of str, length V'
    place : dict of str to int
        Of each of them.
    matrix : scipy CSR matrix of int32, shape (V, V')
        1 where an entry has a word.
    """

    def __init__(self, corpus: Any) -> None:
        from scipy.sparse import csr_matrix

        phrases, self.words = PhraseIndex.of(corpus), words_within(corpus)
        self.place = {word: w for w, word in enumerate(self.words)}
        parts = [phrases.words_of.get(w, (entry,)) for w, entry in enumerate(corpus.vocabulary)]
        indices = [self.place[word] for each in parts for word in each]
        offsets = np.cumsum([0, *map(len, parts)])
        shape = (len(parts), len(self.words))
        self.matrix = csr_matrix((np.ones(len(indices), np.int32), indices, offsets), shape=shape)

    @classmethod
    def of(cls, corpus: Any) -> WordSplit | None:
        """Return it for a corpus that has phrases."""
        return cls(corpus) if PhraseIndex.of(corpus) else None

    def counts(self, counts: Any) -> Any:
        """Count words in place of entries: CSR, (D, V) in, (D, V') out."""
        split = (counts @ self.matrix).tocsr()
        split.sort_indices()
        return split

    def tokens(
        self, tokens: NDArray[np.int32], offsets: NDArray[np.int64]
    ) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.uint8]]:
        """Put words in place of entries: (N,) in, (N',) out; their offsets; how many each becomes, (N,)."""
        return split_tokens(self.matrix, tokens, offsets)

    def totals(self, values: NDArray[Any]) -> NDArray[Any]:
        """Add up what the entries with each word have: (V, ...) in, (V', ...) out."""
        return np.asarray(self.matrix.T @ values, values.dtype)

    def own(self, values: NDArray[Any], vocabulary: Sequence[str]) -> NDArray[Any]:
        """Give each word what it has as an entry, or else its phrases' mean: (V, d) in, (V', d) out."""
        n_entries = np.asarray(self.matrix.sum(axis=0)).ravel()  # (V',)
        found = (self.matrix.T @ values / n_entries[:, None]).astype(values.dtype)
        at = [(self.place[entry], w) for w, entry in enumerate(vocabulary) if entry in self.place]
        found[[place for place, _ in at]] = values[[w for _, w in at]]
        return np.asarray(found)

    def places(self, words: Iterable[str]) -> tuple[int, ...]:
        """Return where words are; of phrases, where their words are."""
        single = dict.fromkeys(each for word in words for each in word.split(" "))
        return tuple(self.place[word] for word in single if word in self.place)


def split_tokens(
    matrix: Any, tokens: NDArray[np.int32], offsets: NDArray[np.int64]
) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.uint8]]:
    """Put words in place of entries, by the matrix of a `WordSplit`; see `WordSplit.tokens`."""
    from qdtm.corpus.kernels import take_apart  # slow to load

    n_each = np.diff(matrix.indptr).astype(np.uint8)[tokens]  # (N,): phrases have few words
    words = np.empty(int(n_each.sum(dtype=np.int64)), np.int32)
    split_offsets = np.zeros(len(offsets), np.int64)
    take_apart(tokens, offsets, matrix.indptr, matrix.indices, words, split_offsets)
    return words, split_offsets, n_each


_INDICES: WeakKeyDictionary[Any, PhraseIndex] = WeakKeyDictionary()
