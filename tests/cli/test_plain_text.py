"""No control character of a document reaches a terminal."""

import pytest

from qdtm.cli.console import one_line


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain [bold]text[/bold]", "plain [bold]text[/bold]"),
        ("two\r\n lines\t here ", "two lines here"),
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x9b31mred", "red"),
        ("\x1b]0;title\x07after", "after"),
        ("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("nul\x00 bell\x07 del\x7f c1\x85", "nul bell del c1"),
        ("right\u202eleft", "right left"),
        ("lone \ud800 surrogate", "lone surrogate"),
        ("Zürich 東京 עברית", "Zürich 東京 עברית"),
        ("cut\x1b", "cut"),
    ],
)
def test_one_line(text, shown):
    assert one_line(text) == shown


def test_cut_at_a_word():
    assert one_line("one two three four", 12) == "one two…"
    assert one_line("one two", 7) == "one two"
    assert one_line("a" * 50, 10) == "a" * 9 + "…"
