"""What a person sees while a command works."""

import io

from rich.console import Console

from qdtm.cli import progress_display
from qdtm.cli.progress_display import FitDisplay, ReadingDisplay
from qdtm.progress import Progress

STEPS = [
    Progress("background", None, 1, 20, 5, None),
    Progress("parents", None, 1, 300, 6, -7.0),
    Progress("parents", None, 80, 300, 8, -6.5),
    Progress("subtopics", "a [red]b", 3, 300, 2, -6.0),
]


def show(display_of, **options):
    console = Console(file=io.StringIO(), markup=False, width=100, **options)
    with display_of(console) as display:
        yield display
    yield console.file.getvalue()


def test_kernels_are_mentioned_only_if_they_are_compiled(monkeypatch):
    monkeypatch.setattr(progress_display, "must_compile", lambda: True)
    steps = show(FitDisplay)
    next(steps)
    assert next(steps).splitlines()[0] == "preparing (the first run compiles its kernels, once)"


def test_a_line_for_each_stage_in_a_file(monkeypatch):
    monkeypatch.setattr(progress_display, "must_compile", lambda: False)
    steps = show(FitDisplay)
    display = next(steps)
    for step in STEPS:
        display(step)
    assert next(steps).splitlines() == [
        "preparing",
        "background: 1 sweep, 5 topics",
        "parent topics: 80 sweeps, 8 topics",
        "subtopics of 'a [red]b': 3 sweeps, 2 topics",
    ]


def test_chains_side_by_side_have_a_line_for_each_stage_of_theirs():
    steps = show(FitDisplay)
    display = next(steps)
    for sweep in (1, 2):
        for chain in (0, 1):
            display(Progress("parents", None, sweep, 300, 6, -7.0, chain=chain, n_chains=2))
    assert next(steps).splitlines()[1:] == [
        "run 1 of 2, parent topics: 2 sweeps, 6 topics",
        "run 2 of 2, parent topics: 2 sweeps, 6 topics",
    ]


def test_queries_side_by_side_have_one_line_each_when_they_are_done():
    steps = show(FitDisplay)
    display = next(steps)
    display(Progress("parents", None, 80, 300, 8, -6.5))
    for sweep in (1, 2, 3):
        for query in ("fire", "rain"):
            display(Progress("subtopics", query, sweep, 300, 2, -6.0))
    assert next(steps).splitlines()[1:] == [
        "parent topics: 80 sweeps, 8 topics",
        "subtopics of 'fire': 3 sweeps, 2 topics",
        "subtopics of 'rain': 3 sweeps, 2 topics",
    ]


def test_a_live_line_on_a_terminal_that_goes_away():
    steps = show(FitDisplay, force_terminal=True)
    display = next(steps)
    for step in STEPS:
        display(step)
        display._bar.refresh()
    written = next(steps)
    assert "sweep 80 of at most 300, 8 topics" in written
    assert "subtopics of 'a [red]b'" in written
    assert "80 sweeps" not in written


def test_quiet_prints_nothing():
    steps = show(FitDisplay, quiet=True)
    display = next(steps)
    for step in STEPS:
        display(step)
    assert next(steps) == ""


def test_reading():
    steps = show(lambda console: ReadingDisplay(console, "news.csv"), force_terminal=True)
    display = next(steps)
    display(2_000, 0.5)
    display._bar.refresh()
    written = next(steps)
    assert "reading news.csv" in written
    assert "2,000 documents" in written
