"""The index that a saved result refers to: where it lies in, what a manifest says of it out, and back.

A result names its index twice: as seen from the result's own folder, so that both can be moved together, and
from the root of the disk, so that the result can be moved alone. The fingerprint says whether what is there
is still it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from qdtm.cache import cache_directory
from qdtm.corpus.corpus import Corpus
from qdtm.corpus.storage import saved_fingerprint
from qdtm.errors import StorageError

_WAY_OUT = (
    "put it back, or say where it is (--index DIR; in Python, corpus=DIR). "
    "Results that are made with --standalone need none."
)


def index_of(corpus: Corpus, result: str | os.PathLike[str]) -> Path | None:
    """Return the index that a result saved at a place may refer to; None if it has to keep a copy.

    One that the result takes the place of would be gone, and a cache may be emptied at any time.
    """
    index = corpus.location
    if index is None or _is_within(index, Path(result)) or _is_within(index, cache_directory()):
        return None
    return index


def describe_index(corpus: Corpus, index: Path | None, result: str | os.PathLike[str]) -> dict[str, str]:
    """Return what the manifest of a result says about its corpus; only the paths depend on where they lie."""
    described = {"fingerprint": corpus.fingerprint}
    if index is None:
        return described
    try:
        path = Path(os.path.relpath(index, _absolute(result))).as_posix()
    except ValueError:  # another drive
        path = str(index)
    return described | {"path": path, "absolute": str(index)}


def find_index(result: Path, described: Mapping[str, Any]) -> Path:
    """Return where the index of a result lies now.

    Raises
    ------
    StorageError
        If it is gone, or another one is in its place.
    """
    places = _places(result, str(described["path"]), str(described["absolute"]))
    found = {place: saved_fingerprint(place) for place in places}
    for place, fingerprint in found.items():
        if fingerprint == described["fingerprint"]:
            return place
    others = [place for place, fingerprint in found.items() if fingerprint is not None]
    if others:
        raise StorageError(
            f"{str(result)!r} needs its index, but what is now at {str(others[0])!r} is another one "
            f"(the fingerprint differs); {_WAY_OUT}"
        )
    looked = " or ".join(repr(str(place)) for place in places)
    raise StorageError(f"{str(result)!r} needs its index, which is gone: it is not at {looked}; {_WAY_OUT}")


def _places(result: Path, path: str, absolute: str) -> list[Path]:
    """Return where to look, each place once: beside the result as named, as it really lies, and by itself."""
    here = _absolute(result)
    places = (here / path, here.resolve() / path, Path(absolute))
    return list(dict.fromkeys(_absolute(place) for place in places))


def _is_within(path: Path, folder: Path) -> bool:
    return _absolute(path).resolve().is_relative_to(_absolute(folder).resolve())


def _absolute(path: str | os.PathLike[str]) -> Path:
    return Path(os.path.abspath(path))  # noqa: PTH100 - links stay as the user set them
