"""How often a word may occur so that its counts stay exact: word counts in, an error out if one is too many.

The kernel counts in float32, which holds every whole number up to 2**24 and not all beyond. No count of a
word in a topic is larger than the count of the word, so a look at the corpus is enough. All else is counted
in whole numbers of 32 or 64 bits, and promoted mass is never added up as it goes: it is a number of tokens
times a multiple of 2**-10, worked out anew for every sweep, so that it cannot drift.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from qdtm.errors import CorpusError

MAX_OCCURRENCES = 2**24 - 1
"""Of a word in a corpus; one more is left for the document of concept words."""


def check_countable(word_counts: NDArray[np.int64], vocabulary: Sequence[str]) -> None:
    """Refuse a corpus that has a word more often than can be counted exactly.

    Parameters
    ----------
    word_counts : ndarray of int64, shape (V,)
    vocabulary : sequence of str, length V

    Raises
    ------
    CorpusError
    """
    most = int(np.argmax(word_counts)) if len(word_counts) else None
    if most is not None and word_counts[most] > MAX_OCCURRENCES:
        raise CorpusError(
            f"The word {vocabulary[most]!r} occurs {int(word_counts[most]):,} times, and a word is counted "
            f"exactly up to {MAX_OCCURRENCES:,} times; make it a stop word, lower max_df, or fit a part."
        )
