"""Phrases as words change nothing of what names a query, and hide what they have of its words."""

import numpy as np
import pytest

from qdtm.corpus import TextPipeline, load_demo_corpus
from qdtm.corpus.phrase_index import PhraseIndex
from qdtm.queries import selection
from qdtm.queries.query import Query
from qdtm.queries.search import search

QUERIES = [
    "africa", "south africa", "bin laden", "laden", '"bin laden"', '"south africa" cricket', "afric*",
    "terror*", "interest rates", "rate", "world trade centre", "palestinian -arafat", 'israel -"west bank"',
    "fire OR strike", "prime minister", "prime", "arafat israeli", "us military", "united states",
    "palest* attack", "state",
    "general governor", "north* afgh*", '"new south wales"', '"of south africa"', "gaza strip militants",
]  # fmt: skip


@pytest.fixture(scope="module")
def demo():
    return load_demo_corpus()


@pytest.fixture(scope="module")
def plain():
    return load_demo_corpus(pipeline=TextPipeline(phrases=False))


@pytest.mark.parametrize("rule", ["and", "or"])
def test_the_same_documents_name_the_same_queries(demo, plain, rule):
    words = np.random.default_rng(3).choice(plain.vocabulary, 60).tolist()
    for text in [*QUERIES, *words, *map(" ".join, zip(words[::2], words[1::2], strict=True))]:
        expected, found = (search(corpus, Query(text), rule).naming for corpus in (plain, demo))
        np.testing.assert_array_equal(found.namings, expected.namings, err_msg=text)
        np.testing.assert_array_equal(found.strength, expected.strength, err_msg=text)
        assert found.n_excluded == expected.n_excluded


def test_new_documents_name_a_query_through_its_phrases(demo):
    from qdtm import Corpus
    from qdtm.evidence.naming import name_documents

    new = Corpus.of(["Bin Laden spoke. Laden again.", "A bin was laden.", "Osama."], like=demo)
    assert name_documents(new, search(demo, Query("laden"), "and")).namings.tolist() == [2.0, 1.0, 0.0]
    quoted = search(demo, Query('"bin laden"'), "and")
    assert name_documents(new, quoted).namings.tolist() == [1.0, 0.0, 0.0]


def test_a_word_stands_for_itself_and_for_phrases_that_have_it(demo):
    (word,) = search(demo, Query("africa"), "and").sought
    assert demo.word_index["south africa"] in word.terms[0]
    assert demo.word_index["south africa"] not in word.matches
    assert {demo.vocabulary[w] for w in search(demo, Query("afric*"), "and").words} >= {
        "south africa", "south african", "african"
    }  # fmt: skip


def test_what_is_hidden_are_the_words_of_the_query_alone(demo):
    inside = demo.distinct
    views = selection.views_of(inside, None)
    looked = search(inside, Query("africa"), "and")
    split = views._split
    assert {split.words[w] for w in views.places(looked.words, looked.forms)} == {"africa"}


def test_a_query_that_is_a_phrase_is_tied_to_it(demo):
    (concept,) = selection.choose_concepts(demo, "bin laden")
    own = {word.word: word.tied for word in concept.words if word.origin == "query"}
    assert own["bin laden"]
    (africa,) = selection.choose_concepts(demo, "africa")
    assert "south africa" not in {word.word for word in africa.words if word.origin == "query"}


def test_a_phrase_and_its_word_are_not_both_proposed(demo):
    phrases = PhraseIndex.of(demo)
    for query in ("israel", "cricket", "terrorism", "afghanistan", "union"):
        (concept,) = selection.choose_concepts(demo, query)
        proposed = [word for word in concept.words if word.origin == "expansion"]
        single = {word.word for word in proposed} - {demo.vocabulary[p] for p in phrases.words_of}
        inside = {part for word in proposed for part in phrases.words_of.get(word.index, ())}
        assert not single & inside


def test_keywords_and_words_to_drop_may_be_phrases(demo):
    (concept,) = selection.choose_concepts(demo, {"war": ["bin laden", "taliban"]})
    assert {word.word for word in concept.words} == {"bin laden", "taliban"}
    (concept,) = selection.choose_concepts(demo, Query("afghanistan", drop=("bin laden",)))
    assert "bin laden" not in {word.word for word in concept.words}
