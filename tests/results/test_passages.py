"""Excerpts and sentences: the right part of a text, all of its characters, marked as asked."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qdtm.results.passages import Mark, excerpt, level_of, sentence_around, whole


def marks_of(text, word, weight=1.0):
    return [Mark(at, at + len(word), weight) for at in range(len(text)) if text.startswith(word, at)]


@pytest.mark.parametrize(("weight", "level"), [(0, 0), (0.24, 0), (0.25, 1), (0.5, 2), (0.75, 3), (1, 3)])
def test_levels(weight, level):
    assert level_of(weight) == level


def test_a_short_text_is_shown_whole():
    passage = excerpt("a fire burns", marks_of("a fire burns", "fire"), 600)
    assert [(piece.text, piece.level) for piece in passage.pieces] == [("a ", 0), ("fire", 3), (" burns", 0)]
    assert (passage.cut_before, passage.cut_after) == (False, False)


def test_a_long_text_is_cut_to_where_its_words_count():
    text = "dull words. " * 300 + "Here the fire, the fire and the fire burn. " + "dull words. " * 300
    passage = excerpt(text, marks_of(text, "fire"), 200)
    assert passage.text.count("fire") == 3
    assert passage.cut_before
    assert passage.cut_after
    assert len(passage.text) <= 200


def test_one_run_of_a_million_letters():
    text = "x" * 1_000_000
    assert len(excerpt(text, [Mark(500_000, 500_010, 1.0)], 300).text) == 300


def test_an_empty_text():
    assert whole("", []).pieces == ()
    assert excerpt("", []).pieces == ()


@given(
    st.text(max_size=400),
    st.lists(st.tuples(st.integers(0, 399), st.integers(1, 30), st.floats(0, 1)), max_size=12),
    st.integers(150, 300),
)
def test_no_character_is_added_or_lost(text, places, limit):
    marks = sorted(
        (Mark(a, min(a + n, len(text)), w) for a, n, w in places if a < len(text)), key=lambda m: m.start
    )
    assert whole(text, marks).text == text
    part = excerpt(text, marks, limit)
    assert part.text in text
    assert len(part.text) <= max(limit, 0) or len(text) <= limit


def test_the_sentence_with_a_word():
    text = "It rained. The fire burned on! Then it stopped."
    passage = sentence_around(text, text.index("fire"), marks_of(text, "fire"))
    assert passage.text == "The fire burned on!"
    assert not passage.cut_before
    assert not passage.cut_after


def test_a_sentence_without_an_end_is_cut_around_the_word():
    text = "word " * 500 + "fire " + "word " * 500
    passage = sentence_around(text, text.index("fire"), marks_of(text, "fire"), 120)
    assert "fire" in passage.text
    assert len(passage.text) <= 120
    assert passage.cut_before
    assert passage.cut_after


def test_a_text_without_spaces_is_cut_at_its_punctuation():
    text = "洪水来了，水位很高。" * 60
    marks = [Mark(300, 302, 1.0)]
    passage = excerpt(text, marks, 200)
    assert passage.text.endswith(("，", "。"))
    assert passage.text.startswith("洪水")
    assert 100 <= len(passage.text) <= 200
    assert any(piece.level for piece in passage.pieces)


def test_an_arabic_question_ends_a_sentence():
    text = "أين النهر؟ النهر هنا. والسد هناك."
    assert sentence_around(text, text.index("هنا"), []).text == "النهر هنا."


def test_a_cut_does_not_part_a_letter_from_its_mark():
    text = "e\u0301" * 400
    passage = excerpt(text, [], 101)
    assert passage.text == "e\u0301" * (len(passage.text) // 2)


@pytest.mark.parametrize(
    ("title", "left"),
    [
        ("Floods in Bath", "The river rose."),
        ("Floods in …", None),  # cut: the passage says all of it
        ("Floods in Bath The river rose.", None),  # nothing would be left
        ("Fire", None),
    ],
)
def test_a_passage_is_shown_below_its_title_without_it(title, left):
    text = "Floods in  Bath\n\nThe river rose."
    passage = whole(text, [Mark(0, 6, 1.0), Mark(21, 26, 1.0)])
    below = passage.after(title)
    assert below.text == (left or text)
    assert text[below.start :] == below.text
    assert [piece.text for piece in below.pieces if piece.level][-1] == "river"


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Sphinx. A tool.", "A tool."),
        ("Sphinx, a tool.", "a tool."),
        ("Sphinx - a tool.", "a tool."),
        ("Sphinx: (a tool)", "(a tool)"),
        ('Sphinx. "A tool"', '"A tool"'),
        ("Sphinx。一种工具", "一种工具"),
        ("Sphinx -5 of .net", "-5 of .net"),
        ("Sphinxes are tools.", "Sphinxes are tools."),  # another word
        ("Sphinx. ", "Sphinx. "),
    ],
)
def test_what_is_left_below_a_title_begins_with_a_word(text, left):
    assert whole(text, []).after("Sphinx").text == left
    assert whole(text, []).begins_with("Sphinx") == (text[6:7] != "e")


def test_an_excerpt_does_not_begin_with_stray_punctuation():
    filling = "nothing of note " * 20
    text = f"{filling}. - The cricket match was won. {filling}"
    at = text.index("cricket")
    shown = excerpt(text, [Mark(at, at + 7, 1.0)], 100)
    assert shown.text.startswith("The cricket match")
    assert text[shown.start :].startswith(shown.text)
