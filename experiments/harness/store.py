"""Finished cells, kept on disk so that none is run twice.

In: a cell with everything that decides about its result. Out: the result, if it was run before. A result is
known by the cell, the model's settings, the corpus and the code that it depends on: whatever of these
changes, the cell is run anew. Each is a small JSON file, written whole or not at all.
"""

from __future__ import annotations

import ast
import hashlib
import json
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from experiments.harness.cells import Bench, Cell, ResultT
from experiments.harness.records import as_json, of_json
from qdtm.storage.cache import atomic_path, cache_directory

_PACKAGES = ("numpy", "numba", "scipy", "scikit-learn")
_OWN = ("qdtm", "experiments")


class CellStore:
    """A folder of finished cells.

    Parameters
    ----------
    bench : Bench
    folder : Path, optional
        By default `bench` in the cache folder.
    """

    def __init__(self, bench: Bench[ResultT, Any], folder: Path | None = None) -> None:
        self.result, self.code = bench.result, code_digest(bench.measure.__module__)
        self.folder = folder or cache_directory() / "bench"

    def find(self, cell: Cell, settings: Mapping[str, Any], fingerprint: str) -> Any:
        """Return the result of a cell, or None if it was not run, or its file is damaged."""
        try:
            kept = of_json(
                self.result, json.loads(self._path(cell, settings, fingerprint).read_text("utf-8"))
            )
        except (OSError, ValueError, TypeError, KeyError, AttributeError):
            return None
        return kept if kept.cell == cell else None

    def keep(self, result: Any, settings: Mapping[str, Any], fingerprint: str) -> None:
        """Keep a result; `fingerprint` is that of its corpus."""
        with atomic_path(self._path(result.cell, settings, fingerprint)) as temporary:
            temporary.write_text(json.dumps(as_json(result)), encoding="utf-8")

    def _path(self, cell: Cell, settings: Mapping[str, Any], fingerprint: str) -> Path:
        parts = [as_json(cell), dict(settings), fingerprint, self.code]
        key = hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()
        asked = "" if cell.query is None else f"-{cell.query}"
        return self.folder / f"{cell.bench}-{cell.dataset}{asked}-{cell.model}-{cell.seed}-{key[:16]}.json"


# --- the code that a result depends on -------------------------------------------------------------------


@cache
def code_digest(module: str) -> str:
    """Return a digest of a module, of all of ours that it imports, and of what they stand on.

    Comments, docstrings and the layout of the code do not count.
    """
    digest = hashlib.sha256()
    for name, source in sorted(_imported(module).items()):
        digest.update(f"{name}\0{ast.dump(_without_docstrings(source))}\0".encode())
    for package in _PACKAGES:
        digest.update(f"{package} {version(package)}\0".encode())
    return digest.hexdigest()


def _imported(module: str) -> dict[str, ast.Module]:
    """Return a module and all that it imports of ours, at once or later, by name."""
    found: dict[str, ast.Module] = {}
    todo = [module]
    while todo:
        name = todo.pop()
        path = _source_of(name) if name not in found else None
        if path is not None:
            found[name] = ast.parse(path.read_bytes())
            todo += [each for each in _imports(found[name]) if each.partition(".")[0] in _OWN]
            todo += [name.rpartition(".")[0]]
    return found


def _source_of(name: str) -> Path | None:
    """Return the file of a module; None if it is no module, but something inside one."""
    if name.partition(".")[0] not in _OWN:
        return None
    top = find_spec(name.partition(".")[0])
    home = Path(top.origin).parent if top is not None and top.origin is not None else Path()
    inside = home.joinpath(*name.split(".")[1:])
    return next(
        (path for path in (inside / "__init__.py", inside.with_suffix(".py")) if path.is_file()), None
    )


def _imports(tree: ast.Module) -> Iterator[str]:
    """Yield what a module imports; of "from a import b" both a and a.b, which may be a module.

    Names of modules in texts count too, as those of systems that are made when they are asked for.
    """
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value.partition(":")[0]


def _without_docstrings(tree: ast.Module) -> ast.Module:
    """Take texts that stand by themselves out of a tree."""
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            node.body = [each for each in body if not _is_text(each)]  # type: ignore[attr-defined]
    return tree


def _is_text(node: ast.AST) -> bool:
    is_constant = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return is_constant and isinstance(node.value.value, str)  # type: ignore[attr-defined]
