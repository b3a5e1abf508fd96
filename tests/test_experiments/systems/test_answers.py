from dataclasses import replace

import numpy as np
import pytest

from experiments.bench.alone import measure_answer
from experiments.harness.cells import Cell
from experiments.metrics.labels import precision_at_k
from experiments.systems.answers import (
    REFERENCE,
    RETRIEVAL,
    TOGETHER,
    Answer,
    concept_words,
    no_answer,
    query_words,
    share_scores,
)
from experiments.systems.topic_answers import make_row, make_rows
from qdtm.corpus import Corpus
from qdtm.errors import ParameterError
from qdtm.model import QueryDrivenTopicModel
from qdtm.queries.selection import document_evidence

from ..bench.planted import PER_THEME, THEMES, planted_dataset

SWEEPS = 20


@pytest.fixture(scope="module")
def dataset():
    return planted_dataset()


def ask(name, dataset, query=1, **options):
    [answer] = make_row(name, SWEEPS).answer(dataset, [query], 0, **options)
    return answer


def test_rows_that_need_words_get_those_of_the_model(dataset):
    for q, concept in enumerate(dataset.concepts):
        model = QueryDrivenTopicModel(concept.query, max_sweeps=2, subtopics=False).fit(dataset.corpus)
        assert tuple(concept_words(dataset, q)) == tuple(model.concepts_[0].word_indices)
        assert [dataset.corpus.vocabulary[w] for w in query_words(dataset, q)] == [concept.query]


def test_share_is_that_of_the_tokens(dataset):
    words = query_words(dataset, 0)
    scores = share_scores(dataset.corpus.document_term_matrix, words)
    assert scores[0] == pytest.approx(1 / 9)  # the first document names its theme once, in nine tokens
    assert scores[1] == 0.0
    assert np.flatnonzero(scores).max() < PER_THEME


@pytest.mark.parametrize("name", ["qdtm", "paper", *RETRIEVAL])
def test_every_row_finds_more_than_chance(dataset, name):
    answer = ask(name, dataset)
    relevant = dataset.labels == 1
    assert max(precision_at_k(scores, relevant) for scores in answer.scores) > 0.3


def test_the_model_finds_documents_that_do_not_name_the_query(dataset):
    answer, by_name = ask("qdtm", dataset, subtopics=True), ask("bm25-query", dataset)
    relevant = dataset.labels == 1
    assert precision_at_k(answer.scores[0], relevant) > 0.8
    assert np.count_nonzero(by_name.scores[0]) == 14  # every third of forty names it
    assert 0.1 < answer.prevalence < 0.5
    assert answer.topic.sum() == pytest.approx(1.0)


@pytest.mark.parametrize("name", ["lda", "hdp", "seeded-lda"])
def test_topic_models_give_two_readings_and_the_topic_of_the_words(dataset, name):
    pytest.importorskip("tomotopy", reason="the row needs the extra 'experiments'")
    answer = ask(name, dataset)
    assert len(answer.scores) == 2
    assert answer.n_background == 19 or (name == "hdp" and answer.n_background > 1)
    top = dataset.corpus.vocabulary[int(answer.topic.argmax())]
    assert top in ("cricket", *THEMES["cricket"])


def test_one_joint_fit_answers_all(dataset):
    row = make_row("together", SWEEPS)
    answers = list(row.answer(dataset, [0, 3], 0))
    assert row.at_once
    assert len({answer.seconds for answer in answers}) == 1
    for q, answer in zip([0, 3], answers, strict=True):
        assert precision_at_k(answer.scores[0], dataset.labels == q) > 0.8


@pytest.mark.parametrize("name", ["qdtm", "share", "bm25-query", "together"])
def test_a_query_that_the_corpus_lacks_ranks_by_chance(dataset, name):
    unknown = replace(dataset.concepts[0], query="zebra")
    answer = ask(name, replace(dataset, concepts=(unknown, *dataset.concepts[1:])), query=0)
    assert np.ptp(answer.scores[0]) == 0.0
    assert not answer.answered


