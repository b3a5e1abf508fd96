"""What must hold after every sweep, whatever was drawn."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qdtm.sampler.kernels import LANES
from qdtm.sampler.seating import columns_for, recount, seat_by_topic, topic_of_tokens
from qdtm.sampler.streams import open_stream

from .cases import Case, make_case, plain_rules, planted_case, random_case, topic_mass

seeds = st.integers(0, 2**32 - 1)
quick = settings(max_examples=60, deadline=None, derandomize=True)


def check_counts(case: Case) -> None:
    """The running counts are what the seating adds up to, and nothing is negative."""
    n_words, n_parents = case.rules.n_related.shape
    fresh = recount(case.seating, n_words, n_parents, len(case.rules.beta))
    for name in fresh._fields:
        np.testing.assert_array_equal(getattr(case.counts, name), getattr(fresh, name), err_msg=name)
    is_open = np.isfinite(case.mass_k)
    np.testing.assert_array_equal(case.mass_k[is_open], topic_mass(fresh, case.rules)[is_open])
    assert min(array.min(initial=0) for array in (*case.counts, case.seating.table_size)) >= 0
    assert case.seating.table_links.min(initial=0) >= 0


def check_tables(case: Case, documents: np.ndarray) -> None:
    """In each swept document the tables fill the lowest slots, and hold its tokens and their links."""
    seating, topics = case.seating, topic_of_tokens(case.seating)
    for j in documents:
        here = slice(seating.offsets[j], seating.offsets[j + 1])
        guests = Counter(seating.table_of[here].tolist())
        n_tables = seating.n_slots[j]
        assert sorted(guests) == list(range(n_tables))
        assert seating.table_size[here].sum() == here.stop - here.start
        for slot, size in enumerate(seating.table_size[here]):
            assert size == guests[slot]
            assert (seating.table_topic[here][slot] >= 0) == (slot < n_tables)
        links = np.zeros(here.stop - here.start, int)
        for i in range(here.start, here.stop):
            if seating.promoted[i]:
                links[seating.table_of[i]] += case.rules.n_related[seating.tokens[i], topics[i]]
        np.testing.assert_array_equal(seating.table_links[here], links)


def check_rules(case: Case, documents: np.ndarray) -> None:
    """Concept words sit in their parent topic; only words related to a concept word of it promote."""
    seating, rules, topics = case.seating, case.rules, topic_of_tokens(case.seating)
    seated = topics >= 0
    fixed = rules.fixed_topic[seating.tokens]
    np.testing.assert_array_equal(topics[(fixed >= 0) & seated], fixed[(fixed >= 0) & seated])
    n_parents = rules.n_related.shape[1]
    for i in np.flatnonzero(seating.promoted):
        assert topics[i] < n_parents
        assert rules.n_related[seating.tokens[i], topics[i]] > 0
        assert rules.promotion_probability[seating.tokens[i], topics[i]] > 0
    swept = np.isin(np.repeat(np.arange(len(seating.n_slots)), np.diff(seating.offsets)), documents)
    assert seated[swept].all()


def check(case: Case) -> None:
    check_counts(case)
    check_tables(case, case.documents)
    check_rules(case, case.documents)


def contents(case: Case) -> bytes:
    """Everything that a sweep may change."""
    arrays = (*case.seating, *case.counts, case.mass_k, case.stream)
    return b"".join(array.tobytes() for array in arrays)


@quick
@given(seed=seeds)
def test_random_corpora_keep_their_books(seed: int) -> None:
    case = random_case(seed)
    tokens = case.seating.tokens.copy()
    for _ in range(4):
        case.sweep()
        check(case)
    np.testing.assert_array_equal(case.seating.tokens, tokens)
    if len(case.documents) == len(case.seating.n_slots):
        assert case.counts.n_wk.sum() == len(tokens)
        np.testing.assert_array_equal(
            case.counts.n_wk.sum(axis=1), np.bincount(tokens, minlength=len(case.counts.n_wk))
        )


@pytest.mark.parametrize("promotes", [True, False])
def test_a_planted_corpus_keeps_its_books(promotes: bool) -> None:
    case = planted_case(0, promotes=promotes).case
    for _ in range(30):
        case.sweep()
        check(case)
    assert case.seating.promoted.any() == promotes


@pytest.mark.parametrize("seed", range(3))
def test_planted_topics_come_back(seed: int) -> None:
    """From one concept word each, parents find the words and the documents that were planted with it."""
    planted = planted_case(seed)
    planted.case.sweep(100)
    n_wk = planted.case.counts.n_wk
    np.testing.assert_array_equal(n_wk.argmax(axis=1), planted.word_topic)
    topics = topic_of_tokens(planted.case.seating)
    home = np.repeat(planted.document_topic, np.diff(planted.case.seating.offsets))
    assert np.mean(topics == home) > 0.95


class TestUnseatThenSeat:
    """Where a token can only return to where it sat, a sweep changes nothing but the random stream."""

    def settle(self, case: Case) -> None:
        """Sweep once, so that whoever must promote has promoted, then check that sweeps change nothing."""
        case.sweep()
        stream, before = case.stream.copy(), contents(case)
        case.sweep(3)
        check(case)
        assert case.stream[0] != stream[0]
        case.stream[:] = stream
        assert contents(case) == before

    @quick
    @given(seed=seeds)
    def test_concept_words_with_one_table_a_topic(self, seed: int) -> None:
        """alpha = 0 opens no second table; lambda is 0 or 1."""
        rng = np.random.default_rng(seed)
        n_words, n_parents = 9, 3
        fixed_topic = rng.integers(0, n_parents, n_words).astype(np.int32)
        lengths = rng.integers(0, 8, 5)
        lengths[0] = 2  # somebody must draw
        tokens = rng.integers(0, n_words, lengths.sum()).astype(np.int32)
        tokens[1] = tokens[0]
        rules = plain_rules(
            n_words,
            LANES,
            n_parents=n_parents,
            alpha=0.0,
            promotion_weight=int(rng.integers(1, 1024)) / 1024,
            fixed_topic=fixed_topic,
            n_related=rng.integers(0, 4, (n_words, n_parents)).astype(np.int32),
            promotion_probability=rng.integers(0, 2, (n_words, n_parents)).astype(np.float32),
        )
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        seating = seat_by_topic(tokens, offsets, fixed_topic[tokens])
        self.settle(make_case(seating, rules, seed=seed, n_columns=LANES))

    @quick
    @given(seed=seeds)
    def test_free_words_with_one_table_a_document(self, seed: int) -> None:
        """With alpha = 0 a token whose document has one table, and others at it, must return to it."""
        rng = np.random.default_rng(seed)
        lengths = rng.integers(2, 8, 12)
        tokens = rng.integers(0, 6, lengths.sum()).astype(np.int32)
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        n_columns = columns_for(10)
        topics = np.repeat(rng.integers(0, 10, len(lengths)), lengths).astype(np.int32)
        rules = plain_rules(
            6,
            n_columns,
            n_parents=2,
            alpha=0.0,
            n_related=rng.integers(0, 3, (6, 2)).astype(np.int32),
            promotion_probability=rng.integers(0, 2, (6, 2)).astype(np.float32),
        )
        seating = seat_by_topic(tokens, offsets, topics)
        self.settle(make_case(seating, rules, seed=seed, n_columns=n_columns))


class TestStreams:
    """A sweep depends on its stream, and on nothing else that is not an argument."""

    def test_same_seed_same_bytes(self) -> None:
        first, second = planted_case(0).case, planted_case(0).case
        first.sweep(10)
        second.sweep(10)
        assert contents(first) == contents(second)

    def test_other_seeds_differ(self) -> None:
        found = set()
        for seed in range(5):
            case = planted_case(0).case
            case.stream = open_stream(seed, 0)
            case.sweep()
            found.add(case.seating.table_topic.tobytes())
        assert len(found) == 5

    def test_a_sweep_can_be_resumed(self) -> None:
        """Two halves of the documents with one stream are the whole."""
        whole, halves = planted_case(0).case, planted_case(0).case
        all_documents = halves.documents
        whole.sweep()
        for halves.documents in np.array_split(all_documents, 2):
            halves.sweep()
        assert contents(whole) == contents(halves)


@quick
@given(seed=seeds)
def test_only_the_listed_documents_are_swept(seed: int) -> None:
    case = planted_case(seed % 10).case
    rng = np.random.default_rng(seed)
    case.documents = rng.permutation(case.documents)[: rng.integers(0, 6)]
    before = case.copy()
    case.sweep()
    check(case)
    token_document = np.repeat(np.arange(len(case.seating.n_slots)), np.diff(case.seating.offsets))
    others = ~np.isin(token_document, case.documents)
    for name in ("table_of", "promoted", "table_topic", "table_size", "table_links"):
        found, expected = getattr(case.seating, name), getattr(before.seating, name)
        np.testing.assert_array_equal(found[others], expected[others], err_msg=name)
    untouched = np.setdiff1d(np.arange(len(case.seating.n_slots)), case.documents)
    np.testing.assert_array_equal(case.seating.n_slots[untouched], before.seating.n_slots[untouched])
    assert (case.stream[0] == before.stream[0]) == (len(case.documents) == 0)


@quick
@given(seed=seeds)
def test_no_topic_is_opened_that_may_not_be(seed: int) -> None:
    case = planted_case(seed % 10).case
    case.may_open_topics = False
    case.sweep(3)
    assert not case.counts.m_k[4:].any()


def test_a_closed_parent_keeps_to_its_concept_words() -> None:
    case = planted_case(1).case
    case.mass_k[0] = np.inf
    for _ in range(5):
        case.sweep()
        topics = topic_of_tokens(case.seating)
        concept = case.rules.fixed_topic[case.seating.tokens] == 0
        np.testing.assert_array_equal(topics == 0, concept)
        check(case)
    assert (topics == 1).sum() > (
        case.rules.fixed_topic[case.seating.tokens] == 1
    ).sum()  # open: takes others


@quick
@given(seed=seeds)
def test_columns_above_the_swept_ones_stay_empty(seed: int) -> None:
    case = random_case(seed)
    case.sweep(2)
    assert not case.counts.m_k[case.n_columns :].any()
    assert not case.counts.n_wk[:, case.n_columns :].any()
