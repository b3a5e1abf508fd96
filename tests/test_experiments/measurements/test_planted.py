"""Planted corpora are as they are said to be, and what is found is held against what was planted."""

import numpy as np
import pytest

from experiments.measurements.planted import LENGTH, PREVALENCES, Outcome, ask, plant_corpus, table

pytestmark = pytest.mark.experiments


@pytest.fixture(scope="module")
def planted():
    return plant_corpus(1, 2_000)


def test_concepts_have_their_prevalence_and_their_name(planted):
    corpus, concepts = planted
    assert [len(concept.documents) for concept in concepts] == [round(2_000 * p) for p in PREVALENCES]
    assert len(set(np.concatenate([concept.documents for concept in concepts]))) == sum(
        len(concept.documents) for concept in concepts
    )
    assert corpus.document_lengths.mean() == pytest.approx(LENGTH, rel=0.05)
    column = corpus.document_term_matrix[:, corpus.vocabulary.index(concepts[-1].name)].toarray().ravel()
    named = (column[concepts[-1].documents] > 0).mean()
    assert named == pytest.approx(concepts[-1].naming, abs=0.25)


def test_a_concept_of_two_per_cent_is_found(planted):
    corpus, concepts = planted
    outcome = ask(corpus, concepts[-1], 0)
    assert outcome.answered
    assert outcome.precision > 0.5
    assert outcome.low <= outcome.truth <= outcome.high


def test_the_table_counts_what_held():
    known = {"naming": 0.5, "share": 0.3, "shared": 0.1, "truth": 10, "named": 5}
    held = Outcome(
        0, 0.01, **known, answered=True, precision=1.0, found=0.5, right=1.0, count=9, low=5, high=20
    )
    missed = Outcome(
        1, 0.01, **known, answered=True, precision=0.5, found=0.5, right=1.0, count=3, low=2, high=4
    )
    unanswered = Outcome(2, 0.01, **known)
    last = table([held, missed, unanswered]).splitlines()[-1]
    assert last == "| 1.0% | 3 | 2 | 0.75 | 0.50 | 1.00 | 0.60 | 1 of 2 |"
