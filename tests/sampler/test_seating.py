"""Starts and recounts, against loops over the documents."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qdtm.sampler.kernels import LANES, Seating
from qdtm.sampler.seating import (
    SPARE_COLUMNS,
    columns_for,
    recount,
    seat_apart,
    seat_by_topic,
    topic_of_tokens,
    unseated,
    widen,
)

from .cases import planted_case

# Three documents, the second one empty.
TOKENS = np.array([4, 1, 4, 2, 0, 0], np.int32)
OFFSETS = np.array([0, 4, 4, 6], np.int64)
TOPICS = np.array([2, 0, 2, 5, 1, 1], np.int32)

corpora = st.lists(
    st.lists(st.tuples(st.integers(0, 6), st.integers(0, 4)), max_size=7), min_size=1, max_size=6
)  # documents of (word, topic)


def arrays(documents: list[list[tuple[int, int]]]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    flat = np.array([pair for document in documents for pair in document], np.int32).reshape(-1, 2)
    offsets = np.concatenate([[0], np.cumsum([len(document) for document in documents])]).astype(np.int64)
    return np.ascontiguousarray(flat[:, 0]), offsets, np.ascontiguousarray(flat[:, 1])


def assert_dtypes(seating: Seating) -> None:
    """Kernels are compiled for these types; another one would compile again."""
    dtypes = [array.dtype.name for array in seating]
    assert dtypes == ["int32", "int64", "int32", "uint8", "int32", "int32", "int32", "int32"]
    assert all(array.flags.c_contiguous for array in seating)


def test_seat_by_topic_shares_a_table_for_each_topic_of_a_document() -> None:
    seating = seat_by_topic(TOKENS, OFFSETS, TOPICS)
    assert_dtypes(seating)
    assert seating.table_of.tolist() == [1, 0, 1, 2, 0, 0]
    assert seating.table_topic.tolist() == [0, 2, 5, -1, 1, -1]
    assert seating.table_size.tolist() == [1, 2, 1, 0, 2, 0]
    assert seating.n_slots.tolist() == [3, 0, 1]
    assert not seating.table_links.any()
    assert not seating.promoted.any()


def test_seat_apart_gives_every_token_a_table() -> None:
    seating = seat_apart(TOKENS, OFFSETS, TOPICS)
    assert_dtypes(seating)
    assert seating.table_of.tolist() == [0, 1, 2, 3, 0, 1]
    assert seating.table_topic.tolist() == TOPICS.tolist()
    assert seating.table_size.tolist() == [1] * 6
    assert seating.n_slots.tolist() == [4, 0, 2]


def test_unseated_leaves_everybody_standing() -> None:
    seating = unseated(TOKENS, OFFSETS)
    assert_dtypes(seating)
    assert topic_of_tokens(seating).tolist() == [-1] * 6
    assert seating.n_slots.tolist() == [0, 0, 0]
    counts = recount(seating, 5, 2, LANES)
    assert not any(array.any() for array in counts)


def test_starts_share_no_memory_with_each_other() -> None:
    first, second = unseated(TOKENS, OFFSETS), unseated(TOKENS, OFFSETS)
    first.table_topic[:] = 3
    assert second.table_topic.tolist() == [-1] * 6


@pytest.mark.parametrize("seat", [seat_by_topic, seat_apart])
@settings(max_examples=60, deadline=None, derandomize=True)
@given(documents=corpora)
def test_topics_come_back_from_the_seating(seat, documents) -> None:
    tokens, offsets, topics = arrays(documents)
    seating = seat(tokens, offsets, topics)
    np.testing.assert_array_equal(topic_of_tokens(seating), topics)
    assert topic_of_tokens(seating).dtype == np.int32
    for j, document in enumerate(documents):
        here = slice(offsets[j], offsets[j + 1])
        n_tables = len(document) if seat is seat_apart else len({k for _, k in document})
        assert seating.n_slots[j] == n_tables
        assert (seating.table_size[here][:n_tables] > 0).all()
        assert seating.table_size[here].sum() == len(document)
        assert (seating.table_topic[here][n_tables:] == -1).all()


def test_topic_of_a_token_that_stands_among_seated_ones() -> None:
    seating = seat_by_topic(TOKENS, OFFSETS, TOPICS)
    seating.table_of[3] = -1
    assert topic_of_tokens(seating).tolist() == [2, 0, 2, -1, 1, 1]


@settings(max_examples=60, deadline=None, derandomize=True)
@given(documents=corpora, seed=st.integers(0, 1000))
def test_recount_counts_tokens_tables_and_promotions(documents, seed: int) -> None:
    tokens, offsets, topics = arrays(documents)
    seating = seat_by_topic(tokens, offsets, topics)
    n_parents = 2
    promoted = (np.random.default_rng(seed).random(len(tokens)) < 0.5) & (topics < n_parents)
    seating.promoted[:] = promoted
    n_wk, m_k, promoted_wq = np.zeros((7, LANES)), np.zeros(LANES), np.zeros((7, n_parents))
    for i, (w, k) in enumerate(zip(tokens, topics, strict=True)):
        n_wk[w, k] += 1
        if promoted[i]:
            promoted_wq[w, k] += 1
    for document in documents:
        for k in {k for _, k in document}:
            m_k[k] += 1
    counts = recount(seating, 7, n_parents, LANES)
    assert [array.dtype.name for array in counts] == ["float32", "int64", "int32"]
    for found, expected in zip(counts, (n_wk, m_k, promoted_wq), strict=True):
        np.testing.assert_array_equal(found, expected)


def test_recount_without_parents() -> None:
    counts = recount(seat_apart(TOKENS, OFFSETS, TOPICS), 5, 0, LANES)
    assert counts.promoted_wq.shape == (5, 0)
    assert counts.m_k.tolist() == [1, 2, 2, 0, 0, 1, 0, 0]


def test_an_empty_corpus() -> None:
    nothing = np.empty(0, np.int32)
    for seat in (seat_by_topic, seat_apart):
        seating = seat(nothing, np.array([0, 0, 0]), nothing)
        assert seating.n_slots.tolist() == [0, 0]
        assert topic_of_tokens(seating).size == 0
        assert recount(seating, 3, 1, LANES).n_wk.sum() == 0


@pytest.mark.parametrize("n_topics", [0, 1, 7, 8, 9, 40, 41])
def test_columns_are_whole_lanes_with_some_to_spare(n_topics: int) -> None:
    n_columns = columns_for(n_topics)
    assert n_columns % LANES == 0
    assert n_topics + SPARE_COLUMNS <= n_columns < n_topics + SPARE_COLUMNS + LANES


def test_widen_adds_empty_columns() -> None:
    counts = recount(seat_by_topic(TOKENS, OFFSETS, TOPICS), 5, 2, LANES)
    wide = widen(counts, 3 * LANES)
    assert (wide.n_wk.shape, wide.m_k.shape, wide.promoted_wq.shape) == ((5, 3 * LANES), (3 * LANES,), (5, 2))
    assert [array.dtype for array in wide] == [array.dtype for array in counts]
    np.testing.assert_array_equal(wide.n_wk[:, :LANES], counts.n_wk)
    np.testing.assert_array_equal(wide.m_k[:LANES], counts.m_k)
    np.testing.assert_array_equal(wide.promoted_wq, counts.promoted_wq)
    assert not wide.n_wk[:, LANES:].any()
    assert not wide.m_k[LANES:].any()


def test_widened_counts_sweep_the_same() -> None:
    """Columns beyond those swept over make no difference."""
    narrow, wide = planted_case(0).case, planted_case(0).case
    width = narrow.n_columns + LANES
    wide.counts = widen(wide.counts, width)
    wide.rules = wide.rules._replace(beta=np.full(width, wide.rules.beta[0], np.float32))
    wide.mass_k = np.pad(wide.mass_k, (0, LANES), constant_values=wide.mass_k[-1])
    narrow.sweep(3)
    wide.sweep(3)
    np.testing.assert_array_equal(narrow.seating.table_topic, wide.seating.table_topic)
    np.testing.assert_array_equal(narrow.counts.n_wk, wide.counts.n_wk[:, : narrow.n_columns])
