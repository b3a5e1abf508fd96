"""`ProgressBar`: shows how far a fit is, in a notebook as an element that is updated, elsewhere as a line.

In: a `Progress` after each sweep. Out: what the user sees; nothing where nobody looks.
"""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Any, TextIO

if TYPE_CHECKING:
    from qdtm.sampler.progress import Progress

_SECONDS = 0.1  # between two looks


class ProgressBar:
    """Give it to a model: ``QueryDrivenTopicModel("cricket", progress=ProgressBar())``.

    Parameters
    ----------
    stream : text stream, optional
        Where the line goes outside of notebooks; stderr by default, and only if it is a terminal.
    """

    def __init__(self, stream: TextIO | None = None) -> None:
        self.stream = stream
        self._handle: Any = None
        self._next = 0.0
        self._stages: set[tuple[int, str, str | None]] = set()

    def __call__(self, progress: Progress) -> None:
        """Show where the fit is, at most ten times a second."""
        stage, now = (progress.chain, progress.stage, progress.query), time.monotonic()
        if stage in self._stages and now < self._next and progress.sweep < progress.max_sweeps:
            return
        self._stages.add(stage)
        self._next = now + _SECONDS
        if in_notebook():
            self._show_element(progress)
        else:
            self._show_line(progress)

    def _show_element(self, progress: Progress) -> None:
        from IPython.display import HTML, display

        from qdtm.report.notebook import progress_html

        element = HTML(progress_html(progress))
        if self._handle is None:
            self._handle = display(element, display_id=True)
        else:
            self._handle.update(element)

    def _show_line(self, progress: Progress) -> None:
        stream = self.stream or sys.stderr
        if stream.isatty():
            of = f" of {progress.query}" if progress.query else ""
            line = f"{progress.run}{progress.stage}{of}: {progress.note}"
            stream.write(f"\r{line[:78]:<78}")
            stream.flush()

    def __getstate__(self) -> dict[str, Any]:
        return {"stream": None, "_handle": None, "_next": 0.0, "_stages": set()}  # a copy shows its own


def in_notebook() -> bool:
    """Return whether this process answers a notebook."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return shell is not None and shell.__class__.__name__ == "ZMQInteractiveShell"
