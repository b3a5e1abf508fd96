"""Which words of a corpus become its vocabulary: document frequencies in, a choice of words out."""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable
from dataclasses import dataclass
from typing import SupportsInt, TypeGuard

import numpy as np
from numpy.typing import NDArray

from qdtm.errors import ParameterError

DEFAULT_MAX_WORDS = 30_000


@dataclass(frozen=True)
class VocabularyLimits:
    """The limits that a word must keep to enter the vocabulary.

    Parameters
    ----------
    min_df : int, float or "auto"
        In how many documents a word must occur: a count, or a share of the documents below 1. `"auto"` is 3,
        relaxed for small corpora: 1 below 50 documents, 2 below 100.
    max_df : int or float
        In how many documents a word may occur at most: a count, or a share of the documents; 1.0 is no limit.
        There is none by default, because a corpus that is all about one thing must keep the word for it.
    max_words : int or None
        Keep the most frequent words only, by occurrences (ties in alphabetical order). None is no limit.
    count_copies : bool
        Whether documents count that repeat another word for word; by default they do not, so that a text
        which is there a thousand times brings no more words than if it were there once.
    """

    min_df: int | float | str = "auto"
    max_df: int | float = 1.0
    max_words: int | None = DEFAULT_MAX_WORDS
    count_copies: bool = False

    def __post_init__(self) -> None:
        if self.min_df != "auto":
            object.__setattr__(self, "min_df", _checked_frequency("min_df", self.min_df))
        object.__setattr__(self, "max_df", _checked_frequency("max_df", self.max_df))
        if self.max_words is not None:
            if not _is_count(self.max_words):
                raise ParameterError(
                    f"max_words must be a whole number of at least 1, or None; got {self.max_words!r}."
                )
            object.__setattr__(self, "max_words", int(self.max_words))

    @classmethod
    def unlimited(cls) -> VocabularyLimits:
        """Return limits that every word keeps."""
        return cls(min_df=1, max_df=1.0, max_words=None)

    def document_range(self, n_documents: int) -> tuple[int, int]:
        """Return the lowest and the highest document frequency allowed in a corpus of `n_documents`."""
        if isinstance(self.min_df, str):
            lowest = min(3, 1 + n_documents // 50)
        else:
            lowest = max(1, _as_count(self.min_df, n_documents, rounding=math.ceil))
        return lowest, _as_count(self.max_df, n_documents, rounding=math.floor)

    def select(
        self,
        words: list[str],
        document_frequency: NDArray[np.int64],
        word_counts: NDArray[np.int64],
        n_documents: int,
    ) -> list[int]:
        """Choose the words that keep the limits.

        Parameters
        ----------
        words : list of str, length V
        document_frequency, word_counts : ndarray of int64, shape (V,)
        n_documents : int

        Returns
        -------
        list of int
            The indices of the chosen words, in alphabetical order of the words.
        """
        lowest, highest = self.document_range(n_documents)
        allowed = np.flatnonzero((document_frequency >= lowest) & (document_frequency <= highest)).tolist()
        if self.max_words is not None and len(allowed) > self.max_words:
            counts = word_counts.tolist()
            allowed.sort(key=lambda w: (-counts[w], words[w]))
            allowed = allowed[: self.max_words]
        return sorted(allowed, key=words.__getitem__)


def _as_count(value: int | float, n_documents: int, rounding: Callable[[float], int]) -> int:
    """Return a document frequency, given as a count or as a share, as a count."""
    if isinstance(value, int):
        return value
    # 0.1 of 30 documents is 3, though 0.1 * 30 is a little more in floating point.
    return rounding(round(value * n_documents, 9))


def _checked_frequency(name: str, value: object) -> int | float:
    """Return a document frequency as a plain int (a count) or float (a share)."""
    if _is_count(value):
        return int(value)
    if isinstance(value, numbers.Real) and not isinstance(value, numbers.Integral) and 0 <= float(value) <= 1:
        return float(value)
    raise ParameterError(
        f"{name} must be a number of documents (1, 2, ...) or a share of them (0.0 to 1.0); got {value!r}."
    )


def _is_count(value: object) -> TypeGuard[SupportsInt]:
    return isinstance(value, numbers.Integral) and not isinstance(value, bool) and int(value) >= 1
