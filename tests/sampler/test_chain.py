"""Chains: when they have settled, how long they run, what they average and what they remember."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from qdtm.progress import Interruption, Progress
from qdtm.sampler.assignment import assign, documents_with, part, recount
from qdtm.sampler.chain import Chain
from qdtm.sampler.convergence import Averages, ChainResult, Schedule, has_settled, run_chain
from qdtm.sampler.kernels import LANES, TALLIED

from .cases import chain_of, plain_rules, planted_case, topic_mass


def planted_chain(seed: int = 0) -> Chain:
    """Three planted topics, with parents and promotion."""
    case = planted_case(seed).case
    return chain_of(case.assignment, case.rules, seed, (1,))


def restless_chain() -> Chain:
    """Twenty planted topics that all start in one; with this gamma, topics are born in every sweep."""
    rng = np.random.default_rng(0)
    offsets = np.arange(0, 2001, 10)
    tokens = (rng.integers(0, 40, 2000) + 40 * np.repeat(np.arange(200) % 20, 10)).astype(np.int32)
    rules = plain_rules(800, 1, beta=np.full(1, 0.01, np.float32), gamma=20.0)
    return chain_of(assign(tokens, offsets, np.zeros(2000, np.int32)), rules, 0, (1,))


def run(schedule: Schedule, **options) -> ChainResult:
    return run_chain(planted_chain(), schedule, stage="parents", **options)


def assert_same(found: ChainResult, expected: ChainResult) -> None:
    np.testing.assert_array_equal(found.n_wk, expected.n_wk)
    np.testing.assert_array_equal(found.promoted_wq, expected.promoted_wq)


class TestHasSettled:
    """The last window against the one before, in units of their spread."""

    @pytest.mark.parametrize("n", range(8))
    def test_not_before_there_are_two_windows(self, n: int) -> None:
        assert not has_settled([-7.0] * n, window=4)

    def test_a_rise_has_not_settled(self) -> None:
        assert not has_settled(list(np.linspace(-9.0, -7.0, 8)), window=4)

    def test_noise_has_settled(self) -> None:
        noise = np.random.default_rng(0).normal(-7.0, 0.01, 12)
        assert has_settled(noise.tolist(), window=6)

    def test_a_fall_has_settled(self) -> None:
        assert has_settled(list(np.linspace(-7.0, -9.0, 8)), window=4)

    def test_only_the_last_two_windows_count(self) -> None:
        rise, flat = list(np.linspace(-9.0, -7.0, 20)), [-7.0, -7.01] * 4
        assert has_settled(rise + flat, window=4)
        assert not has_settled(flat + rise, window=4)

    def test_a_rise_within_the_spread_has_settled(self) -> None:
        before, last = [-7.2, -6.8], [-7.1, -6.7]  # means 0.1 apart, spread 0.2
        assert has_settled([*before, *last], window=2)
        assert not has_settled([*before, -6.6, -6.2], window=2)

    def test_the_answer_is_a_plain_bool(self) -> None:
        assert has_settled([0.0, 1.0, 0.0, 1.0], window=2) is True


class TestSchedule:
    """Sweeps stay within their bounds; samples come from the end."""

    @pytest.mark.parametrize(("fewest", "most"), [(1, 1), (1, 2), (2, 3), (5, 17), (30, 30), (20, 60)])
    def test_bounds_hold(self, fewest: int, most: int) -> None:
        trace = run(Schedule(fewest, most, check_every=1, window=2)).trace
        assert fewest <= trace.n_sweeps <= most
        assert 1 <= trace.n_samples <= trace.n_sweeps

    def test_a_chain_that_settles_at_once_still_runs_its_fewest_sweeps(self) -> None:
        trace = run(Schedule(40, 500, check_every=1, window=2)).trace
        assert trace.settled
        assert 40 <= trace.n_sweeps < 80

    def test_it_samples_half_as_long_as_it_burnt_in(self) -> None:
        trace = run(Schedule(1, 500, check_every=1, window=2)).trace
        burn_in = trace.n_sweeps - trace.n_samples
        assert trace.settled
        assert trace.n_samples == 1 + round(0.5 * (burn_in + 1))

    def test_a_chain_that_does_not_settle_samples_its_second_half(self) -> None:
        trace = run(Schedule(20, 20, window=100)).trace
        assert not trace.settled
        assert trace.n_sweeps == 20
        assert trace.n_samples == 11  # sweeps 10 to 20

    def test_the_start_may_be_gone_through_once_only(self) -> None:
        trace = run(Schedule(1, 1)).trace
        assert (trace.n_sweeps, trace.n_samples) == (1, 1)


class TestTrace:
    """What is remembered of each look."""

    def test_looks_are_the_first_sweep_and_every_fifth(self) -> None:
        trace = run(Schedule(12, 12)).trace
        assert trace.sweeps.tolist() == [1, 5, 10]
        assert len(trace.log_likelihood) == len(trace.n_topics) == len(trace.n_tables) == 3

    def test_the_last_look_is_that_of_the_assignment(self) -> None:
        chain = planted_chain()
        result = run_chain(chain, Schedule(10, 10), stage="parents")
        counts = recount(chain.assignment, *chain.rules.n_related.shape, chain.counts.n_wk.shape[1])
        assert result.trace.n_tables[-1] == chain.m_k.sum()
        assert result.trace.n_topics[-1] == counts.n_wk.any(axis=0).sum() == chain.in_use.sum()
        assert result.trace.log_likelihood[-1] == chain.log_likelihood()

    def test_the_likelihood_rises_from_a_bad_start(self) -> None:
        likelihood = run(Schedule(50, 50)).trace.log_likelihood
        assert likelihood[-1] > likelihood[0] + 0.1


class TestAverages:
    """Means over samples, topic by topic."""

    @staticmethod
    def sample(*columns: list[int], promoted: int = 0):
        """A stand-in for a chain: the counts of each topic; a topic without counts is not in use."""
        n_wk = np.array(columns, np.float32).T  # (V, C)
        counts = SimpleNamespace(n_wk=n_wk, promoted_wq=np.full((n_wk.shape[0], 1), promoted, np.int32))
        return SimpleNamespace(counts=counts, in_use=n_wk.any(axis=0))

    def means(self, *samples) -> tuple[list, list]:
        averages = Averages()
        for sample in samples:
            averages.add(sample)
        n_wk, promoted = averages.means(samples[-1])
        return n_wk.T.tolist(), promoted.ravel().tolist()

    def test_of_one_sample(self) -> None:
        assert self.means(self.sample([1, 2], [0, 3], promoted=4)) == ([[1.0, 2.0], [0.0, 3.0]], [4.0, 4.0])

    def test_of_three_samples(self) -> None:
        samples = [self.sample([n, 2], [9 - n, 2], promoted=n) for n in (1, 2, 6)]
        assert self.means(*samples) == ([[3.0, 2.0], [6.0, 2.0]], [3.0, 3.0])

    def test_the_tokens_of_a_topic_that_dies_go_where_the_last_sample_has_them(self) -> None:
        alive = self.sample([4, 0, 3], [0, 0, 1], [0, 4, 0])
        n_wk, _ = self.means(alive, self.sample([4, 1, 3], [0, 3, 1], [0, 0, 0]))
        assert n_wk == [[4.0, 1.0, 3.0], [0.0, 3.0, 1.0], [0.0, 0.0, 0.0]]

    def test_a_topic_born_in_a_dead_ones_place_starts_anew(self) -> None:
        n_wk, _ = self.means(
            self.sample([4, 0], [0, 8]), self.sample([4, 8], [0, 0]), self.sample([0, 8], [4, 0]),
            self.sample([0, 8], [4, 0]),
        )  # fmt: skip
        assert n_wk == [[2.0, 8.0], [2.0, 0.0]]  # nothing of the second word: that was the dead one's

    def test_a_topic_in_a_new_column(self) -> None:
        n_wk, _ = self.means(self.sample([4, 2]), self.sample([4, 0], [0, 2]))
        assert n_wk == [[4.0, 1.0], [0.0, 1.0]]

    def test_the_chain_may_go_on_without_changing_them(self) -> None:
        first, second = self.sample([4, 2], promoted=1), self.sample([4, 2], promoted=1)
        averages = Averages()
        averages.add(first)
        first.counts.n_wk += 100
        first.counts.promoted_wq += 100
        n_wk, promoted = averages.means(second)
        assert (n_wk.ravel().tolist(), promoted.ravel().tolist()) == ([4.0, 2.0], [1.0, 1.0])

    @pytest.mark.parametrize("n_sweeps", [1, 2, 9, 30])
    def test_every_word_keeps_its_number_of_tokens(self, n_sweeps: int) -> None:
        """Topics are born and die all the time here."""
        chain = restless_chain()
        result = run_chain(chain, Schedule(n_sweeps, n_sweeps), stage="parents")
        n_w = np.bincount(chain.assignment.tokens, minlength=len(result.n_wk))
        np.testing.assert_allclose(result.n_wk.sum(axis=1), n_w)
        assert (result.n_wk >= 0).all()


class TestChain:
    """The state and its steps."""

    def test_running_counts_equal_a_recount(self) -> None:
        chain = planted_chain()
        for _ in range(5):
            chain.step()
        counts = recount(chain.assignment, *chain.rules.n_related.shape, chain.counts.n_wk.shape[1])
        for ours, theirs in zip(chain.counts, counts, strict=True):
            np.testing.assert_array_equal(ours, theirs)

    def test_the_mass_of_topics_equals_a_loop(self) -> None:
        chain = planted_chain()
        for _ in range(3):
            chain.step()
        np.testing.assert_allclose(chain.topic_mass(), topic_mass(chain.counts, chain.rules), rtol=1e-12)

    def test_it_gets_columns_as_topics_are_born(self) -> None:
        chain = restless_chain()
        before = chain.counts.n_wk.shape[1]
        for _ in range(30):
            chain.step()
        assert chain.in_use.sum() > before
        assert chain.counts.n_wk.shape[1] == len(chain.m_k) <= len(chain.rules.beta)
        assert chain.counts.n_wk.sum() == len(chain.assignment.tokens)

    def test_only_the_documents_that_are_to_be_swept_change(self) -> None:
        case = planted_case(0).case
        swept = np.arange(len(case.assignment.offsets) - 1) < 30
        chain = chain_of(case.assignment, case.rules, 0, (1,), swept=swept)
        before = chain.assignment.topics.copy()
        for _ in range(5):
            chain.step()
        after = chain.assignment.topics
        stop = chain.assignment.offsets[30]
        np.testing.assert_array_equal(after[stop:], before[stop:])
        assert (after[:stop] != before[:stop]).any()

    def test_documents_that_rest_count(self) -> None:
        """What is swept sees the words and the tables of all, and the books are those of all."""
        case = planted_case(0).case
        rng = np.random.default_rng(0)
        swept = rng.random(len(case.assignment.offsets) - 1) < 0.4
        chain = chain_of(case.assignment, case.rules, 0, (1,), swept=swept)
        start = recount(case.assignment, *case.rules.n_related.shape, chain.counts.n_wk.shape[1])
        np.testing.assert_array_equal(chain.counts.n_wk, start.n_wk)
        np.testing.assert_array_equal(chain.m_k, documents_with(case.assignment, len(chain.m_k)))
        for _ in range(5):
            chain.step()
            now = recount(chain.assignment, *case.rules.n_related.shape, chain.counts.n_wk.shape[1])
            np.testing.assert_array_equal(chain.counts.n_wk, now.n_wk)
            np.testing.assert_array_equal(chain.counts.promoted_wq, now.promoted_wq)
            assert (chain.m_k >= documents_with(chain.assignment, len(chain.m_k))).all()

    def test_tables_of_long_documents_that_rest_are_as_many_as_expected(self) -> None:
        n, alpha = 5 * TALLIED, 1.0
        assignment = assign(np.zeros(n + 1, np.int32), np.array([0, n, n + 1]), np.zeros(n + 1, np.int32))
        _, resting = part(assignment, np.array([False, True]), plain_rules(1, LANES, alpha=alpha))
        prior = alpha  # it has all tokens
        expected = sum(prior / (prior + i) for i in range(TALLIED, n))
        assert resting.tally.further_tables[0] == round(expected)
        assert resting.tally.documents_kn[0, TALLIED] == 1

    def test_evidence_draws_documents_to_a_parent(self) -> None:
        """Two equal halves: where evidence speaks for a parent it gets more of the free words."""
        case = planted_case(0, promotes=False).case
        n_documents = len(case.assignment.offsets) - 1
        priors = np.ones((n_documents, case.rules.n_related.shape[1]), np.float32)
        half = np.arange(n_documents) // 3 % 2 == 0  # documents of the three topics come in turn
        priors[half], priors[~half] = 20.0, 0.02
        chain = chain_of(case.assignment, case.rules, 0, (1,), evidence_jq=priors)
        chain.step()
        in_parent = chain.assignment.topics < chain.n_parents
        free = chain.rules.fixed_topic[chain.assignment.tokens] < 0
        of_half = np.repeat(half, np.diff(chain.assignment.offsets))
        assert in_parent[free & of_half].mean() > 2 * in_parent[free & ~of_half].mean()

    def test_a_seed_and_a_path_decide_about_everything(self) -> None:
        schedule = Schedule(10, 10)
        chain, again = planted_chain(), planted_chain()
        assert_same(*(run_chain(each, schedule, stage="parents") for each in (chain, again)))
        np.testing.assert_array_equal(chain.assignment.topics, again.assignment.topics)
        case = planted_case(0).case
        for seed, path in [(1, (1,)), (0, (2,)), (0, (1, 0))]:
            other = chain_of(case.copy().assignment, case.rules, seed, path)
            run_chain(other, schedule, stage="parents")
            assert (other.assignment.topics != chain.assignment.topics).any()


class TestRunning:
    """What happens around the sweeps."""

    def test_a_stop_ends_it_after_the_sweep(self) -> None:
        interruption, seen = Interruption(), []

        def stop_after_seven(progress: Progress) -> None:
            seen.append(progress.sweep)
            interruption.requested = progress.sweep == 7

        trace = run(Schedule(50, 100), progress=stop_after_seven, interruption=interruption).trace
        assert seen == [1, 2, 3, 4, 5, 6, 7]
        assert trace.interrupted
        assert (trace.n_sweeps, trace.n_samples) == (7, 1)

    def test_a_stop_while_sampling_keeps_the_samples(self) -> None:
        interruption = Interruption()

        def stop_after_fifteen(progress: Progress) -> None:
            interruption.requested = progress.sweep == 15

        trace = run(
            Schedule(20, 20, window=100), progress=stop_after_fifteen, interruption=interruption
        ).trace
        assert trace.interrupted
        assert (trace.n_sweeps, trace.n_samples) == (15, 6)  # sweeps 10 to 15

    def test_a_chain_that_is_left_alone_is_not_interrupted(self) -> None:
        assert not run(Schedule(5, 5), interruption=Interruption()).trace.interrupted

    def test_progress_says_where_it_is(self) -> None:
        seen: list[Progress] = []
        result = run(Schedule(10, 10), query="cricket", progress=seen.append)
        assert [progress.sweep for progress in seen] == list(range(1, 11))
        assert {(p.stage, p.query, p.max_sweeps) for p in seen} == {("parents", "cricket", 10)}
        looks = [progress for progress in seen if progress.log_likelihood is not None]
        assert [progress.sweep for progress in looks] == result.trace.sweeps.tolist()
        assert [progress.log_likelihood for progress in looks] == result.trace.log_likelihood.tolist()
        assert [progress.n_topics for progress in looks] == result.trace.n_topics.tolist()

    def test_who_watches_does_not_matter(self) -> None:
        watched = run(Schedule(10, 10), progress=lambda _: None, interruption=Interruption())
        assert_same(watched, run(Schedule(10, 10)))

    def test_what_depends_on_the_counts_is_refreshed_before_each_sweep(self) -> None:
        seen: list[int] = []
        run(Schedule(4, 4), before_sweep=lambda chain: seen.append(chain.n_sweeps))
        assert seen == [0, 1, 2, 3]

    def test_averages_are_over_the_samples(self) -> None:
        """Against a chain that is stepped by hand; with this gamma no topic is born."""
        case = planted_case(0).case
        rules = case.rules._replace(gamma=1e-9)
        chain, again = (chain_of(case.copy().assignment, rules, 0, (1,)) for _ in range(2))
        result = run_chain(chain, Schedule(6, 6, window=100), stage="parents")
        samples = []
        for sweep in range(1, 7):
            again.step()
            if sweep >= 3:
                samples.append(again.counts.n_wk.copy())
        assert result.trace.n_samples == len(samples) == 4
        assert all((sample.any(axis=0) == samples[0].any(axis=0)).all() for sample in samples)
        np.testing.assert_allclose(result.n_wk, np.mean(samples, axis=0, dtype=np.float64))


class TestLeadingWords:
    """What whoever watches a fit sees of the parent topics."""

    def test_they_are_the_words_with_most_tokens(self) -> None:
        chain = planted_chain()
        chain.step()
        n_wk = chain.counts.n_wk
        for q, words in enumerate(chain.leading_words(5)):
            assert len(words) == 5
            np.testing.assert_array_equal(n_wk[list(words), q], np.sort(n_wk[:, q])[::-1][:5])

    def test_they_are_told_where_the_likelihood_is(self) -> None:
        seen: list[Progress] = []
        run(Schedule(6, 6), progress=seen.append)
        assert [bool(each.leading_words) for each in seen] == [
            each.log_likelihood is not None for each in seen
        ]
