"""How much memory this process may still have, and how much a fit takes."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from qdtm.errors import OutOfMemoryError
from qdtm.evidence.views import MOST_KEPT
from qdtm.sampler.background import n_topics_for

if TYPE_CHECKING:
    from qdtm.corpus import Corpus
    from qdtm.settings import Settings


# --- what can be had ----------------------------------------------------------------------------------------

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


# --- what a fit takes ---------------------------------------------------------------------------------------
#
# How much memory a fit takes: the size of a corpus and of the model in, bytes out.
#
# The coefficients are read off what was measured (`python -m experiments memory`; the figures are in
# `docs/reliability.md`), not sums of array sizes: most of a peak are copies on the way.

TOKEN, TOKEN_A_CHAIN = 16, 44
"""A word of a document, counted and weighed; and what a chain has of it, with copies from before."""

DOCUMENT, DOCUMENT_A_QUERY = 200, 150
"""What is known of every document; and how likely it is to be about a query, with what that follows from."""

DIMENSION, ENCODED_DIMENSION = 4, 22
"""Of the word vectors that a document is seen by; and of those of an encoder, with copies while they are
scaled."""

SHARE = 16
"""Of a background topic in a document: with the query's words, and without."""

WORD = 1_500
CELL, CELL_A_THREAD = 36, 4
"""Of the counts (V, C): averages and copies of a chain, and what each thread sweeps on."""

DIMENSIONS, ENCODED = 100, 400
"""Of the word vectors that come with the package, and of what sentence encoders usually make."""

CONSTANT = 40 * 2**20
"""The word vectors that come with the package, and the cosines of some thousand words at a time."""


def fit_bytes(
    *,
    n_tokens: int,
    n_documents: int,
    n_words: int,
    n_topics: int,
    n_queries: int = 1,
    n_dimensions: int = DIMENSIONS,
    n_encoded: int = 0,
    n_chains: int = 1,
    n_jobs: int = 1,
) -> int:
    """Return about how many bytes a fit and its save take, beside the corpus and the program.

    Parameters
    ----------
    n_topics : int
        Parents and background.
    n_queries : int
    n_dimensions, n_encoded : int
        Of the word vectors that documents are seen by, and of those of a sentence encoder; 0 without.
    n_chains : int
        Chains; as many as there are threads run side by side.
    n_jobs : int
        Threads.
    """
    at_once = min(n_chains, n_jobs)
    document = DOCUMENT + DOCUMENT_A_QUERY * n_queries
    document += DIMENSION * n_dimensions + ENCODED_DIMENSION * n_encoded
    if n_documents * n_topics <= MOST_KEPT:
        document += SHARE * n_topics
    return (
        CONSTANT
        + (TOKEN + TOKEN_A_CHAIN * at_once) * n_tokens
        + document * n_documents
        + WORD * n_words
        + (CELL * at_once + CELL_A_THREAD * n_jobs) * n_words * n_topics
    )


def fit_bytes_of(
    corpus: Corpus,
    n_queries: int,
    settings: Settings,
    n_dimensions: int = DIMENSIONS,
    n_encoded: int = 0,
) -> int:
    """Return about how many bytes a fit of a corpus takes."""
    background = settings.n_background_topics or n_topics_for(corpus.n_documents)
    return fit_bytes(
        n_tokens=corpus.n_tokens,
        n_documents=corpus.n_documents,
        n_words=corpus.n_words,
        n_topics=n_queries + background,
        n_queries=n_queries,
        n_dimensions=n_dimensions,
        n_encoded=n_encoded,
        n_chains=settings.n_chains,
        n_jobs=settings.n_jobs or 1,
    )
