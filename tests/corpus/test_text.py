"""Tokens, stop words, lemmas, limits, and the pipeline that joins them."""

import gzip
import json
import os
import pickle
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qdtm.corpus import Corpus, TextPipeline, VocabularyLimits, noun_lemma, stop_word_lists, stop_words
from qdtm.corpus import lemmas as lemma_tables
from qdtm.corpus.markup import strip_markup
from qdtm.corpus.tokenizer import _ASCII_WORD, _word, tidy_token, unicode_tokens, word_character_tokens
from qdtm.errors import CorpusError, ParameterError, StorageError

seeded = settings(deadline=None, derandomize=True)

# --- tokens ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("well-known, isn't it?", ["well", "known", "isn't", "it"]),
        ("the U.S. and the U.N., e.g. at 4 p.m.", ["the", "US", "and", "the", "UN", "eg", "at", "4", "pm"]),
        ("one.Two a.b", ["one", "Two", "ab"]),
        ("3.14 a1 1990s", ["3", "14", "a1", "1990s"]),
        ("हिन्दी में ภาษาไทย עִבְרִית", ["हिन्दी", "में", "ภาษาไทย", "עִבְרִית"]),
        ("می‌خواهم cafe\u0301", ["می‌خواهم", "cafe\u0301"]),
        ("日本語 русский ελληνικά", ["日本語", "русский", "ελληνικά"]),
        ("\U00011084\U000110b0 x", ["\U00011084\U000110b0", "x"]),  # Kaithi: beyond the first plane
        ("", []),
        ("!!! … 😀", []),
    ],
)
def test_unicode_tokens(text, tokens):
    assert unicode_tokens(text) == tokens


@seeded
@given(st.text(st.characters(max_codepoint=127)))
def test_ascii_expression_is_the_unicode_one(text):
    assert _ASCII_WORD.findall(text) == _word().findall(text)


@seeded
@given(st.text())
def test_tokens_hold_all_letters_and_digits(text):
    kept = "".join(unicode_tokens(text))
    assert [c for c in kept if c.isalnum()] == [c for c in text if c.isalnum()]


@pytest.mark.parametrize(
    ("token", "language", "tidy"),
    [
        ("government’s", "english", "government"),
        ("they'd've", "english", "they"),
        ("don’t", "english", "don't"),
        ("O'Brien's", "english", "O'Brien"),
        ("dogs''", "english", "dogs"),
        ("_emphasis_", "english", "emphasis"),
        ("new_york", "english", "new_york"),
        ("cafe\u0301", None, "café"),
        ("soft\u00adhyphen", None, "softhyphen"),
        ("l'État", "french", "État"),
        ("qu’il", "french", "il"),
        ("aujourd'hui", "french", "aujourd'hui"),
        ("dell'arte", "italian", "arte"),
        ("Türkiye'nin", "turkish", "Türkiye"),
        ("l'homme", "english", "l'homme"),
    ],
)
def test_tidy_token(token, language, tidy):
    assert tidy_token(token, language) == tidy


def test_markup_goes():
    text = 'A <a href="x">link</a> &amp; <b>bold</b> www.example.org/x me.you@example.co.uk 3 < 4 <!-- no -->'
    assert strip_markup(text).split() == ["A", "link", "&", "bold", "3", "<", "4"]


@pytest.mark.parametrize(
    "text", ["<" * 200_000, "a" * 200_000 + "@", "<a " * 100_000, "www." * 100_000, "&" * 200_000]
)
def test_markup_takes_no_more_than_linear_time(text):
    assert isinstance(strip_markup(text), str)


def test_entity_without_end_stays():
    text = "fire &#" + "9" * 5_000 + "; &amp; water"
    assert strip_markup(text) == text


def test_ten_megabytes_of_data_are_no_word():
    blob = "aGVsbG8" * 1_500_000
    assert TextPipeline()(f"fire {blob} a@{blob} water {'x' * 101}") == ["fire", "water"]
    assert TextPipeline(tokenizer=str.split)("x" * 101) == ["x" * 101]


