"""The README's commands and examples are run, and must print what it says."""

import doctest
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text("utf-8")


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```", README, flags=re.DOTALL | re.MULTILINE)


def commands(block):
    """Split a console block into (command, output) pairs."""
    parts = re.split(r"^\$ (.*)\n", block, flags=re.MULTILINE)
    return list(zip(parts[1::2], parts[2::2], strict=True))


def test_python_examples(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    examples = doctest.DocTestParser().get_doctest("\n".join(blocks("pycon")), {}, "README", "README.md", 0)
    report = []

    failed, attempted = doctest.DocTestRunner().run(examples, out=report.append)

    assert attempted > 10
    assert failed == 0, "".join(report)


def test_console_examples(tmp_path):
    shown = [pair for block in blocks("console") for pair in commands(block)]
    assert len(shown) >= 2
    environment = {**os.environ, "COLUMNS": "100"}
    for command, output in shown:
        program, *arguments = command.split()
        assert program == "qdtm"
        run = subprocess.run(
            [sys.executable, "-m", "qdtm", *arguments],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert run.returncode == 0, run.stderr
        assert run.stdout == output


def test_ci_runs_the_readmes_test_command():
    command = 'pip install ".[test]" && .venv/bin/python -m pytest'
    assert command in README
    script = (ROOT / ".ci" / "run").read_text("utf-8")
    assert 'pip install --quiet ".[test]" && python -m pytest' in script


@pytest.mark.parametrize("page", re.findall(r"\]\((docs/[^)]+|src/[^)]+)\)", README))
def test_links_lead_somewhere(page):
    assert (ROOT / page).exists()
