"""Where phase 1 starts: as in the paper, or from the reach of the concepts."""

from __future__ import annotations

import numpy as np
import pytest

from qdtm.concepts.reach import Reach
from qdtm.sampler.chain import Chain
from qdtm.sampler.problem import ParentProblem
from qdtm.sampler.progress import Interruption, Progress
from qdtm.sampler.starts import (
    BACKGROUND_SWEEPS,
    MOST_BACKGROUND_TOPICS,
    choose_n_background,
    claimed_documents,
    start_as_paper,
    start_from_reach,
)

from .problems import problem_of

# Words 0 and 1 are the first query's, 2 and 3 the second's, the rest are free.
DOCUMENTS = [[4, 0, 5], [5, 6, 2, 4, 0], [4, 4, 5], [], [1, 3, 2, 5], [6, 6]]
CONCEPTS = [[0, 1], [2, 3]]
BACKGROUND = 2


def topics_by_document(chain: Chain) -> list[list[int]]:
    parts = np.split(chain.assignment.topics, chain.assignment.offsets[1:-1])
    return [part.tolist() for part in parts]


class TestAsPaper:
    """Fact 5: whole documents in one topic."""

    @pytest.fixture
    def chain(self) -> Chain:
        return start_as_paper(problem_of(DOCUMENTS, CONCEPTS, n_words=7), seed=0)

    def test_a_document_starts_in_the_topic_of_the_first_concept_word_met(self, chain: Chain) -> None:
        topics = topics_by_document(chain)
        assert topics[0] == [0, 0, 0]
        assert topics[1] == [1, 1, 1, 1, 0]  # the other query's own word stays its own
        assert topics[4] == [0, 1, 1, 0]

    def test_any_other_starts_in_the_one_background_topic(self, chain: Chain) -> None:
        topics = topics_by_document(chain)
        assert topics[2] == [BACKGROUND] * 3
        assert topics[3] == []
        assert topics[5] == [BACKGROUND] * 2

    def test_concept_words_are_documents_of_their_own(self, chain: Chain) -> None:
        assignment = chain.assignment
        assert len(assignment.offsets) - 1 == len(DOCUMENTS) + 2
        assert topics_by_document(chain)[-2:] == [[0, 0], [1, 1]]
        assert assignment.tokens[-4:].tolist() == [0, 1, 2, 3]

    def test_every_token_is_counted(self, chain: Chain) -> None:
        assert chain.counts.n_wk.sum() == len(chain.assignment.tokens) == sum(map(len, DOCUMENTS)) + 4

    def test_there_is_one_topic_more_than_queries(self, chain: Chain) -> None:
        assert chain.in_use.sum() == 3
        assert chain.n_sweeps == 0

    def test_nobody_has_promoted_yet(self, chain: Chain) -> None:
        assert not chain.assignment.links.any()
        assert not chain.counts.promoted_wq.any()

    def test_no_parent_can_die(self) -> None:
        chain = start_as_paper(problem_of([[4, 5]] * 3, CONCEPTS, n_words=7), seed=0)  # no concept word
        for _ in range(20):
            chain.step()
            assert chain.in_use[:2].all()


def reach(breadth: float, scores: list[float] | None = None) -> Reach:
    return Reach(breadth, np.array([] if scores is None else scores))


class TestClaims:
    """A query claims its likeliest documents."""

    def test_as_many_as_its_breadth_says(self) -> None:
        assert claimed_documents([reach(0.4, [0.1, 0.9, 0.2, 0.8, 0.3])], 5).tolist() == [-1, 0, -1, 0, -1]

    def test_never_one_that_cannot_be_about_it(self) -> None:
        no = -np.inf
        assert claimed_documents([reach(0.6, [no, 0.9, no, no, no])], 5).tolist() == [-1, 0, -1, -1, -1]

    def test_of_two_claims_the_higher_place_wins(self) -> None:
        first = reach(0.6, [0.9, 0.4, 0.3, 0.0, 0.0])  # claims 0, 1, 2; document 1 in the second place
        second = reach(0.4, [0.0, 0.8, 0.0, 0.0, 0.1])  # claims 1 and 4; document 1 in the first
        assert claimed_documents([first, second], 5).tolist() == [0, 1, 0, -1, 1]
        assert claimed_documents([second, first], 5).tolist() == [1, 0, 1, -1, 0]

    def test_equal_claims_go_to_the_first_query(self) -> None:
        same = reach(0.5, [0.5, 0.5, 0.0, 0.0])
        assert claimed_documents([same, same], 4).tolist() == [0, 0, -1, -1]

    def test_a_query_without_documents_claims_none(self) -> None:
        nothing, something = reach(0.5, [-np.inf, -np.inf]), reach(0.5, [0.0, 0.3])
        assert claimed_documents([nothing, something], 2).tolist() == [-1, 1]


