import pytest

from qdtm.concepts import Query, as_queries
from qdtm.concepts.query import parse_text
from qdtm.errors import ParameterError, QueryError


def test_a_query_is_called_by_its_text_or_its_keywords():
    assert Query("  middle   east ").name == "middle east"
    assert Query("middle east", name="near orient").name == "near orient"
    assert Query(keywords=["gun", "law"]).name == "gun law"


def test_lists_become_tuples_and_a_text_becomes_words():
    query = Query("x", add=["a", " b  c "], drop="d e", exclude=("f", " "))
    assert (query.add, query.drop, query.exclude) == (("a", "b c"), ("d", "e"), ("f",))


def test_queries_are_values():
    assert Query("a", add=["b"]) == Query("a", add=("b",))
    assert len({Query("a"), Query("a")}) == 1


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"text": ""}, QueryError, "A query is empty"),
        ({"text": " \n "}, QueryError, "A query is empty"),
        ({"text": "x", "rule": "xor"}, ParameterError, "The rule is 'xor'; give 'and' or 'or'"),
        ({"text": "x", "expansion": "bm25"}, ParameterError, "The expansion is 'bm25'"),
        ({"text": 7}, QueryError, "A query's text is 7"),
        ({"text": "x", "add": 7}, QueryError, "A query's add is 7; give a list of words"),
        ({"text": "x", "drop": [7]}, QueryError, r"A query's drop is \[7\]"),
        ({"text": "x", "name": None}, QueryError, "A query's name is None"),
    ],
)
def test_nonsense_is_refused(arguments, error, message):
    with pytest.raises(error, match=message):
        Query(**arguments)


def test_shorthand_is_taken_apart():
    parsed = parse_text("middle econom* -cricket e-mail - -- -test*")
    assert parsed.plain == ("middle", "e-mail", "-", "--")
    assert parsed.patterns == ("econom*",)
    assert parsed.excluded == ("cricket", "test*")


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("guns", [Query("guns")]),
        (Query("guns"), [Query("guns")]),
        (["guns", Query("peace", rule="or")], [Query("guns"), Query("peace", rule="or")]),
        ({"war": ["gun", "army"]}, [Query(name="war", keywords=("gun", "army"))]),
        (
            {"war": "guns army", "b": ["c"]},
            [Query("guns army", name="war"), Query(name="b", keywords=("c",))],
        ),
        (
            ["a", {"war": ("gun",), "b": ["c"]}],
            [Query("a"), Query(name="war", keywords=("gun",)), Query(name="b", keywords=("c",))],
        ),
        ((text for text in ["a", "b"]), [Query("a"), Query("b")]),
    ],
)
def test_what_users_pass(spec, expected):
    assert as_queries(spec) == tuple(expected)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ([], "There is no query"),
        (7, "Queries cannot be 7"),
        ([7], "A query cannot be 7"),
        (["guns", "Guns "], "The query 'Guns' is there twice"),
        ([Query("a", name="x"), Query("b", name="X")], "'X' is there twice"),
        ({"war": []}, "A query is empty"),
        ({"war": 7}, "keywords is 7"),
        ([""], "A query is empty"),
    ],
)
def test_what_users_should_not_pass(spec, message):
    with pytest.raises(QueryError, match=message):
        as_queries(spec)
