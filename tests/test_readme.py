"""The README's commands and examples are run, and must print what it says."""

import re
import tomllib
from pathlib import Path

import pytest

from documented import commands, run_command, run_python

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text("utf-8")


@pytest.mark.docs
def test_python_examples(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    failed, attempted, report = run_python(README, "README.md")
    assert attempted > 10
    assert failed == 0, report


@pytest.mark.docs
def test_console_examples(tmp_path):
    shown = commands(README)
    assert len(shown) >= 2
    for command, output in shown:
        assert run_command(command, tmp_path) == output


def test_ci_runs_the_readmes_test_command():
    command = 'pip install ".[test]" && .venv/bin/python -m pytest'
    assert command in README
    script = (ROOT / ".ci" / "run").read_text("utf-8")
    assert 'pip install --quiet ".[test]" && python -m pytest' in script


def test_ci_runs_what_the_default_leaves_out_but_the_slow():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["pytest"]["ini_options"]
    names = [marker.partition(":")[0] for marker in settings["markers"]]
    assert f"-m 'not ({' or '.join(names)})'" in settings["addopts"]
    others = " or ".join(name for name in names if name != "slow")
    assert f'python -m pytest -m "not slow and ({others})"' in (ROOT / ".ci" / "run").read_text("utf-8")


@pytest.mark.parametrize("page", re.findall(r"\]\((docs/[^)]+|src/[^)]+)\)", README))
def test_links_lead_somewhere(page):
    assert (ROOT / page).exists()
