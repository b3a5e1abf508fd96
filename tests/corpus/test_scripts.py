"""Letters in many forms, and words without spaces."""

import unicodedata

import pytest

from qdtm.corpus import Corpus, TextPipeline
from qdtm.corpus.stop_word_lists import stop_words
from qdtm.corpus.tokenizer import bare_form, fold_letters, is_unspaced, known_pieces


def test_arabic_words_are_one_however_they_are_spelt():
    pipeline = TextPipeline(language="ar")
    spellings = ["إطفاء", "اطفاء", "إِطْفَاء", "إطـــفاء"]
    assert {pipeline.word(spelling) for spelling in spellings} == {"اطفاء"}


def test_arabic_stop_words_are_found_in_every_spelling():
    pipeline = TextPipeline(language="ar")
    assert pipeline("إلى أن هذا النهر") == ["النهر"]
    assert pipeline.is_stop_word("إلى")


def test_persian_letters_typed_on_an_arabic_keyboard():
    assert fold_letters("persian")("كتابي") == fold_letters("persian")("کتابی")


def test_turkish_has_two_letters_i():
    pipeline = TextPipeline(language="tr", stop_words=None)
    assert pipeline("ISPARTA İzmir ılık") == ["ısparta", "izmir", "ılık"]


def test_combining_marks_belong_to_their_letters():
    pipeline = TextPipeline(language="de")
    assert pipeline(unicodedata.normalize("NFD", "Überschwemmung")) == ["überschwemmung"]
    own = TextPipeline(language="de", tokenizer=str.split)
    assert own(unicodedata.normalize("NFD", "Überschwemmung")) == ["überschwemmung"]


def test_bare_forms():
    assert bare_form("STRASSE") == bare_form("Straße")
    assert bare_form(unicodedata.normalize("NFD", "école")) == bare_form("ecole")
    assert bare_form("فَيَضان") == bare_form("فيضان")
    assert bare_form("洪水") == "洪水"


def test_scripts_without_spaces():
    assert is_unspaced("洪水")
    assert is_unspaced("ひらがな")
    assert is_unspaced("น้ำท่วม")
    assert not is_unspaced("flood नदी نهر 한국어 вода")


def test_a_run_is_cut_into_known_words_or_not_at_all():
    known = {"自来水", "自来", "水库", "水"}
    assert known_pieces("自来水水库", known) == ["自来水", "水库"]
    assert known_pieces("自来水火", known) is None


def test_chinese_has_stop_words_of_more_than_one_character():
    assert {"我们", "因为", "沒有", "的"} <= stop_words("zh")


def test_a_language_without_spaces_asks_for_a_tokenizer():
    with pytest.warns(UserWarning, match="Chinese has no spaces between words; give a tokenizer"):
        Corpus.from_texts(["洪水来了", "洪水去了"], pipeline=TextPipeline(language="zh"))
