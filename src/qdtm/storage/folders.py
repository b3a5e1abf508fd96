"""Saved folders that are whole or absent: what every `save` and `load` of the package stands on.

In: arrays, JSON content and a folder name. Out: a folder with a manifest (`qdtm.json`) that names the kind of
thing saved, its schema version, and the size and sha256 of every file. Nothing is pickled. A folder is
written under a temporary name and gets its place at the end (`qdtm.storage.atomic`), so a crash leaves
nothing half-written; on loading, the manifest is checked against its own checksum, and every file against the
manifest, before anything is used.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from qdtm.errors import StorageError
from qdtm.storage.atomic import placed_folder, put_back, reserve, write_errors
from qdtm.storage.locks import LivenessLock

MANIFEST = "qdtm.json"
FORMAT = "qdtm"

REMADE = ("report.html", "topics.csv", "documents.csv")
"""Files for people beside a saved result, made from it, again when it is shown otherwise or corrected by a
hand-check: not in its manifest, and replaced with it."""

CHECK = "check.json"
"""A person's answers beside a saved result: they grow after it was saved, so its manifest does not have them.
Nobody can make them again, so they are replaced only by who brings them along."""

JOURNAL = "journal.jsonl"
"""What people did to a saved result, act by act, as `CHECK` beside it (`qdtm.results.journal`)."""

CHECK_LOCK, JOURNAL_LOCK = ".check.lock", f".{JOURNAL}.lock"
"""Held by whoever adds to them, and by who replaces the whole folder."""

_LOCKS = (CHECK_LOCK, JOURNAL_LOCK)
OPENED = "split"
"""The act that says a subtopic was opened: `qdtm drill` does it again, so nothing is lost with it."""

_BY_PEOPLE = {CHECK: "answers of a hand-check", JOURNAL: "what people did to it"}

MAX_JSON_BYTES = 256 * 2**20
"""No JSON file of ours comes near this; a larger one is not read into memory."""

_READ_BYTES = 2**20
_MOST_READINGS = 20
_SEAL, _END = ',\n "sha256": "', '"\n}\n'

T = TypeVar("T")


@dataclass(frozen=True)
class Manifest:
    """What a saved folder says about itself.

    Attributes
    ----------
    kind : str
        What was saved, such as `"corpus"`.
    version : int
        The schema version of that kind.
    content : dict
        Whatever the kind needs to be read again; to be judged by the reader, not trusted.
    files : tuple of str
        The relative names of all files, `/` between folders.
    checks : dict of str to (int, str)
        The size and the sha256 of each.
    """

    kind: str
    version: int
    content: dict[str, Any]
    files: tuple[str, ...]
    checks: dict[str, tuple[int, str]]


@dataclass(frozen=True)
class ArraySpec:
    """The dtype and the number of dimensions that a stored array must have."""

    dtype: str
    ndim: int


# --- writing -----------------------------------------------------------------------------------------------


@contextmanager
def write_directory_atomically(
    path: str | os.PathLike[str], *, force: bool = False, keeps: Collection[str] = ()
) -> Iterator[Path]:
    """Give a temporary folder to fill; put it in its place when the block ends well, else remove it.

    Parameters
    ----------
    path : path
        The folder to make. Missing parent folders are made.
    force : bool
        Replace an earlier saved result at `path`. A folder that holds anything else is never replaced.
    keeps : collection of str
        Which of `CHECK` and `JOURNAL` the block brings along, which are then replaced.

    Yields
    ------
    Path
        An empty folder beside `path`, for the block to fill (`write_manifest` last).

    Raises
    ------
    StorageError
        If the place is taken, or the disk refuses.
    """
    with claim(path, force=force, keeps=keeps), _nobody_adding(Path(path)), placed_folder(path) as folder:
        with write_errors(path):
            yield folder
        check_free(path, force=force, keeps=keeps)  # it may have been taken while the block ran


@contextmanager
def _nobody_adding(place: Path) -> Iterator[None]:
    """Let nobody add an answer or an act to a folder that is about to be replaced; whoever wants to waits."""
    locks: list[LivenessLock] = []
    replaced = False
    try:
        if sys.platform != "win32" and (place / MANIFEST).is_file():  # there an open file holds its folder
            with write_errors(place):
                for name in _LOCKS:
                    locks.append(LivenessLock(place / name))
                    locks[-1].take(wait=True)
        yield
        replaced = True
    finally:
        for lock in locks:
            lock.release(remove=not replaced)  # else it went with its folder, and its name is the new one's


@contextmanager
def claim(
    path: str | os.PathLike[str], *, force: bool = False, keeps: Collection[str] = ()
) -> Iterator[None]:
    """Keep the place of a result for this process, from before long work until it has been saved.

    Raises
    ------
    StorageError
        If the place is taken, or another process is about to save there.
    """
    with reserve(path):
        check_free(path, force=force, keeps=keeps)
        yield


def check_free(path: str | os.PathLike[str], *, force: bool = False, keeps: Collection[str] = ()) -> None:
    """Raise unless a result may be saved at `path`; call it before long work, not after.

    A missing or empty folder is free. One of our own results is free with `force`, as long as it holds
    nothing besides, and no answers of a hand-check that would be lost. Anything else is not.

    Raises
    ------
    StorageError
        One line that says what is there and the way out.
    """
    path = Path(path)
    with _storage_errors(f"Cannot look at {str(path)!r}"):
        if path.is_symlink():
            raise StorageError(f"{str(path)!r} is a link; give the folder it points to, or another name.")
        if path.exists() and not path.is_dir():
            raise StorageError(f"{str(path)!r} is a file; give the name of a folder.")
        names = sorted(entry.name for entry in path.iterdir()) if path.exists() else []
    if not names:
        return
    if MANIFEST not in names:
        raise StorageError(
            f"{str(path)!r} holds other files ({names[0]!r}, ...); give a new or empty folder."
        )
    if not force:
        raise StorageError(f"{str(path)!r} already holds a saved result; use force (--force) to replace it.")
    for name, what in _BY_PEOPLE.items():
        if name in names and name not in keeps and not _can_be_made_again(path / name):
            raise StorageError(
                f"{str(path)!r} holds {what} ({name!r}), which would be lost; "
                "move it away, or give another folder."
            )
    foreign = _foreign_files(path)
    if foreign:
        raise StorageError(
            f"{str(path)!r} holds files that are not part of the saved result ({foreign[0]!r}); "
            "move them away, or give another folder."
        )


def _can_be_made_again(file: Path) -> bool:
    """Return whether a journal has only subtopics that were opened, which `qdtm drill` opens again."""
    if file.name != JOURNAL or file.stat().st_size > _READ_BYTES:
        return False
    try:
        return all(json.loads(line).get("kind") == OPENED for line in file.read_bytes().splitlines())
    except (ValueError, AttributeError):
        return False


def write_manifest(folder: Path, *, kind: str, version: int, content: Mapping[str, Any]) -> None:
    """Describe everything that is in `folder` now, with checksums; the last thing to be written into it.

    Parameters
    ----------
    folder : Path
        A folder that holds its final files. Folders inside it may be saved results of their own.
    kind : str
        What the folder holds.
    version : int
        The schema version, raised when an older reader could no longer understand it.
    content : mapping
        JSON-able facts that the loader needs.
    """
    with _storage_errors(f"Cannot write {MANIFEST!r}"):
        files = {
            name: {"bytes": (folder / name).stat().st_size, "sha256": sha256_of(folder / name)}
            for name in _file_names(folder)
            if name not in (MANIFEST, *_BY_PEOPLE, *REMADE)
        }
    value = {"format": FORMAT, "kind": kind, "version": version, "content": dict(content), "files": files}
    with _storage_errors(f"Cannot write {MANIFEST!r}"):
        (folder / MANIFEST).write_bytes(seal(value))


def seal(value: Mapping[str, Any]) -> bytes:
    """Return a manifest as JSON whose last entry is the checksum of all bytes before it."""
    body = (
        _json({name: entry for name, entry in value.items() if name != "sha256"}).removesuffix("\n}") + _SEAL
    )
    return (body + hashlib.sha256(body.encode()).hexdigest() + _END).encode()


def save_json(path: Path, value: object) -> None:
    """Write `value` as JSON in UTF-8, the same bytes for the same value."""
    with _storage_errors(f"Cannot write {path.name!r}"):
        path.write_text(_json(value) + "\n", encoding="utf-8")


def save_arrays(
    path: Path, arrays: Mapping[str, NDArray[Any]], *, metadata: Mapping[str, str] | None = None
) -> None:
    """Write named arrays, and what is to be known of them, to one safetensors file."""
    from safetensors import SafetensorError
    from safetensors.numpy import save_file

    with _storage_errors(f"Cannot write {path.name!r}"):
        path.touch()
        mode = path.stat().st_mode  # safetensors would keep the file from everybody else
        try:
            save_file(
                {name: np.ascontiguousarray(array) for name, array in arrays.items()},
                path,
                metadata=None if metadata is None else dict(metadata),
            )
        except SafetensorError as error:
            raise StorageError(f"Cannot write {path.name!r}: {_reason(error)}.") from error
        path.chmod(mode)


# --- reading -----------------------------------------------------------------------------------------------


def read_whole(path: str | os.PathLike[str], read: Callable[[Path], T]) -> T:
    """Call what reads a saved folder, and again if the folder was replaced while it was read.

    Its files are opened one by one: without this, some might be of the old folder and some of the new one.

    Raises
    ------
    StorageError
        What `read` raises, or that the folder is replaced again and again.
    """
    folder = Path(path)
    for _ in range(_MOST_READINGS):
        before = _identity(folder)
        try:
            found = read(folder)
        except StorageError:
            if _identity(folder) == before:
                raise
        else:
            if _identity(folder) == before:
                return found
    raise StorageError(f"{str(path)!r} is replaced again and again while it is read; wait for its writer.")


def _identity(folder: Path) -> tuple[int, ...] | None:
    """Return what tells a saved folder from another one at its place; None if there is none."""
    try:
        known, manifest = folder.stat(), (folder / MANIFEST).stat()
    except OSError:
        return None
    return known.st_dev, known.st_ino, manifest.st_ino, manifest.st_mtime_ns


def read_manifest(
    path: str | os.PathLike[str], *, kind: str, max_version: int, check_files: bool = True
) -> Manifest:
    """Read and check a saved folder: its kind, its version, and every file's size and checksum.

    Parameters
    ----------
    path : path
        The saved folder.
    kind : str
        What it must hold.
    max_version : int
        The newest schema version that the caller understands.
    check_files : bool
        Whether to look at the files now; otherwise the caller checks each when it is read.

    Returns
    -------
    Manifest

    Raises
    ------
    StorageError
        If the folder is missing, of another kind, newer than this program, incomplete or damaged.
    """
    folder = Path(path)
    put_back(folder)
    with _storage_errors(f"Cannot read {str(path)!r}"):
        if not folder.is_dir():
            raise StorageError(f"There is no folder {str(path)!r}.")
        if not (folder / MANIFEST).is_file():
            raise StorageError(f"{str(path)!r} is not a saved {kind}: it has no {MANIFEST}.")
    _check_seal(folder)
    manifest, checks = _parse_manifest(folder, load_json(folder / MANIFEST))
    if manifest.kind != kind:
        raise StorageError(f"{str(path)!r} holds a saved {manifest.kind}, not a {kind}.")
    if manifest.version > max_version:
        raise StorageError(
            f"{str(path)!r} was saved by a newer qdtm (schema {manifest.version}, this one reads up to "
            f"{max_version}); upgrade qdtm."
        )
    for name, (size, digest) in checks.items():
        if check_files and name not in REMADE:  # where an older program listed one
            _check_file(folder, name, size, digest)
    return manifest


def require_file(path: Path) -> None:
    """Refuse what is there and is no file: a pipe would be waited for without end.

    Raises
    ------
    StorageError
        If it is a folder, a pipe or a device.
    """
    if path.exists() and not path.is_file():
        raise StorageError(f"{str(path)!r} is not a file.")


def load_json(path: Path) -> Any:
    """Read a JSON file of bounded size.

    Raises
    ------
    StorageError
        If it is missing, too large or not JSON.
    """
    with _storage_errors(f"Cannot read {str(path)!r}"):
        require_file(path)
        if path.stat().st_size > MAX_JSON_BYTES:
            raise StorageError(f"{str(path)!r} is damaged: larger than {MAX_JSON_BYTES >> 20} MB.")
        try:
            return json.loads(path.read_text(encoding="utf-8"))
        except (ValueError, RecursionError) as error:
            raise StorageError(f"{str(path)!r} is damaged: not valid JSON.") from error


def load_arrays(path: Path, specs: Mapping[str, ArraySpec]) -> dict[str, NDArray[Any]]:
    """Read exactly the arrays named in `specs`, and only if their dtypes and dimensions are as expected.

    Raises
    ------
    StorageError
        If the file is missing or damaged, or holds other arrays.
    """
    from safetensors import SafetensorError, safe_open

    with _storage_errors(f"Cannot read {str(path)!r}"):
        try:
            with safe_open(path, framework="numpy") as file:
                _check_specs(path, file, specs)
                return {name: file.get_tensor(name) for name in specs}
        except SafetensorError as error:
            raise StorageError(f"{str(path)!r} is damaged: {error}.") from error


@contextmanager
def fitting_together(path: str | os.PathLike[str]) -> Iterator[None]:
    """Turn what goes wrong while the parts of a saved folder are put together into one line."""
    try:
        yield
    except StorageError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, OverflowError) as error:
        raise StorageError(f"{str(path)!r} is damaged: its parts do not fit together ({error}).") from error


def sha256_of(path: Path) -> str:
    """Return the sha256 of a file, as hexadecimal digits, reading a piece at a time."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while piece := file.read(_READ_BYTES):
            digest.update(piece)
    return digest.hexdigest()


