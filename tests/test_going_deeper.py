"""The examples in docs/going-deeper.md are run, and must print what it says."""

from pathlib import Path

import pytest

from documented import commands, is_shown, run_command, run_python

pytestmark = pytest.mark.docs

PAGE = (Path(__file__).parents[1] / "docs" / "going-deeper.md").read_text("utf-8")


def test_python_examples(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    failed, attempted, report = run_python(PAGE, "going-deeper.md")
    assert attempted > 5
    assert failed == 0, report


def test_console_examples(tmp_path):
    for command, output in commands(PAGE):
        printed = run_command(command, tmp_path)
        assert is_shown(printed, output), printed
