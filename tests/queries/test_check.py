import pytest

from qdtm.corpus import Corpus, TextPipeline, VocabularyLimits
from qdtm.errors import ParameterError, QueryError
from qdtm.queries import Query, WordCheck, check_query

TWELVE = [
    "apple",
    "bread",
    "candle",
    "drum",
    "elbow",
    "fern",
    "glove",
    "hammer",
    "ink",
    "jar",
    "kettle",
    "lamp",
]
"""Words that make documents differ: copies count once."""


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
    assert (
        check.reason == "2 of 20 documents have 'israel' and 'attack', only 1 of them more than in passing."
    )
    assert (check.n_named, check.n_mainly, check.named) == (2, 1, (1, 5))
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


def test_a_query_with_an_unknown_word_is_absent(news):
    check = check_query(news, "israel palestinean")
    assert (check.verdict, check.shown, check.n_named, check.n_and, check.n_or) == ("absent",) * 2 + (0, 0, 5)
    assert check.reason == "'palestinean' is in no document."
    assert check.advice == (
        "Closest: 'palestinian'. Leave it out, or ask for the rest anyway (refuse=False, --anyway)."
    )


def test_an_unknown_word_is_left_out_and_named_if_so_told(news):
    check = check_query(news, "israel palestinean", refuse=False)
    assert (check.verdict, check.shown) == ("fine", "answerable")
    assert [word.word for word in check.unknown] == ["palestinean"]
    assert check.unknown[0].closest == ("palestinian",)
    assert check.advice == ("'palestinean' is in no document and is left out. Closest: 'palestinian'.")


def test_nothing_is_known(news):
    check = check_query(news, "criket")
    assert check.verdict == "absent"
    assert check.reason == "'criket' is in no document."
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
    check = check_query(corpus_of(*(f"peace talks {letter * 2}" for letter in "abcdefghi")), "peace")
    assert check.verdict == "fine"
    assert check.advice == "The query is in most documents; add a word to narrow it."


def test_one_document_is_singular(news):
    assert check_query(news, "hockey").reason == "Only 1 of 20 documents has 'hockey'."


def test_a_wrong_rule(news):
    with pytest.raises(ParameterError, match="The rule is 'AND'"):
        check_query(news, "peace", "AND")


def test_an_alternative_without_its_word_is_left_out_and_named(news):
    check = check_query(news, "cricket OR israel tennis")
    assert (check.verdict, check.n_named) == ("thin", 4)
    assert check.reason == "Only 4 of 20 documents have 'cricket'."
    assert check.advice.startswith("'tennis' is in no document and is left out.")


def test_alternatives_add_up(news):
    check = check_query(news, "cricket match OR hockey OR israel peace")
    assert (
        check.reason == "7 of 20 documents have 'cricket' and 'match', or 'hockey', or 'israel' and 'peace'."
    )


def test_any_word_will_do_under_or(news):
    check = check_query(news, "israel tennis", "or")
    assert (check.verdict, check.n_retrieved) == ("fine", 5)
    assert check.advice == "'tennis' is in no document and is left out."


@pytest.fixture(scope="module")
def papers():
    """Long documents, in few of which anything is said twice."""
    filling = "Most of the members met in the city and spoke of the weather, the harvest and the roads. " * 6
    said = [
        "The second amendment came up. Then the second amendment came up again, and the vitamin c level.",
        "A second reading of the amendment.",
        "An amendment was read.",
        "The right to work is a right. The right to work is law. A zebra walked by.",
        "Women's rights were read out; a woman's right is a right, they said.",
        "Climate was on the list.",
        "On 9/11 they met.",
        "On 9 November 11 met.",
    ]
    return Corpus.from_texts(
        [f"{filling} {text}" for text in said] + [f"{filling} {word}" for word in TWELVE]
    )


@pytest.fixture(scope="module")
def verdict_of(papers):
    return lambda query: (lambda check: (check.verdict, check.n_named, check.n_mainly))(
        check_query(papers, query)
    )


