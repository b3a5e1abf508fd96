"""How long each step of `python -m experiments all` took: a small file beside the figures."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from experiments.harness.records import read_rows, write_rows

FILE = "durations.json"


@dataclass(frozen=True)
class Duration:
    """How long a step took on the machine that ran it last; less than from nothing if cells were kept.

    Attributes
    ----------
    step : str
    minutes : float
        By the clock, whatever else the machine did.
    cpu_minutes : float or None
        Of all processes of the step, where that can be told.
    """

    step: str
    minutes: float
    cpu_minutes: float | None = None


def read_durations(folder: Path) -> list[Duration]:
    """Return what is known of the steps of a folder."""
    path = folder / FILE
    return read_rows(path, lambda _: Duration) if path.is_file() else []


def keep_duration(folder: Path, took: Duration) -> None:
    """Write down how long a step took, in place of what it took before."""
    others = [each for each in read_durations(folder) if each.step != took.step]
    write_rows(folder / FILE, [*others, took])
