import pytest

from qdtm.errors import ParameterError
from qdtm.evaluation.bench.alone import choose_queries, plan_alone
from qdtm.evaluation.datasets import concepts_of

ASKED = {name: concepts_of(name) for name in ("20news", "tagmynews", "searchsnippets")}


def test_every_query_of_every_corpus_is_asked_of_every_model_in_every_run():
    queries = choose_queries(ASKED, [])
    cells = plan_alone(queries, ["qdtm", "share"], runs=3, seed=7)
    assert [len(numbers) for numbers in queries.values()] == [16, 5, 8]
    assert len(cells) == 2 * 3 * (16 + 5 + 8) == len(set(cells))
    assert {cell.seed for cell in cells} == {7, 8, 9}


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
