"""Kernels are compiled whether or not they can be kept."""

import pytest
from numba.core import caching

from qdtm.jit import njit


def double(x):
    return 2 * x


@pytest.fixture
def cache_folder(tmp_path, monkeypatch):
    monkeypatch.setattr(caching.config, "CACHE_DIR", str(tmp_path))
    return tmp_path


def kept(folder):
    return sorted(path for path in folder.rglob("*") if path.is_file())


def test_a_kernel_is_kept_and_found_again(cache_folder):
    assert njit(cache=True)(double)(2) == 4
    assert len(kept(cache_folder)) == 2
    again = njit(cache=True)(double)
    assert again(2) == 4
    assert sum(again.stats.cache_hits.values()) == 1


def test_nowhere_to_keep_a_kernel(monkeypatch):
    monkeypatch.setattr(caching.CompileResultCacheImpl, "_locator_classes", [])
    assert njit(cache=True)(double)(2) == 4


def test_a_disk_that_is_full(cache_folder, monkeypatch):
    def refuse(self, key, data):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(caching.IndexDataCacheFile, "save", refuse)
    assert njit(cache=True)(double)(2) == 4
    assert kept(cache_folder) == []


@pytest.mark.parametrize("rest", [b"", b"half", b"\x80\x04N."])
def test_a_damaged_cache_is_made_again(cache_folder, rest):
    njit(cache=True)(double)(2)
    for path in kept(cache_folder):
        path.write_bytes(rest)
    assert njit(cache=True)(double)(2) == 4
    again = njit(cache=True)(double)
    assert again(2) == 4
    assert sum(again.stats.cache_hits.values()) == 1
