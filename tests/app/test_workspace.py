from __future__ import annotations

from pathlib import Path

import pytest

from qdtm.app.workspace import NotFoundError, Workspace, read_json, write_json
from qdtm.errors import StorageError


def test_a_workspace_is_made_with_its_parents(tmp_path: Path) -> None:
    workspace = Workspace.open(tmp_path / "a" / "b")
    assert workspace.ids("corpora") == workspace.ids("jobs") == []


def test_new_places_have_names_of_our_own_and_are_listed_newest_first(tmp_path: Path) -> None:
    workspace = Workspace.open(tmp_path)
    made = [workspace.new("jobs") for _ in range(5)]
    assert len(set(made)) == 5
    assert workspace.ids("jobs") == sorted(made, reverse=True)
    assert all(workspace.folder("jobs", id).parent == tmp_path / "jobs" for id in made)


@pytest.mark.parametrize(
    "id", ["..", "../corpora/demo", "/etc", "", "a", "demo/..", "demo\0", "20260101-000000-ABCDEF12"]
)
def test_an_id_that_is_none_of_ours_leads_nowhere(tmp_path: Path, id: str) -> None:
    with pytest.raises(NotFoundError, match="no such corpus"):
        Workspace.open(tmp_path).folder("corpora", id)


def test_what_is_removed_is_gone(tmp_path: Path) -> None:
    workspace = Workspace.open(tmp_path)
    id = workspace.new("corpora")
    (workspace.folder("corpora", id) / "file").write_text("x")
    workspace.remove("corpora", id)
    assert not list((tmp_path / "corpora").iterdir())
    with pytest.raises(NotFoundError, match="removed"):
        workspace.existing("corpora", id)


def test_json_is_replaced_whole_and_nothing_is_left_beside_it(tmp_path: Path) -> None:
    write_json(tmp_path / "a.json", {"n": 1})
    write_json(tmp_path / "a.json", {"n": 2})
    assert read_json(tmp_path / "a.json") == {"n": 2}
    assert [path.name for path in tmp_path.iterdir()] == ["a.json"]


@pytest.mark.parametrize("text", ["", "{", "[1]", "null", "[" * 100_000])
def test_json_that_is_none_of_ours_is_none(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.json").write_text(text)
    assert read_json(tmp_path / "a.json") is None
    assert read_json(tmp_path / "missing.json") is None


def test_a_workspace_that_cannot_be_made_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageError, match=r"Cannot use .* as a workspace"):
        Workspace.open(tmp_path / "file")
