"""Cases in, what they found out: each is tried with a limit of time and of memory.

A case is right if the reader ends well, or raises a `QdtmError` of one line. Everything else is a finding:
another exception, a message of two lines, more than five seconds of the processor, more than a gigabyte of
memory, a dead process.
"""

from __future__ import annotations

import resource
import signal
import traceback
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from multiprocessing.sharedctypes import Synchronized
from pathlib import Path
from random import Random
from types import FrameType
from typing import NoReturn

from qdtm.errors import QdtmError

from .targets import Target, make_target

MAX_SECONDS = 5
MAX_BYTES = 2**30
"""Of memory above what the program has when it begins."""


@dataclass(frozen=True)
class Finding:
    """A case that went wrong.

    Attributes
    ----------
    target : str
    case : int
        Its number; the same number makes the same file again.
    what : str
        The exception, its place, or what happened otherwise.
    """

    target: str
    case: int
    what: str


class TooLongError(BaseException):
    """A case took too long; not an `Exception`, so that no reader takes it for an error of a file."""


def try_case(name: str, target: Target, case: int, seed: int = 0, *, whole: bool = False) -> Finding | None:
    """Make a file, read it, and return what went wrong; `whole` goes on with what was read."""
    target.prepare(Random(f"{name}:{seed}:{case}"))
    target.is_whole |= whole
    signal.setitimer(signal.ITIMER_PROF, MAX_SECONDS)
    try:
        target.read()
    except QdtmError as error:
        lines = str(error).splitlines()
        return Finding(name, case, f"a message of {len(lines)} lines: {lines}") if len(lines) != 1 else None
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # a panic of Rust is no `Exception` either
        frame = traceback.extract_tb(error.__traceback__)[-1]
        ours = [f for f in traceback.extract_tb(error.__traceback__) if "/qdtm/" in f.filename]
        at = f"{Path(ours[-1].filename).name}:{ours[-1].lineno}, " if ours else ""
        return Finding(
            name,
            case,
            f"{type(error).__name__}: {str(error)[:200]} ({at}{Path(frame.filename).name}:{frame.lineno})",
        )
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    return None


def run_cases(
    name: str,
    home: Path,
    cases: Iterable[int],
    seed: int = 0,
    *,
    whole: bool = False,
    position: Synchronized[int] | None = None,
) -> Iterator[Finding | None]:
    """Try cases in this process, and yield what each found.

    Parameters
    ----------
    name : str
        Of the target.
    home : Path
        A folder for its files.
    cases : iterable of int
    seed : int
    whole : bool
        Whether all cases go on with what was read, and not only some.
    position : number in shared memory, optional
        Set before each case, so that a process that dies is known to have died of it.
    """
    target = make_target(name, home)
    if target is None:
        return
    signal.signal(signal.SIGPROF, _too_long)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("error", RuntimeWarning)
        for case in cases:
            if position is not None:
                position.value = case
            yield try_case(name, target, case, seed, whole=whole)


def limit_memory() -> None:
    """Let this process have `MAX_BYTES` more than it has."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    limit = pages * resource.getpagesize() + MAX_BYTES
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def _too_long(signum: int, frame: FrameType | None) -> NoReturn:
    raise TooLongError(f"longer than {MAX_SECONDS} s")
