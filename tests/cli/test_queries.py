"""What is typed after -q and its companions."""

import pytest

from qdtm.cli.query_options import parse_queries, query_parameters
from qdtm.errors import ParameterError, QueryError


def options(**given):
    return {"texts": (), "keywords": (), "add": (), "drop": (), "exclude": ()} | given


def test_texts_come_first_then_keywords():
    queries = parse_queries(options(texts=("middle east", "sport"), keywords=("tax=taxes, budget",)))
    assert [query.name for query in queries] == ["middle east", "sport", "tax"]
    assert queries[2].keywords == ("taxes", "budget")
    assert queries[0].keywords == ()


def test_keywords_for_a_text():
    (query,) = parse_queries(
        options(texts=("Middle East",), keywords=(" middle  east=gaza", "middle east=oil"))
    )
    assert (query.text, query.keywords) == ("Middle East", ("gaza", "oil"))


def test_edits_need_no_name_for_one_query():
    (query,) = parse_queries(
        options(texts=("fire",), add=("smoke, wind",), drop=("fire=crew",), exclude=("gun",))
    )
    assert (query.add, query.drop, query.exclude) == (("smoke", "wind"), ("crew",), ("gun",))


def test_edits_add_up():
    queries = parse_queries(options(texts=("fire", "sport"), add=("fire=a", "SPORT=b", "fire=c")))
    assert [query.add for query in queries] == [("a", "c"), ("b",)]


@pytest.mark.parametrize("value", ["word", "rain=word"])
def test_an_edit_without_a_home_names_the_queries(value):
    with pytest.raises(QueryError, match=r"--drop is .*\('fire', 'sport'\)"):
        parse_queries(options(texts=("fire", "sport"), drop=(value,)))


@pytest.mark.parametrize("value", ["word", "=word"])
def test_keywords_need_a_name(value):
    with pytest.raises(QueryError, match="such as 'sport=cricket,tennis'"):
        parse_queries(options(keywords=(value,)))


def test_no_query():
    with pytest.raises(QueryError, match="There is no query"):
        parse_queries(options())
    with pytest.raises(QueryError, match="empty"):
        parse_queries(options(keywords=("sport=",)))


def test_the_same_query_twice():
    with pytest.raises(QueryError, match="twice"):
        parse_queries(options(texts=("fire", "Fire")))


def parameters(n_queries, **given):
    defaults = {
        "expansion": "kld",
        "rule": (),
        "anyway": False,
        "n_concept_words": 10,
        "n_candidates": 9,
        "min_precision": "auto",
        "embeddings": "glove",
    }
    return query_parameters(defaults | given, n_queries)


def test_rule_once_or_once_a_query():
    assert parameters(2)["rule"] == "and"
    assert parameters(2, rule=("or",))["rule"] == "or"
    assert parameters(2, rule=("or", "and"))["rule"] == ["or", "and"]
    with pytest.raises(ParameterError, match="--rule is there 3 times for 2 queries"):
        parameters(2, rule=("or", "and", "or"))


def test_none_is_none():
    found = parameters(1, expansion="none", embeddings="None")
    assert (found["expansion"], found["embeddings"]) == (None, None)
