"""The experiments' data, for the tests that look at the real corpora."""

import os
from pathlib import Path

import pytest
from click.testing import CliRunner

from experiments.__main__ import experiments


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


@pytest.fixture
def run():
    """Return a function that runs `python -m experiments` and gives its result."""

    def run_experiments(*args, code=0):
        result = CliRunner().invoke(experiments, [str(arg) for arg in args])
        assert result.exit_code == code, f"{result.exit_code}: {result.output}\n{result.exception!r}"
        return result

    return run_experiments
