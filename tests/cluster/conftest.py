"""A cluster of two workers on this machine, shared by all tests that need one."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

import pytest

from qdtm.cluster.engine import RayEngine
from qdtm.errors import ClusterError


@pytest.fixture(scope="session")
def cluster() -> Iterator[None]:
    """Connect this process to a small local cluster; engines opened meanwhile use it."""
    pytest.importorskip("ray", reason="Ray is not installed (extra `ray`)")
    from qdtm.cluster import connection

    patch = pytest.MonkeyPatch()
    patch.setattr(connection, "_store_bytes", lambda: 200 * 2**20)
    patch.setenv("PYTHONPATH", os.pathsep.join(filter(None, sys.path)))  # workers import what we test
    try:
        opened = connection.Connection(None, 4)  # two engines side by side
    except ClusterError as error:
        patch.undo()
        if "timed out during startup" in str(error):
            pytest.skip("Ray gave up starting: this machine is too busy")
        raise
    yield
    opened.close()
    patch.undo()


@pytest.fixture(scope="session")
def engine(cluster: None) -> Iterator[RayEngine]:
    """Two workers."""
    with RayEngine(n_workers=2) as opened:
        yield opened
