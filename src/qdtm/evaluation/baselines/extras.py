"""Packages that only some baselines need: a module's name in, the module or a clear error out."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from qdtm.errors import MissingExtraError


def require(module: str, extra: str) -> Any:
    """Import a module of an extra.

    Raises
    ------
    MissingExtraError
        If it is not installed.
    """
    try:
        return import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        raise MissingExtraError(
            f"This model needs {package!r}, which is not installed: pip install 'qdtm[{extra}]'."
        ) from error
