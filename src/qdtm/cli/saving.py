"""A result that has become more in, the folder it came from or another one out: for `drill` and `add`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from qdtm.cli.report import REPORT
from qdtm.storage import claim

if TYPE_CHECKING:
    from qdtm.model import QueryDrivenTopicModel


def claim_goal(directory: str, output: str | None, *, force: bool) -> None:
    """Keep the place of the result until the command ends: another folder, or its own, which it replaces."""
    replaces = force or _is_same(directory, output)
    click.get_current_context().with_resource(
        claim(output or directory, force=replaces, keeps_check=_is_same(directory, output))
    )


def save_again(
    model: QueryDrivenTopicModel,
    directory: str,
    output: str | None,
    *,
    force: bool,
    all_documents: bool,
) -> None:
    """Save a result that came from `directory`, with a report if it had one, perhaps with all documents."""
    goal = output or directory
    had_report = (Path(directory) / REPORT).is_file()
    model.save(goal, force=force or _is_same(directory, output), all_documents=all_documents or None)
    if had_report:
        model.report(Path(goal) / REPORT)


def _is_same(directory: str, output: str | None) -> bool:
    if output is None:
        return True
    return Path(output).exists() and Path(directory).exists() and Path(directory).samefile(output)
