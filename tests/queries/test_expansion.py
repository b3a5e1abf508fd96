import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qdtm.corpus import Corpus
from qdtm.embeddings import WordVectors
from qdtm.errors import ParameterError, PassingQueryError, QueryError
from qdtm.queries import Query, build_concepts, choose_concepts
from qdtm.queries.term_index import TermIndex

from .conftest import small_corpus


def words_of(concept, origin=None):
    return [word.word for word in concept.words if origin in (None, word.origin)]


def one(corpus, query, **options):
    (concept,) = build_concepts(corpus, [query], **options)
    return concept


def test_a_lone_query_keeps_its_best_words_and_its_own(news):
    concept = one(news, "cricket", n_concept_words=3)

    assert words_of(concept, "query") == ["cricket"]
    assert words_of(concept, "expansion") == ["batsman", "wicket"]  # the query itself is among the best three
    assert (concept.name, concept.rule, concept.extractor, concept.retrieved) == ("cricket", "and", "kld", 4)
    assert concept.rejected == ()
    assert concept.check.verdict == "thin"


def test_scores_are_the_extractors_and_fall(news):
    scores = [word.score for word in one(news, "cricket").words if word.origin == "expansion"]
    assert scores == sorted(scores, reverse=True)
    assert min(scores) > 0


def test_a_word_of_two_queries_is_in_neither_and_says_so(news):
    cricket, football = build_concepts(news, ["cricket", "football"])

    assert not {"match", "australia"} & {*words_of(cricket), *words_of(football)}
    reasons = {word.word: word.reason for word in cricket.rejected}
    assert reasons["match"] == "shared with 'football'"
    assert not set(words_of(cricket)) & set(words_of(football))


def test_own_words_of_two_queries_are_in_neither(news):
    bank, oil = build_concepts(news, ["bank market", "oil market"], n_concept_words=2)
    assert words_of(bank, "query") == ["bank"]
    assert words_of(oil, "query") == ["oil"]
    assert {"market": "shared with 'oil market'"}.items() <= {w.word: w.reason for w in bank.rejected}.items()


def test_without_expansion_the_query_stands_for_itself(news):
    concept = one(news, "middle east", expansion=None)
    assert words_of(concept) == ["middle", "east"]
    assert concept.extractor is None
    assert all(word.score > 0 for word in concept.words)


def test_keywords_take_the_place_of_expansion(news):
    concept = one(news, {"sport": ["wicket", "goal", "tennis", "the", "batsmann"]})

    assert words_of(concept) == ["wicket", "goal"]
    assert {word.origin for word in concept.words} == {"user"}
    assert [(word.word, word.reason) for word in concept.rejected] == [
        ("tennis", "not in the vocabulary"),
        ("the", "a stop word"),
        ("batsmann", "not in the vocabulary (closest: 'batsman')"),
    ]


def test_keywords_join_an_expansion_that_is_asked_for(news):
    concept = one(news, Query("cricket", keywords=["goal"], expansion="kld"), n_concept_words=2)
    assert words_of(concept, "query") == ["cricket"]
    assert words_of(concept, "user") == ["goal"]
    assert words_of(concept, "expansion") == ["batsman"]


def test_keywords_that_two_queries_share_are_in_neither(news):
    first, second = build_concepts(news, {"a": ["wicket", "goal"], "b": ["goal", "bank"]})
    assert (words_of(first), words_of(second)) == (["wicket"], ["bank"])
    assert [(word.word, word.reason) for word in first.rejected] == [("goal", "shared with 'b'")]


def test_what_the_user_gives_to_one_query_another_cannot_propose(news):
    cricket, mine = build_concepts(news, ["cricket", {"mine": ["wicket"]}])
    assert "wicket" not in words_of(cricket)
    assert words_of(mine) == ["wicket"]


def test_add_drop_and_exclude(news):
    plain = one(news, "australia")
    edited = one(news, Query("australia", add=["goal"], drop=["match"], exclude=["cricket"]))

    assert "match" in words_of(plain)
    assert words_of(edited, "user") == ["goal"]
    assert not {"match", "cricket", "wicket"} & set(words_of(edited))
    assert ("match", "dropped by the user") in [(word.word, word.reason) for word in edited.rejected]
    retrieved = {j for word in edited.words if word.n_retrieved for j in word.documents}
    assert not retrieved & set(news.document_term_matrix[:, [news.word_index["cricket"]]].nonzero()[0])


def test_the_next_best_takes_the_place_of_a_dropped_word(news):
    plain = one(news, "cricket", n_concept_words=4)
    best = words_of(plain, "expansion")
    edited = one(news, Query("cricket", drop=[best[0]]), n_concept_words=4)
    assert words_of(edited, "expansion")[:2] == best[1:]
    assert len(words_of(edited)) == 4


