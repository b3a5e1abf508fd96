"""Sums that do not depend on the order of their terms.

In: numbers. Out: the same numbers in whole units, which add up exactly, so that a score does not depend on
the order of the documents.
"""

from __future__ import annotations

import numpy as np

from qdtm.concepts.term_index import FloatArray, IntArray

SHARE_BITS = 60
"""Shares of one whole are added up in multiples of 2**-60."""

_MOST_BITS = 62


def in_units(values: FloatArray, n_bits: int) -> IntArray:
    """Return numbers as multiples of 2**-n_bits, rounded."""
    return np.rint(np.ldexp(values, n_bits)).astype(np.int64)


def bits_for(n_terms: int) -> int:
    """Return how fine the units may be in which `n_terms` numbers, none above 1, are added up."""
    return _MOST_BITS - int(n_terms).bit_length()
