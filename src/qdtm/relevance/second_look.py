"""A second look at the documents, by their meaning: vectors and the model's own verdict in, scores out.

A ridge regression learns from the model's verdict what documents about a query are like, and says of each
document how much it is like them. A document is judged without its own verdict (leave-one-out, in closed
form), so one that the model judged by an odd word does not get its error back.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from qdtm.results.distributions import FloatArray

SHRINKAGE = 1.0
"""The ridge; document vectors have length 1."""


def second_look(vectors: FloatArray, verdict: NDArray[np.bool_]) -> FloatArray:
    """Judge each document by what the others with its meaning were judged.

    Parameters
    ----------
    vectors : ndarray of float64, shape (D, d)
    verdict : ndarray of bool, shape (D, Q)
        Whether the model says so far that a document is about a query.

    Returns
    -------
    ndarray of float64, shape (D, Q)
        About 1 for documents like those about the query, about 0 for others.
    """
    said = verdict.astype(np.float64)
    features = np.column_stack([np.ones(len(vectors)), vectors])  # (D, 1 + d)
    gram = features.T @ features
    gram[np.diag_indices(len(gram))] += SHRINKAGE
    inverse = np.linalg.inv(gram)  # (1 + d, 1 + d)
    fitted = features @ (inverse @ (features.T @ said))
    leverage = np.einsum("ij,jk,ik->i", features, inverse, features, optimize=True)[:, None]  # (D, 1)
    return np.asarray((fitted - leverage * said) / np.maximum(1.0 - leverage, 1e-6))
