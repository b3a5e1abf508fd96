"""Frozen dataclasses as JSON and back: fields that have their default are left out.

In: a dataclass with fields of plain types, tuples and other such dataclasses. Out: JSON values, and the same
dataclass from them; files are written whole or not at all.
"""

from __future__ import annotations

import json
import os
import types
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from qdtm.errors import StorageError
from qdtm.storage.cache import atomic_path

T = TypeVar("T")


def as_json(value: Any) -> Any:
    """Return a dataclass, or a tuple of them, as JSON values."""
    if is_dataclass(value):
        pairs = ((field, getattr(value, field.name)) for field in fields(value))
        return {
            field.name: as_json(v) for field, v in pairs if field.default is MISSING or v != field.default
        }
    return [as_json(each) for each in value] if isinstance(value, tuple) else value


def of_json(kind: type[T], values: Mapping[str, Any]) -> T:
    """Read a dataclass back; KeyError or TypeError if it has other fields, or if one is missing."""
    hints = _hints(kind)  # type: ignore[arg-type]
    return kind(**{name: _value(hints[name], value) for name, value in values.items()})


@cache
def _hints(kind: Any) -> dict[str, Any]:
    return get_type_hints(kind)


def _value(kind: Any, value: Any) -> Any:
    """Read a field of a kind."""
    origin, inner = get_origin(kind), get_args(kind)
    if value is None:
        return None
    if origin in (Union, types.UnionType):
        return _value(next(each for each in inner if each is not type(None)), value)
    if origin is tuple:
        return tuple(_value(inner[0], each) for each in value)
    return of_json(kind, value) if is_dataclass(kind) else value  # type: ignore[arg-type]


def check_writable(path: Path) -> None:
    """Refuse a file that could not be written in the end.

    Raises
    ------
    StorageError
        If its folder cannot be made or written to.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StorageError(f"Cannot write {str(path)!r} ({error.strerror}). Choose another file.") from error
    if path.is_dir() or not os.access(path.parent, os.W_OK):
        raise StorageError(f"Cannot write {str(path)!r}. Choose another file.")


def read_rows(path: Path, kind: Callable[[Mapping[str, Any]], type[T]]) -> list[T]:
    """Read what `write_rows` wrote; `kind` says of a row of which dataclass it is.

    Raises
    ------
    StorageError
        If the file cannot be read, or has other rows.
    """
    try:
        return [of_json(kind(row), row) for row in json.loads(path.read_text(encoding="utf-8"))]
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise StorageError(f"Cannot read the rows of {str(path)!r} ({error}).") from error


def write_rows(path: Path, rows: Iterable[object]) -> None:
    """Write dataclasses as a JSON list."""
    check_writable(path)
    with atomic_path(path) as temporary:
        temporary.write_text(json.dumps([as_json(row) for row in rows], indent=2) + "\n", encoding="utf-8")
        temporary.chmod(0o644)
