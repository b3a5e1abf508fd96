"""Folders are whole or absent, and their manifests are not believed."""

import json
import os
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest

from qdtm.errors import StorageError
from qdtm.storage.folders import (
    MANIFEST,
    ArraySpec,
    check_free,
    load_arrays,
    load_json,
    read_manifest,
    save_arrays,
    save_json,
    seal,
    write_directory_atomically,
    write_manifest,
)


def save(path: Path, text: str = "hello", *, force: bool = False) -> None:
    with write_directory_atomically(path, force=force) as folder:
        (folder / "note.txt").write_text(text)
        (folder / "inner").mkdir()
        (folder / "inner" / "deep.txt").write_text("deep")
        write_manifest(folder, kind="note", version=2, content={"n": 1})


def read(path: Path):
    return read_manifest(path, kind="note", max_version=2)


def everything(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_folder_comes_back(tmp_path):
    save(tmp_path / "some" / "where")
    manifest = read(tmp_path / "some" / "where")
    assert (manifest.kind, manifest.version, manifest.content) == ("note", 2, {"n": 1})
    assert manifest.files == ("inner/deep.txt", "note.txt")
    assert everything(tmp_path / "some") == {"where"}


def test_folder_can_be_read_by_others(tmp_path):
    (tmp_path / "usual").mkdir()
    save(tmp_path / "saved")
    assert (tmp_path / "saved").stat().st_mode == (tmp_path / "usual").stat().st_mode


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
def test_nothing_is_left_after_an_error(tmp_path, error):
    save(tmp_path / "saved", "old")

    def interrupted(path: Path) -> None:
        with write_directory_atomically(path, force=True) as folder:
            (folder / "half.txt").write_text("half")
            raise error

    for name in ("saved", "new"):
        with pytest.raises(error):
            interrupted(tmp_path / name)
    assert everything(tmp_path) == {"saved"}
    assert (tmp_path / "saved" / "note.txt").read_text() == "old"
    read(tmp_path / "saved")


def test_replaced_with_force_only(tmp_path):
    save(tmp_path / "saved", "old")
    with pytest.raises(StorageError, match="already holds a saved result"):
        save(tmp_path / "saved", "new")
    save(tmp_path / "saved", "new", force=True)
    assert (tmp_path / "saved" / "note.txt").read_text() == "new"
    assert everything(tmp_path) == {"saved"}


def test_empty_folder_is_free(tmp_path):
    (tmp_path / "empty").mkdir()
    save(tmp_path / "empty")
    read(tmp_path / "empty")


@pytest.mark.parametrize("force", [False, True])
def test_other_things_are_never_replaced(tmp_path, force):
    (tmp_path / "file").write_text("x")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thesis.doc").write_text("x")
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    for name, reason in (("file", "is a file"), ("full", "holds other files"), ("link", "is a link")):
        with pytest.raises(StorageError, match=reason):
            save(tmp_path / name, force=force)
        with pytest.raises(StorageError, match=reason):
            check_free(tmp_path / name, force=force)
    assert everything(tmp_path) == {"file", "full", "link"}


def test_a_users_file_inside_a_result_is_not_lost(tmp_path):
    save(tmp_path / "saved")
    (tmp_path / "saved" / ".DS_Store").write_text("of no value")
    check_free(tmp_path / "saved", force=True)
    (tmp_path / "saved" / "my notes.md").write_text("of value")
    with pytest.raises(StorageError, match=r"not part of the saved result \('my notes\.md'\)"):
        save(tmp_path / "saved", force=True)


def test_folder_that_was_taken_meanwhile(tmp_path):
    def late() -> None:
        with write_directory_atomically(tmp_path / "x") as folder:
            (folder / "a").write_text("a")
            (tmp_path / "x").mkdir()
            (tmp_path / "x" / "theirs").write_text("b")

    with pytest.raises(StorageError, match="holds other files"):
        late()
    assert everything(tmp_path) == {"x"}
    assert everything(tmp_path / "x") == {"theirs"}


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0, reason="the superuser may write everywhere"
)
def test_folder_without_permission(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(StorageError, match="Permission denied"):
        save(tmp_path / "saved")


@pytest.mark.parametrize("method", ["is_symlink", "exists", "is_dir", "iterdir"])
def test_folder_that_may_not_be_looked_at(tmp_path, monkeypatch, method):
    save(tmp_path / "saved")

    def refuse(self, *args, **kwargs):
        raise PermissionError(13, "Permission denied", str(self))

    monkeypatch.setattr(Path, method, refuse)
    with pytest.raises(StorageError, match="Permission denied"):
        check_free(tmp_path / "saved", force=True)
    if method == "is_dir":
        with pytest.raises(StorageError, match="Permission denied"):
            read(tmp_path / "saved")


def test_parent_that_is_a_file(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(StorageError, match="Cannot write"):
        save(tmp_path / "file" / "saved")


# --- reading ---------------------------------------------------------------------------------------------


def test_no_such_folder(tmp_path):
    with pytest.raises(StorageError, match="There is no folder"):
        read(tmp_path / "missing")
    with pytest.raises(StorageError, match=r"is not a saved note: it has no qdtm\.json"):
        read(tmp_path)


def test_other_kind_and_newer_version(tmp_path):
    save(tmp_path / "saved")
    with pytest.raises(StorageError, match="holds a saved note, not a model"):
        read_manifest(tmp_path / "saved", kind="model", max_version=2)
    with pytest.raises(StorageError, match="newer qdtm"):
        read_manifest(tmp_path / "saved", kind="note", max_version=1)


@pytest.mark.parametrize("name", ["note.txt", "inner/deep.txt"])
def test_damage_is_noticed(tmp_path, name):
    save(tmp_path / "saved")
    (tmp_path / "saved" / name).write_text("other")
    with pytest.raises(StorageError, match=f"damaged: '{name}' is not as it was saved"):
        read(tmp_path / "saved")


@pytest.mark.parametrize("text", ["", "{", "[]", "null", "[" * 100_000, '{"format": "qdtm"}'])
def test_manifests_that_are_not_as_they_were_saved(tmp_path, text):
    save(tmp_path / "saved")
    (tmp_path / "saved" / MANIFEST).write_text(text)
    with pytest.raises(StorageError, match="not as it was saved") as caught:
        read(tmp_path / "saved")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "changes",
    [
        {"format": "other"},
        {"version": "2"},
        {"version": True},
        {"version": 0},
        {"content": 3},
        {"files": []},
        {"files": {"a": 1}},
        {"files": None},
    ],
)
def test_manifests_that_make_no_sense(tmp_path, changes):
    save(tmp_path / "saved")
    manifest = load_json(tmp_path / "saved" / MANIFEST)
    (tmp_path / "saved" / MANIFEST).write_bytes(seal(manifest | changes))
    with pytest.raises(StorageError, match="makes no sense") as caught:
        read(tmp_path / "saved")
    assert "\n" not in str(caught.value)


def test_sealed_nonsense_is_not_followed_down(tmp_path):
    save(tmp_path / "saved")
    start = seal({"format": "qdtm"})[: -len(seal({}))]
    body = start + b"[" * 100_000 + b',\n "sha256": "'
    (tmp_path / "saved" / MANIFEST).write_bytes(body + sha256(body).hexdigest().encode() + b'"\n}\n')
    with pytest.raises(StorageError, match="not valid JSON"):
        read(tmp_path / "saved")


def test_every_flipped_byte_is_noticed(tmp_path):
    save(tmp_path / "saved")
    for path in sorted(tmp_path.rglob("*.*")):
        whole = path.read_bytes()
        for at in range(len(whole)):
            path.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
            with pytest.raises(StorageError, match="is damaged") as caught:
                read(tmp_path / "saved")
            assert "\n" not in str(caught.value)
        path.write_bytes(whole)
    read(tmp_path / "saved")


@pytest.mark.parametrize("name", ["../secret", "/etc/passwd", "a/../../b", "C:\\x", "..\\x", ""])
def test_manifests_do_not_lead_outside(tmp_path, name):
    save(tmp_path / "saved")
    manifest = json.loads((tmp_path / "saved" / MANIFEST).read_text())
    manifest["files"][name] = {"bytes": 1, "sha256": "0"}
    (tmp_path / "saved" / MANIFEST).write_bytes(seal(manifest))
    with pytest.raises(StorageError, match="makes no sense"):
        read(tmp_path / "saved")


def test_manifests_with_names_that_no_disk_has(tmp_path):
    save(tmp_path / "saved")
    manifest = load_json(tmp_path / "saved" / MANIFEST)
    manifest["files"]["9" * 5_000] = {"bytes": 1, "sha256": "0"}
    (tmp_path / "saved" / MANIFEST).write_bytes(seal(manifest))
    with pytest.raises(StorageError, match="Cannot read"):
        read(tmp_path / "saved")


def test_json_of_bounded_size(tmp_path, monkeypatch):
    save_json(tmp_path / "a.json", {"ü": [1.5]})
    assert load_json(tmp_path / "a.json") == {"ü": [1.5]}
    monkeypatch.setattr("qdtm.storage.folders.MAX_JSON_BYTES", 3)
    with pytest.raises(StorageError, match="larger than"):
        load_json(tmp_path / "a.json")
    with pytest.raises(StorageError, match="Cannot read"):
        load_json(tmp_path / "missing.json")


def test_arrays_can_be_read_by_others(tmp_path):
    (tmp_path / "usual").touch()
    save_arrays(tmp_path / "a.safetensors", {"a": np.zeros(3)})
    assert (tmp_path / "a.safetensors").stat().st_mode == (tmp_path / "usual").stat().st_mode


def test_arrays_that_the_disk_refuses(tmp_path, monkeypatch):
    from safetensors import SafetensorError

    def refuse(arrays, path, metadata=None):
        raise SafetensorError("Error while serializing: I/O error: No space left on device (os error 28)")

    monkeypatch.setattr("safetensors.numpy.save_file", refuse)
    with pytest.raises(StorageError, match=r"^Cannot write 'a.safetensors': No space left on device\.$"):
        save_arrays(tmp_path / "a.safetensors", {"a": np.zeros(3)})


def test_arrays_come_back(tmp_path):
    arrays = {"a": np.arange(6, dtype=np.float32).reshape(2, 3), "b": np.arange(3)[::-1]}
    save_arrays(tmp_path / "x.safetensors", arrays)
    specs = {"a": ArraySpec("float32", 2), "b": ArraySpec("int64", 1)}
    loaded = load_arrays(tmp_path / "x.safetensors", specs)
    for name, array in arrays.items():
        np.testing.assert_array_equal(loaded[name], array)
    for wrong in (
        {"a": specs["a"]},
        {**specs, "c": ArraySpec("int64", 1)},
        {**specs, "a": ArraySpec("float64", 2)},
        {**specs, "a": ArraySpec("float32", 1)},
    ):
        with pytest.raises(StorageError, match="damaged"):
            load_arrays(tmp_path / "x.safetensors", wrong)
    with pytest.raises(StorageError, match="Cannot read"):
        load_arrays(tmp_path / "missing.safetensors", specs)


def test_what_is_no_file_is_not_waited_for(tmp_path):
    (tmp_path / "other.json").symlink_to(os.devnull)
    with pytest.raises(StorageError, match="is not a file"):
        load_json(tmp_path / "other.json")
