"""Queries that join: what a parent takes, what stays, which documents are swept, with which priors."""

from __future__ import annotations

import numpy as np
import pytest

from qdtm.sampler.chain import Chain
from qdtm.sampler.engines import Threads
from qdtm.sampler.initialise import (
    LEAST_PRIOR,
    LONGEST,
    MARGIN,
    MOST_PRIOR,
    MOSTLY,
    OVERLONG,
    absorbed_topics,
    document_priors,
    documents_taken,
    fitting_evidence,
    start_joining,
    topics_at_start,
    topics_before,
)
from qdtm.sampler.problem import ParentProblem

from .problems import problem_of

DOCUMENTS = [[0, 5, 6], [1, 7, 7], [2, 8], [8, 9, 9], [9, 8], [5, 3], [6, 6]]
CONCEPTS = [[0], [2, 3]]
BEFORE = np.array([0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 0, 1, 1, 1], np.int32)  # one query, then background
EVIDENCE = np.array([[0.9, 0.0], [0.0, 0.1], [0.0, 0.9], [0.0, 0.8], [0.0, 0.1], [0.2, 0.1], [0.0, 0.0]])


def added() -> ParentProblem:
    """The second query comes to the first."""
    return problem_of(
        DOCUMENTS,
        CONCEPTS,
        n_words=10,
        evidence=EVIDENCE.astype(np.float32),
        before=BEFORE,
        promoted_before=np.zeros(len(BEFORE), np.uint8),
        n_before=1,
    )


def alone(p: list[float], before: list[int], documents: list[list[int]], n_words: int = 10) -> ParentProblem:
    """One query, whose word is 0, joins a background."""
    evidence, topics = np.array(p, np.float32)[:, None], np.array(before, np.int32)
    return problem_of(documents, [[0]], n_words=n_words, evidence=evidence, before=topics)


def join(problem: ParentProblem) -> Chain:
    return start_joining(problem, 0, Threads())


class TestTopicsBefore:
    """Room is made for the new parents."""

    def test_a_background_moves_up(self) -> None:
        problem = alone([0.5, 0.5], [0, 1, 2], [[1, 2], [3]])
        assert topics_before(problem).tolist() == [1, 2, 3]

    def test_parents_of_before_stay(self) -> None:
        assert topics_before(added()).tolist() == [0 if k == 0 else k + 1 for k in BEFORE]


class TestClaims:
    """A query takes the documents likeliest to be about it, as many as are."""

    def test_as_many_as_are_about_it(self) -> None:
        problem = alone([0.9, 0.1, 0.7, 0.3], [0] * 4, [[1], [2], [3], [4]])  # they sum to 2
        assert documents_taken(problem).tolist() == [0, -1, 0, -1]

    def test_at_least_one(self) -> None:
        problem = alone([0.1, 0.2, 0.0], [0] * 3, [[1], [2], [3]])
        assert documents_taken(problem).tolist() == [-1, 0, -1]

    def test_never_one_that_cannot_be_about_it(self) -> None:
        problem = alone([0.0, 0.0], [0] * 2, [[1], [2]])
        assert documents_taken(problem).tolist() == [-1, -1]

    def test_of_two_the_surer_has_it_and_of_equals_the_first(self) -> None:
        evidence = np.array([[0.9, 0.2], [0.6, 0.7], [0.5, 0.5], [0.0, 0.6]], np.float32)
        problem = problem_of(
            [[4], [5], [6], [7]], CONCEPTS, n_words=10, evidence=evidence, before=np.zeros(4, np.int32)
        )
        assert documents_taken(problem).tolist() == [0, 1, -1, 1]
        twice = np.full((2, 2), 0.5, np.float32)
        problem = problem_of([[4], [5]], CONCEPTS, n_words=10, evidence=twice, before=np.zeros(2, np.int32))
        assert documents_taken(problem).tolist() == [0, -1]

    def test_those_of_before_claim_nothing_again(self) -> None:
        assert set(documents_taken(added()).tolist()) == {-1, 1}


class TestLongDocuments:
    """One document of many times the usual length takes no part in a parent, but for its concept words."""

    @staticmethod
    def problem(length: int) -> ParentProblem:
        documents = [[0, *[1] * (length - 1)], *[[0, 2, 3]] * 6, *[[4, 5, 6]] * 6]
        before = [0] * sum(map(len, documents))
        return alone([1.0] * 7 + [0.0] * 6, before, documents)

    def test_it_claims_nothing_and_is_not_drawn_in(self) -> None:
        problem = self.problem(int(LONGEST) + 1)
        assert fitting_evidence(problem)[:, 0].tolist() == [0.0] + [1.0] * 6 + [0.0] * 6
        assert documents_taken(problem)[0] == -1
        assert document_priors(problem)[1][0, 0] == np.float32(LEAST_PRIOR)
        assert topics_at_start(problem)[0] == 0

    def test_one_of_usual_length_is(self) -> None:
        problem = self.problem(int(LONGEST))
        assert documents_taken(problem)[0] == 0

    def test_where_all_are_long_none_is(self) -> None:
        documents = [[1] * int(LONGEST * OVERLONG)] * 5 + [[1] * int(LONGEST * OVERLONG * 2)]
        problem = alone([0.9] * 6, [0] * sum(map(len, documents)), documents)
        np.testing.assert_allclose(fitting_evidence(problem), 0.9)


