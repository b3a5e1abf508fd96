"""The notebooks in `docs/notebooks/` in, a page for each out: its texts, its code, and what that printed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

_NOTEBOOKS = Path(__file__).parents[1] / "notebooks"


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages; the notebooks themselves stay beside them."""
    for path in sorted(_NOTEBOOKS.glob("*.ipynb")):
        page = notebook_page(json.loads(path.read_text("utf-8")), path.name)
        files.append(File.generated(config, f"notebooks/{path.stem}.md", content=page))
    return files


def notebook_page(notebook: dict[str, Any], name: str) -> str:
    """Return a notebook as Markdown, with a link to the file after its title."""
    title, *parts = [part for cell in notebook["cells"] for part in _parts(cell)]
    heading, _, rest = title.partition("\n")
    return "\n\n".join([heading, f"[This notebook]({name}) to run it yourself.", rest.strip(), *parts]) + "\n"


def _parts(cell: dict[str, Any]) -> list[str]:
    source = "".join(cell["source"])
    if cell["cell_type"] == "markdown":
        return [source]
    printed = "".join(_text(output) for output in cell["outputs"]).rstrip()
    return [_fenced(source, "python"), *([_fenced(printed, "text")] if printed else [])]


def _text(output: dict[str, Any]) -> str:
    return (
        "".join(output["text"] if output["output_type"] == "stream" else output["data"]["text/plain"]) + "\n"
    )


def _fenced(text: str, language: str) -> str:
    return f"````{language}\n{text}\n````"
