"""The committed result pages are what `python -m experiments pages` writes of the committed JSON."""

import json

import pytest

from experiments.pages import RESULTS, benches, make_pages, read_rows
from qdtm.errors import StorageError

MADE = dict(make_pages())


def test_every_bench_has_a_page_and_every_rare_corpus_a_drawing():
    pages = {f"{bench.name}.md" for bench in benches()}
    assert pages == {
        "table1.md",
        "table3.md",
        "topics.md",
        "alone.md",
        "rare.md",
        "staying.md",
        "subtopics.md",
    }
    assert set(MADE) == pages | {"rare-20news.svg", "rare-tagmynews.svg", "review.md"}


@pytest.mark.parametrize("name", MADE)
def test_the_committed_page_is_what_the_command_writes(name):
    assert (RESULTS / name).read_text(encoding="utf-8") == MADE[name]


@pytest.mark.parametrize("name", [name for name in MADE if name.endswith(".md")])
def test_a_page_says_what_measured_it_and_what_wrote_it(name):
    said = MADE[name].split("\n\n")[1]
    bench = name.removesuffix(".md")
    assert said.startswith(f"Measured by `python -m experiments {bench} --dataset ")
    assert said.endswith(f"--out docs/results/{bench}.json`, written by `python -m experiments pages`.")


def test_a_file_of_another_bench_is_refused(tmp_path):
    first = benches()[0]
    (tmp_path / "x.json").write_text(json.dumps([{"table": "table1", "colour": "red"}]))
    with pytest.raises(StorageError, match="Cannot read rows of 'table1'"):
        read_rows(first, tmp_path / "x.json")
