"""No command, and not the app, reaches another machine: every process runs under a watch of its sockets."""

import os
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from app.driving import RunningApp

pytestmark = pytest.mark.faults

TESTS = Path(__file__).parents[1]


@pytest.fixture
def watched(tmp_path, monkeypatch):
    """Put every new process under watch; return the file that attempts are written down in."""
    path = [TESTS / "faults" / "no_network", TESTS.parent / "src", os.environ.get("PYTHONPATH", "")]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(map(str, path)))
    monkeypatch.setenv("QDTM_TEST_ATTEMPTS", str(tmp_path / "attempts"))
    return tmp_path / "attempts"


@pytest.mark.parametrize(
    "code",
    [
        "import socket; socket.create_connection(('192.0.2.1', 80))",
        "import socket; socket.getaddrinfo('example.org', 80)",
        "import socket; socket.socket(type=socket.SOCK_DGRAM).sendto(b'', ('192.0.2.1', 9))",
        "import urllib.request; urllib.request.urlopen('http://example.org')",
    ],
)
def test_the_watch_sees_who_tries(watched, code):
    assert subprocess.run([sys.executable, "-c", code]).returncode == 97
    assert watched.read_text().startswith("socket.")


def test_index_fit_export_and_report_stay_at_home(watched):
    done = subprocess.run(
        [sys.executable, "-m", "faults.one_result"], cwd=TESTS, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert not watched.exists()


def test_the_app_stays_at_home(watched, tmp_path):
    pytest.importorskip("nicegui", reason="needs the extra 'app'")
    app = RunningApp(tmp_path / "workspace")
    try:
        with urllib.request.urlopen(app.address, timeout=60) as answer:
            assert answer.status == 200
    finally:
        app.stop()
    assert not watched.exists()
