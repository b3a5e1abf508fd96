"""Tests of what is beside the library: their marker, their data, and a way to run `python -m experiments`."""

import os
from pathlib import Path

import pytest
from click.testing import CliRunner

from experiments.__main__ import experiments

HERE = Path(__file__).parent


@pytest.hookimpl(tryfirst=True)  # before tests are chosen by their markers
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark all tests in this folder, but for those that hold a kernel against its naive twin."""
    for item in items:
        names = vars(getattr(item, "module", None) or object)
        if HERE in item.path.parents and not any(name.startswith("naive") for name in names):
            item.add_marker(pytest.mark.experiments)


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
