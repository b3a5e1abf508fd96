"""A stand-in for a corpus: the arrays that the vectors need."""

from dataclasses import dataclass

import numpy as np
import pytest
from numpy.typing import NDArray


@dataclass(frozen=True)
class Tokens:
    vocabulary: tuple[str, ...]
    tokens: NDArray[np.int32]
    offsets: NDArray[np.int64]


@pytest.fixture
def tokens_of():
    """Return a function from lists of words to flat tokens."""

    def build(*documents):
        vocabulary = tuple(sorted({word for document in documents for word in document}))
        flat = [vocabulary.index(word) for document in documents for word in document]
        offsets = np.cumsum([0, *map(len, documents)])
        return Tokens(vocabulary, np.array(flat, dtype=np.int32), offsets.astype(np.int64))

    return build
