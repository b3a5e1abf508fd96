from rich.console import Console

from experiments.harness.report import Table, best_bold, form, markdown, page, target_table
from experiments.harness.summary import Verdict


def printed(*parts):
    console = Console(width=80, markup=False)
    with console.capture() as captured:
        for part in page(parts):
            console.print(part)
    return captured.get().splitlines()


def test_markdown_has_headings_texts_and_tables_and_nothing_that_is_empty():
    parts = ["### A", "", Table.of(["row", "P@K"], [["`qdtm`", "**0.5**"]]), Table.of(["x"], [])]
    assert markdown(parts) == "### A\n\n| row | P@K |\n| --- | --- |\n| `qdtm` | **0.5** |"


def test_the_best_of_some_figures_is_bold_as_printed():
    assert best_bold([0.12341, None, 0.12349, 0.1]) == ["**0.123**", "", "**0.123**", "0.100"]
    assert best_bold([None, None]) == ["", ""]
    assert (form(None, "{:.1f}"), form(0.25, "{:.0%}")) == ("", "25%")


def test_targets_say_whether_they_are_met():
    table = target_table([Verdict("a | b >= 1", 1.5, True), Verdict("c", 0.0, False)])
    assert table.rows == (("a / b >= 1", "1.500", "met"), ("c", "0.000", "**missed**"))


def test_in_the_terminal_there_are_no_signs_of_markdown_nor_pictures():
    lines = printed(
        "### Title of `it`", "![picture](x.svg)", Table.of(["row", "P@K"], [["`qdtm`", "**0.5**"]])
    )
    assert [" ".join(line.split()) for line in lines if line.strip()] == [
        "Title of it",
        "row P@K",
        "qdtm 0.5",
    ]


def test_wide_tables_are_cut_into_several_that_fit():
    names = [f"model{n:02d}" for n in range(20)]
    lines = printed(Table.of(["query", *names], [["space", *(f"0.{n:03d}" for n in range(20))]]))
    assert all(len(line) <= 80 for line in lines)
    heads = [line.split() for line in lines if line.split()[:1] == ["query"]]
    assert [name for head in heads for name in head[1:]] == names
    assert len(heads) > 1


def test_long_words_are_folded_and_none_is_lost():
    words = ", ".join(f"word{n}" for n in range(40))
    lines = printed(Table.of(["query", "share", "words"], [["space", "0.5", words]]))
    assert all(len(line) <= 80 for line in lines)
    assert all(f"word{n}" in " ".join(lines) for n in range(40))
