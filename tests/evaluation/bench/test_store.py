import dataclasses
import json

import pytest

from qdtm.evaluation.bench import Cell, CellResult, CellStore, Figure, TopicWords
from qdtm.evaluation.bench.store import cell_key, code_digest

from .fakes import FakeSystem

CELL = Cell("table1", "20news", "fake", 3)
RESULT = CellResult(
    CELL, (Figure("accuracy", 0.1 + 0.2),), (TopicWords("fire", ("a", "b"), (("c",), ("d",))),), 1.5
)


@pytest.fixture
def system(tmp_path):
    return FakeSystem("fake", tmp_path / "notes")


def test_a_result_comes_back_as_it_was(system, tmp_path):
    store = CellStore(tmp_path)
    assert store.find(CELL, system, "corpus") is None
    store.keep(RESULT, system, "corpus")
    assert store.find(CELL, system, "corpus") == RESULT


def test_by_default_it_lies_in_the_cache(cache_folder):
    assert CellStore().folder == cache_folder / "bench"


@pytest.mark.parametrize("damage", ["", "{", "[]", "{}", '{"cell": {"table": "table1"}}'])
def test_a_damaged_file_is_as_good_as_none(system, tmp_path, damage):
    store = CellStore(tmp_path)
    store.keep(RESULT, system, "corpus")
    [file] = tmp_path.glob("*.json")
    file.write_text(damage)
    assert store.find(CELL, system, "corpus") is None


def test_a_result_of_another_cell_is_not_taken(system, tmp_path):
    store = CellStore(tmp_path)
    store.keep(RESULT, system, "corpus")
    [file] = tmp_path.glob("*.json")
    other = json.loads(file.read_text())
    other["cell"]["seed"] = 4
    file.write_text(json.dumps(other))
    assert store.find(CELL, system, "corpus") is None


def test_whatever_decides_about_a_result_changes_its_key(monkeypatch):
    keys = {cell_key(CELL, {"u": 0.3}, "corpus")}
    for field, value in (("table", "table3"), ("dataset", "x"), ("model", "x"), ("seed", 4)):
        keys.add(cell_key(dataclasses.replace(CELL, **{field: value}), {"u": 0.3}, "corpus"))
    keys |= {cell_key(CELL, {"u": 0.0}, "corpus"), cell_key(CELL, {"u": 0.3}, "another")}
    monkeypatch.setattr("qdtm.evaluation.bench.store.code_digest", lambda: "other code")
    keys.add(cell_key(CELL, {"u": 0.3}, "corpus"))
    assert len(keys) == 8


def test_the_code_digest_follows_the_model_and_not_the_command_line(tmp_path, monkeypatch):
    def digest():
        code_digest.cache_clear()
        return code_digest()

    for inside in ("cli/main.py", "model.py"):
        (tmp_path / inside).parent.mkdir(exist_ok=True)
        (tmp_path / inside).write_text("one")
    monkeypatch.setattr("qdtm.__file__", str(tmp_path / "__init__.py"))
    first = digest()
    (tmp_path / "cli/main.py").write_text("two")
    second = digest()
    (tmp_path / "model.py").write_text("two")
    third = digest()
    code_digest.cache_clear()
    assert first == second != third
