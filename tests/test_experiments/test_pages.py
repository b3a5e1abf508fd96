"""The committed result pages are what `python -m experiments pages` writes of the committed JSON."""

import json
from xml.etree import ElementTree

import pytest

from experiments.harness.records import read_rows
from experiments.pages import RESULTS, benches, make_pages
from qdtm.errors import StorageError

MADE = dict(make_pages())
HEADLINE = [f"headline-{name}.svg" for name in ("together", "natural", "alone", "subtopics")]


def test_every_bench_has_a_page_and_every_rare_corpus_a_drawing():
    pages = {f"{bench.name}.md" for bench in benches()}
    assert pages == {
        "table1.md",
        "table3.md",
        "topics.md",
        "alone.md",
        "together.md",
        "rare.md",
        "staying.md",
        "subtopics.md",
    }
    drawings = {"rare-20news.svg", "rare-tagmynews.svg", "rare-searchsnippets.svg", *HEADLINE}
    assert set(MADE) == pages | drawings | {"headline.md", "review.md", "table1-paper.md", "table3-paper.md"}


@pytest.mark.parametrize("name", MADE)
def test_the_committed_page_is_what_the_command_writes(name):
    assert (RESULTS / name).read_text(encoding="utf-8") == MADE[name]


@pytest.mark.parametrize("name", [f"{bench.name}.md" for bench in benches()])
def test_a_page_says_what_measured_it_and_what_wrote_it(name):
    said = MADE[name].split("\n\n")[1]
    bench = name.removesuffix(".md")
    assert said.startswith(f"Measured by `python -m experiments {bench} --dataset ")
    assert said.endswith(f"--out docs/results/{bench}.json`, written by `python -m experiments pages`.")


def test_a_file_of_another_bench_is_refused(tmp_path):
    (tmp_path / "x.json").write_text(json.dumps([{"table": "table1", "colour": "red"}]))
    with pytest.raises(StorageError, match="Cannot read the rows of"):
        read_rows(tmp_path / "x.json", benches()[0].row)


@pytest.mark.parametrize("name", HEADLINE)
def test_a_drawing_has_a_dot_a_figure_and_ours_is_the_largest(name):
    dots = ElementTree.fromstring(MADE[name]).findall("{http://www.w3.org/2000/svg}circle")
    drawn = [dot for dot in dots if len(dot)]
    said = {dot[0].text for dot in drawn}
    assert len(said) == len(drawn) > 5
    assert all(dot.get("r") == ("7" if dot[0].text.startswith("qdtm,") else "5") for dot in drawn)


def test_the_figures_of_the_headline_are_those_of_the_files():
    rows = json.loads((RESULTS / "table1.json").read_text("utf-8"))
    ours = {
        row["dataset"]: f"{row['mean']:.3f}"
        for row in rows
        if (row["model"], row["metric"]) == ("qdtm-relevance", "precision_at_k")
    }
    assert all(f"qdtm, {corpus}: {value}<" in MADE["headline-together.svg"] for corpus, value in ours.items())
