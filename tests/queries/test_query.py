import pytest
from hypothesis import given
from hypothesis import strategies as st

from qdtm.errors import ParameterError, QueryError
from qdtm.queries import Query, as_queries
from qdtm.queries.query import Item, parse_entry, parse_text


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
    wanted = (Item("middle"), Item("econom*", "pattern"), Item("e-mail"), Item("-"), Item("--"))
    assert parsed.alternatives == (wanted,)
    assert parsed.excluded == (Item("cricket"), Item("test*", "pattern"))


def test_phrases_and_alternatives():
    parsed = parse_text('gun  "second  amendment" OR “right to work” or -"a b" -car')
    assert parsed.alternatives == (
        (Item("gun"), Item("second amendment", "phrase")),
        (Item("right to work", "phrase"), Item("or")),
    )
    assert parsed.excluded == (Item("a b", "phrase"), Item("car"))
    assert [str(item) for item in parsed.excluded] == ['"a b"', "car"]


def test_a_query_is_said_without_shorthand():
    assert Query('"sign language" OR econom* -car language').words == "sign language econom language"
    assert Query("a OR a b", keywords=["c"]).words == "a b c"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('""', "quotes without a word between them; fill them"),
        ('gun "-"', "quotes without a word between them"),
        ("OR", "an OR has nothing on one side; give it a word on both"),
        ("gun OR", "an OR has nothing on one side"),
        ("OR gun", "an OR has nothing on one side"),
        ("gun OR OR law", "an OR has nothing on one side"),
        ("gun OR -law", "an OR has nothing on one side"),
        ('"second amendment', "a quotation mark without its partner; close the phrase"),
        ("“second amendment", "a quotation mark without its partner"),
        ('"econom* growth"', "has a '\\*'; write such a word outside"),
        ("-car", "only says what to leave out; add a word"),
        ('-"a car"', "only says what to leave out"),
        ("word " * 50, "has 50 words, and at most 20 are allowed; keep those"),
        ('"' + "word " * 21 + '"', "has 21 words"),
    ],
)
def test_bad_text_is_one_line(text, message):
    with pytest.raises(QueryError, match=message) as caught:
        Query(text)
    assert "\n" not in str(caught.value)
    if text.startswith("-"):
        Query(text, keywords=["jaguar"])


@given(st.text(alphabet=st.sampled_from("ab*-\"“” OR'’\n"), max_size=40) | st.text(max_size=60))
def test_whatever_is_typed_is_a_query_or_one_line(text):
    try:
        query = Query(text)
    except QueryError as error:
        assert "\n" not in str(error)  # noqa: PT017 - whether it is raised is not known
    else:
        assert query.words
        assert all(query.phrase.alternatives)
        assert '"' not in query.words.translate(str.maketrans(dict.fromkeys("“”", '"')))


@given(st.text(max_size=40))
def test_whatever_is_in_a_list_is_words(entry):
    assert all(item.text for item in parse_entry(entry))


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
