"""Both examples run as they stand, and leave what they promise."""

import runpy
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.docs

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """Return a function that runs an example in an empty folder and returns what it prints."""
    monkeypatch.chdir(tmp_path)

    def run_example(name):
        monkeypatch.setattr(sys, "argv", [name])
        runpy.run_path(str(EXAMPLES / name), run_name="__main__")
        return capsys.readouterr().out

    return run_example


def test_csv_to_report(run, tmp_path):
    pytest.importorskip("pandas", reason="pandas is not installed")
    printed = run("csv_to_report.py")
    assert "'water': fine." in printed
    page = (tmp_path / "result" / "report.html").read_text("utf-8")
    assert "largest part of water" in page
    assert "Over time" in page
    assert "By <bdi>" in page
    assert (tmp_path / "result.xlsx").stat().st_size > 10_000
    assert {path.name for path in tmp_path.iterdir()} == {"letters.csv", "result", "result.xlsx"}


def test_python_api(run):
    pytest.importorskip("plotly", reason="plotly is not installed")
    printed = run("python_api.py")
    assert "the game of cricket" in printed
    assert "of the relevance" in printed
    assert "cricket: the topic and its subtopics" in printed or "the game of cricket" in printed