class TestAbsorbed:
    """Background topics that lie mostly in documents about a query were about it before it was asked."""

    def test_equals_a_loop(self) -> None:
        rng = np.random.default_rng(0)
        documents = [rng.integers(1, 10, n).tolist() for n in rng.integers(0, 9, 40)]
        topics = rng.integers(0, 6, sum(map(len, documents)))
        p = np.where(rng.random(40) < 0.4, 0.9, 0.05)
        problem = alone(p.tolist(), topics.tolist(), documents)
        document = np.repeat(np.arange(40), np.diff(problem.offsets))
        expected = [-1]
        for k in range(6):
            inside = np.mean([problem.evidence[j, 0] for j in document[topics == k]])
            expected.append(0 if inside > MOSTLY else -1)
        found = absorbed_topics(problem, topics_before(problem))
        assert found.tolist() == expected
        assert 0 < (found == 0).sum() < 6

    def test_no_parent_is_absorbed(self) -> None:
        problem = added()
        sure = problem_of(
            DOCUMENTS,
            CONCEPTS,
            n_words=10,
            evidence=np.ones_like(problem.evidence),
            before=BEFORE,
            n_before=1,
        )
        assert absorbed_topics(sure, topics_before(sure)).tolist() == [-1, -1, 1, 1]


class TestStart:
    """Where tokens start."""

    def test_words_documents_and_topics_are_taken(self) -> None:
        chain = join(added())
        topics = chain.assignment.topics
        # Documents 2 and 3 are claimed; the topic that lies mostly there comes along; the other moves up.
        assert topics[: len(BEFORE)].tolist() == [0, 0, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 0, 1, 2, 2]
        assert topics[len(BEFORE) :].tolist() == [0, 1, 1]  # the concept words' own documents
        assert chain.in_use[:2].all()

    def test_concept_words_are_their_parents_wherever_they_are(self) -> None:
        rng = np.random.default_rng(1)
        documents = [rng.integers(0, 10, 6).tolist() for _ in range(30)]
        problem = alone(rng.random(30).tolist(), rng.integers(0, 5, 180).tolist(), documents)
        assert (topics_at_start(problem)[:180][problem.tokens == 0] == 0).all()

    def test_every_token_is_counted(self) -> None:
        chain = join(added())
        assert chain.counts.n_wk.sum() == len(chain.assignment.tokens) == len(BEFORE) + 3

    def test_what_promoted_before_and_stays_promotes_still(self) -> None:
        related = [np.zeros((10, 1)), np.zeros((10, 2))]
        related[0][5] = 1.0
        promoted = (np.arange(len(BEFORE)) == 1).astype(np.uint8)  # word 5 of document 0, in the first parent
        problem = problem_of(
            DOCUMENTS,
            CONCEPTS,
            n_words=10,
            related=related,
            promotion_weight=0.25,
            evidence=EVIDENCE.astype(np.float32),
            before=BEFORE,
            promoted_before=promoted,
            n_before=1,
        )
        assert np.flatnonzero(join(problem).assignment.links).tolist() == [1]


class TestPriors:
    """Which documents are swept, and how far evidence moves a parent's prior."""

    def test_priors_are_how_much_likelier_than_usual_within_bounds(self) -> None:
        problem = alone([1.0] + [0.01] * 30 + [0.0] * 69, [0] * 100, [[1]] * 100)
        evidence = document_priors(problem)[1]
        usual = 1.3 / 100
        assert evidence[0, 0] == MOST_PRIOR
        np.testing.assert_allclose(evidence[1:31, 0], 0.01 / usual, rtol=1e-5)
        np.testing.assert_allclose(evidence[31:100, 0], LEAST_PRIOR)
        assert evidence[100:].tolist() == [[1.0]]  # the concept words' own document
        assert evidence.dtype == np.float32

    def test_a_query_without_evidence_has_a_prior_all_the_same(self) -> None:
        evidence = document_priors(alone([0.0, 0.0], [0, 0], [[1], [2]]))[1]
        assert np.isfinite(evidence).all()
        assert (evidence > 0).all()

    def test_only_documents_that_could_change_are_swept(self) -> None:
        p = [0.9] + [0.001 * j for j in range(40)]
        documents = [[1, 2]] * 40 + [[0, 1]]  # the last has the query's word
        problem = alone(p, [0] * 82, documents)
        swept, _ = document_priors(problem)
        assert len(swept) == 42
        likeliest = np.argsort(-problem.evidence[:, 0], kind="stable")[: MARGIN * 2]  # they sum to 1.68
        assert set(np.flatnonzero(swept)) == {*likeliest.tolist(), 40}

    def test_the_others_keep_their_topics(self) -> None:
        problem = added()
        chain, (swept, _) = join(problem), document_priors(problem)
        before = chain.assignment.topics.copy()
        for _ in range(5):
            chain.step()
        still = ~np.repeat(swept, np.diff(chain.assignment.offsets))
        assert still[: len(BEFORE)].any()
        np.testing.assert_array_equal(chain.assignment.topics[still], before[still])

    def test_queries_of_before_keep_their_priors(self) -> None:
        p = EVIDENCE[:, 0]
        expected = np.clip(p / p.mean(), LEAST_PRIOR, MOST_PRIOR)
        np.testing.assert_allclose(document_priors(added())[1][:7, 0], expected, rtol=1e-5)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_seed_decides_about_everything(n_jobs: int) -> None:
    chains = [join(added()), start_joining(added(), 0, Threads(n_jobs))]
    for chain in chains:
        for _ in range(10):
            chain.step()
    np.testing.assert_array_equal(*(chain.assignment.topics for chain in chains))
