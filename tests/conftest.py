"""What all tests share: the same examples every time, on a busy machine too, and a cache of their own."""

import os

import pytest
from hypothesis import settings

settings.register_profile("qdtm", deadline=None, derandomize=True, max_examples=50)
settings.load_profile("qdtm")


@pytest.fixture(scope="session", autouse=True)
def _own_cache(tmp_path_factory):
    """Leave the user's cache alone, unless another one is named."""
    if not os.environ.get("QDTM_CACHE"):
        os.environ["QDTM_CACHE"] = str(tmp_path_factory.mktemp("cache"))


@pytest.fixture
def cold_cache(tmp_path, monkeypatch):
    """An empty cache: the background of a corpus is learned, whoever had it before."""
    monkeypatch.setenv("QDTM_CACHE", str(tmp_path / "cold"))
    return tmp_path / "cold"
