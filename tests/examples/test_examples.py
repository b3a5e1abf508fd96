"""Both examples run as they stand, and leave what they promise."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"


def run(name, *arguments, cwd):
    command = [sys.executable, str(EXAMPLES / name), *arguments]
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False, env=dict(os.environ))
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_csv_to_report(tmp_path):
    pytest.importorskip("pandas", reason="pandas is not installed")
    printed = run("csv_to_report.py", cwd=tmp_path)
    assert "'water': fine." in printed
    page = (tmp_path / "result" / "report.html").read_text("utf-8")
    assert "largest part of water" in page
    assert "Over time" in page
    assert "By group" in page
    assert (tmp_path / "result.xlsx").stat().st_size > 10_000
    assert {path.name for path in tmp_path.iterdir()} == {"letters.csv", "result", "result.xlsx"}


def test_python_api(tmp_path):
    pytest.importorskip("plotly", reason="plotly is not installed")
    printed = run("python_api.py", cwd=tmp_path)
    assert "the game of cricket" in printed
    assert "of the relevance" in printed
    assert "cricket: the topic and its subtopics" in printed or "the game of cricket" in printed
