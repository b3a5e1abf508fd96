import pytest

from experiments.datasets.concepts import concepts_of
from experiments.harness.cells import choose_queries
from qdtm.errors import ParameterError

ASKED = {name: concepts_of(name) for name in ("20news", "tagmynews", "searchsnippets")}


def test_without_wishes_every_query_is_chosen():
    assert [len(numbers) for numbers in choose_queries(ASKED, []).values()] == [16, 5, 8]


def test_queries_are_found_by_number_phrase_query_and_category():
    assert choose_queries(ASKED, ["15", "HEALTH"]) == {
        "20news": (15,),
        "tagmynews": (2,),
        "searchsnippets": (5,),
    }
    assert choose_queries(ASKED, ["computer graphics", "sports game", "sci_tech"]) == {
        "20news": (1,),
        "tagmynews": (3, 4),
    }


def test_a_query_that_no_corpus_has_is_refused():
    with pytest.raises(ParameterError, match=r"There is no query 'gardening'\. Give its number.*atheism"):
        choose_queries(ASKED, ["space", "gardening"])
