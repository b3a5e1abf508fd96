"""The examples of the README and of the pages to start with are run, and must print what they say."""

import re
import shlex
import tomllib
from pathlib import Path

import pytest

from documented import commands, is_shown, run_command, run_python, write_articles
from qdtm.cli.main import cli

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text("utf-8")
PYTHON = (ROOT / "docs" / "python.md").read_text("utf-8")
QUERIES = (ROOT / "docs" / "queries.md").read_text("utf-8")
INDEX = (ROOT / "docs" / "index.md").read_text("utf-8")
COMMANDS = (ROOT / "docs" / "commands.md").read_text("utf-8")
EXAMPLES = re.findall(r"`(qdtm [a-z][^`]*)` \|$", COMMANDS, flags=re.MULTILINE)

WAITING = ("qdtm app", "qdtm name")
"""Commands that wait for somebody: a browser, a language model. Their options are read, and no more."""


@pytest.mark.docs
@pytest.mark.parametrize(("page", "at_least"), [(README, 5), (PYTHON, 15)], ids=["README.md", "python.md"])
def test_python_examples(page, at_least, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    failed, attempted, report = run_python(page, "page")
    assert attempted >= at_least
    assert failed == 0, report


@pytest.mark.docs
@pytest.mark.parametrize("page", [README, INDEX, QUERIES], ids=["README.md", "index.md", "queries.md"])
def test_console_examples(page, tmp_path):
    write_articles(tmp_path / "articles.csv")
    shown = commands(page)
    assert shown
    for command, output in shown:
        printed = run_command(command, tmp_path)
        assert is_shown(printed, output), printed


def test_every_command_has_an_example():
    assert [example.split()[1] for example in EXAMPLES] == list(cli.commands)


@pytest.mark.docs
def test_examples_of_commands_run_one_after_the_other(tmp_path):
    write_articles(tmp_path / "articles.csv")
    for example in EXAMPLES:
        if example.startswith(WAITING):
            _, name, *arguments = shlex.split(example)
            cli.commands[name].make_context(name, arguments)
        else:
            run_command(example, tmp_path, typed="q\n")
    written = {path.name for path in tmp_path.iterdir()}
    assert {"articles", "result", "deeper", "three", "compared.html", "result.qdpx", "scores.csv"} <= written


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
