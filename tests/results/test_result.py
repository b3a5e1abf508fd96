"""`Result`: topics by id, documents by name, typical documents, labels and columns."""

import numpy as np
import pytest

from qdtm.errors import ParameterError, QueryError
from qdtm.results.representative import representative_documents, typical_documents
from qdtm.results.result import Result


@pytest.fixture
def result(fit, corpus):
    return Result(fit, corpus)


def test_topics_by_id(result):
    assert result.topic("0.2") is result.topics[0].subtopics[1]
    assert result.topic(1) is result.topics[1]
    with pytest.raises(QueryError, match=r"no topic '0\.9'.*Closest: '0\.\d'"):
        result.topic("0.9")


def test_a_query_by_its_name_or_its_label(result):
    named = result.with_labels({"1": "flames"})
    assert named.query_index("fire") == named.query_index("flames") == named.query_index(1) == 1
    for wrong in ("smoke", 2, -1, True):
        with pytest.raises(QueryError, match="Its queries: cricket, fire"):
            named.query_index(wrong)


def test_labels_can_be_taken_away(result):
    named = result.with_labels({"0.1": "rain", "0.2": "sun"}).with_labels({"0.1": None})
    assert dict(named.fit.presentation.labels) == {"0.2": "sun"}
    assert named.topic("0.1").name == result.topic("0.1").name


def test_columns(result):
    shown = result.with_columns(time_column="year").with_columns(group_column="note").fit.presentation
    assert (shown.time_column, shown.group_column) == ("year", "note")
    with pytest.raises(ParameterError, match="Closest: 'year'"):
        result.with_columns(time_column="yeer")


def test_typical_documents_have_the_largest_shares(result, corpus):
    scores = result.scores(1)
    for s in range(3):
        rows = typical_documents(scores, s, corpus.document_lengths, 10)
        lengths = corpus.document_lengths[rows]
        trusted = scores.shares[rows, s] * lengths / (lengths + 12)
        order = np.lexsort((-trusted, scores.main[rows] != s))
        np.testing.assert_array_equal(trusted[order], trusted)
        assert len(set(rows.tolist())) == len(rows)
        assert scores.about[rows].all()


def test_representative_documents_of_every_topic(result):
    found = representative_documents(result, n=2)
    assert list(found) == [topic.id for topic in result.all_topics()]
    assert all(len(documents) == 2 for documents in found.values())
    assert list(representative_documents(result, "b2", 1)) == ["b2"]
