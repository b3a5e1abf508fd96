"""A bound on the memory of this process, where the system has such a thing."""

from __future__ import annotations

import sys


def limit_memory(megabytes: int) -> None:
    """Let this process have so much data at most; more raises MemoryError. Does nothing on Windows."""
    if sys.platform != "win32":
        import resource

        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        wanted = megabytes * 2**20
        allowed = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_DATA, (allowed, allowed))
