from dataclasses import replace

import pytest

from qdtm.errors import CorpusError
from qdtm.evaluation.bench.alone.queries import asked_alone, concepts_alone, sample_queries, usual_datasets
from qdtm.evaluation.datasets import concepts_of

from .planted import planted_dataset


def test_politics_and_society_is_asked_with_or_alone_and_as_the_paper_does_elsewhere():
    rules = {concept.phrase: concept.rule for concept in concepts_alone("searchsnippets")}
    assert rules["Politics Society"] == "or"
    assert rules["Health"] == "and"
    assert {c.phrase: c.rule for c in concepts_of("searchsnippets")}["Politics Society"] == "and"
    dataset = replace(planted_dataset(), concepts=concepts_of("searchsnippets"))
    assert asked_alone(dataset) is asked_alone(dataset)
    assert asked_alone(dataset).concepts == concepts_alone("searchsnippets")
    assert asked_alone(dataset).corpus is dataset.corpus


def test_of_many_queries_the_same_thirty_are_asked():
    queries = {"few": (0, 1, 2), "many": tuple(range(150))}
    sample = sample_queries(queries)
    assert sample == sample_queries(queries)
    assert sample["few"] == (0, 1, 2)
    assert len(set(sample["many"])) == 30
    assert list(sample["many"]) == sorted(sample["many"])
    assert max(sample["many"]) > 100


def test_without_a_data_folder_there_are_the_papers_corpora(cache_folder, tmp_path):
    assert usual_datasets() == ("20news", "tagmynews", "searchsnippets")
    (tmp_path / "corpora").mkdir()
    (tmp_path / "corpora" / "clinc150.jsonl.gz").touch()
    assert usual_datasets(tmp_path)[3:] == ("clinc150-domains", "clinc150-intents")
    with pytest.raises(CorpusError, match=r"^'corpora/ohsumed23.jsonl.gz' is needed\. Name the folder"):
        concepts_alone("ohsumed23")
