"""Real texts in files of three kinds, and the same in one corpus: what the files must add up to."""

import csv
import json
from importlib.util import find_spec

import numpy as np
import pytest
from tests.cluster.conftest import cluster  # noqa: F401 - a fixture

from qdtm.corpus import Corpus, load_demo_corpus

CUTS = (0, 70, 71, 180, 260)  # a file with a single document among them


def write_csv(path, rows):
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["name", "text", "year"])
        writer.writerows(rows)


def write_jsonl(path, rows):
    lines = [json.dumps({"name": name, "text": text, "year": year}) for name, text, year in rows]
    path.write_text("\n".join(lines), "utf-8")


def write_parquet(path, rows):
    import pyarrow
    from pyarrow import parquet

    names = ("name", "text", "year")
    columns = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
    parquet.write_table(pyarrow.table(columns), path)


WRITERS = {"csv": write_csv, "jsonl": write_jsonl, "parquet": write_parquet}


@pytest.fixture(scope="session")
def texts():
    found = [document.text for document in load_demo_corpus().documents]
    return [*found[:100], "", *found[100:]]  # an empty document keeps its row


@pytest.fixture(scope="session")
def folder(tmp_path_factory, texts):
    """Five files, whose names are in the order of the texts."""
    folder = tmp_path_factory.mktemp("corpus")
    ends = [*CUTS[1:], len(texts)]
    kinds = ["csv", "jsonl", "parquet" if find_spec("pyarrow") else "csv", "csv", "jsonl"]
    for number, (start, end, kind) in enumerate(zip(CUTS, ends, kinds, strict=True)):
        rows = [[f"doc {j}", texts[j], 2000 + j % 3] for j in range(start, end)]
        WRITERS[kind](folder / f"part-{number}.{kind}", rows)
    return folder


@pytest.fixture(scope="session")
def files(folder):
    return Corpus.read(str(folder / "part-*"), text_column="text", id_column="name")


@pytest.fixture(scope="session")
def whole(texts):
    """The same documents on one machine."""
    return Corpus.from_texts(texts)


def assert_same(ours, theirs):
    np.testing.assert_array_equal(ours, theirs, strict=True)
