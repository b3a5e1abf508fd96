"""A cluster of two workers on this machine, shared by all tests that need one."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from typing import TypeVar

import pytest

from qdtm.cluster.engine import RayEngine
from qdtm.errors import ClusterError

T = TypeVar("T")


@pytest.fixture(scope="session")
def cluster() -> Iterator[None]:
    """Connect this process to a small local cluster; engines opened meanwhile use it."""
    pytest.importorskip("ray", reason="Ray is not installed (extra `ray`)")
    from qdtm.cluster import connection

    patch = pytest.MonkeyPatch()
    patch.setattr(connection, "_store_bytes", lambda: 200 * 2**20)
    patch.setenv("PYTHONPATH", os.pathsep.join(filter(None, sys.path)))  # workers import what we test
    try:
        opened = patient(lambda: connection.Connection(None, 4))  # two engines side by side
        yield
        opened.close()
    finally:
        patch.undo()


def patient(start: Callable[[], T], attempts: int = 3) -> T:
    """Start a cluster; again, if Ray gives up after the thirty seconds that it grants a busy machine."""
    for _ in range(attempts):
        try:
            return start()
        except ClusterError as error:
            if "timed out during startup" not in str(error):
                raise
    pytest.skip(f"Ray gave up starting {attempts} times: this machine is too busy")


@pytest.fixture(scope="session")
def engine(cluster: None) -> Iterator[RayEngine]:
    """Two workers."""
    with RayEngine(n_workers=2) as opened:
        yield opened
