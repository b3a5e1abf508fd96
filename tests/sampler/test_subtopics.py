"""Phase 2: a topic's tokens are cut out, and all of them end in subtopics."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qdtm.progress import Interruption, Progress
from qdtm.sampler.convergence import Schedule
from qdtm.sampler.problem import Priors
from qdtm.sampler.subtopics import SubtopicFit, cut_out, fit_subtopics, split_documents, subtopic_rules

corpora = st.lists(
    st.lists(st.tuples(st.integers(0, 6), st.integers(0, 2)), max_size=6), max_size=6
)  # documents of (word, topic)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(documents=corpora, topic=st.integers(0, 3))
def test_cut_out_equals_a_loop(documents, topic: int) -> None:
    flat = np.array([pair for document in documents for pair in document], np.int32).reshape(-1, 2)
    whole = np.cumsum([0, *map(len, documents)]).astype(np.int64)
    tokens, offsets = cut_out(flat[:, 0], whole, np.flatnonzero(flat[:, 1] == topic))

    kept = [[w for w, k in document if k == topic] for document in documents]
    kept = [document for document in kept if document]
    found = [part.tolist() for part in np.split(tokens, offsets[1:-1])] if len(tokens) else []
    assert found == kept
    assert offsets[-1] == len(tokens)


class TestSplit:
    """A parent of three planted subtopics: of words 0-9, 10-19 and, much smaller, 20-29."""

    SIZES = (40, 25, 3)
    N_WORDS = 50

    @classmethod
    def documents(cls) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Tokens, offsets, and the planted subtopic of each token."""
        rng = np.random.default_rng(0)
        planted = rng.permutation(np.repeat(np.arange(3), cls.SIZES))
        tokens = (planted[:, None] * 10 + rng.integers(0, 10, (len(planted), 12))).ravel()
        return tokens.astype(np.int32), np.arange(0, len(tokens) + 1, 12), np.repeat(planted, 12)

    @classmethod
    def split(cls, min_tokens: float = 0.0, *, sweeps: int = 60, **options) -> SubtopicFit:
        tokens, offsets, _ = cls.documents()
        arguments = {"seed": 3, "of": (0,)} | options
        schedule = Schedule(sweeps, sweeps)
        return fit_subtopics(tokens, offsets, cls.N_WORDS, Priors(), schedule, min_tokens, **arguments)

    def test_planted_subtopics_come_back(self) -> None:
        _, _, planted = self.documents()
        fit = self.split()
        for s in range(3):
            of_planted = fit.token_subtopics[planted == s]
            assert np.bincount(of_planted).max() > 0.95 * len(of_planted)
        assert set(np.argsort(-fit.counts[:, 0])[:10]) == set(range(10))
        assert set(np.argsort(-fit.counts[:, 1])[:10]) == set(range(10, 20))

    @pytest.mark.parametrize("sweeps", [1, 2, 60])
    def test_all_tokens_end_in_subtopics(self, sweeps: int) -> None:
        fit = self.split(sweeps=sweeps)
        assert fit.token_subtopics.min() >= 0
        assert fit.counts.sum() == pytest.approx(len(fit.token_subtopics))
        assert fit.rest == pytest.approx(0.0, abs=1e-12)

    def test_they_are_in_order_of_size(self) -> None:
        sizes = self.split(sweeps=5).counts.sum(axis=0)
        assert len(sizes) > 1
        assert (np.diff(sizes) <= 0).all()

    def test_small_ones_are_dropped(self) -> None:
        tokens, _, planted = self.documents()
        whole, fit = self.split(), self.split(min_tokens=100.0)
        assert fit.counts.shape[1] == 2 < whole.counts.shape[1]
        np.testing.assert_array_equal(fit.counts, whole.counts[:, :2])
        dropped = whole.token_subtopics >= 2
        assert dropped.any()
        np.testing.assert_array_equal(fit.token_subtopics, np.where(dropped, -1, whole.token_subtopics))
        assert fit.rest == pytest.approx(1.0 - fit.counts.sum() / len(tokens))
        assert fit.rest == pytest.approx((planted == 2).mean(), rel=0.2)

    def test_all_may_be_dropped(self) -> None:
        fit = self.split(min_tokens=1e9)
        assert fit.counts.shape == (self.N_WORDS, 0)
        assert (fit.token_subtopics == -1).all()
        assert fit.rest == 1.0

    def test_the_topic_and_the_seed_name_the_stream(self) -> None:
        first = self.split(sweeps=3)
        np.testing.assert_array_equal(self.split(sweeps=3).token_subtopics, first.token_subtopics)
        for other in ({"of": (1,)}, {"of": (0, 1)}, {"seed": 1}):
            assert (self.split(sweeps=3, **other).token_subtopics != first.token_subtopics).any()

    def test_it_says_whose_subtopics(self) -> None:
        seen: list[Progress] = []
        self.split(sweeps=4, name="cricket", progress=seen.append)
        assert [(p.stage, p.query, p.sweep) for p in seen] == [
            ("subtopics", "cricket", s) for s in (1, 2, 3, 4)
        ]

    def test_it_stops_after_the_first_sweep_if_asked_before(self) -> None:
        interruption = Interruption()
        interruption.requested = True
        fit = self.split(interruption=interruption)
        assert fit.trace.interrupted
        assert fit.trace.n_sweeps == 1
        assert fit.token_subtopics.min() >= 0

    def test_a_parent_without_tokens_has_no_subtopics(self) -> None:
        none = np.zeros(0, np.int32)
        fit = fit_subtopics(none, np.zeros(1, np.int64), self.N_WORDS, Priors(), Schedule(2, 4), 0.0, 0, (0,))
        assert fit.counts.shape == (self.N_WORDS, 0)
        assert len(fit.token_subtopics) == 0
        assert fit.rest in (0.0, 1.0)


def test_a_topic_that_no_document_is_about_has_no_subtopics() -> None:
    tokens, offsets = np.array([0, 1, 2, 1], np.int32), np.array([0, 2, 4], np.int64)
    in_topic = np.array([0, 2])
    fit = split_documents(tokens, offsets, 3, in_topic, np.zeros(2), Priors(), 0.0, 0, (0,))
    assert fit.counts.shape == (3, 0)
    assert fit.token_subtopics.tolist() == [-1, -1]
    assert fit.mixture.n_groups == 0


def test_a_topic_without_a_word_in_the_documents_about_it_has_no_subtopics() -> None:
    tokens, offsets = np.tile(np.array([0, 1], np.int32), 60), np.arange(0, 122, 2)
    weights = np.where(np.arange(60) < 30, 1.0, 0.0)
    in_topic = np.array([100, 102, 118])  # of documents that are not about it
    fit = split_documents(tokens, offsets, 3, in_topic, weights, Priors(), 0.0, 0, (0,))
    assert fit.counts.shape == (3, 0)
    assert fit.token_subtopics.tolist() == [-1, -1, -1]


def test_smoothing_runs_over_the_parents_own_words() -> None:
    rules = subtopic_rules(np.array([3, 3, 7, 1], np.int32), 50, Priors(alpha=2.0, beta=0.25, gamma=3.0))
    assert (rules.alpha, rules.gamma, rules.beta[0]) == (2.0, 3.0, 0.25)
    assert rules.prior_words == 3.0


def test_nothing_is_fixed_and_nothing_promotes() -> None:
    rules = subtopic_rules(np.array([3], np.int32), 50, Priors())
    assert (rules.fixed_topic == -1).all()
    assert len(rules.fixed_topic) == 50
    assert rules.n_related.shape == rules.promotion_probability.shape == (50, 0)
    assert rules.promotion_weight == 0.0
