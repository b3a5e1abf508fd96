"""Phase 1: what promotion adds up to, which words may promote, and the final order of topics."""

from __future__ import annotations

import numpy as np
import pytest

from qdtm.sampler.chain import Chain
from qdtm.sampler.convergence import Schedule
from qdtm.sampler.filtering import promotion_probability, topic_directions
from qdtm.sampler.initialise import start_as_paper
from qdtm.sampler.parents import final_order, fit_parents, promoted_mass, word_filter
from qdtm.sampler.problem import (
    MASS_UNIT,
    PAPERS_WORDS,
    ParentProblem,
    Priors,
    fixed_topics,
    parent_rules,
    smoothing_for,
    with_concept_documents,
)

from .problems import problem_of

N_WORDS = 20
CONCEPTS = [[0, 1, 2], [3, 4]]


def random_problem(seed: int, *, weight: float = 0.3, filtered: bool = True) -> ParentProblem:
    """Forty documents, word vectors, and a third of all pairs related."""
    rng = np.random.default_rng(seed)
    documents = [rng.integers(0, N_WORDS, rng.integers(0, 15)).tolist() for _ in range(40)]
    related = [rng.random((N_WORDS, len(concept))) < 0.35 for concept in CONCEPTS]
    for pairs, concept in zip(related, CONCEPTS, strict=True):
        pairs[concept, np.arange(len(concept))] = False  # no word is related to itself
    unit = rng.normal(size=(N_WORDS, 6)).astype(np.float32)
    unit /= np.linalg.norm(unit, axis=1, keepdims=True)
    return problem_of(
        documents,
        CONCEPTS,
        n_words=N_WORDS,
        related=related,
        promotion_weight=weight,
        unit=unit if filtered else None,
    )


def swept_chain(problem: ParentProblem, n_sweeps: int = 5) -> Chain:
    chain = start_as_paper(problem, seed=0)
    for _ in range(n_sweeps):
        chain.step()
    return chain


@pytest.mark.parametrize("seed", range(5))
def test_promoted_mass_equals_a_loop_over_tokens(seed: int) -> None:
    problem = random_problem(seed)
    chain = swept_chain(problem)
    weight = chain.rules.promotion_weight
    expected = np.zeros((N_WORDS, 2))
    for w, q, promoted in zip(
        chain.assignment.tokens, chain.assignment.topics, chain.assignment.links, strict=True
    ):
        if promoted:
            for c, concept_word in enumerate(CONCEPTS[q]):
                if problem.graph.related[q][[w], [c]][0]:
                    expected[concept_word, q] += weight
    assert expected.sum() > 0
    np.testing.assert_allclose(promoted_mass(problem, chain.counts.promoted_wq, weight), expected)


def test_promoted_mass_is_what_the_denominators_have() -> None:
    problem = random_problem(1)
    chain = swept_chain(problem)
    mass = promoted_mass(problem, chain.counts.promoted_wq, chain.rules.promotion_weight)
    smoothing = N_WORDS * problem.priors.beta
    expected = chain.counts.n_wk.sum(axis=0)[:2] + mass.sum(axis=0) + smoothing
    np.testing.assert_allclose(chain.topic_mass()[:2], expected)


def test_final_order_is_parents_then_background_by_size() -> None:
    sizes = [1, 9, 2, 0, 7, 7, 0, 8]
    n_wk = np.array([sizes, [0] * 8], float)
    assert final_order(n_wk, np.array([0, 1, 2, 4], np.int32), n_parents=2).tolist() == [0, 1, 7, 4, 5, 2]


def test_final_order_keeps_a_topic_that_only_the_last_sample_has() -> None:
    n_wk = np.array([[5.0, 4.0, 0.0, 0.0]])
    assert final_order(n_wk, np.array([0, 3], np.int32), n_parents=1).tolist() == [0, 1, 3]


def test_final_order_keeps_a_parent_without_tokens() -> None:
    assert final_order(np.array([[0.0, 0.0, 3.0]]), np.array([2], np.int32), n_parents=2).tolist() == [
        0,
        1,
        2,
    ]


