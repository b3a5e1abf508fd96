import csv
import gzip
import json
from types import SimpleNamespace

import numpy as np
import pytest

from experiments.datasets import natural as whole
from experiments.datasets.natural import (
    NATURAL,
    StayingQuery,
    available,
    choose_staying,
    load_natural,
    load_whole,
    natural_concepts,
    read_queries,
)
from qdtm.errors import CorpusError, ParameterError

from .test_paper_corpora import RECORD, fake_fetch, put

ROWS = [
    {"text": "Malaria in children", "label": "Parasitic Diseases", "sublabel": "b_two"},
    {"text": "The heart and its signs", "label": "Conditions, Signs and small_talk", "sublabel": "a"},
    {"text": "Nothing of the kind", "label": "oos", "sublabel": "oos"},
    {"text": "Hearts of children", "label": "Parasitic Diseases", "sublabel": "a"},
    {"text": "Other hearts", "label": "other", "sublabel": "a"},
]


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "corpora").mkdir()
    for name in ("ohsumed23", "clinc150"):
        with gzip.open(tmp_path / "corpora" / f"{name}.jsonl.gz", "wt", encoding="utf-8") as file:
            file.writelines(json.dumps(row) + "\n" for row in ROWS)
    return tmp_path


def test_categories_are_asked_for_by_their_names_in_alphabetical_order(folder):
    concepts = natural_concepts("ohsumed23", folder)
    assert [concept.query for concept in concepts] == [
        "conditions signs and small talk",
        "parasitic diseases",
    ]
    assert {(concept.rule, concept.phrase == concept.query) for concept in concepts} == {("and", True)}
    assert [concept.category for concept in natural_concepts("clinc150-intents", folder)] == ["a", "b_two"]


def test_documents_of_no_category_stay_without_a_label(folder):
    dataset = load_natural("ohsumed23", folder)
    np.testing.assert_array_equal(dataset.labels, [1, 0, -1, 1, -1])
    assert dataset.corpus.n_documents == 5
    assert "the" not in dataset.corpus.vocabulary  # the usual pipeline
    np.testing.assert_array_equal(load_natural("clinc150-intents", folder).labels, [1, 0, -1, 0, 0])


def test_a_missing_or_damaged_file_is_one_clear_line(folder, cache_folder):
    assert available(folder) == ("ohsumed23", "clinc150-domains", "clinc150-intents")
    assert available() == ()
    with pytest.raises(CorpusError, match=r"^'corpora/uscongress.jsonl.gz' is not in the data folder"):
        load_natural("uscongress", folder)
    with pytest.raises(CorpusError, match=r"^'corpora/uscongress.jsonl.gz' is needed\. Name the folder"):
        load_natural("uscongress")
    (folder / "corpora" / "uscongress.jsonl.gz").write_bytes(gzip.compress(b'{"text": 1}'))
    with pytest.raises(CorpusError, match=r"uscongress.jsonl.gz' is damaged \('label'\)"):
        load_natural("uscongress", folder)


@pytest.mark.parametrize(
    ("name", "n_documents", "n_concepts", "n_unlabelled"),
    [
        ("ohsumed23", 7_400, 23, 0),
        ("clinc150-domains", 23_700, 10, 1_200),
        ("clinc150-intents", 23_700, 150, 1_200),
        ("uscongress", 4_449, 19, 30),
    ],
)
def test_real_corpora_have_their_categories(data_folder, name, n_documents, n_concepts, n_unlabelled):
    if name not in available(data_folder):
        pytest.skip(f"the data folder does not have {name}")
    dataset = load_natural(name, data_folder)
    assert dataset.corpus.n_documents == n_documents
    assert len(dataset.concepts) == n_concepts == len(np.unique(dataset.labels[dataset.labels >= 0]))
    assert np.count_nonzero(dataset.labels < 0) == n_unlabelled
    assert name in NATURAL


def test_tagmynews_has_every_category_as_it_is(monkeypatch, tmp_path):
    records = [("u.s. bank", "sold", "business"), ("us vote", "won", "us")]
    content = "".join(RECORD.format(*record) for record in records).encode()
    put(monkeypatch, tmp_path, "TAGMYNEWS", content, compress=True)
    assert load_whole("tagmynews", tmp_path) == ("u.s. bank. sold", "us vote. won")


def test_newsgroups_are_all_twenty(monkeypatch, tmp_path):
    calls = fake_fetch(monkeypatch, SimpleNamespace(data=["post"], target=[3]))
    put(monkeypatch, tmp_path, "NEWSGROUPS_CACHE", b"posts")
    assert load_whole("20news", tmp_path) == ("post",)
    assert calls[0]["categories"] is None
    assert calls[0]["remove"] == ("headers", "footers", "quotes")


def test_articles_have_title_and_abstract(tmp_path):
    path = tmp_path / whole.ANTHOLOGY
    path.parent.mkdir()
    with gzip.open(path, "wt", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([["id", "title", "abstract"], ["1", "A, b", "Of\nc"], ["2", "D", ""]])
    assert load_whole("acl_anthology", tmp_path) == ("A, b. Of\nc", "D. ")


def test_natural_ones_are_their_texts(folder):
    assert load_whole("ohsumed23", folder) == tuple(row["text"] for row in ROWS)


def test_what_is_not_there_is_refused(tmp_path):
    with pytest.raises(ParameterError, match=r"There is no corpus 'reuters'\. Choose one of 20news"):
        load_whole("reuters", tmp_path)
    with pytest.raises(CorpusError, match="is not in the data folder"):
        load_whole("acl_anthology", tmp_path)


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
