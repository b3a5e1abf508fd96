"""`qdtm app` before it serves: what it refuses, in one line."""

from __future__ import annotations

import socket
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from qdtm.cli.main import cli


def refused(*options: str) -> str:
    result = CliRunner().invoke(cli, ["app", "--no-browser", *options])
    assert result.exit_code == 2
    return result.stderr.strip()


def test_without_the_extra_it_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "nicegui", None)
    assert refused() == "qdtm: The app needs the extra 'app': pip install 'qdtm[app]'."


def test_others_are_let_in_only_with_a_token(tmp_path: Path) -> None:
    pytest.importorskip("nicegui", reason="needs the extra 'app'")
    message = refused("--host", "0.0.0.0", "--workspace", str(tmp_path))
    assert message.endswith("give a --token that they must know.")


def test_a_port_that_is_taken_is_one_line(tmp_path: Path) -> None:
    pytest.importorskip("nicegui", reason="needs the extra 'app'")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        message = refused("--port", port, "--workspace", str(tmp_path))
    assert f"Cannot serve on 127.0.0.1:{port}" in message
    assert message.endswith("give another --port or --host.")


def test_a_workspace_that_cannot_be_is_one_line(tmp_path: Path) -> None:
    pytest.importorskip("nicegui", reason="needs the extra 'app'")
    (tmp_path / "file").write_text("")
    assert "as a workspace" in refused("--workspace", str(tmp_path / "file" / "inside"))