# --- stop words ------------------------------------------------------------------------------------------


def test_english_stop_words_are_no_query_words():
    asked = """
        fire system computer bill million billion health state world research work government home man men
        women young old war market value novel mine uk tv un ai web page group member act case changes haven
        won right free general problem order information science policy vice help"""
    assert not stop_words("english") & set(asked.split())


def test_english_stop_words_cover_everyday_words():
    dull = """
        the said says would also could don don't dont didn't ve ll re isn't wasn't i'm it's im ive couldn hadn
        mustn shan year today thing way us http www com one two nineteen told gonna"""
    assert set(dull.split()) <= stop_words("english")


def test_every_correction_of_the_lists_is_needed():
    from stop_words import get_stop_words

    for language, words in stop_word_lists._CONTENT_WORDS.items():
        assert set(words.split()) <= set(get_stop_words(language))
    for language, words in stop_word_lists._MORE_WORDS.items():
        assert not set(words.split()) & set(get_stop_words(language))


def test_turkish_list_is_turkish():
    assert {"şey", "altı", "için"} <= stop_words("tr")
    assert not any(set("ýþð") & set(word) for word in stop_words("tr"))


@pytest.mark.parametrize("name", ["de", "German", " german ", "de-AT", "de_CH"])
def test_languages_by_name_and_code(name):
    assert stop_words(name) == stop_words("german")
    assert "und" in stop_words(name)


def test_unknown_language():
    with pytest.raises(ParameterError, match=r"no stop words for language 'germam'\. Closest: 'german'"):
        stop_words("germam")
    with pytest.raises(ParameterError, match="language=None"):
        TextPipeline(language="klingon")


# --- lemmas ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("word", "lemma"),
    [("armies", "army"), ("geese", "goose"), ("women", "woman"), ("men", "man"), ("churches", "church"),
     ("boxes", "box"), ("children", "child"), ("crosses", "cross"), ("houses", "house"), ("taxes", "tax"),
     ("movies", "movie"), ("days", "day"), ("israelis", "israeli"), ("comics", "comic")],
)  # fmt: skip
def test_plurals(word, lemma):
    assert noun_lemma(word) == lemma


@pytest.mark.parametrize(
    "word",
    ["news", "us", "gas", "bus", "class", "politics", "species", "physics", "arms", "goods", "media", "data",
     "aids", "troops", "was", "said", "mass", "glass", "innings", "sanders", "economics",
     "xyzs", "", "s", "日本"],
)  # fmt: skip
def test_words_that_stay(word):
    assert noun_lemma(word) == word


def test_every_entry_of_the_tables_is_needed(monkeypatch):
    own, corrections = lemma_tables._OWN_WORDS, lemma_tables._CORRECTIONS
    monkeypatch.setattr(lemma_tables, "_OWN_WORDS", frozenset())
    monkeypatch.setattr(lemma_tables, "_CORRECTIONS", {})
    monkeypatch.setattr(lemma_tables, "_exceptions", lemma_tables._exceptions.__wrapped__)  # not the cached
    assert [word for word in sorted(own) if noun_lemma(word) == word] == []
    assert [word for word, lemma in corrections.items() if noun_lemma(word) == lemma] == []


# --- limits ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("n_documents", "lowest"), [(1, 1), (20, 1), (49, 1), (50, 2), (99, 2), (100, 3), (10**6, 3)]
)
def test_automatic_minimum(n_documents, lowest):
    assert VocabularyLimits().document_range(n_documents) == (lowest, n_documents)


def test_shares_and_counts():
    assert VocabularyLimits(min_df=0.1, max_df=0.5).document_range(30) == (3, 15)
    assert VocabularyLimits(min_df=0.0, max_df=7).document_range(30) == (1, 7)
    assert VocabularyLimits(min_df=np.int64(2), max_df=np.float32(0.5)).document_range(10) == (2, 5)


