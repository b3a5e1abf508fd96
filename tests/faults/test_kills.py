"""Whatever moment a process is killed at, the old result or the new one is there, whole."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from .steps import STEPS

pytestmark = [
    pytest.mark.faults,
    pytest.mark.skipif(sys.platform == "win32", reason="the kill loop copies processes with fork"),
]


def kill_loop(*arguments: object) -> list[dict[str, object]]:
    command = [sys.executable, "-m", "faults.kill_loop", *map(str, arguments)]
    done = subprocess.run(command, cwd=Path(__file__).parents[1], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_a_few_kills_of_everything_that_writes():
    counts = kill_loop("--at-operations", 3)
    assert [count["step"] for count in counts] == list(STEPS)
    assert sum(count["killed"] for count in counts) == 3 * len(STEPS)


@pytest.mark.slow
@pytest.mark.parametrize("step", STEPS)
def test_kills_at_every_operation_and_at_random_moments(step):
    (count,) = kill_loop(step, "--at-operations", -1, "--at-moments", 50, "--seed", 12)
    assert count["kills"] == count["operations"] + 50
    assert count["killed"] >= count["operations"]
    assert count["old"] or count["new"]


@pytest.mark.slow
@pytest.mark.parametrize("step", ["index", "fit"])
def test_kills_where_two_names_cannot_be_exchanged_in_one_step(step):
    (count,) = kill_loop(step, "--at-operations", -1, "--no-swap")
    assert count["killed"] == count["operations"]
