import gzip
import json

import numpy as np
import pytest

from experiments.datasets import two_level
from experiments.datasets.two_level import (
    CLINC_WORDS,
    NEWSGROUPS,
    GivenCorpus,
    load_two_level,
    make_two_level,
    query_of,
    read_category_queries,
    read_two_level,
)
from qdtm.corpus import Corpus
from qdtm.errors import CorpusError, ParameterError

from ..bench.planted_levels import PER_KIND, planted_dataset, write_planted


def test_a_category_with_one_kind_is_not_asked_for_and_stays_in_the_corpus():
    dataset = planted_dataset()
    assert [concept.category for concept in dataset.concepts] == ["sports", "food"]
    assert np.bincount(dataset.labels + 1).tolist() == [PER_KIND, 3 * PER_KIND, 3 * PER_KIND]
    assert dataset.corpus.n_documents == len(dataset.lower) == 7 * PER_KIND
    with pytest.raises(ParameterError, match="no upper category with two lower ones"):
        make_two_level("x", Corpus.from_texts(["a word"]), ["a"], ["b"], {"a": "word"})


def test_a_users_table_is_asked_by_the_names_of_its_categories(tmp_path):
    path = write_planted(tmp_path / "mine.csv")
    dataset = read_two_level(GivenCorpus(path, "area", "kind"))
    assert dataset.name == "mine"
    assert [concept.query for concept in dataset.concepts] == ["food", "sports"]
    assert set(dataset.lower) == {"cricket", "tennis", "rowing", "bread", "soup", "fruit", "weather"}
    asked = read_two_level(GivenCorpus(path, "area", "kind", {"food": "bread OR soup"}))
    assert [(c.category, c.query) for c in asked.concepts] == [("food", "bread OR soup")]
    with pytest.raises(ParameterError, match=r"There is no column 'sort'\. Columns: 'area', 'kind'"):
        read_two_level(GivenCorpus(path, "area", "sort"))


@pytest.mark.parametrize(
    ("name", "query"),
    [
        ("credit_cards", "credit cards"),
        ("kitchen_and_dining", "kitchen OR dining"),
        ("Arts & Culture", "arts OR culture"),
        ("Law, Crime", "law crime"),
    ],
)
def test_a_name_is_asked_as_a_person_would(name, query):
    assert query_of(name) == query


def test_queries_are_read_from_json(tmp_path):
    file = tmp_path / "q.json"
    file.write_text('{"rec": "sports OR car"}')
    assert read_category_queries(file) == {"rec": "sports OR car"}
    for wrong in ('["rec"]', '{"rec": 3}', "{"):
        file.write_text(wrong)
        with pytest.raises(ParameterError):
            read_category_queries(file)


def test_clinc_is_asked_by_name_or_in_a_persons_words(tmp_path):
    (tmp_path / "corpora").mkdir()
    rows = [{"text": f"{d} {i} word", "label": d, "sublabel": i} for d in CLINC_WORDS for i in ("one", "two")]
    rows.append({"text": "no idea", "label": "oos", "sublabel": "oos"})
    path = tmp_path / "corpora" / "clinc150.jsonl.gz"
    path.write_bytes(gzip.compress("\n".join(map(json.dumps, rows)).encode()))
    named, said = load_two_level("clinc150", tmp_path), load_two_level("clinc150-words", tmp_path)
    assert [c.query for c in named.concepts[:3]] == ["auto OR commute", "banking", "credit cards"]
    assert [c.query for c in said.concepts] == list(CLINC_WORDS.values())
    assert (named.labels == said.labels).all()
    assert (named.labels[-1], named.lower[-1]) == (-1, "oos")
    path.write_bytes(b"x")
    with pytest.raises(CorpusError, match="is damaged"):
        load_two_level("clinc150", tmp_path)


def test_newsgroups_stand_under_five_heads(monkeypatch):
    groups = [
        "alt.atheism", "comp.graphics", "comp.windows.x", "misc.forsale", "rec.autos", "rec.sport.hockey",
        "sci.med", "sci.space", "soc.religion.christian", "talk.politics.guns", "talk.politics.misc",
    ]  # fmt: skip

    class Posts:
        data = tuple(f"a post of {group}" for group in groups)
        target = np.arange(len(groups))
        target_names = groups

    monkeypatch.setattr(two_level, "fetch_newsgroups", lambda *_: Posts)
    dataset = load_two_level("20news")
    assert [c.query for c in dataset.concepts] == list(NEWSGROUPS.values())
    assert dataset.labels.tolist() == [4, 0, 0, -1, 1, 1, 2, 2, 4, 3, 3]
    assert dataset.lower == tuple(groups)


def test_another_name_is_refused():
    with pytest.raises(ParameterError, match="There is no two-level corpus 'reuters'"):
        load_two_level("reuters")
