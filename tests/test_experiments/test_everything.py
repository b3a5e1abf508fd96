"""`python -m experiments all`: steps in turn, each a command that exists; one that fails stops no other."""

import json
import subprocess

import pytest

from experiments.__main__ import COMMANDS
from experiments.everything import STEPS


@pytest.fixture
def started(monkeypatch):
    """In place of running a command: write down its arguments; 'table3' fails."""
    found = []

    def start(arguments, **options):
        found.append([str(each) for each in arguments[3:]])
        return subprocess.CompletedProcess(arguments, 3 * (arguments[3] == "table3"))

    monkeypatch.setattr("experiments.everything.subprocess.run", start)
    return found


@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.name)
def test_a_step_is_a_command_with_options_that_it_has(run, step):
    command, *options = step.arguments
    assert command in COMMANDS
    shown = run(command, "--help").stdout
    wanted = [*options, *(["--jobs", "--update", "--out"] if step.file else [])]
    assert all(option in shown for option in wanted if option.startswith("--"))


def test_a_step_that_fails_stops_no_other_and_is_said(run, started, tmp_path):
    chosen = ("--step", "table3", "--step", "staying", "--folder", tmp_path, "--jobs", 2)
    failed = run("all", *chosen, code=2)
    assert "these steps failed: table3" in failed.stderr
    out = ["--jobs", "2", "--update", "--out"]
    assert started == [
        ["table3", *out, str(tmp_path / "table3.json")],
        ["staying", *out, str(tmp_path / "staying.json")],
        ["pages", "--folder", str(tmp_path)],
    ]
    assert [each["step"] for each in json.loads((tmp_path / "durations.json").read_text())] == ["staying"]


def test_the_list_says_how_long_a_step_took_last(run, started, tmp_path):
    (tmp_path / "durations.json").write_text('[{"step": "rare", "minutes": 42.4}]')
    lines = run("all", "--list", "--folder", tmp_path).stdout.splitlines()
    assert [line.split()[0] for line in lines] == [step.name for step in STEPS]
    assert "42 min" in next(line for line in lines if line.startswith("rare"))
    assert started == []
