"""Parts that are asked and put together know exactly what one machine knows: equal to the last bit."""

import dataclasses

import numpy as np
import pytest
from tests.distributed.conftest import assert_same

from qdtm.concepts import Query, build_concepts, check_query, choose_concepts
from qdtm.concepts.choosing import measure_reaches
from qdtm.concepts.search import search
from qdtm.concepts.searcher import searcher_of
from qdtm.distributed.claims import CLAIMS, claim_documents
from qdtm.distributed.parts import ask
from qdtm.distributed.searching import document_scores
from qdtm.sampler.starts import claimed_documents

QUERIES = [
    Query("israel palestinian"),
    Query("cricket"),
    Query("australia", rule="or"),
    Query("fire* sydney", rule="and"),
    Query("afghanistan taliban", exclude=["bin"]),
    Query("woomera detention centre"),  # few have all: others stand in
    Query(keywords=("union", "qantas"), name="work"),
]


@pytest.fixture(params=QUERIES, ids=lambda query: query.name)
def query(request):
    return request.param


def searched(corpus, query, rule="and"):
    searcher = searcher_of(corpus)
    return searcher, search(corpus, searcher, query, rule)


def test_the_check_is_the_same(spread, whole, query, vectors):
    assert check_query(spread, query, vectors=vectors) == check_query(whole, query, vectors=vectors)


def test_frequencies_and_relevance_are_the_same(spread, whole, query):
    (ours, mine), (theirs, found) = searched(spread, query), searched(whole, query)
    assert len(mine.retrieval) == len(found.retrieval)
    assert_same(ours.word_frequency(mine), theirs.word_frequency(found))
    assert_same(ours.relevance_model(mine), theirs.relevance_model(found))


def test_the_evidence_is_the_same(spread, whole, query):
    (ours, mine), (theirs, found) = searched(spread, query), searched(whole, query)
    words = range(0, whole.n_words, 7)
    assert ours.find_evidence(mine, words) == theirs.find_evidence(found, words)


def test_the_reach_is_the_same(spread, whole, query):
    (ours, mine), (theirs, found) = searched(spread, query), searched(whole, query)
    ours_reach, theirs_reach = ours.measure_reach(mine), theirs.measure_reach(found)

    scores = np.concatenate(ask(spread.workers, document_scores, query))
    assert ours_reach.breadth == theirs_reach.breadth
    assert ours_reach.n_documents == len(theirs_reach.documents)
    assert_same(scores, theirs_reach.document_scores)
    assert_same(ours.pointing(ours_reach), theirs.pointing(theirs_reach))


@pytest.mark.parametrize("expansion", ["kld", "fre", "rel", None])
def test_concepts_are_the_same(spread, whole, vectors, expansion):
    asked = {"expansion": expansion, "vectors": vectors}
    assert choose_concepts(spread, QUERIES, **asked) == choose_concepts(whole, QUERIES, **asked)
    alone = "israel palestinian"
    assert choose_concepts(spread, alone, **asked) == choose_concepts(whole, alone, **asked)


def test_pointing_chooses_the_same_words(spread, whole):
    pointing = [build_concepts(corpus, "cricket", min_pointing=0.5) for corpus in (spread, whole)]
    assert pointing[0] == pointing[1]
    assert pointing[0] != build_concepts(whole, "cricket")


@pytest.mark.parametrize("n_queries", [1, 2, 5])
def test_the_same_documents_are_claimed(spread, whole, n_queries):
    concepts = build_concepts(whole, QUERIES[:n_queries])
    claim_documents(spread.workers, measure_reaches(spread, concepts))

    claims = np.concatenate(ask(spread.workers, _claims))

    assert_same(claims, claimed_documents(measure_reaches(whole, concepts), whole.n_documents))
    assert set(claims.tolist()) == set(range(-1, n_queries))


def test_queries_that_want_the_same_documents_share_them_as_on_one_machine(spread, whole):
    concepts = build_concepts(whole, ["israel", "palestinian"], expansion=None)
    reaches = measure_reaches(whole, concepts)
    claim_documents(spread.workers, measure_reaches(spread, concepts))

    wanted = np.concatenate([reach.documents for reach in reaches])
    assert len(set(wanted.tolist())) < len(wanted)  # some are wanted by both
    assert_same(np.concatenate(ask(spread.workers, _claims)), claimed_documents(reaches, whole.n_documents))


def _claims(part):
    return part.notes[CLAIMS]


def test_a_concept_is_plain_data(spread):
    """Nothing of the workers hides in a concept, which is saved with the model."""
    concept = choose_concepts(spread, "cricket")[0]
    assert dataclasses.asdict(concept)["name"] == "cricket"