def test_a_refused_query_has_no_ranking(dataset):
    refused = measure_answer(Cell("alone", "x", "qdtm", 0, 1), no_answer(dataset), dataset)
    assert (refused.precision_at_k, refused.answered, refused.n_relevant) == (None, False, PER_THEME)


def test_the_model_says_how_sure_it_is(dataset):
    answer = ask("qdtm", dataset)
    result = measure_answer(Cell("alone", "x", "qdtm", 0, 1), answer, dataset)
    low, high = result.interval
    assert 0 < low <= result.count <= high <= dataset.corpus.n_documents
    assert result.count == (answer.scores[0] >= answer.judgement.cutoff).sum()
    assert result.precision_by_share > 0.5
    assert 0 <= result.calibration_error < 0.3
    assert result.own_words >= 0.7
    assert result.is_inside == (low <= PER_THEME <= high)
    assert result.width == pytest.approx(high / low)


def test_the_evidence_is_asked_for_its_probabilities(dataset):
    answer = ask("evidence", dataset)
    result = measure_answer(Cell("alone", "x", "evidence", 0, 1), answer, dataset)
    found = document_evidence(dataset.corpus, "cricket", "and")
    np.testing.assert_array_equal(answer.scores[0], found.probability)
    assert result.precision_at_k > 0.8
    assert result.count == pytest.approx(found.n_about)
    assert (result.interval, result.precision_by_share) == (None, None)


@pytest.mark.parametrize("row", ["evidence", "qdtm"])
def test_what_is_refused_counts_as_refused(dataset, row):
    unknown = replace(dataset, concepts=(replace(dataset.concepts[0], query="zebra"),))
    assert not ask(row, unknown, query=0).answered
    text = " ".join(f"w{i}" for i in range(40))
    passing = Corpus.from_texts([f"{text} cricket {text}", *[f"{text} {i}" for i in range(20)]])
    asked = replace(dataset, corpus=passing, labels=np.zeros(21, np.int64))
    assert not ask(row, asked).answered


def test_share_always_comes_along_and_unknown_rows_are_refused():
    assert list(make_rows(["qdtm"], always=(REFERENCE, TOGETHER))) == ["qdtm", "share", "together"]
    with pytest.raises(
        ParameterError, match=r"There is no row 'gpt'\. Choose one of qdtm, evidence, paper, share"
    ):
        make_rows(["gpt"])


def test_the_paper_runs_as_long_as_the_default_at_most():
    assert make_row("paper").settings == {"preset": "paper", "max_sweeps": 300, "refuses": False}
    assert make_row("paper", 20).settings == {"preset": "paper", "max_sweeps": 20, "refuses": False}
    assert make_row("qdtm").settings["refuses"]


def test_an_answer_is_measured_by_its_better_reading(dataset):
    relevant = dataset.labels == 2
    wrong, half = np.where(relevant, -1.0, 1.0), relevant * np.tile([1.0, -1.0], len(relevant) // 2)
    topic = np.linspace(0, 1, dataset.corpus.n_words)
    answer = Answer((wrong, half), 1.0, topic, prevalence=0.1, subtopics=(topic, topic[::-1]))
    vectors = np.eye(dataset.corpus.n_words, dtype=np.float32)
    result = measure_answer(Cell("alone", "x", "qdtm", 0, 2), answer, dataset, vectors)
    assert result.precision_at_k == precision_at_k(half, relevant) >= 0.5
    assert (result.n_relevant, result.true_share, result.size_ratio) == (40, 0.25, 0.4)
    assert result.words[0] == dataset.corpus.vocabulary[-1]
    assert len(result.documents) == 40
    assert result.cohesion == pytest.approx(
        0.5
    )  # one subtopic is the parent, the other has none of its words


def test_equally_good_documents_do_not_follow_the_order_of_the_categories(dataset):
    nothing = Answer((np.zeros(dataset.corpus.n_documents),), 0.0)
    result = measure_answer(Cell("alone", "x", "share", 0, 0), nothing, dataset)
    assert 0.1 < result.precision_at_k < 0.5
    assert result.documents == result.words == ()
