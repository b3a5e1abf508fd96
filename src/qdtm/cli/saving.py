"""A result that has become more in, the folder it came from or another one out: for `drill` and `add`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from qdtm.cli.report import REPORT
from qdtm.errors import StorageError
from qdtm.storage import check_free

if TYPE_CHECKING:
    from qdtm.model import QueryDrivenTopicModel


def check_goal(directory: str, output: str | None, *, force: bool) -> None:
    """Raise unless the result may be saved: to another folder that is free, or over itself."""
    if not Path(directory).is_dir():
        raise StorageError(f"There is no folder {directory!r}.")
    if output is None or _is_same(directory, output):
        check_free(directory, force=True)
    else:
        check_free(output, force=force)


def save_again(model: QueryDrivenTopicModel, directory: str, output: str | None, *, force: bool) -> None:
    """Save a result from `directory`, with a report if it had one."""
    goal = output or directory
    had_report = (Path(directory) / REPORT).is_file()
    model.save(goal, force=force or _is_same(directory, goal))
    if had_report:
        model.report(Path(goal) / REPORT)


def _is_same(directory: str, output: str) -> bool:
    return Path(output).exists() and Path(directory).samefile(output)
