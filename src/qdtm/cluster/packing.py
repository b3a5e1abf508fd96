"""What goes over the network, made small: counts on the way out, differences on the way back (numba).

In: arrays of whole numbers. Out: the same numbers in few bytes, and the arrays again.

Most counts of a word in a topic are small, many are 0: they travel as a byte each, and those that do not fit
into one are listed. A shard changes few of them: of its difference only the cells that are not 0 travel.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from qdtm.sampler.kernels import Array, Counts, Tally

LARGE = 255
"""Counts from here on are listed."""


class PackedCounts(NamedTuple):
    """An array of counts, none of them negative."""

    small: Array  # uint8, in the shape of the counts; `LARGE` stands for a listed one
    large: Array  # (n,) uint32: the listed ones, in order


class Sparse(NamedTuple):
    """The cells of an array of whole numbers that are not 0."""

    shape: tuple[int, ...]
    cells: Array  # (n,) uint32 or uint64: where they are in the flat array, rising
    values: Array  # (n,) int8, int16, int32 or int64


class Difference(NamedTuple):
    """What a sweep changed, and the tally after it."""

    n_wk: Sparse
    promoted_wq: Sparse
    documents_kn: Sparse
    further_tables: Sparse


def pack_counts(counts: Array) -> PackedCounts:
    """Pack an array of whole numbers from 0 up, of any type."""
    small = np.minimum(counts, LARGE).astype(np.uint8)
    return PackedCounts(small, counts[small == LARGE].astype(np.uint32))


def unpack_counts(packed: PackedCounts, out: Array) -> None:
    """Write the counts into an array of the same shape."""
    out[:] = packed.small
    out[packed.small == LARGE] = packed.large


def sparse_difference(after: Array, before: Array) -> Sparse:
    """The cells in which two arrays differ, with ``after - before``."""
    cells = np.flatnonzero(after != before)
    values = after.reshape(-1)[cells] - before.reshape(-1)[cells]
    return Sparse(after.shape, _as_cells(cells, after.size), _narrowed(values))


def sparse(array: Array) -> Sparse:
    """The cells of an array that are not 0."""
    cells = np.flatnonzero(array)
    return Sparse(array.shape, _as_cells(cells, array.size), _narrowed(array.reshape(-1)[cells]))


def add_sparse(total: Array, part: Sparse) -> None:
    """Add to an array in place."""
    if total.shape != part.shape:
        raise ValueError(f"a difference of shape {part.shape} for counts of shape {total.shape}")
    _scatter(total.reshape(-1), part.cells, part.values)


def make_difference(after: Counts, before: Counts, tally: Tally) -> Difference:
    """Put together what a sweep reports."""
    return Difference(
        sparse_difference(after.n_wk, before.n_wk),
        sparse_difference(after.promoted_wq, before.promoted_wq),
        sparse(tally.documents_kn),
        sparse(tally.further_tables),
    )


def merge(parts: Sequence[Difference]) -> Difference:
    """Add up differences, which are over the same counts."""
    return Difference(*(_merge_sparse(same) for same in zip(*parts, strict=True)))


def _merge_sparse(parts: Sequence[Sparse]) -> Sparse:
    """Add up parts of the same shape, in a dense array: sorting all their cells would take far longer."""
    wide = any(part.values.itemsize == 8 for part in parts)
    total = np.zeros(parts[0].shape, np.int64 if wide else np.int32)
    for part in parts:
        add_sparse(total, part)
    return sparse(total)


def _as_cells(cells: NDArray[np.int64], size: int) -> NDArray[Any]:
    """Positions in an array of that size, in the smaller type that holds them."""
    return cells.astype(np.uint32 if size < 2**32 else np.uint64)


def _narrowed(values: NDArray[Any]) -> NDArray[Any]:
    """The same whole numbers in the smallest signed type that holds them."""
    lowest, highest = int(values.min(initial=0)), int(values.max(initial=0))
    kinds = (np.int8, np.int16, np.int32, np.int64)
    fitting = (k for k in kinds if np.iinfo(k).min <= lowest and highest <= np.iinfo(k).max)
    return values.astype(next(fitting))


@njit(nogil=True, cache=True)
def _scatter(total: Array, cells: Array, values: Array) -> None:
    """NumPy: ``total[cells] += values``, where no cell occurs twice."""
    for i in range(cells.size):
        total[cells[i]] += values[i]