def test_the_query_word_itself_can_be_dropped(news):
    concept = one(news, Query("cricket", drop=["cricket"]))
    assert "cricket" not in words_of(concept)
    assert ("cricket", "dropped by the user") in [(word.word, word.reason) for word in concept.rejected]


def test_wildcards_are_the_querys_own_words(news):
    concept = one(news, "econom*", n_concept_words=1)
    assert set(words_of(concept, "query")) == {"economic", "economist", "economy"}
    dropped = one(news, Query("market", drop=["econom*"]))
    assert not {"economic", "economist", "economy"} & set(words_of(dropped))


def test_each_word_carries_the_documents_that_support_it(news):
    concept = one(news, "middle east")
    israel = next(word for word in concept.words if word.word == "israel")

    assert (israel.n_documents, israel.n_retrieved) == (5, 4)
    assert israel.documents[0] == 2  # the shortest document with all three: "middle east israel army"
    assert set(israel.documents) == {0, 1, 2, 3}


def test_a_word_without_retrieved_documents_shows_where_it_is(news):
    concept = one(news, Query("cricket", add=["hockey"]))
    hockey = next(word for word in concept.words if word.word == "hockey")
    assert (hockey.n_documents, hockey.n_retrieved, hockey.documents) == (1, 0, (11,))


def test_at_most_five_documents(corpus_of):
    concept = one(corpus_of(*["peace talks"] * 9, "war"), "peace")
    assert {word.documents for word in concept.words} == {(0, 1, 2, 3, 4)}


def test_fre_takes_the_most_frequent(news):
    concept = one(news, "israel", expansion="fre", n_concept_words=4)
    found = [(word.word, word.score) for word in concept.words]
    assert found == [("israel", 5.0), ("east", 4.0), ("middle", 4.0), ("peace", 4.0)]


def test_rel_finds_words_by_meaning_that_no_retrieved_document_has(news):
    vectors = {word: [0.0, 0.0, 1.0] for word in news.vocabulary}
    vectors |= {"hockey": [1.0, 0.0, 0.0], "football": [5.0, 0.1, 0.0]}
    known = WordVectors(tuple(vectors), np.array(list(vectors.values()), dtype=np.float32), "test")

    concept = one(news, "hockey", expansion="rel", vectors=known)

    football = next(word for word in concept.words if word.word == "football")
    assert (football.n_retrieved, football.origin) == (0, "expansion")
    assert football.score == pytest.approx(0.5 * 5 / 6, rel=1e-3)


def test_rel_needs_vectors(news):
    with pytest.raises(ParameterError, match="'rel' needs word vectors"):
        one(news, "cricket", expansion="rel")
    elsewhere = WordVectors(("mot",), np.ones((1, 2), dtype=np.float32), "french")
    with pytest.raises(QueryError, match="'rel' needs the vector of a query word, and 'french' has none"):
        one(news, "cricket", expansion="rel", vectors=elsewhere)


def test_a_query_that_retrieves_everything_proposes_nothing(corpus_of):
    concept = one(corpus_of("peace talks", "peace war war"), "peace")
    assert words_of(concept) == ["peace"]


def test_a_rule_for_each_query(news):
    first, second = build_concepts(news, ["middle east", "israel cricket"], rule=["and", "or"])
    assert (first.rule, second.rule) == ("and", "or")


def test_results_are_plain_data(news):
    concepts = build_concepts(news, ["cricket", "middle east"])
    assert concepts == build_concepts(news, ["cricket", "middle east"])


