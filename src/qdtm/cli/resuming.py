"""A `qdtm fit` that may be killed: its command in, kept beside its DIR while it runs, and out again."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from qdtm.errors import StorageError

_COMMAND = "command.json"


def unfinished_folder(output: str) -> Path:
    """Where the fit of an output folder is kept while it is not done."""
    place = Path(os.path.abspath(output))  # noqa: PTH100 - resolve() would follow a link
    return place.with_name(f"{place.name}.unfinished")


def check_begun(output: str, *, force: bool) -> None:
    """Refuse to begin where an unfinished fit could go on; with `force`, forget it."""
    from qdtm.unfinished import is_unfinished

    folder = unfinished_folder(output)
    if is_unfinished(folder) and not force:
        raise StorageError(
            f"{output!r} has an unfinished fit; go on with qdtm fit --resume {output}, "
            "or use --force to begin again."
        )
    shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def kept_command(output: str, command: Mapping[str, Any]) -> Iterator[Path]:
    """Keep a command until the block ends; give the folder for the fit's checkpoint.

    It stays if the block fails and there is something to go on from.
    """
    from qdtm.placing import write_errors
    from qdtm.storage import save_json
    from qdtm.unfinished import is_unfinished

    folder = unfinished_folder(output)
    with write_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
    try:
        save_json(folder / _COMMAND, dict(command))
        yield folder
    finally:
        if not is_unfinished(folder):
            shutil.rmtree(folder, ignore_errors=True)


def read_command(output: str) -> dict[str, Any]:
    """Read the command of an unfinished fit.

    Raises
    ------
    StorageError
        If there is none, or it makes no sense.
    """
    from qdtm.storage import load_json

    path = unfinished_folder(output) / _COMMAND
    if not path.is_file():
        raise StorageError(
            f"There is no unfinished fit of {output!r}; qdtm fit CORPUS -q QUERY -o DIR begins one."
        )
    command = load_json(path)
    if not isinstance(command, dict) or not isinstance(command.get("corpus"), str):
        raise StorageError(f"{str(path)!r} is damaged: it is not the command of a fit.")
    return command
