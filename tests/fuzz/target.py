"""What is fuzzed: how a broken file is made from a valid one, and how it is read.

`prepare` writes the case with a number into a folder; `read` must then end well or raise a `QdtmError`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from pathlib import Path
from random import Random

WHOLE = 0.02
"""The share of cases that go on: from records to a corpus, from answers to an estimate. They cost most."""


class Target(ABC):
    """A reader and the files that it is given.

    Parameters
    ----------
    home : Path
        A folder for the valid files and for the case that is being tried.
    """

    def __init__(self, home: Path) -> None:
        self.home = home
        self.case = home / "case"
        self.is_whole = False

    @abstractmethod
    def prepare(self, draw: Random) -> None:
        """Write a broken file."""

    @abstractmethod
    def read(self) -> None:
        """Read it."""
