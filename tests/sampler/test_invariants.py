"""What must hold after every sweep, whatever was drawn."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qdtm.sampler.assignment import assign, columns_for, recount
from qdtm.sampler.kernels import LANES, TALLIED, open_stream

from .cases import Case, make_case, plain_rules, planted_case, random_case

seeds = st.integers(0, 2**32 - 1)
quick = settings(max_examples=60, deadline=None, derandomize=True)


def check_counts(case: Case) -> None:
    """The running counts are what the assignment adds up to, and nothing is negative."""
    fresh = recount(case.assignment, *case.rules.n_related.shape, len(case.rules.beta))
    for name in fresh._fields:
        np.testing.assert_array_equal(getattr(case.counts, name), getattr(fresh, name), err_msg=name)
    assert min(array.min(initial=0) for array in case.counts) >= 0


def check_tally(case: Case) -> None:
    """Every document is counted in once for each of its topics, by its tokens of that topic."""
    expected = np.zeros_like(case.tally.documents_kn)
    for topics in np.split(case.assignment.topics, case.assignment.offsets[1:-1]):
        for k, n in Counter(topics[topics >= 0].tolist()).items():
            expected[k, min(n, TALLIED)] += 1
    np.testing.assert_array_equal(case.tally.documents_kn, expected)
    assert not case.tally.further_tables.any()


def check_rules(case: Case) -> None:
    """Concept words are in their parent topic; only words related to a concept word of it promote."""
    assignment, rules, topics = case.assignment, case.rules, case.assignment.topics
    fixed = rules.fixed_topic[assignment.tokens]
    np.testing.assert_array_equal(topics[fixed >= 0], fixed[fixed >= 0])
    n_parents = rules.n_related.shape[1]
    for i in np.flatnonzero(assignment.links):
        assert topics[i] < n_parents
        assert assignment.links[i] == rules.n_related[assignment.tokens[i], topics[i]]
        assert rules.promotion_probability[assignment.tokens[i], topics[i]] > 0
    assert (topics >= 0).all()


def check(case: Case) -> None:
    check_counts(case)
    check_tally(case)
    check_rules(case)


def contents(case: Case) -> bytes:
    """Everything that a sweep may change."""
    arrays = (*case.assignment, *case.counts, *case.tally, case.stream)
    return b"".join(array.tobytes() for array in arrays)


@quick
@given(seed=seeds)
def test_random_corpora_keep_their_books(seed: int) -> None:
    case = random_case(seed)
    tokens = case.assignment.tokens.copy()
    for _ in range(4):
        case.sweep()
        check(case)
    np.testing.assert_array_equal(case.assignment.tokens, tokens)
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
    assert case.assignment.links.any() == promotes


class TestOutAndIn:
    """Where a token can only return to where it was, a sweep changes nothing but the random stream."""

    def settle(self, case: Case) -> None:
        """Sweep once, so that whoever must promote has promoted, then check that sweeps change nothing."""
        case.sweep()
        stream, before = case.stream.copy(), contents(case)
        case.sweep(3)
        check(case)
        case.stream[:] = stream
        assert contents(case) == before

    @quick
    @given(seed=seeds)
    def test_concept_words(self, seed: int) -> None:
        """lambda is 0 or 1."""
        rng = np.random.default_rng(seed)
        n_words, n_parents = 9, 3
        fixed_topic = rng.integers(0, n_parents, n_words).astype(np.int32)
        lengths = rng.integers(0, 8, 5)
        tokens = rng.integers(0, n_words, lengths.sum()).astype(np.int32)
        rules = plain_rules(
            n_words,
            LANES,
            n_parents=n_parents,
            promotion_weight=int(rng.integers(1, 1024)) / 1024,
            fixed_topic=fixed_topic,
            n_related=rng.integers(0, 4, (n_words, n_parents)).astype(np.int32),
            promotion_probability=rng.integers(0, 2, (n_words, n_parents)).astype(np.float32),
        )
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        self.settle(
            make_case(assign(tokens, offsets, fixed_topic[tokens]), rules, seed=seed, n_columns=LANES)
        )

    @quick
    @given(seed=seeds)
    def test_free_words_in_documents_of_one_topic(self, seed: int) -> None:
        """With alpha = 0 a token whose document has one topic, and other tokens of it, must return to it."""
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
        self.settle(make_case(assign(tokens, offsets, topics), rules, seed=seed, n_columns=n_columns))


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
            found.add(case.assignment.topics.tobytes())
        assert len(found) == 5


@quick
@given(seed=seeds)
def test_no_topic_is_opened_that_may_not_be(seed: int) -> None:
    case = planted_case(seed % 10).case
    case.prior_k[4:] = 0
    case.sweep(3)
    assert not case.counts.n_wk[:, 4:].any()


def test_a_closed_parent_keeps_to_its_concept_words() -> None:
    case = planted_case(1).case
    case.closed = np.array([0])
    for _ in range(5):
        case.sweep()
        topics = case.assignment.topics
        concept = case.rules.fixed_topic[case.assignment.tokens] == 0
        np.testing.assert_array_equal(topics == 0, concept)
        check(case)
    assert (topics == 1).sum() > (
        case.rules.fixed_topic[case.assignment.tokens] == 1
    ).sum()  # open: takes others


@quick
@given(seed=seeds)
def test_columns_above_the_swept_ones_stay_empty(seed: int) -> None:
    case = random_case(seed)
    case.sweep(2)
    assert not case.counts.n_wk[:, case.n_columns :].any()
