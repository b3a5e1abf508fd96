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
    with_word = np.bincount(counts.indices, minlength=counts.shape[1])  # (V,)
    with_word_chosen = np.bincount(counts[np.flatnonzero(chosen)].indices, minlength=counts.shape[1])  # (V,)
    base = int(chosen.sum()) / len(chosen) if len(chosen) else 1.0
    if base >= 1.0:
        return np.zeros(counts.shape[1])
    share = (with_word_chosen + SHRINKAGE * base) / (with_word + SHRINKAGE)
    return np.clip((share - base) / (1.0 - base), 0.0, 1.0)


def most_pointing(n_documents: int) -> float:
    """What a word of so many documents reaches if all of them are chosen."""
    return n_documents / (n_documents + SHRINKAGE)
