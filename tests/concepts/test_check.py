import pytest

from qdtm.concepts import Query, WordCheck, check_query
from qdtm.errors import ParameterError


def test_a_fine_query(news):
    check = check_query(news, "Middle East")

    assert check.words == (
        WordCheck("middle", "query", "known", 5, 5, ("middle",)),
        WordCheck("east", "query", "known", 5, 5, ("east",)),
    )
    assert (check.verdict, check.rule, check.n_and, check.n_or, check.n_corpus) == ("fine", "and", 5, 5, 20)
    assert check.reason == "5 of 20 documents have 'middle' and 'east'."
    assert check.advice == ""


def test_occurrences_are_more_than_documents(news):
    (word,) = check_query(news, "peace").words
    assert (word.n_documents, word.n_occurrences) == (3, 4)


def test_a_thin_query_names_what_the_other_rule_finds(news):
    check = check_query(news, "israel attack")
    assert (check.verdict, check.n_retrieved, check.n_and, check.n_or) == ("thin", 2, 2, 5)
    assert check.reason == "Only 2 of 20 documents have 'israel' and 'attack'."
    assert check.advice == "The rule 'or' finds 5 documents."


def test_and_finds_nothing_but_or_does(news):
    check = check_query(news, "israel cricket")
    assert (check.verdict, check.n_retrieved) == ("absent", 0)
    assert check.reason == "No document has 'israel' and 'cricket' together."
    assert check.advice == "The rule 'or' finds 9 documents."
    assert check_query(news, "israel cricket", "or").verdict == "fine"


def test_the_querys_own_rule_wins(news):
    check = check_query(news, Query("israel cricket", rule="or"), "and")
    assert (check.rule, check.verdict) == ("or", "fine")
    assert check.reason == "9 of 20 documents have 'israel' or 'cricket'."


def test_an_unknown_word_is_left_out_and_named(news):
    check = check_query(news, "israel palestinean")
    assert check.verdict == "fine"
    assert [word.word for word in check.unknown] == ["palestinean"]
    assert check.unknown[0].closest == ("palestinian",)
    assert check.advice == (
        "'palestinean' is not in the vocabulary (28 words) and is left out. Closest: 'palestinian'."
    )


def test_nothing_is_known(news):
    check = check_query(news, "criket")
    assert check.verdict == "absent"
    assert check.reason == "'criket' is not in the vocabulary (28 words)."
    assert check.advice == "Closest: 'cricket'."


def test_nothing_is_near(news):
    check = check_query(news, "zzyzx")
    assert check.advice == "Try another word for the same thing, or give keywords of your own."


def test_stop_words_only(news):
    check = check_query(news, "the of")
    assert check.verdict == "absent"
    assert [word.status for word in check.words] == ["stop word", "stop word"]
    assert check.reason == "'the' is a stop word; 'of' is a stop word."


def test_a_wildcard_counts_its_matches_together(news):
    check = check_query(news, "econom*")
    (word,) = check.words
    assert word.matches == ("economic", "economist", "economy")
    assert (word.n_documents, word.n_occurrences) == (6, 8)
    assert check_query(news, "zebra*").reason == "'zebra*' matches no word of the vocabulary (28 words)."


def test_exclusion_by_shorthand_and_by_name(news):
    short = check_query(news, "australia -cricket")
    long = check_query(news, Query("australia", exclude=["cricket"]))
    for check in (short, long):
        assert (check.n_retrieved, check.n_excluded, check.verdict) == (2, 3, "thin")
        assert check.reason == "Only 2 of 20 documents have 'australia'; 3 more have an excluded word."
        assert check.advice == "Exclude fewer words."


def test_everything_is_excluded(news):
    check = check_query(news, "wicket -cricket")
    assert check.verdict == "absent"
    assert check.reason == "All 3 documents with 'wicket' have an excluded word."


def test_keywords_are_searched_with_or(news):
    check = check_query(news, Query(name="sport", keywords=["cricket", "hockey", "tennis"]), "and")
    assert (check.rule, check.n_retrieved, check.verdict) == ("or", 5, "fine")
    assert [(word.role, word.status) for word in check.words] == [
        ("keyword", "known"),
        ("keyword", "known"),
        ("keyword", "unknown"),
    ]


def test_the_text_is_searched_before_the_keywords_unless_none_of_it_is_known(news):
    assert check_query(news, Query("hockey", keywords=["cricket"])).n_retrieved == 1
    check = check_query(news, Query("sportz", keywords=["cricket"]))
    assert (check.n_retrieved, check.rule) == (4, "or")


def test_a_vocabulary_word_that_never_occurs_is_unknown(corpus_of):
    corpus = corpus_of("peace talks", "peace", vocabulary=["peace", "talks", "war", "warfare"])
    check = check_query(corpus, "peace war war*", "or")
    assert [word.status for word in check.words] == ["known", "unknown", "unknown"]
    assert check.n_or == 2


def test_a_broad_query_is_told(corpus_of):
    check = check_query(corpus_of(*["peace talks"] * 9), "peace")
    assert check.verdict == "fine"
    assert check.advice == "The query is in most documents; add a word to narrow it."


def test_one_document_is_singular(news):
    assert check_query(news, "hockey").reason == "Only 1 of 20 documents has 'hockey'."


def test_a_wrong_rule(news):
    with pytest.raises(ParameterError, match="The rule is 'AND'"):
        check_query(news, "peace", "AND")
