"""Starts and recounts, against loops over the documents."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qdtm.sampler.assignment import (
    SPARE_COLUMNS,
    assign,
    columns_for,
    documents_with,
    empty_tally,
    pad_columns,
    recount,
    unassigned,
    widen,
)
from qdtm.sampler.kernels import LANES, TALLIED, Assignment

from .cases import planted_case

# Three documents, the second one empty.
TOKENS = np.array([4, 1, 4, 2, 0, 0], np.int32)
OFFSETS = np.array([0, 4, 4, 6], np.int64)
TOPICS = np.array([2, 0, 2, 5, 1, 1], np.int32)

corpora = st.lists(
    st.lists(st.tuples(st.integers(0, 6), st.integers(-1, 4)), max_size=7), min_size=1, max_size=6
)  # documents of (word, topic)


def arrays(documents: list[list[tuple[int, int]]]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    flat = np.array([pair for document in documents for pair in document], np.int32).reshape(-1, 2)
    offsets = np.concatenate([[0], np.cumsum([len(document) for document in documents])]).astype(np.int64)
    return np.ascontiguousarray(flat[:, 0]), offsets, np.ascontiguousarray(flat[:, 1])


def assert_dtypes(assignment: Assignment) -> None:
    """Kernels are compiled for these types; another one would compile again."""
    assert [array.dtype.name for array in assignment] == ["int32", "int64", "int32", "uint16"]
    assert all(array.flags.c_contiguous for array in assignment)


def test_assign_takes_the_topics_and_promotes_nothing() -> None:
    assignment = assign(TOKENS.astype(np.int64), OFFSETS, TOPICS.astype(np.int64))
    assert_dtypes(assignment)
    assert assignment.topics.tolist() == TOPICS.tolist()
    assert not assignment.links.any()


def test_unassigned_gives_nobody_a_topic() -> None:
    assignment = unassigned(TOKENS, OFFSETS)
    assert_dtypes(assignment)
    assert assignment.topics.tolist() == [-1] * 6
    assert not any(array.any() for array in recount(assignment, 5, 2, LANES))
    assert not documents_with(assignment, LANES).any()


def test_a_start_is_a_copy() -> None:
    """The chain changes it in place."""
    assign(TOKENS, OFFSETS, TOPICS).topics[:] = 3
    assert TOPICS.tolist() == [2, 0, 2, 5, 1, 1]


@settings(max_examples=60, deadline=None, derandomize=True)
@given(documents=corpora, seed=st.integers(0, 1000))
def test_recount_counts_tokens_and_promotions(documents, seed: int) -> None:
    tokens, offsets, topics = arrays(documents)
    assignment = assign(tokens, offsets, topics)
    n_parents = 2
    promoted = (np.random.default_rng(seed).random(len(tokens)) < 0.5) & (topics >= 0) & (topics < n_parents)
    assignment.links[:] = 3 * promoted
    n_wk, promoted_wq, m_k = np.zeros((7, LANES)), np.zeros((7, n_parents)), np.zeros(LANES)
    for i, (w, k) in enumerate(zip(tokens, topics, strict=True)):
        if k >= 0:
            n_wk[w, k] += 1
        if promoted[i]:
            promoted_wq[w, k] += 1
    for document in documents:
        for k in {k for _, k in document if k >= 0}:
            m_k[k] += 1
    counts = recount(assignment, 7, n_parents, LANES)
    assert [array.dtype.name for array in counts] == ["float32", "int32"]
    np.testing.assert_array_equal(counts.n_wk, n_wk)
    np.testing.assert_array_equal(counts.promoted_wq, promoted_wq)
    np.testing.assert_array_equal(documents_with(assignment, LANES), m_k)


def test_recount_without_parents() -> None:
    assignment = assign(TOKENS, OFFSETS, TOPICS)
    assert recount(assignment, 5, 0, LANES).promoted_wq.shape == (5, 0)
    assert documents_with(assignment, LANES).tolist() == [1, 1, 1, 0, 0, 1, 0, 0]


def test_an_empty_corpus() -> None:
    nothing = np.empty(0, np.int32)
    assignment = assign(nothing, np.array([0, 0, 0]), nothing)
    assert recount(assignment, 3, 1, LANES).n_wk.sum() == 0
    assert documents_with(assignment, LANES).tolist() == [0] * LANES


@pytest.mark.parametrize("n_topics", [0, 1, 7, 8, 9, 40, 41])
def test_columns_are_whole_lanes_with_some_to_spare(n_topics: int) -> None:
    n_columns = columns_for(n_topics)
    assert n_columns % LANES == 0
    assert n_topics + SPARE_COLUMNS <= n_columns < n_topics + SPARE_COLUMNS + LANES


def test_a_tally_starts_empty() -> None:
    tally = empty_tally(3)
    assert tally.documents_kn.shape == (3, TALLIED + 1)
    assert not any(array.any() for array in tally)


def test_widen_adds_empty_columns() -> None:
    counts = recount(assign(TOKENS, OFFSETS, TOPICS), 5, 2, LANES)
    wide = widen(counts, 3 * LANES)
    assert (wide.n_wk.shape, wide.promoted_wq.shape) == ((5, 3 * LANES), (5, 2))
    assert [array.dtype for array in wide] == [array.dtype for array in counts]
    np.testing.assert_array_equal(wide.n_wk[:, :LANES], counts.n_wk)
    assert not wide.n_wk[:, LANES:].any()


def test_widened_counts_sweep_the_same() -> None:
    """Columns beyond those swept over make no difference."""
    narrow, wide = planted_case(0).case, planted_case(0).case
    width = narrow.n_columns + LANES
    wide.counts = widen(wide.counts, width)
    wide.prior_k = pad_columns(wide.prior_k, width)
    wide.rules = wide.rules._replace(beta=np.full(width, wide.rules.beta[0], np.float32))
    narrow.sweep(3)
    wide.sweep(3)
    np.testing.assert_array_equal(narrow.assignment.topics, wide.assignment.topics)
    np.testing.assert_array_equal(narrow.counts.n_wk, wide.counts.n_wk[:, : narrow.n_columns])
