"""The compiled sweep equals its plain twin, draw by draw."""

from collections import Counter

import numpy as np
import pytest

from qdtm.sampler import kernels
from qdtm.sampler.assignment import assign, columns_for
from qdtm.sampler.kernels import LANES, TALLIED, pick_topic, weigh_topics, word_kinds

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
    for part in ("assignment", "counts", "tally"):
        found, wanted = getattr(case, part), getattr(expected, part)
        for name in found._fields:
            assert_same(getattr(found, name), getattr(wanted, name), name)
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
            events["closed parent"] += len(case.closed) > 0
            events["topic above the first lanes"] += bool(case.counts.n_wk[:, LANES:].any())
    rarest = min(events.values())
    assert rarest >= 5, events
    assert set(events) == {
        *("birth", "concept word", "promotion", "filtered", "move", "return", "first topic"),
        *("closed parent", "topic above the first lanes"),
    }


def extreme_case(whole: int, *, may_open_topics: bool) -> Case:
    """Three topics among many empty columns; the first draw of the sweep will be the given 64 bits."""
    rng = np.random.default_rng(0)
    offsets = np.arange(0, 301, 10)
    tokens = rng.integers(0, 20, 300).astype(np.int32)
    n_columns = columns_for(3)
    assignment = assign(tokens, offsets, rng.integers(0, 3, 300).astype(np.int32))
    rules = plain_rules(20, n_columns)
    case = make_case(assignment, rules, seed=0, n_columns=n_columns, may_open_topics=may_open_topics)
    case.stream[0] = state_before(whole)
    return case


@pytest.mark.parametrize("below_the_top", [1, 2**38, 2**39])
def test_the_largest_draws_open_no_closed_column(below_the_top: int) -> None:
    """A draw so near to 1 that float32 rounds it to 1 once led past all topics, to an empty column."""
    case = extreme_case(2**64 - below_the_top, may_open_topics=False)
    twin_sweeps(case)
    assert set(case.assignment.topics) <= {0, 1, 2}


@pytest.mark.parametrize(("may_open_topics", "last"), [(False, 2), (True, LANES - 1)])
def test_the_largest_draw_finds_the_last_column_with_weight(may_open_topics: bool, last: int) -> None:
    case = extreme_case(2**64 - 1, may_open_topics=may_open_topics)
    twin = naive_sweep(*case.arguments)
    case.sweep()
    assert case.assignment.topics[0] == twin.assignment.topics[0] == last


def test_a_token_with_nowhere_to_go_stays() -> None:
    """All topics are closed, and so is every empty column."""
    case = extreme_case(2**63, may_open_topics=False)
    case.closed = np.arange(3)
    before = case.assignment.topics.copy()
    twin_sweeps(case)
    np.testing.assert_array_equal(case.assignment.topics, before)


def test_tables_of_a_long_document_are_drawn() -> None:
    """Beyond `TALLIED` tokens of a topic; the twin draws them too."""
    n_tokens = 3 * TALLIED
    tokens = np.zeros(n_tokens, np.int32)
    rules = plain_rules(2, LANES, alpha=1000.0)
    shares = np.array([0.9, 0.1, 0, 0, 0, 0, 0, 0])
    case = make_case(
        assign(tokens, np.array([0, n_tokens]), tokens), rules, seed=0, n_columns=LANES, shares=shares
    )
    twin_sweeps(case)
    assert case.tally.documents_kn[0, TALLIED] == 1
    assert 50 < case.tally.further_tables[0] < n_tokens


def test_kinds_of_words() -> None:
    rules = plain_rules(
        4,
        LANES,
        n_parents=2,
        fixed_topic=np.array([-1, -1, 0, 1], np.int32),
        n_related=np.array([[0, 0], [0, 2], [0, 0], [3, 0]], np.int32),
    )
    kinds = [kernels.PLAIN, kernels.PROMOTING, kernels.FIXED, kernels.FIXED_PROMOTING]
    assert word_kinds(rules).tolist() == kinds


class TestLine:
    """The line of weights: where its lanes end and who is where on it, to the last bit."""

    @pytest.fixture
    def lines(self) -> list[np.ndarray]:
        """Weights of all magnitudes, where each order of additions rounds to another sum; some are zero."""
        rng = np.random.default_rng(5)
        widths = rng.choice([LANES, 2 * LANES, 5 * LANES], 100)
        return [(10.0 ** rng.uniform(-6, 3, n) * (rng.random(n) < 0.7)).astype(np.float32) for n in widths]

    @staticmethod
    def read(line: np.ndarray) -> np.ndarray:
        """The sums down the lanes, as the kernel makes them."""
        running, none, one = np.zeros(len(line) + LANES, np.float32), np.zeros_like(line), np.ones_like(line)
        nobody = np.uint32(2**32 - 1)
        weigh_topics(running, line, one[None], 0, none, nobody, np.float32(0), len(line))
        return running

    def test_weights_are_float32_throughout(self, lines: list[np.ndarray]) -> None:
        rng = np.random.default_rng(7)
        for line in lines:
            factor, row, beta = (np.roll(line, shift) for shift in range(3))
            left, own = int(rng.integers(len(line))), np.float32(rng.random())
            running = np.zeros(len(line) + LANES, np.float32)
            weigh_topics(running, factor, row[None], 0, beta, np.uint32(left), own, len(line))
            weight = factor * (row + beta)
            weight[left] = own
            sums = np.cumsum(weight.reshape(-1, LANES), axis=0, dtype=np.float32)
            np.testing.assert_array_equal(running[LANES:], sums.ravel())
            assert not running[:LANES].any()

    def test_lanes_end_where_the_twins_end(self, lines: list[np.ndarray]) -> None:
        for line in lines:
            found = kernels.lane_ends(self.read(line), len(line))
            assert list(found) == [float(end) for end in lane_ends(list(line))]

    def test_picks_are_the_twins(self, lines: list[np.ndarray]) -> None:
        rng = np.random.default_rng(6)
        for line in lines:
            running, ends = self.read(line), tuple(lane_ends(list(line)))
            targets = [*(rng.random(20) * float(ends[-1])), 0.0, *ends, *np.nextafter(ends, np.float32(0))]
            for target in np.array(targets, np.float32):
                found = pick_topic(running, ends, np.zeros(LANES, np.float32), target, len(line))
                assert found == topic_at(list(line), target)

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
        ends, starts = tuple(lane_ends(list(weights))), np.zeros(LANES, np.float32)
        targets = np.array([0, np.nextafter(np.float32(0.1), np.float32(0)), 0.1, ends[-1]], np.float32)
        running = self.read(weights)
        found = [pick_topic(running, ends, starts, target, len(weights)) for target in targets]
        assert found == [9, 9, 12, 12]
