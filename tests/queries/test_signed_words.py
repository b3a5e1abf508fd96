"""Words with signs that a tokenizer takes away, looked up as they are written where texts have them so."""

import pytest

from qdtm.corpus import Corpus
from qdtm.queries.check import check_query
from qdtm.queries.text_search import TextSearch, signed_form
from qdtm.results.passages import mentions_of

TEXTS = [
    "The compiler of C++ was in the paper, and C++11 was too.",
    "The compiler of C was in the paper, said the man of the club.",
    "At AT&T the phone was in the lab; AT&T's own it was.",
    "He looked at t and at the phone of the man.",
    "On 9/11 it was in the paper.",
    "On 3/9/11 and 9/11/12 it was in the paper. On 9 11 too.",
    "The net was in the river, and the .NET was in the machine.",
    "The net was in the river with the women's boat, a self-driving boat.",
    "The R&D of the club was in the paper. The TCP/IP of the machine was too.",
    "It was F#, and it was (C#), in the machine.",
]  # fmt: skip


@pytest.fixture(scope="module")
def corpus():
    return Corpus.from_texts(TEXTS * 3)


def named(corpus, query):
    check = check_query(corpus, query, refuse=False)
    return sorted({row % len(TEXTS) for row in check.named})


@pytest.mark.parametrize(
    ("query", "documents"),
    [
        ("C++", [0]),
        ("c++?", [0]),
        ("C++ compiler", [0]),
        ('"compiler of C++"', [0]),
        ("compiler -C++", [1]),
        ("C++ OR F#", [0, 9]),
        ("C#", [9]),
        ("(F#)", [9]),
        (".NET", [6]),
        ("AT&T", [2]),
        ("R&D", [8]),
        ("9/11", [4]),
        ("net", [6, 7]),
        ("tcp/ip", [8]),
        ("women's", [7]),
        ("boat,", [7]),
        ("(boat)", [7]),
        ("self-driving boat", [7]),
    ],
)
def test_documents_that_name_it(corpus, query, documents):
    assert named(corpus, query) == documents


def test_what_no_text_has_so_is_read_without_signs_and_said(corpus):
    check = check_query(corpus, "net#")
    assert named(corpus, "net#") == [6, 7]
    assert "No document has 'net#' as it is written; it was read as 'net'." in check.advice
    assert "written" not in check_query(corpus, "C++").advice


def test_the_word_is_shown_as_it_was_typed(corpus):
    (word,) = check_query(corpus, "C++?").words
    assert (word.word, word.status, word.n_documents) == ("C++", "in text", 1)  # copies count once


def test_ordinary_words_have_no_signs():
    ordinary = ["cats,", "(nato)", "women's", "self-driving", "U.S.", "...and", "#metoo", "what?", "+", "a.b"]
    assert [signed_form(each) for each in ordinary] == [""] * len(ordinary)


def test_a_text_is_split_around_them(corpus):
    search = TextSearch.of(corpus)
    assert search.split("C/C++, not C+++ or AT&T's.", ["c++", "at&t"]) == [
        "C", "C++", "not", "C", "or", "AT&T", "s"
    ]  # fmt: skip
    assert search.words("C++ AT&T", ["c++", "at&t"]) == ["c++", "at&t"]


def test_a_mention_is_where_it_stands():
    filling = "Most of the members met in the city and spoke of the weather, the harvest and the roads. " * 6
    texts = [f"The C of the club was read. {filling} There the C# was named. {filling}", *[filling] * 9]
    corpus = Corpus.from_texts(texts)
    (mention,) = mentions_of(check_query(corpus, "C#"), corpus)
    assert "C# was named" in mention.passage


@pytest.mark.parametrize(
    ("asked", "keywords"),
    [
        ("C++", ["C++", "C++"]),
        ("at&t", ["AT&T", "AT&T"]),
        ("9/11", ["9/11"]),
        (".NET", [".NET"]),
        ("tcp/ip", ["TCP/IP"]),
        ("net#", []),
    ],
)
def test_they_are_seen_in_context_as_they_are_written(corpus, asked, keywords):
    assert [line.keyword for line in corpus.concordance(asked)] == keywords * 3  # texts are there thrice
