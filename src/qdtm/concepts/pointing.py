"""How much a word points to some documents: whether meeting it says that one is among them.

In: the document-term matrix and a set of documents. Out: a weight for each word, from 0 (no more than chance)
to 1 (only there).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

MIN_POINTING = 0.65
"""What a concept word must reach that is proposed to a query asked alone: most of its documents."""

SHRINKAGE = 2.0
"""Documents' worth of doubt: a word met in few of them says little."""


def pointing(counts: Any, chosen: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Weigh each word by how much oftener than chance its documents are among the chosen ones.

    With s the share of a word's documents that are chosen and b that share over all documents, the weight is
    (s - b) / (1 - b), not below 0; s is shrunk towards b for words in few documents.

    Parameters
    ----------
    counts : CSR matrix of shape (D, V)
        The document-term matrix, without stored zeros.
    chosen : ndarray of bool, shape (D,)

    Returns
    -------
    ndarray of shape (V,)
    """
    n_documents = np.bincount(counts.indices, minlength=counts.shape[1])  # (V,)
    return pointing_of_counts(chosen_frequency(counts, chosen), n_documents, int(chosen.sum()), len(chosen))


def chosen_frequency(counts: Any, chosen: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Count the chosen documents that have each word, shape (V,)."""
    return np.bincount(counts[np.flatnonzero(chosen)].indices, minlength=counts.shape[1]).astype(np.int64)


def pointing_of_counts(
    with_word_chosen: NDArray[np.int64], with_word: NDArray[np.int64], n_chosen: int, n_documents: int
) -> NDArray[np.float64]:
    """Return `pointing` from counts: of chosen documents with each word, of all with it, and of either."""
    base = n_chosen / n_documents if n_documents else 1.0
    if base >= 1.0:
        return np.zeros(len(with_word))
    share = (with_word_chosen + SHRINKAGE * base) / (with_word + SHRINKAGE)
    return np.clip((share - base) / (1.0 - base), 0.0, 1.0)


def most_pointing(n_documents: int) -> float:
    """What a word of so many documents reaches if all of them are chosen."""
    return n_documents / (n_documents + SHRINKAGE)
