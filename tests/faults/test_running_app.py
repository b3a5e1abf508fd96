"""What a running app works with is removed under it: every page is still answered, with a line, below 500."""

import re
import shutil

import pytest

from app.driving import RunningApp, wait_for
from app.hostile_requests import HostileRequest, _with_a_result, problem, routes, send

pytest.importorskip("nicegui", reason="needs the extra 'app'")
pytestmark = pytest.mark.faults


@pytest.fixture(scope="module")
def app(tmp_path_factory):
    running = RunningApp(tmp_path_factory.mktemp("app") / "workspace")
    yield running
    running.stop()


def problems(app, job):
    """Ask for every page about a corpus, a result or a topic; return what is wrong with the answers."""
    found = {}
    values = {"job": job, "id": job, "corpus": "demo", "topic": "0", "row": "0", "document": "0", "q": "0"}
    for path in routes():
        target = re.sub(r"{(\w+)[^}]*}", lambda name: values.get(name[1], job), path)
        for each in {target, target.replace(job, "demo")}:
            request = f"GET {each} HTTP/1.1\r\nHost: {app.address[7:]}\r\nConnection: close\r\n\r\n"
            asked = HostileRequest(request.encode(), is_whole=True)
            if wrong := problem(asked, send(app.address, asked)):
                found[each] = wrong
    return found


def test_what_is_removed_under_a_running_app(app):
    wait_for((app.workspace / "corpora" / "demo" / "about.json").exists)
    job = _with_a_result(app)[1]
    before = problems(app, job)
    shutil.rmtree(app.workspace / "corpora" / "demo" / "corpus")
    without_index = problems(app, job)
    shutil.rmtree(app.workspace / "jobs" / job / "result")
    without_result = problems(app, job)
    shutil.rmtree(app.workspace)
    without_workspace = problems(app, job)
    assert (before, without_index, without_result, without_workspace) == ({}, {}, {}, {})
    assert "Traceback" not in app.errors()
