"""Keyword in context, against a plain reading of every text."""

import re

import numpy as np
import pytest

from qdtm import Corpus
from qdtm.corpus import TextPipeline, load_demo_corpus
from qdtm.errors import ParameterError, QueryError
from qdtm.progress import Cancelled, cancel_when
from qdtm.queries import Query
from qdtm.queries.concordance import MOST_LINES, find_concordance
from qdtm.queries.search import search
from qdtm.queries.text_search import TextSearch


@pytest.fixture(scope="module")
def demo():
    return load_demo_corpus()


def spans(corpus, query, **options):
    return [(line.row, line.keyword) for line in corpus.concordance(query, **options)]


def read_plainly(corpus, *wanted):
    """Count where folded words stand side by side, by reading all texts word by word."""
    texts, counts = TextSearch.of(corpus), {}
    for document in corpus.documents:
        words = texts.words(document.text)
        n = sum(words[i : i + len(wanted)] == list(wanted) for i in range(len(words)))
        if n:
            counts[document.index] = n
    return counts


def by_document(found):
    rows, counts = np.unique([line.row for line in found], return_counts=True)
    return dict(zip(rows.tolist(), counts.tolist(), strict=True))


# --- what is found ------------------------------------------------------------------------------------------


def test_words_as_a_plain_reading_finds_them(demo):
    texts = TextSearch.of(demo)
    words = [word for word in demo.vocabulary[::40] if " " not in word] + ["the", "would", "usa", "2001"]
    for word in words:
        found = demo.concordance(word)
        expected = read_plainly(demo, texts.fold(word))
        if word in demo.vocabulary:  # which the query language may know in another number
            assert expected.keys() <= by_document(found).keys(), word
        else:
            assert by_document(found) == expected, word
        assert found.n_lines == len(found) == sum(by_document(found).values())
        assert found.n_documents == len(by_document(found))


@pytest.mark.parametrize("phrase", ["asylum seekers", "of the", "prime minister", "in New South Wales"])
def test_phrases_as_a_plain_reading_finds_them(demo, phrase):
    texts = TextSearch.of(demo)
    expected = read_plainly(demo, *map(texts.fold, phrase.split()))
    assert expected
    assert by_document(demo.concordance(f'"{phrase}"')) == expected


@pytest.mark.parametrize("text", ["asylum seekers", "fire wind", "cricket OR palestinian", "fire -sydney"])
def test_the_documents_are_those_that_name_the_query(demo, text):
    named = search(demo, Query(text), "and").naming.documents.tolist()
    assert sorted(by_document(demo.concordance(text))) == named


def test_every_keyword_stands_where_its_line_says(demo):
    for line in demo.concordance('israel* OR "prime minister" OR fire'):
        text = demo.documents[line.row].text
        assert " ".join(text[line.start : line.end].split()) == line.keyword
        assert line.id == demo.documents[line.row].id
        before, after = " ".join(text[: line.start].split()), " ".join(text[line.end :].split())
        assert before.endswith(line.left)
        assert after.startswith(line.right)
        assert max(len(line.left), len(line.right)) <= 40


def test_numbers_capitals_and_punctuation_do_not_matter():
    corpus = Corpus.from_texts(
        ["A Fire.", "two FIRES; one fire's smoke", "firemen", "the women's choir, a woman"]
    )
    assert [k for _, k in spans(corpus, "fires!")] == ["Fire", "FIRES", "fire's"]
    assert [k for _, k in spans(corpus, "woman")] == ["women's", "woman"]


def test_words_together_are_one_keyword():
    texts = ["the rights of women matter", "women there, " + "far " * 30 + "the rights", "women only"]
    corpus = Corpus.from_texts(texts)
    assert spans(corpus, "women rights") == [(0, "rights of women"), (1, "women"), (1, "rights")]
    assert spans(corpus, "women OR rights")[:2] == [(0, "rights"), (0, "women")]


def test_initials_hyphens_and_apostrophes():
    corpus = Corpus.from_texts(
        ["In the U.S. and the USA.", "Not us, but e-mail and E MAIL", "don’t, don't", "o'clock"]
    )
    assert [k for _, k in spans(corpus, "U.S.")] == ["U.S.", "USA"]
    assert [k for _, k in spans(corpus, "e-mail")] == ["e-mail", "E MAIL"]
    assert [k for _, k in spans(corpus, "don't")] == ["don’t", "don't"]
    assert not spans(corpus, "clock")


def test_markup_and_addresses_are_no_words():
    texts = [
        "<p>A <b>fire</b> &amp; smoke</p><script>fire()</script>",
        "see https://fire.org/fire or a@fire.org",
        "fire at https://example.org/fire",
    ]
    found = Corpus.from_texts(texts).concordance("fire")
    assert [(line.row, line.left, line.right) for line in found] == [
        (0, "A", "& smoke"),
        (2, "", "at https://example.org/fire"),
    ]


