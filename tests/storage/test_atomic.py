"""What is written gets its place in one step, one process at a time, and the dead are tidied up after."""

import errno
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from qdtm.errors import StorageError
from qdtm.storage import atomic
from qdtm.storage.atomic import placed_file, placed_folder, put_back, reserve


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def cannot(one: Path, other: Path) -> bool:
    return False


def write_folder(path: Path, text: str) -> None:
    with placed_folder(path) as folder:
        (folder / "inner").mkdir()
        (folder / "inner" / "a.txt").write_text(text)


def in_another_process(code: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", textwrap.dedent(code), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=300)


@pytest.mark.parametrize("can_swap", [True, False])
def test_a_folder_replaces_another(tmp_path, monkeypatch, can_swap):
    if not can_swap:
        monkeypatch.setattr(atomic, "_swap", cannot)
    for text in ("old", "new"):
        write_folder(tmp_path / "x", text)
        assert (tmp_path / "x" / "inner" / "a.txt").read_text() == text
        assert names(tmp_path) == {"x"}


@pytest.mark.skipif(sys.platform not in ("linux", "darwin"), reason="no way to exchange two names")
def test_names_are_exchanged_in_one_step(tmp_path):
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        (tmp_path / name / name).touch()
    if not atomic._swap(tmp_path / "one", tmp_path / "other"):
        pytest.skip("this file system cannot exchange names")
    assert names(tmp_path / "one") == {"other"}
    assert names(tmp_path / "other") == {"one"}


def test_an_old_folder_is_put_back_if_the_new_one_cannot_be_moved(tmp_path, monkeypatch):
    write_folder(tmp_path / "x", "old")
    rename = Path.rename

    def refuse(self, target):
        if self.suffix == ".tmp":
            raise OSError(28, "No space left on device")
        return rename(self, target)

    monkeypatch.setattr(atomic, "_swap", cannot)
    monkeypatch.setattr(Path, "rename", refuse)
    with pytest.raises(StorageError, match="No space left on device"):
        write_folder(tmp_path / "x", "new")
    assert names(tmp_path) == {"x"}
    assert (tmp_path / "x" / "inner" / "a.txt").read_text() == "old"


DIES_BETWEEN_TWO_NAMES = """
    import os, sys
    from pathlib import Path
    from qdtm.storage import atomic as placing
    placing._swap = lambda one, other: False
    rename = Path.rename
    def rename_or_die(self, target):
        if self.suffix == ".tmp":
            os._exit(9)
        return rename(self, target)
    Path.rename = rename_or_die
    with placing.placed_folder(sys.argv[1]) as folder:
        (folder / "a.txt").write_text("new")
"""


def test_a_folder_that_was_moved_aside_when_its_replacer_died_comes_back(tmp_path):
    write_folder(tmp_path / "x", "old")
    assert in_another_process(DIES_BETWEEN_TWO_NAMES, tmp_path / "x").returncode == 9
    assert not (tmp_path / "x").exists()
    put_back(tmp_path / "x")
    assert (tmp_path / "x" / "inner" / "a.txt").read_text() == "old"
    assert names(tmp_path) == {"x"}


def test_putting_back_makes_nothing_up(tmp_path):
    put_back(tmp_path / "x")
    put_back(tmp_path / "no" / "such" / "folder")
    assert names(tmp_path) == set()


def test_what_the_dead_left_goes_and_what_others_own_stays(tmp_path):
    write_folder(tmp_path / "x", "old")
    for name in (".x.0123abcd.tmp", ".x.0123abcd.old", ".x.lock"):
        (tmp_path / name).touch()
    (tmp_path / ".x.89abcdef.tmp").mkdir()
    (tmp_path / ".x.89abcdef.tmp" / "half").touch()
    theirs = {".x.tmp", ".x.thesis.tmp", ".xy.0123abcd.tmp", "x.0123abcd.tmp"}
    for name in theirs:
        (tmp_path / name).touch()
    write_folder(tmp_path / "x", "new")
    assert names(tmp_path) == {"x"} | theirs


HOLDS = """
    import sys
    from qdtm.storage.atomic import reserve
    with reserve(sys.argv[1]):
        print("held", flush=True)
        sys.stdin.read()
"""


def test_a_place_has_one_writer(tmp_path):
    holder = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(HOLDS), str(tmp_path / "x")],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert holder.stdout.readline() == "held\n"
    for write in (placed_file, placed_folder, reserve):
        with pytest.raises(StorageError, match="Another process is writing") as caught, write(tmp_path / "x"):
            raise AssertionError
        assert "\n" not in str(caught.value)
    holder.kill()  # a lock does not outlive its holder
    holder.communicate()
    write_folder(tmp_path / "x", "new")
    assert names(tmp_path) == {"x"}


def test_a_place_may_be_reserved_again_by_its_holder(tmp_path):
    with reserve(tmp_path / "x"), reserve(os.path.relpath(tmp_path / "x")):
        write_folder(tmp_path / "x", "new")
        with placed_file(tmp_path / "x" / "report") as file:
            file.write_text("report")
    assert names(tmp_path) == {"x"}
    assert names(tmp_path / "x") == {"inner", "report"}


def test_folders_that_were_made_in_vain_go_again(tmp_path):
    (tmp_path / "there").mkdir()
    with reserve(tmp_path / "there" / "a" / "b" / "x"):
        assert (tmp_path / "there" / "a" / "b").is_dir()
    assert names(tmp_path / "there") == set()


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
def test_a_file_is_whole_or_as_it_was(tmp_path, error):
    (tmp_path / "x").write_text("old")

    def interrupted() -> None:
        with placed_file(tmp_path / "x") as file:
            file.write_text("half")
            raise error

    with pytest.raises(error):
        interrupted()
    assert (tmp_path / "x").read_text() == "old"
    with placed_file(tmp_path / "x") as file:
        file.write_text("new")
    assert (tmp_path / "x").read_text() == "new"
    assert names(tmp_path) == {"x"}


def test_what_is_no_file_is_not_replaced(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    for name, reason in (("pipe", "no file that can be replaced"), ("folder", "is a folder")):
        with pytest.raises(StorageError, match=reason), placed_file(tmp_path / name):
            raise AssertionError
    assert names(tmp_path) == {"pipe", "folder"}


def test_the_whole_disk_is_no_place(tmp_path):
    with pytest.raises(StorageError, match="is the whole disk"), reserve(tmp_path.anchor):
        pass


def test_a_folder_that_took_its_place_leaves_nothing_if_the_disk_refuses_then(tmp_path, monkeypatch):
    new, place = tmp_path / "new", tmp_path / "place"
    for folder, text in ((new, "new"), (place, "old")):
        folder.mkdir()
        (folder / "file").write_text(text)

    def refuse(path: Path) -> None:
        if path == tmp_path:  # the last that is asked for
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(atomic, "_sync", refuse)
    with pytest.raises(StorageError, match="No space left"):
        atomic.give_place(new, place)
    assert [path.name for path in tmp_path.iterdir()] == ["place"]
    assert (place / "file").read_text() == "new"
