"""A few broken files for every reader; `python -m tests.fuzz --cases 100000` tries many more."""

import os

import pytest

from . import campaign
from .running import Finding, run_cases, try_case
from .targets import TARGETS, Target

pytestmark = pytest.mark.fuzz

N_CASES = {
    "encoder": 100,
    "model": 60,
    "parts": 100,
    "report": 40,
    "unfinished": 100,
    "xlsx": 100,
}
REMEMBERED: dict[str, dict[int, tuple[int, ...]]] = {
    "model": {0: (7_520, 15_848), 26: (7_479,)},
    "report": {26: (929, 26_312)},
    "parts": {26: (9_735,)},
    "encoder": {26: (586, 1_755, 7_042, 72_059)},
    "checks": {0: (1_815, 2_895, 7_450), 28: (870,)},
    "parquet": {77: (543,)},
    "unfinished": {28: (3_588, 3_684, 6_521)},
}
"""Cases by their seed that were found by a long run and mended; they stay in the short one."""


@pytest.mark.parametrize("name", TARGETS)
def test_a_broken_file_is_read_or_refused_in_one_line(name, tmp_path):
    cases = range(N_CASES.get(name, 300))
    outcomes = list(run_cases(name, tmp_path / "files", cases))
    if not outcomes:
        pytest.skip("needs a package that is not installed")
    assert len(outcomes) == len(cases)
    for seed, remembered in REMEMBERED.get(name, {}).items():
        outcomes += run_cases(name, tmp_path / f"files {seed}", remembered, seed, whole=True)
    assert [outcome for outcome in outcomes if outcome is not None] == []


class Broken(Target):
    """A reader that is not as it should be."""

    def prepare(self, draw):
        self.number = draw.random()

    def read(self):
        raise KeyError(self.number)


def test_what_goes_wrong_is_found_and_can_be_made_again(tmp_path):
    first, second = (try_case("broken", Broken(tmp_path), case) for case in (1, 2))
    assert isinstance(first, Finding)
    assert "KeyError" in first.what
    assert first == try_case("broken", Broken(tmp_path), 1)
    assert first.what != second.what


class Panic(BaseException):
    """As packages of Rust raise them."""


def test_what_is_no_exception_is_found_too(tmp_path, monkeypatch):
    def panic(self):
        raise Panic("no entry found for key")

    monkeypatch.setattr(Broken, "read", panic)
    assert "Panic: no entry" in try_case("broken", Broken(tmp_path), 1).what


def die_of_the_first(name, folder, cases, seed, until, position, pipe):
    """Work as `campaign._work`, and die in the middle of case 0."""
    (folder / "files").mkdir()
    position.value = cases.start
    if cases.start == 0:
        os._exit(1)
    pipe.send(len(cases))


def test_the_cases_after_one_that_killed_its_worker_are_tried(monkeypatch):
    monkeypatch.setattr(campaign, "_work", die_of_the_first)
    assert campaign.fuzz("broken", range(3), 0) == ("broken", 3, 1)
