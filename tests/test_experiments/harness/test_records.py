import json
from dataclasses import dataclass

import pytest

from experiments.harness.records import as_json, check_writable, of_json, write_rows
from qdtm.errors import StorageError


@dataclass(frozen=True)
class Inner:
    name: str
    parts: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True)
class Outer:
    number: float
    first: Inner | None
    more: tuple[Inner, ...] = ()
    interval: tuple[float, float] | None = None


@pytest.mark.parametrize(
    "record",
    [
        Outer(0.1 + 0.2, None),
        Outer(1.0, Inner("a", (("b", "c"), ()))),
        Outer(1.0, Inner("a"), (Inner("b"), Inner("c", (("d",),))), (0.5, 2.0)),
    ],
)
def test_records_come_back_as_they_were(record):
    assert of_json(Outer, json.loads(json.dumps(as_json(record)))) == record


def test_fields_that_have_their_default_are_left_out():
    assert as_json(Outer(1.0, None)) == {"number": 1.0, "first": None}


def test_other_fields_and_missing_ones_are_refused():
    with pytest.raises(KeyError):
        of_json(Inner, {"name": "a", "colour": "red"})
    with pytest.raises(TypeError):
        of_json(Inner, {"parts": []})


def test_rows_are_written_whole_into_a_new_folder(tmp_path):
    write_rows(tmp_path / "new" / "out.json", [Inner("a"), Inner("b")])
    assert json.loads((tmp_path / "new" / "out.json").read_text()) == [{"name": "a"}, {"name": "b"}]


def test_a_file_that_cannot_be_written_is_refused_at_once(tmp_path):
    (tmp_path / "file").write_text("")
    for path in (tmp_path, tmp_path / "file" / "out.json"):
        with pytest.raises(StorageError, match="Choose another file"):
            check_writable(path)
