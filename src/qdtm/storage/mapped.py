"""Arrays as long as others, and where these are: in memory, or in a file that is read as it is needed.

In: an array. Out: one beside it. The numbers of an index in parts lie in files of the cache folder
(`qdtm.corpus.parts`); so does then what is worked out for every token, and no process holds it in memory.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qdtm.errors import StorageError
from qdtm.storage.cache import cache_directory

BLOCK = 2**20
"""Numbers that are worked on at a time."""


def is_mapped(array: NDArray[Any]) -> bool:
    """Return whether an array lies in a file."""
    base: Any = array
    while isinstance(base, np.ndarray) and not isinstance(base, np.memmap):
        base = base.base
    return isinstance(base, np.memmap)


def empty_beside(array: NDArray[Any], shape: int | tuple[int, ...], dtype: Any) -> NDArray[Any]:
    """Make an array without values where another is.

    Raises
    ------
    StorageError
        If that is a file, and the disk has no room for another.
    """
    n_bytes = int(np.prod(shape)) * np.dtype(dtype).itemsize
    if not n_bytes or not is_mapped(array):
        return np.empty(shape, dtype)
    folder = cache_directory()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(prefix="qdtm-", dir=folder) as file:  # gone when nobody has it open
            _reserve(file.fileno(), n_bytes)
            return np.asarray(np.memmap(file, dtype, "r+", shape=shape))
    except OSError as error:
        raise StorageError(
            f"Cannot write {n_bytes:,} bytes to {str(folder)!r}: {error.strerror or error}."
        ) from error


def _reserve(file: int, n_bytes: int) -> None:
    """Make room now: a disk that is full later would end the process without a word."""
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(file, 0, n_bytes)
    else:
        os.truncate(file, n_bytes)


def full_beside(array: NDArray[Any], value: int, dtype: Any) -> NDArray[Any]:
    """Make an array as long as another, where that is, with one value."""
    found = empty_beside(array, len(array), dtype)
    found[:] = value
    return found


def moved_beside(array: NDArray[Any], values: NDArray[Any]) -> NDArray[Any]:
    """Return values that are kept for long, where an array is."""
    if not is_mapped(array):
        return values
    found = empty_beside(array, values.shape, values.dtype)
    found[...] = values
    return found


def concatenate_beside(first: NDArray[Any], *others: NDArray[Any]) -> NDArray[Any]:
    """Put arrays one after the other, where the first is, with its type."""
    found = empty_beside(first, len(first) + sum(map(len, others)), first.dtype)
    return np.concatenate([first, *others], out=found, casting="same_kind")


def map_blocks(
    function: Callable[..., Any], *arrays: NDArray[Any], dtype: Any, out: NDArray[Any] | None = None
) -> NDArray[Any]:
    """Work out each number from those at the same place of some arrays, a block at a time.

    Parameters
    ----------
    function : callable
        Takes a block of each array.
    out : ndarray, optional
        Where to; by default an array beside the first.
    """
    found = empty_beside(arrays[0], len(arrays[0]), dtype) if out is None else out
    for here in blocks(len(arrays[0])):
        found[here] = function(*(array[here] for array in arrays))
    return found


def places_where(function: Callable[..., Any], *arrays: NDArray[Any]) -> NDArray[np.int64]:
    """Find the places at which something holds for the numbers of some arrays, a block at a time."""
    found = [
        here.start + np.flatnonzero(function(*(array[here] for array in arrays)))
        for here in blocks(len(arrays[0]))
    ]
    return np.concatenate([np.zeros(0, np.int64), *found])


def blocks(n: int, size: int = BLOCK) -> Iterator[slice]:
    """Yield the slices that `n` numbers are worked on in."""
    yield from (slice(at, min(at + size, n)) for at in range(0, n, size))
