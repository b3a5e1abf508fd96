"""Run the notebooks beside this file, and write down what they print.

    python docs/notebooks/run.py

In: `*.ipynb`, the extra `docs`. Out: the same files with their outputs made anew. Only text is kept, so that
a notebook changes when an answer does, and the change can be read; pictures and tables are drawn when a
person runs it. The tests run the notebooks too, and fail where they print anything else.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import nbformat
from nbclient import NotebookClient

HERE = Path(__file__).parent
NOTEBOOKS = sorted(HERE.glob("*.ipynb"))


def run(path: Path, folder: Path) -> nbformat.NotebookNode:
    """Return a notebook as it is after running it in a folder, with text for outputs."""
    notebook = nbformat.read(path, as_version=4)
    environment = {**os.environ, "IPYTHONDIR": str(folder / ".ipython")}  # nobody's own settings
    place = {"metadata": {"path": str(folder)}}
    NotebookClient(notebook, timeout=600, resources=place, coalesce_streams=True).execute(env=environment)
    for cell in notebook.cells:
        cell.metadata.clear()
        if cell.cell_type == "code":
            cell.execution_count = None
            cell.outputs = [_as_text(output) for output in cell.outputs if _is_printed(output)]
    notebook.metadata = {"language_info": {"name": "python"}}
    return notebook


def _is_printed(output: nbformat.NotebookNode) -> bool:
    if output.output_type == "display_data":  # how far a fit is
        return "HTML object" not in output.data["text/plain"]
    return not (output.output_type == "stream" and output.name == "stderr")  # warnings


def _as_text(output: nbformat.NotebookNode) -> nbformat.NotebookNode:
    if output.output_type == "stream":
        return output
    data = {"text/plain": output.data["text/plain"]}
    return nbformat.v4.new_output("execute_result", data=data, execution_count=None)


def main() -> None:
    """Run all of them."""
    for path in NOTEBOOKS:
        with tempfile.TemporaryDirectory() as folder:
            notebook = run(path, Path(folder))
        path.write_text(nbformat.writes(notebook) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