def test_select_by_frequency_then_alphabet():
    words = ["d", "c", "b", "a"]
    frequency, counts = np.array([1, 2, 2, 2]), np.array([9, 5, 5, 5])
    assert VocabularyLimits(min_df=2, max_words=2).select(words, frequency, counts, 3) == [3, 2]
    assert VocabularyLimits(min_df=1, max_words=2).select(words, frequency, counts, 3) == [3, 0]
    assert VocabularyLimits(min_df=1, max_df=1).select(words, frequency, counts, 3) == [0]


@pytest.mark.parametrize("value", [0, -1, 1.5, -0.1, float("nan"), float("inf"), "many", None, True])
@pytest.mark.parametrize("name", ["min_df", "max_df", "max_words"])
def test_limits_that_make_no_sense(name, value):
    if (name, value) == ("max_words", None):
        return
    with pytest.raises(ParameterError, match=name):
        VocabularyLimits(**{name: value})


# --- pipeline --------------------------------------------------------------------------------------------


def test_default_pipeline():
    text = (
        "The armies <i>didn't</i> fire at 4:00pm on the 20th; it's the government’s 1990s plan, 42 % of it."
    )
    assert TextPipeline()(text) == ["army", "fire", "government", "1990s", "plan"]


def test_country_and_pronoun():
    assert TextPipeline()("The US, the U.S. and us") == ["usa", "usa"]
    assert TextPipeline(lowercase=False)("The US and us") == ["USA"]
    assert TextPipeline(language="german")("Die US Armee") == ["us", "armee"]


def test_steps_can_be_left_out():
    assert TextPipeline(stop_words=None)("The Armies of 42") == ["the", "army", "of"]
    assert TextPipeline(lemmatizer=None)("The Armies") == ["armies"]
    assert TextPipeline(lowercase=False)("The Armies") == ["Armies"]
    assert TextPipeline(keep_numbers=True)("20th 42") == ["20th", "42"]
    assert TextPipeline(min_token_length=5)("tax markets") == ["market"]
    assert TextPipeline(strip_markup=False)("<td>x</td> cell") == ["cell"]
    assert TextPipeline.plain()("The <b> U.S. 42") == ["The", "b", "US", "42"]


def test_steps_can_be_replaced():
    pipeline = TextPipeline(tokenizer=lambda text: text.split("|"), lemmatizer=lambda word: word[:4])
    assert pipeline("Armies|the|new york") == ["armi", "new "]
    assert TextPipeline(stop_words=["Army", "don’t"], lemmatizer=None)("the army don't march") == [
        "the",
        "march",
    ]
    assert TextPipeline(stop_words="de")("the und") == ["the"]


def test_languages():
    assert TextPipeline(language="fr")("L'état n'est pas l’homme d'aujourd'hui") == [
        "état",
        "homme",
        "aujourd'hui",
    ]
    assert TextPipeline(language="de")("Die Häuser und die Straße") == ["häuser", "straße"]
    assert TextPipeline(language="tr")("İSTANBUL ve IRMAK") == ["istanbul", "ırmak"]
    assert TextPipeline(language=None)("The cats") == ["the", "cats"]


def test_trace_and_stop_words_for_queries():
    pipeline = TextPipeline()
    assert pipeline.trace("The Armies of 42") == [
        ("The", None),
        ("Armies", "army"),
        ("of", None),
        ("42", None),
    ]
    assert pipeline.is_stop_word("The")
    assert not pipeline.is_stop_word("42")
    assert not pipeline.is_stop_word("armies")
    assert not pipeline.is_stop_word("US")


def test_memory_of_words_is_bounded(monkeypatch):
    monkeypatch.setattr("qdtm.corpus.text._MEMORY_LIMIT", 3)
    pipeline = TextPipeline()
    assert pipeline("one army two armies three geese") == ["army", "army", "goose"]
    assert len(pipeline._known_words) <= 3


