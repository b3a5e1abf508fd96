from pathlib import Path

import pytest

from qdtm.cache import atomic_path, cache_directory
from qdtm.errors import StorageError


def test_environment_variable_names_the_cache(monkeypatch, tmp_path):
    monkeypatch.setenv("QDTM_CACHE", str(tmp_path))
    assert cache_directory() == tmp_path


@pytest.mark.parametrize(
    ("platform", "variable", "expected"),
    [
        ("linux", "XDG_CACHE_HOME", "base/qdtm"),
        ("win32", "LOCALAPPDATA", "base/qdtm/cache"),
    ],
)
def test_platform_cache_follows_its_own_variable(monkeypatch, platform, variable, expected):
    monkeypatch.delenv("QDTM_CACHE", raising=False)
    monkeypatch.setattr("sys.platform", platform)
    monkeypatch.setenv(variable, "base")
    assert cache_directory() == Path(expected)


def test_mac_cache_is_in_the_library(monkeypatch):
    monkeypatch.delenv("QDTM_CACHE", raising=False)
    monkeypatch.setattr("sys.platform", "darwin")
    assert cache_directory() == Path.home() / "Library" / "Caches" / "qdtm"


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
