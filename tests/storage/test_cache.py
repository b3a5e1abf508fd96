import sys
from pathlib import PureWindowsPath

import pytest
from platformdirs.macos import MacOS
from platformdirs.unix import Unix
from platformdirs.windows import Windows

from qdtm.app.workspace import default_workspace
from qdtm.errors import StorageError
from qdtm.storage.cache import atomic_path, cache_directory


def test_environment_variable_names_the_cache(monkeypatch, tmp_path):
    monkeypatch.setenv("QDTM_CACHE", str(tmp_path))
    assert cache_directory() == tmp_path


@pytest.fixture
def home(monkeypatch, tmp_path):
    for name in ("QDTM_CACHE", "XDG_CACHE_HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


def test_linux_keeps_to_the_folders_of_xdg(monkeypatch, home):
    monkeypatch.setattr("platformdirs.PlatformDirs", Unix)
    assert cache_directory() == home / ".cache" / "qdtm"
    assert default_workspace() == home / ".local" / "share" / "qdtm" / "workspace"
    monkeypatch.setenv("XDG_CACHE_HOME", str(home / "caches"))
    monkeypatch.setenv("XDG_DATA_HOME", str(home / "data"))
    assert cache_directory() == home / "caches" / "qdtm"
    assert default_workspace() == home / "data" / "qdtm" / "workspace"


@pytest.mark.skipif(sys.platform == "win32", reason="the home is found in another way there")
def test_mac_keeps_both_in_the_library(monkeypatch, home):
    monkeypatch.setattr("platformdirs.PlatformDirs", MacOS)
    assert cache_directory() == home / "Library" / "Caches" / "qdtm"
    assert default_workspace() == home / "Library" / "Application Support" / "qdtm" / "workspace"


def test_windows_keeps_both_in_the_local_data(monkeypatch, home):
    monkeypatch.setattr("platformdirs.PlatformDirs", Windows)
    monkeypatch.setattr("platformdirs.windows.get_win_folder", lambda _: str(home / "Local"))
    assert PureWindowsPath(cache_directory()).parts[-3:] == ("Local", "qdtm", "Cache")
    assert PureWindowsPath(default_workspace()).parts[-3:] == ("Local", "qdtm", "workspace")


def test_file_appears_whole_with_its_suffix(tmp_path):
    target = tmp_path / "new" / "file.gz"
    with atomic_path(target) as temporary:
        assert temporary.suffix == ".gz"
        temporary.write_bytes(b"whole")
        assert not target.exists()
    assert target.read_bytes() == b"whole"
    assert list(target.parent.iterdir()) == [target]


def test_failure_keeps_the_old_file_and_leaves_nothing_else(tmp_path):
    target = tmp_path / "file.txt"
    target.write_bytes(b"old")

    def write_half():
        with atomic_path(target) as temporary:
            temporary.write_bytes(b"half")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        write_half()
    assert target.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [target]


def test_folder_that_cannot_be_made_is_one_line(tmp_path):
    (tmp_path / "file").write_text("in the way")
    writing = atomic_path(tmp_path / "file" / "below")
    with pytest.raises(StorageError, match=r"^Cannot write to the cache folder .* Set QDTM_CACHE"):
        writing.__enter__()
