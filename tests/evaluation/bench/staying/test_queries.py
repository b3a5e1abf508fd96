import json

import pytest

from qdtm.errors import ParameterError
from qdtm.evaluation.bench.staying import StayingQuery, choose_staying, read_queries

CONTENT = {
    "about": "For people.",
    "20news": {"specific": ["gun control", "diet"], "passing": ["tropical fish"]},
    "uscongress": {"specific": ["Student Loans"], "passing": []},
}


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "queries" / "staying.json"
    path.parent.mkdir()
    path.write_text(json.dumps(CONTENT))
    return path


def test_queries_are_read_from_a_file_or_from_beside_the_data_folder(file, tmp_path):
    (tmp_path / "data").mkdir()
    queries = read_queries(file)
    assert queries == read_queries(data=tmp_path / "data")
    assert list(queries) == ["20news", "uscongress"]
    assert queries["20news"] == (
        StayingQuery("gun control", "specific"),
        StayingQuery("diet", "specific"),
        StayingQuery("tropical fish", "passing"),
    )


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "Cannot read queries from"),
        ("[]", "is not a file of queries"),
        ('{"reuters": {"specific": []}}', "has queries for 'reuters', which is no corpus. There are 20news"),
        ('{"20news": {"broad": []}}', "is not a file of queries"),
        ('{"20news": {"specific": "diet"}}', "is not a file of queries"),
        ('{"20news": ["diet"]}', "is not a file of queries"),
    ],
)
def test_what_is_not_a_file_of_queries_is_refused(file, content, message):
    file.write_text(content)
    with pytest.raises(ParameterError, match=message) as refused:
        read_queries(file)
    assert "\n" not in str(refused.value)


def test_a_file_that_is_not_there_or_not_named_is_refused(tmp_path, cache_folder):
    with pytest.raises(ParameterError, match=r"Cannot read queries from .*No such file"):
        read_queries(tmp_path / "none.json")
    with pytest.raises(ParameterError, match=r"No file of queries is named\. Give one with --queries"):
        read_queries()


def test_some_queries_are_chosen_by_corpus_and_text(file):
    queries = read_queries(file)
    assert choose_staying(queries, [], []) == {"20news": [0, 1, 2], "uscongress": [0]}
    assert choose_staying(queries, ["uscongress"], []) == {"uscongress": [0]}
    assert choose_staying(queries, [], ["DIET", "student loans"]) == {"20news": [1], "uscongress": [0]}
    with pytest.raises(ParameterError, match=r"no queries for 'tagmynews'\. The file has some for 20news"):
        choose_staying(queries, ["tagmynews"], [])
    with pytest.raises(ParameterError, match=r"There is no query 'diet'\. Give one of: student loans"):
        choose_staying(queries, ["uscongress"], ["diet"])
