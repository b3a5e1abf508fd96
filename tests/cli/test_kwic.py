"""`qdtm kwic`: search in all texts, keyword in context."""

import csv
import json

import pytest
from rich.cells import cell_len
from rich.console import Console

from qdtm import Corpus
from qdtm.cli.kwic import _page

TEXT = ("--text-column", "body", "--id-column", "nr")


def test_keywords_stand_below_each_other(run, news):
    text = run("kwic", news, "fires", *TEXT).stdout
    heading, *lines = text.splitlines()
    assert heading == "fires  6 lines in 6 documents"
    assert len(lines) == 6
    assert len({line.lower().index("  fire  ") for line in lines}) == 1
    assert "\x1b" not in text
    assert not any(line.endswith(" ") for line in lines)


def test_sorted_lines_and_a_limit(run, news):
    lines = run("kwic", news, "the", "--sort", "right", "--limit", 5, *TEXT).stdout.splitlines()
    assert lines[0].endswith("; the first 5 are shown")
    after = [line.split("  the  ")[-1].split("  The  ")[-1].strip() for line in lines[1:]]
    assert after == sorted(after, key=str.casefold)


def test_of_a_result_by_relevance_and_date(run, result, news, fast, tmp_path):
    found = json.loads(
        run("kwic", result, "the", "--sort", "relevance", "--of", "cricket match", "--json").stdout
    )
    listed = json.loads(run("docs", result, "-q", "cricket match", "-n", 18, "--json").stdout)["documents"]
    first = next(each["nr"] for each in listed if " the " in each["text"].lower())
    assert found["lines"][0]["nr"] == first
    assert "no column of dates" in run("kwic", result, "the", "--sort", "date", code=2).stderr


def test_files(run, news, tmp_path):
    path = tmp_path / "lines.csv"
    assert run("kwic", news, "fire", "-o", path, *TEXT).stdout == f"{path}: 6 lines in 6 documents\n"
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["keyword"].lower() for row in rows] == ["fire"] * 6
    assert "exists already" in run("kwic", news, "fire", "-o", path, *TEXT, code=2).stderr
    other = tmp_path / "lines.json"
    run("kwic", news, "fire", "-o", other, *TEXT)
    assert [row["nr"] for row in json.loads(other.read_text("utf-8"))["lines"]] == [row["nr"] for row in rows]


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["", *TEXT], "empty"),
        (["...", *TEXT], "There is no word"),
        (['"fire', *TEXT], "without its partner"),
        (["x" * 10_000, *TEXT], "10,000 characters"),
        (["fire", "--sort", "relevance", *TEXT], "needs a result"),
        (["fire", "--of", "fire", *TEXT], "--of is for"),
        (["fire", "--width", 0, *TEXT], "--width"),
    ],
)
def test_mistakes_are_one_line(run, news, args, said):
    error = run("kwic", news, *args, code=2).stderr
    assert said in error
    assert len(error.strip().splitlines()[-1]) < 250


def test_nothing_found(run, news):
    assert "No document has 'fyre'. Closest: 'fire'." in run("kwic", news, "fyre", *TEXT).stdout


@pytest.mark.parametrize("width", [40, 80, 150])
def test_lines_fit_the_terminal(width):
    texts = [
        "今年夏天的洪水非常大, fire 洪水过后人们回到了家里" * 3,
        "אש גדולה fire ביער " * 8,
        "a quiet long line before the fire and a long line after it, " * 5,
        "x" * 300 + " fire " + "y" * 300,
    ]
    corpus = Corpus.from_texts(texts, ids=["a" * 50, "b", "c", "d"])
    console = Console(width=width, force_terminal=True)
    lines = [line.plain for line in _page(corpus.concordance("fire", width=width), console, None)][1:]
    bare = [line.replace("\u2068", "").replace("\u2069", "") for line in lines]
    assert all(cell_len(line) < max(width, 75) for line in bare)
    assert len({cell_len(line[: line.index("  fire  ")]) for line in bare}) == 1
    assert any("\u2068" in line for line in lines)
