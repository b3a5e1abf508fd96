"""Connecting to a Ray cluster, or starting one on this machine.

In: an address, or None. Out: a connection that is given back at the end, or one line about why there is none.

A cluster that we start is bound to 127.0.0.1, has no dashboard and reports nothing to anybody.
"""

from __future__ import annotations

import logging
import os
import shutil
import socket
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from qdtm.errors import ClusterError, MissingExtraError, ParameterError
from qdtm.progress import defer_interrupts

QUIET = {"RAY_USAGE_STATS_ENABLED": "0"}
"""Nothing is reported."""

LOCAL = QUIET | {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0", "RAY_worker_niceness": "0"}
"""A cluster for this machine alone, whose workers have the rank that threads would have."""

LOOPBACK = "127.0.0.1"
SECONDS_TO_REACH = 5.0
LEAST_STORE = 80 * 2**20
"""Ray wants at least so many bytes for objects."""


class Connection:
    """A connection to a cluster.

    Parameters
    ----------
    address : str, optional
        "auto" or HOST:PORT; by default a cluster is started here. Where this process is connected already,
        that connection is used, and left open.
    n_workers : int, optional
        CPUs of a cluster that is started here; by default all of this machine.
    """

    def __init__(self, address: str | None = None, n_workers: int | None = None) -> None:
        self.ray = import_ray()
        self._folder: str | None = None
        self._is_ours = not self.ray.is_initialized()
        if not self._is_ours:
            return
        if address is None:
            self._start(n_workers)
        else:
            self._connect(address)

    def close(self) -> None:
        """Disconnect, and end the cluster if it was started here."""
        if self._is_ours:
            self.ray.shutdown()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)

    def n_cpus(self) -> int:
        """CPUs of the cluster."""
        return int(self.ray.cluster_resources().get("CPU", 0))

    def nodes(self) -> list[dict[str, float]]:
        """What each machine that is up has."""
        return [dict(node["Resources"]) for node in self.ray.nodes() if node["Alive"]]

    def _start(self, n_workers: int | None) -> None:
        """Start a cluster on this machine, for this process."""
        self._folder = tempfile.mkdtemp(prefix="qdtm-ray-")
        try:
            with _environment(LOCAL), _loopback():
                self._init(
                    address="local",
                    num_cpus=n_workers or os.cpu_count() or 1,
                    object_store_memory=_store_bytes(),
                    include_dashboard=False,
                    _node_ip_address=LOOPBACK,
                    _temp_dir=self._folder,
                )
            if any(node["NodeManagerAddress"] != LOOPBACK for node in self.ray.nodes()):
                raise ClusterError(
                    "This version of Ray does not keep a local cluster to this machine; start one yourself "
                    "(ray start --head) and give its address (--address auto)."
                )
        except BaseException:
            self.close()
            raise

    def _connect(self, address: str) -> None:
        """Connect to a cluster that is up."""
        _check_reachable(address)
        with _environment(QUIET):
            self._init(address=address)

    def _init(self, **options: Any) -> None:
        where = options["address"]
        try:
            with _only_errors(), defer_interrupts() as interruption:  # Ray half started would crash
                self.ray.init(log_to_driver=False, logging_level="ERROR", configure_logging=False, **options)
        except Exception as error:  # Ray raises all kinds, plain ones too
            text = " ".join(str(error).split())
            if "Version mismatch" in text:
                raise ClusterError(
                    f"The cluster at {where!r} runs other versions: {text}. Install the same everywhere."
                ) from error
            raise ClusterError(
                f"The Ray cluster at {where!r} cannot be reached ({text[:200]}); is it up (ray status)?"
            ) from error
        if interruption.requested:
            raise KeyboardInterrupt


@contextmanager
def _only_errors() -> Iterator[None]:
    """Keep what Ray says while it starts, such as that it protects a cluster by a token, from stderr."""
    logger = logging.getLogger("ray")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(level)


def import_ray() -> Any:
    """Import Ray, without a report of its use."""
    try:
        with _environment(QUIET):
            import ray
    except ImportError:
        raise MissingExtraError(
            "engine='ray' needs Ray; install it with: pip install \"qdtm[ray]\"."
        ) from None
    return ray


def _check_reachable(address: str) -> None:
    """Knock at HOST:PORT: Ray would wait a minute before it gave up."""
    if address == "auto":
        return
    if "://" in address:
        raise ParameterError(
            f"address is {address!r}; give HOST:PORT, or 'auto', and run qdtm on a machine of the cluster."
        )
    host, _, port = address.rpartition(":")
    if not host or not port.isdigit():
        raise ParameterError(f"address is {address!r}; give HOST:PORT, or 'auto'.")
    try:
        socket.create_connection((host.strip("[]"), int(port)), SECONDS_TO_REACH).close()
    except (OSError, OverflowError) as error:
        raise ClusterError(
            f"The Ray cluster at {address!r} cannot be reached ({error}); is it up (ray status)?"
        ) from None


def _store_bytes() -> int:
    """Memory for objects of a cluster on this machine: a tenth of it, up to 2 GB.

    Counts and differences of a sweep are all that it holds.
    """
    try:
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError, AttributeError):
        memory = 0
    return min(max(memory // 10, LEAST_STORE), 2 * 2**30)


@contextmanager
def _environment(values: dict[str, str]) -> Iterator[None]:
    """Set variables of the environment that are not set, for processes that are started meanwhile."""
    new = {name: value for name, value in values.items() if name not in os.environ}
    os.environ.update(new)
    try:
        yield
    finally:
        for name in new:
            os.environ.pop(name, None)


@contextmanager
def _loopback() -> Iterator[None]:
    """Let Ray take 127.0.0.1 for an answer on Linux too, as it does elsewhere.

    It reads the variable in `LOCAL` only when it is imported, which may have been long ago.
    """
    from ray._private import ray_constants

    before = ray_constants.ENABLE_RAY_CLUSTER
    ray_constants.ENABLE_RAY_CLUSTER = False
    try:
        yield
    finally:
        ray_constants.ENABLE_RAY_CLUSTER = before