class TestNumberOfBackgroundTopics:
    """Few beside queries that cover the corpus, many beside a lone narrow one."""

    def test_queries_that_cover_the_corpus_leave_room_for_one(self) -> None:
        assert choose_n_background([reach(0.2)] * 4) == 1
        assert choose_n_background([reach(1 / 16)] * 16) == 1
        assert choose_n_background([reach(0.6)] * 5) == 1

    def test_a_lone_narrow_query_starts_beside_many(self) -> None:
        assert choose_n_background([reach(0.001)]) == MOST_BACKGROUND_TOPICS
        assert 30 <= choose_n_background([reach(0.08)]) <= 40

    def test_the_broader_a_lone_query_the_fewer(self) -> None:
        numbers = [choose_n_background([reach(b)]) for b in (0.06, 0.08, 0.1, 0.15, 0.2, 0.3)]
        assert numbers == sorted(numbers, reverse=True)
        assert len(set(numbers)) == len(numbers)

    def test_the_more_is_asked_the_fewer(self) -> None:
        numbers = [choose_n_background([reach(0.1)] * n) for n in range(1, 9)]
        assert numbers == sorted(numbers, reverse=True)
        assert numbers[-1] == 1

    def test_it_is_a_plain_whole_number(self) -> None:
        assert type(choose_n_background([reach(0.1)])) is int


class TestFromReach:
    """Claimed documents start in their parent; the rest becomes the background."""

    N_BACKGROUND = 5

    @staticmethod
    def problem() -> ParentProblem:
        """Eight documents of the first query's words, then sixty of twelve other words."""
        rng = np.random.default_rng(0)
        about = [[0, 1, 4, 5, 0, 4] for _ in range(8)]
        return problem_of([*about, *rng.integers(6, 18, (60, 8)).tolist()], [[0, 1], [2, 3]], n_words=18)

    def start(self, **options) -> Chain:
        problem = self.problem()
        reaches = [reach(8 / 68, [0.8] * 8 + [0.1] * 60), reach(1 / 68, [0.0] * 68)]
        return start_from_reach(problem, reaches, self.N_BACKGROUND, seed=0, **options)

    def test_claimed_documents_start_wholly_in_their_parent(self) -> None:
        assert topics_by_document(self.start())[:8] == [[0] * 6] * 8

    def test_the_rest_starts_in_the_background(self) -> None:
        rest = topics_by_document(self.start())[8:-2]
        assert min(k for topics in rest for k in topics) >= 2

    def test_a_query_that_claims_nothing_has_its_concept_words(self) -> None:
        chain = self.start()
        assert topics_by_document(chain)[-1] == [1, 1]
        assert chain.counts.n_wk[:, 1].sum() == 2

    def test_the_background_is_swept_and_the_parents_are_not(self) -> None:
        chain = self.start()
        assert chain.n_sweeps == BACKGROUND_SWEEPS
        assert chain.counts.n_wk[4:6, 0].tolist() == [16.0, 8.0]  # the free words of the claimed documents

    def test_it_says_how_far_it_is(self) -> None:
        seen: list[Progress] = []
        self.start(progress=seen.append)
        assert [progress.sweep for progress in seen] == list(range(1, BACKGROUND_SWEEPS + 1))
        assert {(p.stage, p.query, p.max_sweeps) for p in seen} == {("background", None, BACKGROUND_SWEEPS)}

    def test_it_stops_when_asked(self) -> None:
        interruption = Interruption()

        def stop(progress: Progress) -> None:
            interruption.requested = progress.sweep == 3

        chain = self.start(progress=stop, interruption=interruption)
        assert chain.n_sweeps == 3

    def test_the_same_seed_gives_the_same_start(self) -> None:
        np.testing.assert_array_equal(self.start().assignment.topics, self.start().assignment.topics)
