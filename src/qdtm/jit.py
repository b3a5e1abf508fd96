"""numba's `njit` in, the same out, with a cache that is a help and never a hindrance.

numba keeps compiled kernels beside their source, or in the user's cache folder. Where neither can be written
(a read-only install without a home folder), where the disk is full, or where a file of the cache is damaged,
numba alone would fail; here the kernels are compiled for this process and the work goes on.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numba
from numba.core.caching import FunctionCache

_CACHES: list[_PatientCache | None] = []
"""Of the kernels that are loaded; None for one that nothing keeps."""


def njit(*, cache: bool = False, **options: Any) -> Callable[[Any], Any]:
    """Compile a function with `numba.njit`; `cache` keeps what was compiled where that is possible."""

    def decorate(function: Any) -> Any:
        kernel = numba.njit(**options)(function)
        if cache and hasattr(kernel, "_cache"):  # a plain function where numba is told not to compile
            kept: _PatientCache | None = None
            with suppress(RuntimeError, OSError):  # there is nowhere to keep it
                kept = kernel._cache = _PatientCache(function)
            _CACHES.append(kept)
        return kernel

    return decorate


def must_compile() -> bool:
    """Return whether nothing of the kernels that are loaded was compiled before, so that it takes a while."""
    return bool(_CACHES) and not any(cache is not None and cache.has_any() for cache in _CACHES)


class _PatientCache(FunctionCache):  # type: ignore[misc]
    """A cache whose failures only cost the time to compile."""

    def has_any(self) -> bool:
        """Return whether something is kept that this version of the source made."""
        try:
            return bool(self._cache_file._load_index())
        except Exception:  # a damaged file: it is compiled anew
            return False

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # whatever a damaged file makes of itself: begin the cache anew
            with suppress(OSError):
                self.flush()
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        with suppress(OSError):
            super().save_overload(sig, data)
