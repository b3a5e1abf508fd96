"""Numbers that travel: the same at the other end."""

from __future__ import annotations

import numpy as np
import pytest

from qdtm.cluster.packing import (
    LARGE,
    Difference,
    add_sparse,
    make_difference,
    merge,
    pack_counts,
    sparse,
    sparse_difference,
    unpack_counts,
)
from qdtm.sampler.assignment import empty_tally
from qdtm.sampler.kernels import Counts


def random_counts(seed: int, shape: tuple[int, int] = (40, 16)) -> np.ndarray:
    """Mostly small, some large, as words in topics are."""
    rng = np.random.default_rng(seed)
    return np.floor(rng.pareto(0.5, shape)).clip(0, 2**24).astype(np.float32)


@pytest.mark.parametrize("dtype", [np.float32, np.int32, np.int64])
def test_counts_come_out_as_they_went_in(dtype: type) -> None:
    counts = random_counts(0).astype(dtype)
    counts[:3, 0] = LARGE - 1, LARGE, LARGE + 1
    assert (counts > LARGE).any()
    again = np.full_like(counts, 7)
    unpack_counts(pack_counts(counts), again)
    np.testing.assert_array_equal(again, counts)


def test_a_count_that_is_small_takes_a_byte() -> None:
    packed = pack_counts(np.full((100, 8), LARGE - 1, np.float32))
    assert packed.small.nbytes + packed.large.nbytes == 800


def test_no_counts_at_all() -> None:
    packed, again = pack_counts(np.zeros((5, 0), np.int32)), np.zeros((5, 0), np.int32)
    unpack_counts(packed, again)
    assert again.shape == (5, 0)


@pytest.mark.parametrize("largest", [1, 127, 128, 40_000, 2**23])
def test_a_difference_leads_from_before_to_after(largest: int) -> None:
    before, after = random_counts(1), random_counts(1)
    after[3, 4] += largest
    after[7, 0] += 1
    change = sparse_difference(after, before)
    assert len(change.cells) == 2
    assert change.values.itemsize <= (1 if largest < 128 else 4)
    add_sparse(before, change)
    np.testing.assert_array_equal(before, after)


def test_nothing_changed() -> None:
    before = random_counts(2)
    change = sparse_difference(before, before.copy())
    assert change.cells.nbytes == change.values.nbytes == 0


def test_a_difference_over_other_counts_is_refused() -> None:
    change = sparse(np.ones((2, 3), np.int64))
    with pytest.raises(ValueError, match="shape"):
        add_sparse(np.zeros((3, 2), np.float32), change)


def random_difference(seed: int) -> tuple[Difference, list[np.ndarray]]:
    """A difference, and the dense arrays that it stands for."""
    rng = np.random.default_rng(seed)
    before = Counts(random_counts(seed), rng.integers(0, 3, (40, 2)).astype(np.int32))
    after = Counts(before.n_wk.copy(), before.promoted_wq.copy())
    after.n_wk[rng.random(before.n_wk.shape) < 0.1] += 3
    after.promoted_wq[rng.random(before.promoted_wq.shape) < 0.1] += 1
    tally = empty_tally(16)
    tally.documents_kn[:] = rng.integers(0, 2, tally.documents_kn.shape)
    dense = [after.n_wk - before.n_wk, after.promoted_wq - before.promoted_wq, *tally]
    return make_difference(after, before, tally), dense


def test_merged_differences_are_their_sum() -> None:
    parts = [random_difference(seed) for seed in range(5)]
    merged = merge([part for part, _ in parts])
    for i, one in enumerate(merged):
        total = np.zeros(one.shape)
        add_sparse(total, one)
        np.testing.assert_array_equal(total, sum(dense[i] for _, dense in parts))
        assert (np.diff(one.cells.astype(np.int64)) > 0).all()


def test_what_cancels_out_does_not_travel() -> None:
    ones = np.ones((2, 3), np.int64)
    there, back = (Difference(sparse(sign * ones), *[sparse(ones)] * 3) for sign in (1, -1))
    merged = merge([there, back])
    assert len(merged.n_wk.cells) == 0
    assert len(merged.promoted_wq.cells) == 6


def test_merging_in_a_tree_gives_the_same_bytes() -> None:
    parts = [random_difference(seed)[0] for seed in range(7)]
    flat = merge(parts)
    tree = merge([merge(parts[:3]), merge([merge(parts[3:5]), merge(parts[5:])])])
    for ours, theirs in zip(flat, tree, strict=True):
        assert ours.cells.tobytes() == theirs.cells.tobytes()
        assert ours.values.tobytes() == theirs.values.tobytes()