def test_pipelines_are_values():
    pipeline = TextPipeline(language="en", stop_words={"a", "b"})
    assert pipeline == TextPipeline(stop_words=["b", "a"])
    assert hash(pipeline) == hash(TextPipeline(stop_words=["b", "a"]))
    pipeline("use it once")
    assert pickle.loads(pickle.dumps(pipeline)) == pipeline


@pytest.mark.parametrize(
    "pipeline",
    [
        TextPipeline(),
        TextPipeline(language="de", stop_words=None),
        TextPipeline(stop_words=["x", "y"], limits=VocabularyLimits(0.1, 0.9, None)),
        TextPipeline.paper(["the"]),
        TextPipeline.plain(),
    ],
)
def test_pipelines_survive_json(pipeline):
    assert TextPipeline.from_json(json.loads(json.dumps(pipeline.to_json()))) == pipeline


def test_functions_do_not_survive_json():
    saved = json.loads(json.dumps(TextPipeline(tokenizer=str.split).to_json()))
    loaded = TextPipeline.from_json(saved)
    with pytest.raises(CorpusError, match=r"tokenizer '.*str.split' of this corpus could not be saved"):
        loaded("any text")
    assert loaded.to_json() == saved


@pytest.mark.parametrize(
    "change", [{"limits": {"min_df": -1}}, {"language": 3}, {"surprise": 1}, {"tokenizer": "x"}]
)
def test_damaged_json(change):
    with pytest.raises(StorageError, match="damaged"):
        TextPipeline.from_json({**TextPipeline().to_json(), **change})


@pytest.mark.parametrize(
    "parameters",
    [
        {"tokenizer": "spaces"},
        {"lemmatizer": "porter"},
        {"tokenizer": None},
        {"min_token_length": 0},
        {"stop_words": True},
        {"lowercase": 1},
        {"strip_markup": "no"},
        {"min_token_length": 1.5},
        {"stop_words": [1, 2]},
    ],
)
def test_parameters_that_make_no_sense(parameters):
    with pytest.raises(ParameterError, match=next(iter(parameters))):
        TextPipeline(**parameters)


# --- the paper's preprocessing ---------------------------------------------------------------------------


def test_paper_tokens():
    assert word_character_tokens("i've don't non-profit n.f.l. 'quoted' a1 _x") == ["do", "a1", "_x"]


def test_paper_pipeline():
    pipeline = TextPipeline.paper(["the", "of"])
    assert pipeline("The Armies of 10 species, U a1 10th") == ["army", "specie", "a1", "10th"]
    assert pipeline.limits == VocabularyLimits(3, 1.0, 5_000, count_copies=True)


@pytest.mark.skipif("QDTM_DATA" not in os.environ, reason="needs the experiments' data: set QDTM_DATA")
def test_paper_pipeline_gives_the_authors_bags():
    data = Path(os.environ["QDTM_DATA"])
    names = (data / "authors/vobs_searchsnippets_test.txt").read_text().split()
    with gzip.open(data / "authors/data_searchsnippets_test.txt.gz", "rt") as file:
        lines = [line.split()[1:] for line in file][8:]  # the first 8 are concept words
    raw = (data / "corpora/SearchSnippets.txt").read_text(encoding="utf-8").splitlines()
    rows = json.loads((data / "authors/searchsnippets_authors_bow_alignment.json").read_text())["doc_idx"]
    stop = (data / "nlp/qdtm_authors_stopwords.en.txt").read_text().split()
    corpus = Corpus.from_texts(raw, pipeline=TextPipeline.paper(stop))
    assert set(corpus.vocabulary) == set(names)
    for line, row in zip(lines, rows, strict=True):
        pairs = (pair.split(":") for pair in line)
        theirs = Counter({names[int(w)]: int(count) for w, count in pairs})
        ours = Counter(
            corpus.vocabulary[w] for w in corpus.tokens[corpus.offsets[row] : corpus.offsets[row + 1]]
        )
        assert ours == theirs


def test_replace_keeps_the_rest():
    assert replace(TextPipeline.paper(["x"]), lowercase=False).lemmatizer == "wordnet-shortest"
