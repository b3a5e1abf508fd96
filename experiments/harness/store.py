"""Finished cells, kept on disk so that none is run twice.

In: a cell with everything that decides about its result. Out: the result, if it was run before. A result is
known by the cell, the model's settings, the corpus and the code that it depends on: that of the bench and of
the model, not of other models, nor of the rooms that only read, keep or show. Whatever of these changes, the
cell is run anew. Each is a small JSON file, written whole or not at all.
"""

from __future__ import annotations

import ast
import hashlib
import json
from collections.abc import Iterator
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from experiments.harness.cells import Bench, Cell, Model, ResultT
from experiments.harness.records import as_json, of_json
from qdtm.storage.cache import atomic_path, cache_directory

_PACKAGES = ("numpy", "numba", "scipy", "scikit-learn")
_OWN = ("qdtm", "experiments")

_ASIDE = (
    "qdtm.app", "qdtm.cli", "qdtm.cluster", "qdtm.corpus.readers", "qdtm.corpus.storage", "qdtm.present",
    "qdtm.results.codes", "qdtm.results.corrections", "qdtm.results.hand_check", "qdtm.results.journal",
    "qdtm.results.storage", "qdtm.storage", "experiments.harness", "experiments.systems.registry",
)  # fmt: skip
"""What cannot change a figure: it reads files (a corpus is known by its own digest), keeps, corrects and
shows results, runs them elsewhere (to the same bytes, as tests of theirs say), or lists what there is."""


class CellStore:
    """A folder of finished cells.

    Parameters
    ----------
    bench : Bench
    folder : Path, optional
        By default `bench` in the cache folder.
    """

    def __init__(self, bench: Bench[ResultT, Any], folder: Path | None = None) -> None:
        self.result, self.module = bench.result, bench.measure.__module__
        self.folder = folder or cache_directory() / "bench"

    def find(self, cell: Cell, model: Model, fingerprint: str) -> Any:
        """Return the result of a cell, or None if it was not run, or its file is damaged."""
        try:
            kept = of_json(self.result, json.loads(self._path(cell, model, fingerprint).read_text("utf-8")))
        except (OSError, ValueError, TypeError, KeyError, AttributeError):
            return None
        return kept if kept.cell == cell else None

    def keep(self, result: Any, model: Model, fingerprint: str) -> None:
        """Keep a result; `fingerprint` is that of its corpus."""
        with atomic_path(self._path(result.cell, model, fingerprint)) as temporary:
            temporary.write_text(json.dumps(as_json(result)), encoding="utf-8")

    def _path(self, cell: Cell, model: Model, fingerprint: str) -> Path:
        code = code_digest(self.module, type(model).__module__)
        parts = [as_json(cell), dict(model.settings), fingerprint, code]
        key = hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()
        asked = "" if cell.query is None else f"-{cell.query}"
        return self.folder / f"{cell.bench}-{cell.dataset}{asked}-{cell.model}-{cell.seed}-{key[:16]}.json"


# --- the code that a result depends on -------------------------------------------------------------------


@cache
def code_digest(*modules: str) -> str:
    """Return a digest of modules, of all of ours that they import, and of what they stand on.

    Comments, docstrings and the layout of the code do not count.
    """
    known = [*sorted(imported(*modules).items()), *((package, version(package)) for package in _PACKAGES)]
    return hashlib.sha256(json.dumps(known).encode()).hexdigest()


def imported(*modules: str) -> dict[str, str]:
    """Return modules and all that they import of ours, at once or later, by name: a digest of each.

    A package is looked into where a name is imported from it, not where one of its modules is: what it
    re-exports beside is nothing to that one.
    """
    found: dict[str, str] = {}
    todo = list(modules)
    while todo:
        name = todo.pop()
        path = None if name in found or _is_aside(name) else _source_of(name)
        if path is not None:
            found[name], names = _read(path, path.stat().st_mtime_ns)
            todo += names
    return found


def _is_aside(name: str) -> bool:
    return any(name == room or name.startswith(f"{room}.") for room in _ASIDE)


@cache
def _read(path: Path, changed: int) -> tuple[str, frozenset[str]]:  # noqa: ARG001
    """Return a digest of a module's code, and what it imports; it is read anew if its file has changed."""
    tree = ast.parse(path.read_bytes())
    names = frozenset(name for name in _imports(tree) if name.partition(".")[0] in _OWN)
    return hashlib.sha256(ast.dump(_without_docstrings(tree)).encode()).hexdigest(), names


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
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and "." in node.value:
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
