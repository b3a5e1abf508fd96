"""A text in blocks: nothing is lost, and everything stands where it stood."""

from __future__ import annotations

import pytest

from qdtm.present.reading import LONGEST_BLOCK, blocks
from qdtm.results.passages import Mark


@pytest.mark.parametrize(
    "text",
    [
        "",
        "one line",
        "two\nlines\r\nand a third\r",
        "a paragraph\n\n \t\n\nanother\n",
        "p one\fp two\f\fp four",
        "x" * 50_000,
        "word " * 50_000,
        "line\n" * 20_000,
        "\n" * 10_000,
        " \n" * 5_000 + "end",
        "עברית ועוד 😀 text\n\nmore",
    ],
)
def test_blocks_together_are_the_text_and_none_is_long(text):
    found = blocks(text)
    assert "".join(piece.text for block in found for piece in block.stretches) == text
    assert all(len(piece.text) > 0 for block in found for piece in block.stretches)
    at = 0
    for block in found:
        assert block.start == at
        length = sum(len(piece.text) for piece in block.stretches)
        assert length <= LONGEST_BLOCK or not text[at : at + length].strip()
        at += length


def test_marks_reason_and_passages_may_overlap():
    text = "the fire near Sydney burns on"
    marks = [Mark(4, 8, 1.0, is_concept=True), Mark(14, 20, 0.3), Mark(21, 26, 0.0)]
    pieces = blocks(text, marks, (4, 20), [(9, 17), (14, 29)])[0].stretches
    assert [(p.text, p.level, p.is_concept, p.is_reason, p.passages) for p in pieces] == [
        ("the ", 0, False, False, ()),
        ("fire", 3, True, True, ()),
        (" ", 0, False, True, ()),
        ("near ", 0, False, True, (0,)),
        ("Syd", 1, False, True, (0, 1)),
        ("ney", 1, False, True, (1,)),
        (" burns on", 0, False, False, (1,)),
    ]
    assert [p.begins for p in pieces if p.begins] == [(0,), (1,)]


def test_pages_are_numbered_where_they_begin():
    found = blocks("first\n\nmore\fsecond\f\fthird")
    assert [(block.page, block.stretches[0].text) for block in found] == [
        (1, "first\n\n"),
        (None, "more\f"),
        (2, "second\f"),
        (3, "\f"),
        (4, "third"),
    ]


def test_passages_beyond_the_text_do_no_harm():
    assert blocks("short", (), None, [(2, 900), (1_000, 2_000)])[0].stretches[1].passages == (0,)
