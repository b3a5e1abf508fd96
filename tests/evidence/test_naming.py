"""Which documents name a query: by hand, and as a plain twin of the arrays counts it."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qdtm.corpus import Corpus, TextPipeline
from qdtm.evidence.naming import (
    APART,
    DENSITY,
    EARLY,
    FADE,
    LEAST_SHARE,
    LONG,
    WINDOW,
    Naming,
    name_documents,
    strength_of,
)
from qdtm.queries.answerability import MAINLY
from qdtm.queries.query import Query
from qdtm.queries.search import search


def named(corpus, text, rule="and", **query):
    searched = search(corpus, Query(text, **query), rule)
    naming = name_documents(corpus, searched)
    assert naming.documents.tolist() == sorted(searched.retrieval.documents.tolist())
    np.testing.assert_array_equal(naming.namings, searched.naming.namings)
    return naming


def tokens(*documents):
    """Return a corpus of ready tokens; a last document keeps it from looking like a bag of words."""
    return Corpus.from_tokens([*(document.split() for document in documents), ["z", "y"]])


def test_one_word_is_named_where_it_is():
    naming = named(tokens("a b a", "b", "a"), "a")
    assert naming.namings.tolist() == [2, 0, 1, 0]


def test_words_near_each_other_name_a_query_and_words_apart_hardly():
    naming = named(tokens("a b x a", "a x x x b", "a x x x x b", "a x x", "b a b"), "a b")
    assert naming.namings.tolist() == [1, 1, APART, 0, 1, 0]


def test_words_of_two_documents_are_not_near():
    assert named(tokens("b x x x x x x a", "b x x x x x x a"), "a b").namings.tolist() == [APART, APART, 0]


def test_words_without_order_are_near_where_they_are_together():
    bags = Corpus.from_counts(np.array([[2, 9, 1], [1, 0, 0], [1, 1, 1]]), ["a", "b", "c"])
    assert named(bags, "a c").namings.tolist() == [1, 0, 1]
    assert named(bags, '"a c"').namings.tolist() == [1, 0, 1]


def test_alternatives_add_up_and_any_word_counts_under_or():
    corpus = tokens("a b", "c c", "a c b", "b")
    assert named(corpus, "a b OR c").namings.tolist() == [1, 2, 2, 0, 0]
    assert named(corpus, "a b", "or").namings.tolist() == [2, 0, 2, 1, 0]


def test_a_pattern_is_one_thing():
    assert named(tokens("abc abd", "abc x e"), "ab* e").namings.tolist() == [0, 1, 0]


def test_excluded_and_empty_documents_cannot_be_meant():
    corpus = Corpus.from_tokens([["a", "b"], [], ["a"], ["c", "a"], ["z", "y"]])
    naming = named(corpus, "a -b")
    assert naming.namings.tolist() == [0, 0, 1, 1, 0]
    assert naming.possible.tolist() == [False, False, True, True, True]
    assert naming.n_excluded == 1


def test_strength():
    corpus = tokens("x " * 50 + "a " + "x " * 49, "a x x", "x " * 50 + "a a a " + "x " * 47, "x")
    expected = [1 - FADE, 1 - math.exp(-DENSITY / 3), 1 - FADE**3, 0, 0]
    np.testing.assert_allclose(named(corpus, "a").strength, expected)


@pytest.mark.parametrize(("length", "is_mainly"), [(11, True), (12, False)])
def test_one_naming_is_enough_in_a_short_text(length, is_mainly):
    strength = named(tokens("a " + "x " * (length - 1)), "a").strength[0]
    assert (strength >= MAINLY) == is_mainly


TEXTS = [
    "The second amendment. A second, and third, amendment of the state.",
    "The amendment was read a second time, and second readings are long.",
    "Of women's rights and a woman's right; the woman was right.",
    "The Right to Work, and the right of the work to be.",
    "We work. To the right!",
    "The state of the art is the art of the state.",
    "",
]


@pytest.fixture(scope="module")
def texts():
    return Corpus.from_texts(TEXTS)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ('"second amendment"', [1, 0, 0, 0, 0, 0, 0]),
        ("second amendment", [2, 1, 0, 0, 0, 0, 0]),
        ("amendment -\"second amendment\"", [0, 1, 0, 0, 0, 0, 0]),
        ('"women\'s rights"', [0, 0, 2, 0, 0, 0, 0]),
        ("“woman’s right”", [0, 0, 2, 0, 0, 0, 0]),
        ('"right to work"', [0, 0, 0, 1, 0, 0, 0]),
        ('"right work"', [0, 0, 0, 0, 0, 0, 0]),
        ('"state of the art"', [0, 0, 0, 0, 0, 1, 0]),
        ('"state of the art" OR "second amendment"', [1, 0, 0, 0, 0, 1, 0]),
        ('"right to work" we', [0, 0, 0, 1, 0, 0, 0]),
        ('"second amendment" state', [1, 0, 0, 0, 0, 0, 0]),
    ],
)  # fmt: skip
def test_phrases_stand_side_by_side_in_the_text(texts, query, expected):
    assert named(texts, query).namings.tolist() == expected


def test_a_phrase_and_a_word_far_from_it_are_apart():
    filling = "grass tree river " * 9
    corpus = Corpus.from_texts(
        [f"The sign language. {filling} The school.", "The school of the town.", "the town"]
    )
    assert named(corpus, '"sign language" school').namings.tolist() == [APART, 0, 0]


def test_new_documents_are_named_as_the_old_ones(texts):
    searched = search(texts, Query('"second amendment" OR state'), "and")
    new = Corpus.from_texts(["The second amendment", "a state", "The amendment"], like=texts)
    assert name_documents(new, searched).namings.tolist() == [1, 1, 0]


# --- a plain twin ------------------------------------------------------------------------------------------


def naive_namings(words, wanted):
    """Count the places of the rarest wanted word that have all others near."""
    places = [[i for i, word in enumerate(words) if word == each] for each in wanted]
    if not all(places):
        return 0.0
    rarest = min(places, key=len)
    near = sum(all(any(abs(i - o) <= WINDOW for o in other) for other in places) for i in rarest)
    return float(near) or APART


def naive_strength(n, length, early):
    worth = n + EARLY if early else n
    often = worth / math.sqrt(max(length / LONG, 1.0))
    return max(1 - FADE**often, 1 - math.exp(-DENSITY * worth / max(length, 1))) if n else 0.0


COUNTED = st.tuples(st.sampled_from([0.0, APART, 1.0, 2.0, 7.0, 300.0]), st.integers(0, 500), st.booleans())


@given(st.lists(COUNTED, min_size=1))
def test_strengths_equal_their_plain_twin(counted):
    namings, lengths, early = map(np.array, zip(*counted, strict=True))
    expected = [naive_strength(*each) for each in counted]
    np.testing.assert_allclose(strength_of(namings, lengths, early), expected)


@pytest.mark.parametrize(
    ("text", "early"),
    [
        ("named " + "b a " * 10, True),
        ("b a " * 3 + "a named " + "a " * 10, True),
        ("b a " * 4 + "named " + "a " * 10, False),
        ("named " + "b a " * 7, False),  # too short to have a beginning
    ],
)
def test_a_name_at_the_beginning_of_a_long_document_counts_for_more(text, early):
    words = text.split()
    named_once = Corpus.from_tokens([words, ["b", "a"] * 5])
    [strength, _] = named(named_once, "named").strength
    assert strength == pytest.approx(naive_strength(1, len(words), early))


def test_all_words_of_a_query_must_stand_at_the_beginning():
    rest = ["other"] + ["b", "a"] * 10
    corpus = Corpus.from_tokens([["one", "two", *rest], ["one", *rest, "two"], ["two", *rest, "one", "two"]])
    strength = named(corpus, "one two").strength
    expected = [naive_strength(1, 23, True), naive_strength(APART, 23, False), naive_strength(1, 24, False)]
    np.testing.assert_allclose(strength, expected)


LETTERS = st.text(alphabet="abcdx", max_size=25)


@settings(deadline=None, max_examples=150)
@given(
    st.lists(LETTERS, min_size=1, max_size=6),
    st.lists(st.lists(st.sampled_from("abcd"), min_size=1, max_size=3, unique=True), min_size=1, max_size=3),
)
def test_namings_equal_their_plain_twin(documents, alternatives):
    documents = [*documents, "zabcdxy", "xa"]
    corpus = Corpus.from_tokens([list(document) for document in documents])
    unique = [list(words) for words in dict.fromkeys(map(tuple, alternatives))]
    naming = named(corpus, " OR ".join(map(" ".join, unique)))
    expected = [sum(naive_namings(document, words) for words in unique) for document in documents]
    assert naming.namings.tolist() == expected


WORDS = st.lists(st.sampled_from(["right", "work", "to", "of", "the", "state", "second"]), max_size=14)


@settings(deadline=None, max_examples=100)
@given(
    st.lists(WORDS, min_size=1, max_size=5), WORDS.filter(lambda words: {"right", "work", "state"} & {*words})
)
def test_phrases_equal_their_plain_twin(documents, phrase):
    documents = [*documents, ["the", "work", "of", "the", "right", "state"], ["state", "right"]]
    corpus = Corpus.from_texts([" ".join(words) for words in documents], pipeline=TextPipeline())
    if len(phrase) == 1:
        phrase = [*phrase, "of"]
    expected = [sum(words[i : i + len(phrase)] == phrase for i in range(len(words))) for words in documents]
    assert named(corpus, f'"{" ".join(phrase)}"').namings.tolist() == expected


# --- how many documents about it do not name it ------------------------------------------------------------


@pytest.mark.parametrize("named_again", [0.4, 0.6, 0.8])
def test_repetitions_tell_how_many_do_not_name_it(named_again):
    namings = np.random.default_rng(0).geometric(1.0 - named_again, 20_000) - 1.0  # from 0
    naming = Naming(namings, (namings > 0).astype(float), np.ones(len(namings), bool))
    assert naming.share == pytest.approx((namings > 0).mean(), abs=0.02)


def test_of_texts_that_name_it_once_a_third_is_taken_to_name_it():
    once = Naming(np.array([1.0, 0.25, 0.0]), np.array([0.9, 0.3, 0.0]), np.ones(3, bool))
    assert once.share == LEAST_SHARE == pytest.approx(1 / 3)
    assert once.within(np.zeros(3, bool)).share == LEAST_SHARE