@pytest.mark.parametrize(
    ("queries", "message"),
    [
        ("criket", r"Query 'criket': 'criket' is in no document\. Closest: 'cricket'\."),
        ("the of", "Query 'the of': 'the' is a stop word; 'of' is a stop word"),
        ("israel tennis", "Query 'israel tennis': 'tennis' is in no document. Leave it out"),
        ("zebra*", "'zebra\\*' matches no word of the vocabulary"),
        (
            "israel cricket",
            "No document has 'israel' and 'cricket' together. The rule 'or' finds 9 documents",
        ),
        ("wicket -cricket", "All 3 documents with 'wicket' have an excluded word"),
        ({"mine": ["tennis", "golf"]}, "'tennis' is in no document"),
        (["peace", "PEACE"], "is there twice"),
        (["peace", "peace,"], "Queries 'peace' and 'peace,' are the same after cleaning"),
        (["middle east", "east middle"], "are the same after cleaning"),
        (Query("peace", exclude=["peace"]), "All 3 documents with 'peace' have an excluded word"),
        (Query("peace", add=["wicket"], exclude=["wicket"]), "asks for the word 'wicket', which is excluded"),
        (Query("peace", add=["war*", "army"], drop=["army"]), "asks for the word 'army', which is dropped"),
        (
            [Query("bank", expansion=None), Query("oil bank", expansion=None), Query("oil", expansion=None)],
            "Query 'bank' has no concept word left: 'bank' is shared with 'oil bank'. Give it a word",
        ),
    ],
)
def test_a_query_that_cannot_be_answered_is_one_line(news, queries, message):
    with pytest.raises(QueryError, match=message) as caught:
        build_concepts(news, queries)
    assert "\n" not in str(caught.value)
    assert "has no concept word left" not in str(caught.value) or "(--add; in Python" in str(caught.value)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_concept_words": 0}, "n_concept_words is 0"),
        ({"n_candidates": -1}, "n_candidates is -1"),
        ({"n_candidates": float("nan")}, "n_candidates is nan"),
        ({"n_concept_words": True}, "n_concept_words is True"),
        ({"expansion": "bm25"}, "The expansion is 'bm25'"),
        ({"expansion": "inherit"}, "Expansion 'inherit'"),
        ({"rule": "xor"}, "The rule is 'xor'"),
        ({"rule": ["and", "or"]}, "There are 2 rules for 1 queries"),
    ],
)
def test_wrong_parameters(news, options, message):
    with pytest.raises(ParameterError, match=message):
        build_concepts(news, "peace", **options)


@settings(deadline=None)
@given(st.integers(0, 100_000), st.sampled_from(["kld", "fre"]))
def test_concepts_never_share_a_word(seed, expansion):
    rng = np.random.default_rng(seed)
    texts = [" ".join(f"w{w}" for w in rng.zipf(1.5, size=8) if w < 30) or "w1" for _ in range(30)]
    corpus = small_corpus(*texts, "one two three four")  # each query has a word that is no other's
    queries = ["one w1 w2", "two w2", Query("three w3", add=["w4*"]), {"mine": ["four", "w1", "w5*"]}]

    concepts = build_concepts(corpus, queries, rule="or", expansion=expansion, n_candidates=8)

    everything = [word for concept in concepts for word in concept.word_indices]
    assert len(everything) == len(set(everything))
    assert all(concept.words for concept in concepts)


def test_the_index_of_a_corpus_is_made_once(news):
    assert TermIndex.of(news) is TermIndex.of(news)


def test_what_is_only_mentioned_makes_no_concept_unless_so_told():
    texts = ["rugby " + "match team player goal " * 12 + "cricket" * (j == 3) for j in range(8)]
    corpus = Corpus.from_texts(texts)
    with pytest.raises(PassingQueryError, match="1 of 8 documents mentions 'cricket' in passing") as caught:
        build_concepts(corpus, "cricket")
    assert caught.value.check.named == (3,)
    assert pickle.loads(pickle.dumps(caught.value)).check == caught.value.check
    with pytest.raises(PassingQueryError):
        choose_concepts(corpus, ["rugby", "cricket"])
    (concept,) = choose_concepts(corpus, "cricket tennis", refuse=False)
    assert concept.words[0].word == "cricket"
    assert "'tennis' is in no document and is left out." in concept.check.advice


def test_every_query_that_is_refused_is_named_at_once():
    corpus = Corpus.from_texts(["cricket bat", "cricket ball", "rugby match", "rugby team", "weather"])
    with pytest.raises(QueryError, match=r"^Query 'tennis': .* The other one can be answered\.$"):
        build_concepts(corpus, ["cricket", "tennis"])
    with pytest.raises(QueryError, match=r"^Query 'tennis': .* Refused, too: 'chess'\. The other 2 can be"):
        build_concepts(corpus, ["cricket", "tennis", "rugby", "chess"])
    with pytest.raises(QueryError, match=r"^Query 'tennis': .* Refused, too: 'chess'\.$"):
        build_concepts(corpus, ["tennis", "chess"])


def test_expansion_sees_the_documents_that_name_a_phrase():
    texts = ["sign language video"] * 6 + ["language of a sign on the street"] * 6 + ["weather"] * 8
    phrase, words = (
        build_concepts(Corpus.from_texts(texts), query)[0] for query in ('"sign language"', "sign language")
    )
    assert (phrase.retrieved, words.retrieved) == (6, 12)
    assert "street" not in {word.word for word in phrase.words}


def test_an_alternative_that_lacks_a_word_gives_no_concept_words(news):
    concept = one(news, "cricket OR israel tennis", expansion=None)
    assert words_of(concept) == ["cricket"]
    assert words_of(one(news, Query("cricket OR israel tennis", rule="or"), expansion=None)) == [
        "cricket",
        "israel",
    ]
