"""A full disk is one line; the old result stays, and nothing half-written beside it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from .steps import STEPS

pytestmark = [
    pytest.mark.faults,
    pytest.mark.skipif(sys.platform == "win32", reason="the loop copies processes with fork"),
]

TESTS = Path(__file__).parents[1]


def full_disk(*arguments: object) -> list[dict[str, object]]:
    command = [sys.executable, "-m", "faults.full_disk", *map(str, arguments)]
    done = subprocess.run(command, cwd=TESTS, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def may_mount(folder: Path) -> bool:
    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        return False
    mounted = subprocess.run(["mount", "-t", "tmpfs", "tmpfs", folder], capture_output=True).returncode == 0
    return mounted and subprocess.run(["umount", folder]).returncode == 0


def test_every_fourth_writing_operation_fails():
    counts = full_disk("--every", 4)
    assert [count["step"] for count in counts] == list(STEPS)
    assert sum(count["refused"] for count in counts if "refused" in count) >= 60
    assert sum(count["old"] for count in counts if "old" in count) >= 15


@pytest.mark.slow
def test_every_writing_operation_fails():
    counts = full_disk()
    assert [count["step"] for count in counts] == list(STEPS)
    assert all(count["tried"] == count["operations"] for count in counts)
    assert all(count["refused"] for count in counts)  # but the cache, and what is only tidied up, may be
    assert sum(count["refused"] for count in counts) >= 0.6 * sum(count["tried"] for count in counts)


@pytest.mark.slow
def test_disks_of_many_sizes(tmp_path):
    if not may_mount(tmp_path):
        pytest.skip("a small disk takes the right to mount")
    replaced = STEPS[: STEPS.index("rename")]  # the others change what is there: a line may be all they need
    for count in full_disk("--tmpfs", 20):
        assert count["tried"] == 20
        assert count["step"] not in replaced or (count["refused"] and count["old"])


def test_a_disk_that_can_only_be_read(tmp_path):
    if not may_mount(tmp_path):
        pytest.skip("a disk of its own takes the right to mount")
    assert [count["refused"] for count in full_disk("--read-only")] == [1] * len(STEPS)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no full device")
@pytest.mark.parametrize("command", [["--help"], ["--version"], ["demo", "--help"]])
def test_an_output_that_is_full(command):
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "qdtm", *command], stdout=full, stderr=subprocess.PIPE, text=True
        )
    assert done.returncode == 2
    assert done.stderr == "qdtm: cannot write: No space left on device; make room, or write elsewhere.\n"
