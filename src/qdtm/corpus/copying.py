"""Runs of an array copied one after the other (numba): documents put into another order."""

from __future__ import annotations

from typing import Any

import numpy as np

from qdtm.compiling import njit

Array = np.ndarray[Any, np.dtype[Any]]


@njit(nogil=True, cache=True)
def copy_runs(values: Array, starts: Array, offsets: Array, found: Array) -> None:
    """Copy the run of values from ``starts[j]`` to ``found[offsets[j]:offsets[j + 1]]``, for each j."""
    for j in range(starts.size):
        for i in range(offsets[j + 1] - offsets[j]):
            found[offsets[j] + i] = values[starts[j] + i]
