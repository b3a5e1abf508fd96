"""The benchmark says what it lacks, and its race gives a number for each contestant."""

import os
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "sampler.py"


def run(*arguments, **environment):
    env = {name: value for name, value in os.environ.items() if name != "QDTM_DATA"} | environment
    return subprocess.run(
        [sys.executable, SCRIPT, *arguments], env=env, capture_output=True, text=True, check=False
    )


def test_without_data_it_says_so_in_a_line():
    done = run()
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("sampler.py: 'authors/")
    assert "QDTM_DATA" in done.stderr
    assert done.stderr.count("\n") == 1


class TestRace:
    """Contestants that only count their sweeps."""

    @pytest.fixture
    def script(self):
        return runpy.run_path(str(SCRIPT))

    def test_all_run_the_same_sweeps_in_turn(self, script):
        done = []
        contestants = [
            script["Contestant"](name, lambda n, name=name: done.append((name, n)), lambda: 17)
            for name in ("ours", script["TOMOTOPY"])
        ]
        timings = script["race"](contestants, n_tokens=10, warm_up=4, sweeps=3, repeats=2)
        theirs = script["TOMOTOPY"]
        assert done == [("ours", 4), (theirs, 4), *[("ours", 3), (theirs, 3)] * 2]
        assert [timing.name for timing in timings] == ["ours", theirs]
        assert timings[1].times_as_fast_as_tomotopy == 1.0
        assert all(0 < timing.best_ns <= timing.median_ns for timing in timings)

    def test_without_tomotopy_it_says_so(self, script, monkeypatch):
        monkeypatch.setitem(sys.modules, "tomotopy", None)
        with pytest.raises(ImportError, match=r"^tomotopy is not installed: pip install 'qdtm\[bench\]'\.$"):
            script["theirs"]("tomotopy", None, 17)
