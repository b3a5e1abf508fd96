"""Files in one place that several processes share: what is put down is found again, whole or not at all."""

import numpy as np
import pytest

from qdtm.errors import StorageError
from qdtm.storage import atomic
from qdtm.storage.array_store import ArrayStore


@pytest.fixture(params=["folder", "url"])
def store(request, tmp_path):
    if request.param == "folder":
        return ArrayStore(str(tmp_path / "place"))
    pytest.importorskip("fsspec")
    return ArrayStore(f"memory://bucket{tmp_path}")


def test_arrays_values_and_files_come_back(store, tmp_path):
    arrays = {"a": np.arange(5), "b": np.zeros((2, 3), np.float32)}
    store.write("arrays", arrays)
    store.write_json("value", [1, "two"])
    (tmp_path / "file").write_bytes(b"texts")
    store.put("file", tmp_path / "file")
    assert not (tmp_path / "file").exists()
    for name, array in arrays.items():
        np.testing.assert_array_equal(store.read("arrays")[name], array, strict=True)
    assert store.read_json("value") == [1, "two"]
    with store.nearby("file") as path:
        assert path.read_bytes() == b"texts"
    assert (store.exists("file"), store.exists("other")) == (True, False)


def test_what_is_at_a_place_is_replaced_and_nothing_of_the_dead_goes_along(store):
    goal = ArrayStore(f"{store.root}-whole")
    goal.write_json("old", 1)
    store.write_json("value", 7)
    store.write_json(".value.1234.tmp" if store.path("") else "value", 7)
    store.move_to(goal.root)
    assert not goal.exists("old")
    assert not goal.exists(".value.1234.tmp")
    assert goal.read_json("value") == 7


def test_the_old_and_the_new_stay_if_the_disk_refuses(tmp_path, monkeypatch):
    goal, new = ArrayStore(str(tmp_path / "goal")), ArrayStore(str(tmp_path / "new"))
    goal.write_json("old", 1)
    new.write_json("value", 7)

    def refuse(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(atomic, "_put_folder", refuse)
    with pytest.raises(StorageError, match="No space left"):
        new.move_to(goal.root)
    assert (goal.read_json("old"), new.read_json("value")) == (1, 7)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["goal", "new"]


def test_a_place_can_be_moved_whole(store):
    store.write_json("value", 7)
    before, goal = ArrayStore(store.root), f"{store.root}-whole"
    store.move_to(goal)
    assert store.root == goal
    assert ArrayStore(goal).read_json("value") == 7
    assert not before.exists("value")
    store.remove("value")
    store.remove("value")  # once more does no harm
    store.clear()


def test_what_is_not_there_or_damaged_is_told(store):
    store.write_bytes("broken", b"{")
    for read, name in ((store.read, "none"), (store.read, "broken"), (store.read_json, "broken")):
        with pytest.raises(StorageError, match=name):
            read(name)


def test_a_place_that_nobody_knows():
    pytest.importorskip("fsspec")
    with pytest.raises(StorageError, match="strange://a"):
        ArrayStore("strange://a/b")
