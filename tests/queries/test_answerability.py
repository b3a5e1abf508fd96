"""Words for a query that the documents do not use: proposed with their documents, never asked for."""

import numpy as np
import pytest

from qdtm import Corpus, QueryDrivenTopicModel, TextPipeline
from qdtm.embeddings import load_vectors
from qdtm.errors import QueryError
from qdtm.queries import check_query
from qdtm.queries.answerability import RelatedWord

PLACES = ["bath", "cork", "derby", "exeter", "fife", "goole", "hull", "ilford", "jarrow", "kent"]
TEXTS = [f"the dentist pulled a tooth in {place}" for place in PLACES]
TEXTS += [f"heavy rain flooded a street near {place} and {place} market" for place in PLACES * 4]


WORDS = TextPipeline(phrases=False)
"""So few turns of phrase are phrases all of them."""


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("QDTM_CACHE", str(tmp_path / "cache"))


@pytest.fixture(scope="module")
def corpus():
    return Corpus.from_texts(TEXTS, pipeline=WORDS)


def encoder(texts):
    """Knows that teeth and stomatology are one thing."""
    return [[("tooth" in text or "stomat" in text) + 0.01, "rain" in text, 0.1] for text in texts]


def test_what_documents_near_it_share_is_proposed_with_their_number(corpus):
    check = check_query(corpus, "stomatology", encoder=encoder)
    assert check.verdict == "absent"
    assert set(check.related) >= {RelatedWord("tooth", 10), RelatedWord("dentist", 10)}
    assert not {"rain", "street", "market"} & {each.word for each in check.related}
    assert "Near it in meaning, with the documents that have them: " in check.advice
    assert "'tooth' (10)" in check.advice


def test_nothing_is_asked_in_silence(corpus):
    model = QueryDrivenTopicModel("stomatology", encoder=encoder, embeddings=None)
    with pytest.raises(QueryError, match=r"'tooth' \(10\)"):
        model.fit(corpus)


def test_word_vectors_propose_too(corpus):
    vectors = load_vectors("glove", corpus, also=["downpour"])
    check = check_query(corpus, "downpour", vectors=vectors)
    assert RelatedWord("rain", 40) in check.related


def test_a_word_without_a_vector_proposes_nothing(corpus):
    vectors = load_vectors("glove", corpus, also=["stomatognathic"])
    assert check_query(corpus, "stomatognathic", vectors=vectors).related == ()


def test_a_query_that_is_answered_gets_no_proposals(corpus):
    check = check_query(corpus, "rain", encoder=encoder)
    assert (check.verdict, check.related) == ("fine", ())


def test_copies_are_counted(corpus):
    twice = Corpus.from_texts(TEXTS + TEXTS[:10], pipeline=WORDS)
    assert RelatedWord("tooth", 20) in check_query(twice, "stomatology", encoder=encoder).related


def test_the_querys_own_words_are_not_proposed(corpus):
    check = check_query(corpus, "tooth stomatology", encoder=encoder)
    assert "tooth" not in {each.word for each in check.related}
    assert np.all([each.n_documents > 0 for each in check.related])


def test_nothing_is_near_words_that_say_nothing(corpus):
    check = check_query(corpus, "the of", encoder=encoder)
    assert (check.verdict, check.related) == ("absent", ())


def test_stop_words_of_a_query_do_not_decide_what_is_near_it(corpus):
    vectors = load_vectors("glove", corpus, also=["downpour", "can", "not"])
    bare, full = (
        check_query(corpus, text, vectors=vectors).related for text in ("downpour", "not the downpour")
    )
    assert bare == full


def test_what_any_word_finds_is_one_number():
    copies = Corpus.from_texts(TEXTS + TEXTS[:3], pipeline=WORDS)
    check = check_query(copies, "dentist rain")
    assert f"The rule 'or' finds {check.n_or} documents." in check.advice
