"""A parent topic that joins: what it takes, what stays, and which documents are swept again."""

import numpy as np

from qdtm.concepts.reach import Reach
from qdtm.sampler.engines import Threads
from qdtm.sampler.joining import MARGIN, documents_to_sweep, lies_mostly_in, start_joining

from .problems import problem_of

DOCUMENTS = [[0, 5, 6], [1, 7, 7], [2, 8], [8, 9, 9], [9, 8], [5, 3]]
CONCEPTS = [[0], [2, 3]]
BEFORE = np.array([0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 0, 1], np.int32)  # one query, then the background
REACHES = [
    Reach(1 / 6, np.array([1.0, 0, 0, 0, 0, 0])),
    Reach(2 / 6, np.array([-np.inf, -1.0, 1.0, 0.9, -2.0, -3.0])),
]


def joined():
    problem = problem_of(DOCUMENTS, CONCEPTS, n_words=10)
    promoted = np.zeros(len(BEFORE), np.uint8)
    return problem, start_joining(problem, REACHES, BEFORE, promoted, 0, Threads())


def test_it_takes_its_words_its_documents_and_the_topics_that_lie_in_them():
    problem, chain = joined()
    topics = chain.assignment.topics[: len(BEFORE)]
    # Documents 2 and 3 are claimed; topic 2 lies mostly there and comes along; topic 1 moves up to column 2.
    assert topics.tolist() == [0, 0, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 0, 1]
    own = chain.assignment.topics[len(BEFORE) :]
    assert own.tolist() == [0, 1, 1]  # the concept words' own documents
    assert problem.n_parents == 2


def test_a_topic_that_lies_elsewhere_stays():
    topics = np.array([2, 2, 2, 3, 3, 3, 3, 3, 0], np.int32)
    claimed = np.array([1, 1, 0, 1, 0, 0, 0, 0, 1], bool)
    assert lies_mostly_in(topics, claimed, 1).tolist() == [True] * 3 + [False] * 6


def test_only_documents_that_it_could_change_are_swept():
    problem, chain = joined()
    documents = documents_to_sweep(problem, REACHES[1])
    assert len(documents) <= MARGIN * 2 + 2
    assert {2, 3, 5} <= set(documents.tolist())  # the likeliest, and one that has a concept word
    narrow = Reach(1 / 60, REACHES[1].document_scores)
    assert set(documents_to_sweep(problem, narrow).tolist()) == {1, 2, 3, 5}
    before = chain.assignment.topics.copy()
    for _ in range(5):
        chain.step(unclaimed_only=True)
    unswept = sorted(set(range(6)) - set(documents.tolist()))
    for j in unswept:
        here = slice(problem.offsets[j], problem.offsets[j + 1])
        np.testing.assert_array_equal(chain.assignment.topics[here], before[here])
