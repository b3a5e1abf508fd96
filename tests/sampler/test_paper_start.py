"""Where phase 1 starts as in the paper."""

from __future__ import annotations

import numpy as np
import pytest

from qdtm.sampler.chain import Chain
from qdtm.sampler.initialise import start_as_paper

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