# --- inside ------------------------------------------------------------------------------------------------


@contextmanager
def _storage_errors(what: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise StorageError(f"{what}: {error.strerror or error}.") from error


def _reason(error: Exception) -> str:
    """Return what the system said, without what safetensors puts around it."""
    return str(error).removeprefix("Error while serializing: I/O error: ").partition(" (os error")[0]


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=True, allow_nan=False, indent=1)


def _file_names(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if not path.is_dir())


def _foreign_files(folder: Path) -> list[str]:
    """Return the files in a saved folder that its manifest does not list (a damaged one lists none)."""
    try:
        listed = set(_parse_manifest(folder, load_json(folder / MANIFEST))[0].files)
    except StorageError:
        listed = set()
    droppings = (".", "~$")  # what file managers and office programs leave behind
    names = (name for name in _file_names(folder) if not PurePosixPath(name).name.startswith(droppings))
    return [name for name in names if name not in (MANIFEST, *_BY_PEOPLE, *REMADE) and name not in listed]


def _check_seal(folder: Path) -> None:
    """Refuse a manifest that is not, byte for byte, as it was written."""
    with _storage_errors(f"Cannot read {str(folder)!r}"):
        if (folder / MANIFEST).stat().st_size > MAX_JSON_BYTES:
            raise StorageError(f"{str(folder)!r} is damaged: its {MANIFEST} is too large.")
        written = (folder / MANIFEST).read_bytes()
    n_last = hashlib.sha256().digest_size * 2 + len(_END)
    body, last = written[:-n_last], written[-n_last:]
    if not body.endswith(_SEAL.encode()) or last != (hashlib.sha256(body).hexdigest() + _END).encode():
        raise StorageError(f"{str(folder)!r} is damaged: its {MANIFEST} is not as it was saved.")


