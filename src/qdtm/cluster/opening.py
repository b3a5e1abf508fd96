"""Settings in, the engine they ask for out."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from qdtm.sampler.engines import Engine, Threads

if TYPE_CHECKING:
    from qdtm.settings import Settings


def open_engine(settings: Settings) -> AbstractContextManager[Engine]:
    """Open the engine that the settings ask for, to be closed when the block ends."""
    if settings.engine == "threads":
        return Threads(settings.n_jobs or 1)
    from qdtm.cluster.engine import RayEngine

    return RayEngine(settings.address, n_workers=settings.n_jobs, worker_dir=settings.worker_dir)
