import pytest

from experiments.datasets.concepts import DATASETS, concepts_of
from qdtm.errors import ParameterError


@pytest.mark.parametrize(("name", "n_concepts"), [("20news", 16), ("tagmynews", 5), ("searchsnippets", 8)])
def test_each_concept_has_ten_keywords_and_its_own_category(name, n_concepts):
    concepts = concepts_of(name)
    assert len(concepts) == n_concepts
    assert len({concept.category for concept in concepts}) == n_concepts
    assert len({concept.query for concept in concepts}) == n_concepts
    assert all(len(concept.keywords) == 10 for concept in concepts)


def test_rules_are_those_of_the_experiments():
    either = [concept.query for name in DATASETS for concept in concepts_of(name) if concept.rule == "or"]
    assert either == ["sports game", "Culture Art Entertainment", "Education Science", "Car Engineering"]


def test_queries_differ_from_the_printed_phrases_only_where_the_program_does():
    different = {c.phrase: c.query for name in DATASETS for c in concepts_of(name) if c.query != c.phrase}
    assert different == {
        "computer graphics": "graphics",
        "sport game": "sports game",
        "Culture Arts Entertainment": "Culture Art Entertainment",
    }


def test_unknown_name_lists_the_known_ones():
    with pytest.raises(
        ParameterError, match=r"no data set 'reuters'\. Choose one of 20news, tagmynews, search"
    ):
        concepts_of("reuters")