def _parse_manifest(folder: Path, value: Any) -> tuple[Manifest, dict[str, tuple[int, str]]]:
    """Return the manifest and, for each file, its size and sha256; refuse anything of another form."""
    try:
        if value["format"] != FORMAT or type(value["version"]) is not int or value["version"] < 1:
            raise ValueError("not a qdtm manifest")
        checks = {
            _inside(name): (int(entry["bytes"]), str(entry["sha256"]))
            for name, entry in value["files"].items()
        }
        content = dict(value["content"])
        manifest = Manifest(str(value["kind"]), value["version"], content, tuple(checks), checks)
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise StorageError(f"{str(folder)!r} is damaged: its {MANIFEST} makes no sense.") from error
    return manifest, checks


def _inside(name: str) -> str:
    """Return `name` if it stays inside its folder."""
    pure = PurePosixPath(name)
    if pure.is_absolute() or ".." in pure.parts or "\\" in name or ":" in name or not pure.parts:
        raise ValueError(name)
    return name


def _check_file(folder: Path, name: str, size: int, digest: str) -> None:
    path = folder / name
    with _storage_errors(f"Cannot read {str(path)!r}"):
        if not path.is_file():
            raise StorageError(f"{str(folder)!r} is damaged: {name!r} is missing.")
        if path.stat().st_size != size or sha256_of(path) != digest:
            raise StorageError(f"{str(folder)!r} is damaged: {name!r} is not as it was saved.")


_SAFETENSORS_DTYPES = {"I32": "int32", "I64": "int64", "F32": "float32", "F64": "float64", "U8": "uint8",
                       "I8": "int8", "I16": "int16", "U16": "uint16", "U32": "uint32", "U64": "uint64",
                       "BOOL": "bool", "F16": "float16"}  # fmt: skip


def _check_specs(path: Path, file: Any, specs: Mapping[str, ArraySpec]) -> None:
    if set(file.keys()) != set(specs):
        raise StorageError(f"{str(path)!r} is damaged: it holds other arrays than {', '.join(specs)}.")
    for name, spec in specs.items():
        entry = file.get_slice(name)
        dtype = _SAFETENSORS_DTYPES.get(entry.get_dtype())
        if dtype != spec.dtype or len(entry.get_shape()) != spec.ndim:
            raise StorageError(f"{str(path)!r} is damaged: array {name!r} is not {spec.ndim}-d {spec.dtype}.")
