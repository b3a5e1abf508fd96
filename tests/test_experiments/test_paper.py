from itertools import product

import pytest

from experiments.datasets.concepts import DATASETS, concepts_of
from experiments.paper import PRINTED_NAMES, TABLE_1, TABLE_3, TABLE_4, paper_topics, published


def test_tables_have_a_row_for_each_model_and_corpus():
    rows = {(row.model, row.dataset) for row in TABLE_1}
    assert len(TABLE_1) == 36
    assert rows == set(product([model for model in PRINTED_NAMES if model != "htm"], DATASETS))
    assert {(row.model, row.dataset) for row in TABLE_3} == set(product(["htm", "qdtm-kld"], DATASETS))


@pytest.mark.parametrize("row", TABLE_3, ids=lambda row: f"{row.model}-{row.dataset}")
def test_overall_is_diversity_times_cohesion_within_rounding(row):
    assert row.overall == pytest.approx(row.diversity * row.cohesion, abs=0.0151)


@pytest.mark.parametrize(
    ("model", "dataset", "metric", "figure"),
    [
        ("qdtm-kld", "20news", "accuracy", 0.705),
        ("qdtm-kld", "20news", "cohesion", 0.79),
        ("qdtm-expert", "searchsnippets", "precision_at_k", 0.841),
        ("bert", "tagmynews", "accuracy", None),
        ("htm", "tagmynews", "coherence", None),
        ("qdtm-fre", "20news", "overall", None),
    ],
)
def test_published_figures(model, dataset, metric, figure):
    assert published(model, dataset, metric) == figure


@pytest.mark.parametrize("dataset", DATASETS)
def test_topics_follow_the_concepts(dataset):
    topics = paper_topics(dataset)
    assert [topic.phrase for topic in topics] == [concept.phrase for concept in concepts_of(dataset)]
    assert all(len(topic.words) == len(set(topic.words)) == 10 for topic in topics)


def test_table_4_has_the_printed_subtopics():
    assert [len(topic.subtopics) for topic in TABLE_4] == [3, 2, 3]
    assert all(len(set(words)) == 10 for topic in TABLE_4 for words in (topic.words, *topic.subtopics))
