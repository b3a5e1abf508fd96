"""Both notebooks run as they stand, in an empty folder, and print what they say."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest

nbformat = pytest.importorskip("nbformat", reason="needs the extra 'docs'")
pytest.importorskip("nbclient", reason="needs the extra 'docs'")
pytest.importorskip("ipykernel", reason="needs the extra 'docs'")

FOLDER = Path(__file__).parents[2] / "docs" / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
pytestmark = pytest.mark.docs


def load_runner() -> Any:
    spec = importlib.util.spec_from_file_location("run_notebooks", FOLDER / "run.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def printed(notebook: Any) -> list[tuple[str, str]]:
    """Return each piece of code with what it prints."""
    pages = []
    for cell in notebook.cells:
        if cell.cell_type == "code":
            texts = [
                output.text if "text" in output else output.data["text/plain"] for output in cell.outputs
            ]
            pages.append((cell.source, "".join(texts)))
    return pages


def test_there_are_two() -> None:
    assert len(NOTEBOOKS) == 2


@pytest.mark.parametrize("path", NOTEBOOKS, ids=[path.stem for path in NOTEBOOKS])
def test_prints_what_it_says(path: Path, tmp_path: Path) -> None:
    pytest.importorskip("pandas", reason="pandas is not installed")
    said = nbformat.read(path, as_version=4)
    nbformat.validate(said)
    found = load_runner().run(path, tmp_path)
    assert len(printed(said)) > 5
    assert printed(found) == printed(said), "run docs/notebooks/run.py if the new answers are right"