class TestWordFilter:
    """The refresh of lambda before a sweep."""

    def test_equals_equations_17_and_18_over_the_whole_vocabulary(self) -> None:
        problem = random_problem(2)
        chain = swept_chain(problem)
        word_filter(problem)(chain)

        weight = chain.rules.promotion_weight
        live = np.flatnonzero(chain.in_use)
        probability = chain.counts.n_wk[:, live] + problem.priors.beta
        probability[:, :2] += promoted_mass(problem, chain.counts.promoted_wq, weight)
        probability /= probability.sum(axis=0)  # p(w|k), smoothed
        directions = topic_directions(probability, problem.unit, problem.concept_words)
        expected = promotion_probability(directions, problem.unit, n_parents=2)
        promoting = problem.graph.n_related.any(axis=1)
        np.testing.assert_array_equal(chain.rules.promotion_probability[promoting], expected[promoting])
        assert promoting.any()

    def test_topics_that_are_not_in_use_take_no_rank(self) -> None:
        problem = random_problem(3)
        chain = swept_chain(problem)
        assert (~chain.in_use).any()
        word_filter(problem)(chain)
        steps = chain.rules.promotion_probability * (chain.in_use.sum() - 1)
        np.testing.assert_allclose(steps, np.round(steps), atol=1e-4)

    @pytest.mark.parametrize(
        "problem",
        [
            random_problem(0, filtered=False),
            random_problem(0, weight=0.0),
            problem_of([[0, 1]], [[0]], n_words=2),
        ],
        ids=["not filtered", "no promotion", "nothing related"],
    )
    def test_there_is_nothing_to_refresh(self, problem: ParentProblem) -> None:
        assert word_filter(problem) is None


class TestRules:
    """What follows from the problem."""

    def test_concept_words_are_fixed(self) -> None:
        assert fixed_topics(random_problem(0)).tolist() == [0, 0, 0, 1, 1, *[-1] * 15]

    def test_concept_words_become_documents(self) -> None:
        problem = problem_of([[5, 6], []], CONCEPTS, n_words=N_WORDS)
        tokens, offsets = with_concept_documents(problem)
        assert tokens.tolist() == [5, 6, 0, 1, 2, 3, 4]
        assert offsets.tolist() == [0, 2, 2, 5, 7]
        assert (tokens.dtype, offsets.dtype) == (np.int32, np.int64)

    @pytest.mark.parametrize("weight", [0.3, 0.7, 0.001])
    def test_the_weight_is_rounded_so_that_sums_are_exact(self, weight: float) -> None:
        rounded = parent_rules(random_problem(0, weight=weight)).promotion_weight
        assert (rounded / MASS_UNIT).is_integer()
        assert rounded == pytest.approx(weight, abs=MASS_UNIT / 2)

    def test_without_a_weight_nobody_is_related(self) -> None:
        assert not parent_rules(random_problem(0, weight=0.0)).n_related.any()
        assert parent_rules(random_problem(0)).n_related.any()


class TestFit:
    """The outcome of phase 1."""

    @pytest.fixture
    def fitted(self):
        problem = random_problem(4)
        return problem, fit_parents(problem, start_as_paper(problem, seed=0), Schedule(20, 20))

    def test_token_topics_are_columns(self, fitted) -> None:
        problem, fit = fitted
        n_topics = fit.word_topic.shape[1]
        assert fit.token_topics.shape == fit.token_promoted.shape == problem.tokens.shape
        assert 0 <= fit.token_topics.min() <= fit.token_topics.max() < n_topics
        assert n_topics >= 3

    def test_concept_words_are_in_their_parent_only(self, fitted) -> None:
        problem, fit = fitted
        for q, words in enumerate(CONCEPTS):
            assert set(fit.token_topics[np.isin(problem.tokens, words)]) == {q}
            others = np.delete(fit.word_topic[words], q, axis=1)
            assert not others.any()

    def test_only_parents_promote(self, fitted) -> None:
        _, fit = fitted
        assert fit.token_promoted.any()
        assert (fit.token_topics[fit.token_promoted > 0] < 2).all()

    def test_every_token_of_the_corpus_is_counted_and_no_other(self, fitted) -> None:
        problem, fit = fitted
        n_w = np.bincount(problem.tokens, minlength=N_WORDS)  # without the concept words' own documents
        np.testing.assert_allclose(fit.word_topic.sum(axis=1), n_w)

    def test_only_concept_words_are_promoted(self, fitted) -> None:
        _, fit = fitted
        assert fit.promoted_mass.shape == (N_WORDS, 2)
        assert not fit.promoted_mass[5:].any()
        assert (fit.promoted_mass[[0, 3], [0, 1]] > 0).all()

    def test_the_background_is_in_order_of_size(self, fitted) -> None:
        _, fit = fitted
        sizes = fit.word_topic[:, 2:].sum(axis=0)
        assert (np.diff(sizes) <= 0).all()


def test_a_large_vocabulary_is_smoothed_as_much_in_all_as_the_papers() -> None:
    priors = Priors()
    assert smoothing_for(priors, 800) == smoothing_for(priors, PAPERS_WORDS) == priors
    assert smoothing_for(priors, 4 * PAPERS_WORDS) == Priors(priors.alpha, priors.beta / 4, priors.gamma)
    assert smoothing_for(priors, 0) == priors
