"""The whole way on real news articles, with the real text pipeline and the bundled vectors."""

import pytest

from qdtm.corpus import Corpus, load_demo_corpus
from qdtm.embeddings import load_vectors
from qdtm.queries import Query, build_concepts, check_query

QUERIES = ["israel palestinian", "afghanistan", "cricket", "asylum seekers"]


@pytest.fixture(scope="module")
def demo():
    return load_demo_corpus()


def words_of(concept):
    return {word.word for word in concept.words}


def test_each_query_finds_words_that_a_reader_would_choose(demo):
    israel, afghanistan, cricket, asylum = build_concepts(demo, QUERIES)

    assert words_of(israel) > {"israel", "palestinian", "arafat", "sharon", "west bank"}
    assert words_of(afghanistan) > {"afghanistan", "afghan", "bin laden", "tora bora"}
    assert words_of(cricket) > {"cricket", "test", "bowler", "waugh", "match"}
    assert words_of(asylum) > {"asylum seeker", "refugee", "nauru", "ruddock", "boat"}
    assert {"taliban", "shared with 'asylum seekers'"} == {
        text for word in afghanistan.rejected if word.word == "taliban" for text in (word.word, word.reason)
    }


def test_the_evidence_holds_the_word_and_the_query(demo):
    (concept,) = build_concepts(demo, ["asylum seekers"])
    for word in concept.words:
        assert 1 <= word.n_retrieved <= word.n_documents
        for j in word.documents:
            found = set(demo.pipeline(demo.documents[j].text))
            assert {*word.word.split(), "asylum", "seeker"} <= found


def test_rel_with_the_bundled_vectors(demo):
    (concept,) = build_concepts(demo, ["cricket"], expansion="rel", vectors=load_vectors("glove", demo))
    assert words_of(concept) > {"cricket", "test", "match"}
    assert concept.extractor == "rel"


def test_plural_and_capitals_are_cleaned_like_the_articles(demo):
    plain, typed = check_query(demo, "asylum seeker"), check_query(demo, "The ASYLUM-seekers")
    assert typed.n_retrieved == plain.n_retrieved == 12
    assert [(word.word, word.status) for word in typed.words] == [
        ("The", "stop word"),
        ("asylum", "known"),
        ("seeker", "known"),
    ]


def test_an_unknown_word_gets_words_of_its_meaning(demo):
    (word,) = check_query(demo, "soccer", vectors=load_vectors("glove", demo, also=["soccer"])).words
    assert (word.status, word.n_documents) == ("rare", 2)
    assert {"club", "team", "tennis"} == set(word.closest)


def test_the_reason_says_what_is_missing(demo):
    assert check_query(demo, "qwxyz").reason == "'qwxyz' is in no document."
    assert check_query(demo, "qwxyz*").reason == (
        "'qwxyz*' matches no word of the vocabulary (2,058 words in 3 documents or more)."
    )


def test_exclusion_leaves_documents_out(demo):
    everything = check_query(demo, "afghanistan")
    less = check_query(demo, "afghanistan -taliban")
    assert less.n_retrieved + less.n_excluded == everything.n_retrieved
    (concept,) = build_concepts(demo, [Query("afghanistan", exclude=["taliban"])])
    assert "taliban" not in words_of(concept)


def test_a_corpus_of_another_script():
    texts = ["мир и война", "война и мир", "мир", "кот"]
    (concept,) = build_concepts(Corpus.from_texts(texts), ["война"])
    assert concept.retrieved == 2
    assert "война" in words_of(concept)


def test_a_corpus_of_ready_tokens():
    corpus = Corpus.from_tokens([["New_York", "rain"], ["New_York"], ["sun", "rain"]])
    (concept,) = build_concepts(corpus, ["New_York"], expansion=None)
    assert words_of(concept) == {"New_York"}


def test_documents_that_are_empty_take_no_part():
    (concept,) = build_concepts(Corpus.from_texts(["peace talks", "", "the of", "war"]), ["peace"])
    assert words_of(concept) == {"peace", "talks"}
    assert concept.check.n_corpus == 4
