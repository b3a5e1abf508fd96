"""Random streams: SplitMix64, one stream for each (seed, sweep, shard).

In: whole numbers that say which stream. Out: its state, and numbers in [0, 1) from inside a kernel.
A stream depends on nothing but those numbers, so a sweep can be repeated, moved to another thread or
resumed and draws the same.
"""

from typing import Any

import numpy as np

from qdtm.compiling import njit

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
MIX_2 = np.uint64(0x94D049BB133111EB)
UNIT = 2.0**-53


@njit(nogil=True, cache=True, inline="always")
def uniform(stream: Any) -> Any:
    """Advance a stream; return its new state and a number in [0, 1) with 53 random bits."""
    stream = stream + GOLDEN
    x = (stream ^ (stream >> np.uint64(30))) * MIX_1
    x = (x ^ (x >> np.uint64(27))) * MIX_2
    x = x ^ (x >> np.uint64(31))
    return stream, np.float64(x >> np.uint64(11)) * UNIT


def open_stream(seed: int, *path: int) -> np.ndarray[Any, np.dtype[np.uint64]]:
    """Start the stream named by a seed and a path of whole numbers, such as (phase, sweep, shard).

    Returns
    -------
    ndarray of shape (1,)
        The state; a kernel advances it in place.
    """
    state = np.random.SeedSequence(seed, spawn_key=path).generate_state(1, np.uint64)
    return state.astype(np.uint64)
