"""A lock that says that its holder lives: kept by one, seen by others, gone with its process."""

import errno
import multiprocessing
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from qdtm.storage.locks import LivenessLock, is_held

HOLDER = """
import sys
from pathlib import Path
from qdtm.storage.locks import LivenessLock
assert LivenessLock(Path(sys.argv[1])).take() is (sys.argv[2] == "free")
"""
KEEPER = """
import sys
from pathlib import Path
from qdtm.storage.locks import LivenessLock
lock = LivenessLock(Path(sys.argv[1]))
lock.take()
print("taken", flush=True)
sys.stdin.read()
"""


def ask_another(path: Path, expected: str) -> None:
    subprocess.run([sys.executable, "-c", HOLDER, str(path), expected], check=True)


def test_another_process_is_kept_out_until_it_is_let_go(tmp_path):
    path = tmp_path / "a.lock"
    lock = LivenessLock(path)
    assert lock.take()
    ask_another(path, "held")
    lock.release()
    ask_another(path, "free")
    assert path.exists()


def test_a_killed_process_holds_nothing(tmp_path):
    path = tmp_path / "a.lock"
    with subprocess.Popen(
        [sys.executable, "-c", KEEPER, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as keeper:
        assert keeper.stdout is not None
        assert keeper.stdout.readline().strip() == b"taken"
        assert is_held(path)
        keeper.kill()
        keeper.wait()
    assert path.exists()
    assert not is_held(path)


@pytest.mark.skipif(sys.platform == "win32", reason="an open file cannot be removed there")
def test_a_removed_file_is_made_anew(tmp_path):
    path = tmp_path / "a.lock"
    first, second = LivenessLock(path), LivenessLock(path)
    assert first.take()
    first.release(remove=True)
    assert not path.exists()
    assert second.take()
    assert is_held(path)
    first.release(remove=True)  # it has nothing any more, and leaves the other's
    assert is_held(path)


def test_another_thread_may_let_go(tmp_path):
    lock = LivenessLock(tmp_path / "a.lock")
    lock.take()
    thread = threading.Thread(target=lock.release)
    thread.start()
    thread.join()
    assert not is_held(tmp_path / "a.lock")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="nothing is forked there")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_child_does_not_let_go_of_its_parents_lock(tmp_path):
    path = tmp_path / "a.lock"
    lock = LivenessLock(path)
    lock.take()
    child = multiprocessing.get_context("fork").Process(target=lock.release)
    child.start()
    child.join()
    assert is_held(path)


@pytest.mark.skipif(sys.platform == "win32", reason="flock is not of that system")
@pytest.mark.parametrize("code", [errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP])
def test_where_there_are_no_locks_nobody_is_kept_out(tmp_path, monkeypatch, code):
    import fcntl

    def refuse(*_: object) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(fcntl, "flock", refuse)
    first, second = LivenessLock(tmp_path / "a.lock"), LivenessLock(tmp_path / "a.lock")
    assert first.take()
    assert second.take()
    first.release(remove=True)
    second.release(remove=True)
    assert not is_held(tmp_path / "a.lock")


def test_what_the_disk_refuses_is_an_error_and_not_somebody_elses_lock(tmp_path):
    with pytest.raises(FileNotFoundError):
        LivenessLock(tmp_path / "missing" / "a.lock").take()
    assert not (tmp_path / "missing").exists()
    (tmp_path / "a.lock").mkdir()
    with pytest.raises(OSError):
        LivenessLock(tmp_path / "a.lock").take()