def test_a_pattern_finds_words_that_the_vocabulary_does_not_have(demo):
    found = demo.concordance("econom*")
    assert found.n_lines == sum(
        len(re.findall(r"\beconom\w*", document.text, re.IGNORECASE)) for document in demo.documents
    )


# --- scripts and languages ----------------------------------------------------------------------------------


def test_scripts_without_spaces_and_signs():
    corpus = Corpus.from_texts(["fire 🔥 and 🔥", "hot"])
    assert spans(corpus, "🔥") == [(0, "🔥"), (0, "🔥")]
    corpus = Corpus.from_tokens([["今年", "洪水"]], texts=["今年洪水很大，洪水过后"])
    assert [k for _, k in spans(corpus, "洪水")] == ["洪水", "洪水"]


def test_letters_with_many_forms():
    arabic = Corpus.from_texts(["كتب الأستاذ", "أُسْتَاذ قديم"], pipeline=TextPipeline(language="arabic"))
    assert [k for _, k in spans(arabic, "أستاذ")] == ["أُسْتَاذ"]
    german = Corpus.from_texts(
        ["Die Zeitung", "Viele Zeitungen", "STRASSE"], pipeline=TextPipeline(language="german")
    )
    assert [k for _, k in spans(german, "zeitung")] == ["Zeitung", "Zeitungen"]
    decomposed = Corpus.from_texts(["Une e\u0301cole", "l'école"], pipeline=TextPipeline(language="french"))
    assert len(spans(decomposed, "école")) == 2


def test_a_lemmatizer_of_the_users_own():
    pipeline = TextPipeline(lemmatizer=lambda word: "go" if word in ("went", "gone") else word)
    corpus = Corpus.from_texts(["She went home", "They go", "It has gone by"], pipeline=pipeline)
    assert [k for _, k in spans(corpus, "went")] == ["went", "go", "gone"]


def test_ready_tokens_and_counts():
    assert spans(Corpus.from_tokens([["fire", "burns"], ["rain"]]), "fire") == [(0, "fire")]


# --- order and bounds ---------------------------------------------------------------------------------------


def test_sorting(demo):
    left = [re.findall(r"\w+", line.left.casefold())[-1:] for line in demo.concordance("fire", sort="left")]
    assert left == sorted(left)
    right = [re.findall(r"\w+", line.right.casefold())[:1] for line in demo.concordance("fire", sort="right")]
    assert right == sorted(right)
    backwards = [line.row for line in demo.concordance("fire", sort=-np.arange(len(demo)))]
    assert backwards == sorted(backwards, reverse=True)


@pytest.mark.parametrize("sort", ["document", "left", "right"])
def test_the_lines_that_are_kept_are_the_first_of_all(demo, sort):
    every, few = demo.concordance("the", sort=sort), demo.concordance("the", sort=sort, limit=7)
    assert every.n_lines == len(every) < MOST_LINES
    assert few.lines == every.lines[:7]
    assert few.n_lines == every.n_lines
    assert few.n_documents == every.n_documents


def test_it_can_be_ended(demo):
    with pytest.raises(Cancelled), cancel_when(lambda: True):
        demo.concordance("fire")


# --- how it is shown ----------------------------------------------------------------------------------------


def test_repr_and_frame(demo):
    found = demo.concordance("wicket")
    lines = repr(found).splitlines()
    assert lines[0] == f"Concordance('wicket': {found.summary})"
    assert (
        len({line.index(each.keyword, len(each.left)) for line, each in zip(lines[1:], found, strict=False)})
        == 1
    )
    frame = found.to_frame()
    assert list(frame.columns) == ["document", "title", "left", "keyword", "right", "row", "start", "end"]
    assert frame.row.tolist() == [line.row for line in found]
    assert len(found[:2]) == 2


def test_nothing_found_says_why(demo):
    assert demo.concordance("afganistan").summary == "No document has 'afganistan'. Closest: 'afghanistan'."
    assert demo.concordance('"fire cricket"').summary == "No document has '\"fire cricket\"'."


# --- what cannot be searched --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text", ["", "  ", "-fire", "fire OR", '"fire', '""', "...", "(", "*", "a*", "fire " * 21]
)
def test_what_has_no_word_is_one_line(demo, text):
    with pytest.raises(QueryError) as error:
        demo.concordance(text)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    "text", [".*+?[fire](x){2}\\", "fire|wind", "a" * 500, "the of", "fi*re*", "\x00fire", "é" * 400]
)
def test_signs_are_searched_or_passed_over(demo, text):
    assert len(demo.concordance(text).summary) < 300


def test_a_text_is_no_search(demo):
    with pytest.raises(QueryError, match="10,000 characters"):
        demo.concordance("x" * 10_000)


@pytest.mark.parametrize(
    "options", [{"width": 0}, {"width": 10**9}, {"limit": 0}, {"sort": "size"}, {"width": True}]
)
def test_bad_options(demo, options):
    with pytest.raises(ParameterError):
        find_concordance(demo, "fire", **options)
