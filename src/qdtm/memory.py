"""How much memory this process may still have, and a bound on it: the system in, bytes out."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from qdtm.errors import OutOfMemoryError

LEAST_ADDRESS_SPACE = 900 * 2**20
"""Python with numpy, numba and the model loaded; with less, libraries fail to load in ways of their own."""

_CGROUPS = (
    ("memory.max", "memory.current"),
    ("memory/memory.limit_in_bytes", "memory/memory.usage_in_bytes"),
)


def available_bytes() -> int | None:
    """Return how much more memory this process can have: what the machine, its group and its limits leave.

    None where the system does not say.
    """
    bounds = [_left_by_system(), _left_by_group(), *_left_by_limits()]
    return min((bound for bound in bounds if bound is not None), default=None)


def require_memory(n_bytes: int, what: str, way_out: str) -> None:
    """Refuse work that cannot fit, before it starts.

    Parameters
    ----------
    n_bytes : int
        What it will take beside what is there already.
    what : str
        What needs it, such as "The fit".
    way_out : str
        What needs less.

    Raises
    ------
    OutOfMemoryError
        One line with both numbers.
    """
    available = available_bytes()
    if available is not None and n_bytes > available:
        raise OutOfMemoryError(
            f"{what} needs about {_megabytes(n_bytes)} of memory, and {_megabytes(available)} can be had; "
            f"{way_out}."
        )


def require_address_space() -> None:
    """Refuse to start where a limit (ulimit -v) leaves no room for the libraries.

    Raises
    ------
    OutOfMemoryError
    """
    limit = _limit("RLIMIT_AS")
    if limit is not None and limit < LEAST_ADDRESS_SPACE:
        raise OutOfMemoryError(
            f"qdtm needs at least {_megabytes(LEAST_ADDRESS_SPACE)} of address space, and the limit is "
            f"{_megabytes(limit)}; raise it (ulimit -v)."
        )


def limit_memory(megabytes: int) -> None:
    """Let this process have so much data at most; more raises MemoryError. Does nothing on Windows."""
    if sys.platform != "win32":
        import resource

        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        wanted = megabytes * 2**20
        allowed = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_DATA, (allowed, allowed))


def _left_by_system() -> int | None:
    fields = _fields(Path("/proc/meminfo"))
    if "MemAvailable" in fields:
        return fields["MemAvailable"] + fields.get("SwapFree", 0)
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")  # of all there is, at least
    except (AttributeError, ValueError, OSError):
        return None


def _left_by_group() -> int | None:
    """What a container leaves."""
    for most, used in _CGROUPS:
        try:
            limit, now = ((Path("/sys/fs/cgroup") / name).read_text().strip() for name in (most, used))
        except OSError:
            continue
        if limit.isdecimal() and now.isdecimal() and int(limit) < 2**60:
            return max(0, int(limit) - int(now))
    return None


def _left_by_limits() -> list[int]:
    used = _fields(Path("/proc/self/status"))
    named = (("RLIMIT_AS", "VmSize"), ("RLIMIT_DATA", "VmData"))
    limits = [(_limit(name), used.get(field, 0)) for name, field in named]
    return [max(0, limit - now) for limit, now in limits if limit is not None]


def _limit(name: str) -> int | None:
    """Return a limit of this process, None for none."""
    if sys.platform == "win32":
        return None
    import resource

    if not hasattr(resource, name):
        return None
    soft: int = resource.getrlimit(getattr(resource, name))[0]
    return None if soft == resource.RLIM_INFINITY else soft


def _fields(path: Path) -> dict[str, int]:
    """Read the fields of a file of the system that are given in kB, as bytes."""
    try:
        lines = path.read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        return {}
    pairs = (line.split() for line in lines if line.endswith(" kB"))
    return {name.rstrip(":"): int(value) * 1024 for name, value, _ in pairs}


def _megabytes(n_bytes: int) -> str:
    return f"{n_bytes / 2**20:,.0f} MB"
