"""The app under load, for a few seconds: it answers, keeps workspaces apart, and refuses politely."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


def load(**options: int) -> dict:
    given = [part for name, value in options.items() for part in (f"--{name}", str(value))]
    command = [sys.executable, "-m", "experiments", "app-load", *given]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def check(found: dict) -> None:
    assert found["alive"] == [200, 200]
    assert found["answers"]["200"] > 0
    assert set(found["answers"]) <= {"200", "404", "303", "400"}
    assert found["about the other workspace"] == []
    assert found["typed"]["answers"] > 0
    assert found["typed"]["missing"] == 0
    assert found["typed"]["several answers to one query"] == {}
    said = found["abuse"]
    assert (said["foreign host"], said["foreign origin"]) == ("421", "403")
    for name, status in (
        ("no length", "411"),
        ("oversize", "413"),
        ("nonsense", "400"),
        ("endless header", "431"),
    ):
        assert status in said[name]
    assert "403" in said["websocket from elsewhere"]
    assert found["held open"]["silent websocket: 101"] > 0
    assert found["held open"]["websocket flood: 101"] > 0
    check_fits(*found["fits"])


def check_fits(one: dict, two: dict) -> None:
    for fits in (one, two):
        assert set(fits["states"]) == {"done"}
        assert fits["in order"]
        assert fits["own queries"]
        assert "" not in fits["bytes"]
    same_queries = [mine == theirs for mine, theirs in zip(one["asked"], two["asked"], strict=True)]
    same_bytes = [mine == theirs for mine, theirs in zip(one["bytes"], two["bytes"], strict=True)]
    assert same_bytes == same_queries
    assert same_queries[0]


@pytest.mark.skipif(sys.platform != "linux", reason="asks Linux for the memory of the servers")
def test_a_few_clients():
    pytest.importorskip("nicegui", reason="needs the extra 'app'")
    check(load(clients=4, typists=2, seconds=3, fits=1))


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="asks Linux for the memory of the servers")
@pytest.mark.skipif("QDTM_DATA" not in os.environ, reason="needs TagMyNews")
def test_twenty_clients_for_ten_minutes():
    found = load(clients=20, typists=5, seconds=600, fits=1, documents=20_000)
    check(found)
    memory = found["memory_mb"]
    for halfway, end in zip(memory["halfway"], memory["end"], strict=True):
        assert end < 1.2 * halfway
    assert found["held open"]["slow header: 408"] > 0
