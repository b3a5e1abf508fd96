"""What all pages share: the workspace, its jobs, and what is open."""

from __future__ import annotations

from dataclasses import dataclass

from qdtm.app.jobs import Jobs
from qdtm.app.opened import Opened
from qdtm.app.workspace import Workspace


@dataclass(frozen=True)
class AppContext:
    """What a page needs to do its work.

    Attributes
    ----------
    workspace : Workspace
    jobs : Jobs
    opened : Opened
    max_upload_bytes : int
    threads : int
        That a fit may use.
    """

    workspace: Workspace
    jobs: Jobs
    opened: Opened
    max_upload_bytes: int
    threads: int
