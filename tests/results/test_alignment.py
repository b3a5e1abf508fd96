"""Where tokens stand in a text, whatever the text holds."""

import numpy as np
import pytest

from qdtm.corpus import Corpus, TextPipeline
from qdtm.results.passages import Aligner, find_token


def written(corpus, j):
    text = corpus.documents[j].text
    spans = Aligner(corpus).spans(j, text)
    words = [corpus.vocabulary[w] for w in corpus.tokens[corpus.offsets[j] : corpus.offsets[j + 1]]]
    return [
        (word, None if span is None else text[slice(*span)]) for word, span in zip(words, spans, strict=True)
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The armies' fires, FIRE!", [("army", "armies'"), ("fire", "fires"), ("fire", "FIRE")]),
        ("<b>fire</b> &amp; army", [("fire", "fire"), ("army", "army")]),
        ("<script>alert('fire')</script> army", [("army", "army")]),
        ("U.S. army", [("usa", "U.S"), ("army", "army")]),
        ("see https://example.org/army/fire?x=1 army", [("army", "army")]),
        ("caf&eacute; army", [("café", "café"), ("army", "army")]),
        ("caf&eacute army", [("café", None), ("army", "army")]),  # shown as it is, without its semicolon
        ("حريق في المدينة", [("حريق", "حريق"), ("المدينة", "المدينة")]),
        ("fire 🔥🔥 army", [("fire", "fire"), ("army", "army")]),
        ("", []),
    ],
)
def test_each_token_has_its_place(text, expected):
    language = "english" if text.isascii() or "🔥" in text else None
    corpus = Corpus.from_texts([text, "x fire army"], pipeline=TextPipeline(language=language))
    found = [pair for pair in written(corpus, 0) if pair[0] in dict(expected)]
    assert [word for word, _ in found] == [word for word, _ in expected]
    for (_, place), (_, wanted) in zip(found, expected, strict=True):
        assert (place is None) == (wanted is None)
        assert place is None or place.strip("'") == wanted.strip("'")


def test_a_long_address_does_not_lose_what_follows():
    corpus = Corpus.from_texts([f"fire https://x.org/{'a' * 9000} " + "fire army " * 50])
    places = [place for _, place in written(corpus, 0)]
    assert places.count(None) < 6
    assert set(places) == {"fire", "army", None}


def test_many_tokens_in_a_row_that_are_not_found():
    corpus = Corpus.from_texts(["fire " + "caf&eacute " * 100 + "army", "fire army"])
    assert written(corpus, 0) == [("fire", "fire"), *[("café", None)] * 100, ("army", "army")]


def test_ready_tokens_beside_another_text():
    corpus = Corpus.from_tokens([["fire", "army", "ghost"]], texts=["Fires and armies"])
    assert written(corpus, 0) == [("fire", "Fires"), ("army", "armies"), ("ghost", None)]


def test_languages_without_spaces():
    pipeline = TextPipeline(language=None, tokenizer=lambda text: list(text), min_token_length=1)
    corpus = Corpus.from_texts(["東京都", "京都"], pipeline=pipeline)
    assert [place for _, place in written(corpus, 0)] == ["東", "京", "都"]


def test_a_token_inside_another_word_is_passed_over():
    assert find_token("firefly fire", "fire", 0, 100) == (8, 12)
    assert find_token("nothing", "fire", 0, 100) is None


def test_a_phrase_is_marked_as_one():
    from qdtm.corpus import load_demo_corpus

    demo = load_demo_corpus()
    phrase = demo.word_index["bin laden"]
    j = int(demo.document_term_matrix[:, phrase].toarray().argmax())
    document = demo.documents[j]
    spans = Aligner(demo).spans(j, document.text)
    tokens = demo.tokens[demo.offsets[j] : demo.offsets[j + 1]]
    marked = {document.text[slice(*spans[i])] for i in np.flatnonzero(tokens == phrase)}
    assert {mark.removesuffix("'s") for mark in marked} == {"bin Laden"}
    assert all(span is not None for span in spans)