def test_a_query_that_is_only_mentioned(papers):
    check = check_query(papers, "zebra")
    assert (check.verdict, check.shown, check.named) == ("passing", "in passing", (3,))
    assert check.reason == "1 of 20 documents mentions 'zebra' in passing; none is mainly about it."
    assert check.advice.startswith("Read them, ask with other words, or fit a topic anyway")
    assert "anyway" not in check_query(papers, "zebra", refuse=False).advice


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ('"second amendment"', ("thin", 1, 1)),
        ("second amendment", ("thin", 2, 1)),
        ("amendment", ("thin", 3, 1)),
        ('"right to work"', ("thin", 1, 1)),
        ('"right work"', ("absent", 0, 0)),
        ("“women’s rights”", ("thin", 1, 1)),
        ('"woman\'s right"', ("thin", 1, 1)),
        ("vitamin c", ("passing", 1, 0)),
        ("9/11", ("passing", 1, 0)),
        ('"9 11"', ("passing", 1, 0)),
        ("climate of the city", ("passing", 1, 0)),
        ('amendment -"second amendment"', ("passing", 2, 0)),
        ("amendment -second", ("passing", 1, 0)),
        ("amendment -reading", ("thin", 2, 1)),
        ("климат", ("absent", 0, 0)),
    ],
)
def test_what_stands_in_the_texts_alone(verdict_of, query, expected):
    assert verdict_of(query) == expected


def test_words_that_are_passed_over_are_said(papers):
    check = check_query(papers, "climate of the city")
    assert [(word.word, word.status) for word in check.words] == [
        ("climate", "known"), ("of", "stop word"), ("the", "stop word"), ("city", "known")
    ]  # fmt: skip
    assert check.advice.startswith("'of' is a stop word and is passed over. 'the' is a stop word")
    assert "write OR in capitals" in check_query(papers, "climate or weather").advice
    assert "put - before it" in check_query(papers, "climate NOT weather").advice
    assert "put - before it" not in check_query(papers, "climate not weather").advice


def test_an_excluded_word_that_nothing_has_is_said(papers):
    advice = check_query(papers, "amendment -qwxyz -the").advice
    assert "Nothing has the excluded 'qwxyz'." in advice
    assert "The excluded 'the' is a stop word and is passed over." in advice


def test_a_word_too_rare_for_the_vocabulary_is_found_in_the_texts():
    texts = ["the zebras of the zoo", "a zebra in the zoo", "the zoo of the town"] + [
        f"the town {word}" for word in TWELVE[:9]
    ]
    corpus = Corpus.from_texts(texts, pipeline=TextPipeline(limits=VocabularyLimits(min_df=3)))
    check = check_query(corpus, "zebra")
    assert (check.verdict, check.n_named, check.words[0].status) == ("passing", 2, "rare")
    assert check.reason == "Only 2 of 12 documents mention 'zebra', too few to make a topic of."
    assert check_query(corpus, "zebra zoo").named == (0, 1)
    assert check_query(corpus, "lion").verdict == "absent"


def test_a_phrase_of_stop_words_is_refused(papers):
    with pytest.raises(QueryError, match='"to be or not to be" has stop words only; add a word'):
        check_query(papers, '"to be or not to be"')


def test_ready_tokens_have_no_stop_words():
    tokens = [["right", "work", "law"], ["work", "right"], ["law", "court"]] * 4
    corpus = Corpus.from_tokens(tokens)
    assert check_query(corpus, '"right to work"').n_named == 4
    check = check_query(corpus, "right to work")
    assert (check.n_named, [word.status for word in check.words]) == (8, ["known", "stop word", "known"])


def test_singular_and_plural_are_one_where_the_pipeline_left_them_apart():
    corpus = Corpus.from_tokens([["loan", "bank"], ["loans", "bank"], ["news"], ["new"], ["bushfires"]])
    assert check_query(corpus, "loans").n_named == check_query(corpus, "loan").n_named == 2
    assert check_query(corpus, "bushfire").n_named == 1
    assert check_query(corpus, "news").n_named == 1


def test_what_many_documents_mention_is_more_than_in_passing():
    texts = [
        "town street road house garden tree " * 4 + f"{'ship ' * (j < 40)}{TWELVE[j % 12]} {TWELVE[j // 12]}"
        for j in range(80)
    ]
    check = check_query(Corpus.from_texts(texts), "ship")
    assert (check.verdict, check.n_mainly) == ("fine", 0)
    assert check.reason == "40 of 80 documents have 'ship', but none more than in passing."
