import dataclasses
import json

import pytest

from experiments.bench.topic_words import TOPICS, TopicWords, WordResult
from experiments.harness.cells import Cell
from experiments.harness.store import CellStore, code_digest, imported

CELL = Cell("topics", "20news", "fake", 3)


@dataclasses.dataclass
class Model:
    settings: dict


MODEL = Model({})
RESULT = WordResult(CELL, (TopicWords("fire", ("a", "b"), (("c",), ("d",))),), 0.1 + 0.2)


@pytest.fixture
def store(tmp_path):
    return CellStore(TOPICS, tmp_path)


def test_a_result_comes_back_as_it_was(store):
    assert store.find(CELL, MODEL, "corpus") is None
    store.keep(RESULT, MODEL, "corpus")
    assert store.find(CELL, MODEL, "corpus") == RESULT


def test_by_default_it_lies_in_the_cache(cache_folder):
    assert CellStore(TOPICS).folder == cache_folder / "bench"


@pytest.mark.parametrize("damage", ["", "{", "[]", "{}", '{"cell": {"bench": "topics"}}', '{"cell": 3}'])
def test_a_damaged_file_is_as_good_as_none(store, damage):
    store.keep(RESULT, MODEL, "corpus")
    [file] = store.folder.glob("*.json")
    file.write_text(damage)
    assert store.find(CELL, MODEL, "corpus") is None


def test_a_result_of_another_cell_is_not_taken(store):
    store.keep(RESULT, MODEL, "corpus")
    [file] = store.folder.glob("*.json")
    other = json.loads(file.read_text())
    other["cell"]["seed"] = 4
    file.write_text(json.dumps(other))
    assert store.find(CELL, MODEL, "corpus") is None


def test_whatever_decides_about_a_result_changes_its_file(store):
    def file(cell=CELL, settings=None, corpus="corpus"):
        return store._path(cell, Model(settings or {"u": 0.3}), corpus)

    files = {file(), file(settings={"u": 0.0}), file(corpus="another")}
    changes = {"bench": "table3", "dataset": "x", "model": "x", "seed": 4, "query": 2, "text": "x",
               "level": 0.1, "kind": "x", "subtopics": True}  # fmt: skip
    files |= {file(dataclasses.replace(CELL, **{name: value})) for name, value in changes.items()}
    store.module = "experiments.bench.alone"
    files.add(file())
    assert len(files) == 4 + len(changes)


@pytest.fixture
def package(tmp_path, monkeypatch):
    """In place of ours: `bench` imports `model`, and that `kernel` when it is asked; `shown` is apart."""
    home = tmp_path / "madeup"
    home.mkdir()
    for name, text in {
        "__init__": "",
        "bench": "from madeup.model import fit\nROW = 'madeup.row:make'\n",
        "model": 'def fit():\n    """Fit."""\n    from madeup import kernel\n    return kernel\n',
        "kernel": "K = 1\n",
        "row": "R = 1\n",
        "shown": "from madeup import bench\n",
    }.items():
        (home / f"{name}.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr("experiments.harness.store._OWN", ("madeup",))
    return home


def digest():
    code_digest.cache_clear()
    return code_digest("madeup.bench")


@pytest.mark.parametrize("module", ["bench", "model", "kernel", "row", "__init__"])
def test_the_code_digest_follows_all_that_a_bench_imports(package, module):
    before = digest()
    with (package / f"{module}.py").open("a") as file:
        file.write("MORE = 2\n")
    assert digest() != before


def test_the_code_digest_follows_neither_words_about_code_nor_other_modules(package):
    before = digest()
    model = package / "model.py"
    model.write_text("# why\n" + model.read_text().replace("Fit.", "Fit the model, at last."))
    (package / "shown.py").write_text("OTHER = 1\n")
    assert digest() == before


def test_the_digest_has_the_model_and_not_what_reads_keeps_and_shows():
    found = imported("experiments.bench.paper_tables", "experiments.systems.query_driven")
    assert {"qdtm.model", "qdtm.sampler.kernels", "qdtm.evidence.evidence", "qdtm.corpus.text"} <= set(found)
    rooms = {name.rpartition(".")[0] for name in found} | set(found)
    assert not rooms & {"qdtm.app", "qdtm.cli", "qdtm.present", "qdtm.corpus.readers", "qdtm.storage"}


def test_the_digest_of_a_row_has_no_other_rows():
    found = imported("experiments.bench.paper_tables", "experiments.systems.baselines")
    assert "experiments.baselines.gibbs" in found
    assert not {"qdtm.model", "qdtm.evidence.evidence", "experiments.systems.peers"} & set(found)
