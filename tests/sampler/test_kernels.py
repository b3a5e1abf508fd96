"""The compiled sweep equals its plain twin, draw by draw."""

from collections import Counter

import numpy as np
import pytest

from qdtm.sampler.kernels import LANES, pick_topic, running_lanes, weigh_topics
from qdtm.sampler.seating import columns_for, seat_by_topic, topic_of_tokens

from .cases import Case, make_case, plain_rules, random_case, state_before
from .naive import NaiveSweep, lane_ends, naive_sweep, topic_at

N_CASES = 400
N_SWEEPS = 3


def twin_sweeps(case: Case) -> list[NaiveSweep]:
    """Sweep the case, before each time asking the twin what must come out."""
    expected = []
    for _ in range(N_SWEEPS):
        expected.append(naive_sweep(*case.arguments))
        case.sweep()
        assert_equal(case, expected[-1])
    return expected


def assert_equal(case: Case, expected: NaiveSweep) -> None:
    for name in case.seating._fields:
        assert_same(getattr(case.seating, name), getattr(expected.seating, name), name)
    for name in case.counts._fields:
        assert_same(getattr(case.counts, name), getattr(expected.counts, name), name)
    assert_same(case.mass_k, expected.mass_k, "mass_k")
    assert int(case.stream[0]) == expected.stream_state


def assert_same(found: np.ndarray, expected: np.ndarray, name: str) -> None:
    assert found.dtype == expected.dtype, name
    np.testing.assert_array_equal(found, expected, err_msg=name)


@pytest.mark.parametrize("first", range(0, N_CASES, 50))
def test_sweep_equals_its_twin(first: int) -> None:
    for seed in range(first, first + 50):
        twin_sweeps(random_case(seed))


def test_the_cases_meet_everything_that_can_happen() -> None:
    events: Counter[str] = Counter()
    for seed in range(0, N_CASES, 8):
        for case in (random_case(seed), random_case(seed + 3)):
            for expected in twin_sweeps(case):
                events.update(expected.events)
            events["closed parent"] += bool(np.isinf(case.mass_k).any())
            events["topic above the first lanes"] += bool(case.counts.m_k[LANES:].any())
    rarest = min(events.values())
    assert rarest >= 10, events
    assert set(events) == {
        *("birth", "refused birth", "concept word", "promotion", "filtered"),
        *("only table", "table chosen", "second table", "table closed", "gap closed"),
        *("closed parent", "topic above the first lanes"),
    }


def extreme_case(whole: int, *, may_open_topics: bool) -> Case:
    """Three topics among many empty columns; the first draw of the sweep will be the given 64 bits."""
    rng = np.random.default_rng(0)
    offsets = np.arange(0, 301, 10)
    tokens = rng.integers(0, 20, 300).astype(np.int32)
    n_columns = columns_for(3)
    seating = seat_by_topic(tokens, offsets, rng.integers(0, 3, 300).astype(np.int32))
    rules = plain_rules(20, n_columns)
    case = make_case(seating, rules, seed=0, n_columns=n_columns, may_open_topics=may_open_topics)
    case.stream[0] = state_before(whole)
    return case


@pytest.mark.parametrize("below_the_top", [1, 2**38, 2**39])
def test_the_largest_draws_open_no_topic(below_the_top: int) -> None:
    """A draw so near to 1 that float32 rounds it to 1 once led past all topics, to an empty column."""
    case = extreme_case(2**64 - below_the_top, may_open_topics=False)
    twin_sweeps(case)
    assert set(topic_of_tokens(case.seating)) <= {0, 1, 2}


def test_the_smallest_draw_opens_a_topic_if_it_may() -> None:
    closed, open_ = (extreme_case(0, may_open_topics=may_open_topics) for may_open_topics in (False, True))
    twin_sweeps(closed)
    open_.sweep()
    assert topic_of_tokens(closed.seating)[0] == 0
    assert topic_of_tokens(open_.seating)[0] == 3  # the lowest empty column


def test_a_refused_birth_draws_an_old_topic_by_weight() -> None:
    """With every column taken and births all but certain, tokens must still follow the words."""
    n_words, n_documents = LANES, 64
    tokens = np.repeat(np.arange(n_words, dtype=np.int32), n_documents // n_words * 4)
    offsets = np.arange(0, len(tokens) + 1, 4)
    seating = seat_by_topic(tokens, offsets, tokens)  # topic k holds word k only
    rules = plain_rules(n_words, LANES, alpha=1e3, gamma=1e9, beta=np.full(LANES, 0.001, np.float32))
    case = make_case(seating, rules, seed=1, n_columns=LANES)
    events = twin_sweeps(case)[0].events
    assert events["refused birth"] > 0.9 * len(tokens)
    assert np.mean(topic_of_tokens(case.seating) == tokens) > 0.95


class TestLine:
    """The line of weights: where its lanes end and who is where on it, to the last bit."""

    @pytest.fixture
    def lines(self) -> list[np.ndarray]:
        """Weights of all magnitudes, where each order of additions rounds to another sum; some are zero."""
        rng = np.random.default_rng(5)
        widths = rng.choice([LANES, 2 * LANES, 5 * LANES], 100)
        return [(10.0 ** rng.uniform(-6, 3, n) * (rng.random(n) < 0.7)).astype(np.float32) for n in widths]

    def test_weights_are_float32_throughout(self, lines: list[np.ndarray]) -> None:
        for line in lines:
            n_jk, m, row, beta, inverse = (np.roll(line, shift) for shift in range(5))
            share = np.float32(0.0123)
            found = np.empty_like(line)
            weigh_topics(found, n_jk, m, row, beta, inverse, share, len(line))
            np.testing.assert_array_equal(found, (n_jk + share * m) * (row + beta) * inverse)

    def test_lanes_end_where_the_twins_end(self, lines: list[np.ndarray]) -> None:
        for line in lines:
            assert list(running_lanes(line, len(line))) == [float(end) for end in lane_ends(list(line))]

    def test_picks_are_the_twins(self, lines: list[np.ndarray]) -> None:
        rng = np.random.default_rng(6)
        for line in lines:
            ends = tuple(lane_ends(list(line)))
            targets = [*(rng.random(20) * float(ends[-1])), 0.0, *ends, *np.nextafter(ends, np.float32(0))]
            for target in np.array(targets, np.float32):
                assert pick_topic(line, ends, target, len(line)) == topic_at(list(line), target)

    def test_the_twin_reads_lane_after_lane(self) -> None:
        weights = [np.float32(k + 1) for k in range(2 * LANES)]
        order = [k for lane in range(LANES) for k in (lane, lane + LANES)]
        ends = np.cumsum([weights[k] for k in order])
        assert [float(end) for end in lane_ends(weights)] == ends[1::2].tolist()
        for position, k in enumerate(order):
            assert topic_at(weights, np.float32(ends[position] - 0.5)) == k

    def test_a_topic_without_weight_is_never_picked(self) -> None:
        weights = np.zeros(3 * LANES, np.float32)
        weights[[9, 12]] = 0.1, 0.7
        ends = tuple(lane_ends(list(weights)))
        targets = np.array([0, np.nextafter(np.float32(0.1), np.float32(0)), 0.1, ends[-1]], np.float32)
        assert [pick_topic(weights, ends, target, len(weights)) for target in targets] == [9, 9, 12, 12]
