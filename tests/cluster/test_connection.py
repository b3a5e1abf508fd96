"""Why there is no cluster, in one line."""

from __future__ import annotations

import socket
import sys

import pytest

from qdtm import QueryDrivenTopicModel
from qdtm.cluster.connection import Connection
from qdtm.cluster.engine import RayEngine
from qdtm.errors import ClusterError, MissingExtraError, ParameterError


@pytest.fixture(autouse=True)
def _ray() -> None:
    pytest.importorskip("ray", reason="Ray is not installed (extra `ray`)")


class NoCluster:
    """A Ray that is not connected, and answers `init` as it is told."""

    def __init__(self, error: Exception) -> None:
        self._error = error

    def is_initialized(self) -> bool:
        return False

    def init(self, **_options: object) -> None:
        raise self._error


@pytest.fixture
def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


def unreachable(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    monkeypatch.setattr("qdtm.cluster.connection.import_ray", lambda: NoCluster(error))


def test_nobody_listens(free_port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    unreachable(monkeypatch, AssertionError("not even asked"))
    with pytest.raises(ClusterError, match=rf"The Ray cluster at '127.0.0.1:{free_port}' cannot be reached"):
        Connection(f"127.0.0.1:{free_port}")


def test_there_is_no_cluster_here(monkeypatch: pytest.MonkeyPatch) -> None:
    unreachable(monkeypatch, ConnectionError("Could not find any running\nRay instance."))
    with pytest.raises(ClusterError, match=r"at 'auto' cannot be reached \(Could not find any running Ray"):
        Connection("auto")


def test_other_versions_on_the_cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    unreachable(monkeypatch, RuntimeError("Version mismatch: The cluster was started with:\n    Ray: 1.0"))
    with pytest.raises(ClusterError, match=r"runs other versions: .* Install the same everywhere") as error:
        Connection("auto")
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("address", ["ray://head:10001", "head", "head:", ":", "head:port"])
def test_an_address_that_is_none(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    unreachable(monkeypatch, AssertionError("not even asked"))
    with pytest.raises(ParameterError, match=f"address is '{address}'; give HOST:PORT, or 'auto'"):
        Connection(address)


def test_without_ray_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingExtraError, match=r"pip install \"qdtm\[ray\]\""):
        QueryDrivenTopicModel("fire", engine="ray").fit(["fire in the forest"] * 4)


@pytest.mark.cluster
def test_a_worker_with_another_version(engine: RayEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("qdtm.cluster.engine.version", lambda _: "99.0")
    with pytest.raises(ClusterError, match=r"A worker has qdtm .*, and this process 99\.0; install the same"):
        engine._check_versions([engine.worker(0)])


@pytest.mark.cluster
def test_a_local_cluster_is_for_this_machine_alone(cluster: None) -> None:
    import ray

    assert {node["NodeManagerAddress"] for node in ray.nodes()} == {"127.0.0.1"}
