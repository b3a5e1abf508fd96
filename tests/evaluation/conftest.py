"""The experiments' data, for the tests that look at the real corpora."""

import os
from pathlib import Path

import pytest


@pytest.fixture
def data_folder() -> Path:
    folder = os.environ.get("QDTM_DATA")
    if not folder:
        pytest.skip("set QDTM_DATA to the folder with the experiments' corpora")
    return Path(folder)


@pytest.fixture
def cache_folder(tmp_path, monkeypatch) -> Path:
    """An empty cache and no data folder."""
    monkeypatch.setenv("QDTM_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("QDTM_DATA", raising=False)
    return tmp_path / "cache"
