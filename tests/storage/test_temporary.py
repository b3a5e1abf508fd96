"""Temporary files go with their maker, however it ends; those of the living stay."""

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from qdtm.errors import StorageError
from qdtm.storage import temporary
from qdtm.storage.temporary import ScratchFile

MAKE_AND_WAIT = """
import sys
from qdtm.storage.temporary import ScratchFile
made = ScratchFile()
print(made.path, flush=True)
sys.stdin.read()
"""


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def maker(folder: Path) -> tuple[subprocess.Popen[str], Path]:
    """Start a process that makes a file and then waits."""
    process = subprocess.Popen(
        [sys.executable, "-c", MAKE_AND_WAIT],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": str(folder), "TEMP": str(folder)},
    )
    return process, Path(process.stdout.readline().strip())


def test_it_goes_when_it_is_removed(folder):
    made = ScratchFile()
    assert made.path.is_file()
    made.remove()
    assert list(folder.iterdir()) == []


def test_what_a_killed_process_left_goes_and_what_a_living_one_has_stays(folder):
    (dead, left), (living, used) = maker(folder), maker(folder)
    dead.send_signal(signal.SIGKILL if os.name == "posix" else signal.SIGTERM)
    dead.wait()
    assert left.exists()
    made = ScratchFile()
    assert not left.exists()
    assert used.exists()
    assert made.path.exists()
    living.communicate("")
    made.remove()
    ScratchFile().remove()
    assert list(folder.iterdir()) == []


def test_what_is_not_ours_to_remove_stays(folder):
    (folder / "qdtm-a.sqlite").write_text("without a lock")
    (folder / "other.sqlite.lock").touch()
    goal = folder / "goal"
    (folder / "qdtm-b.sqlite.lock").symlink_to(goal)
    before = set(folder.iterdir())
    ScratchFile().remove()
    assert set(folder.iterdir()) == before
    assert not goal.exists()


def test_where_locks_mean_nothing_nothing_is_removed(folder, monkeypatch):
    (folder / "qdtm-a.sqlite").touch()
    (folder / "qdtm-a.sqlite.lock").touch()
    monkeypatch.setattr(temporary, "is_held", lambda _: False)
    ScratchFile().remove()
    assert (folder / "qdtm-a.sqlite").exists()


def test_no_room_is_one_line(folder, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(folder / "missing"))
    with pytest.raises(StorageError, match="Cannot make a temporary file"):
        ScratchFile()


def test_a_file_that_cannot_be_made_leaves_no_lock(folder, monkeypatch):
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "touch", full)
    with pytest.raises(StorageError, match="No space left"):
        ScratchFile()
    assert list(folder.iterdir()) == []
