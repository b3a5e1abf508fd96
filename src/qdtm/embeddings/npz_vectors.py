"""Word vectors in NumPy archives (.npz), read a block of rows at a time.

In: a path and the words that are wanted. Out: `WordVectors` with those words alone. Nothing in the archive is
believed: not its sizes, not its types, and nothing in it is unpickled.
"""

from __future__ import annotations

import gzip
import io
import tokenize
import zipfile
import zlib
from collections.abc import Collection, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from qdtm.embeddings.vectors import WordVectors
from qdtm.errors import EmbeddingError

# --- bounded unpacking --------------------------------------------------------------------------------------
#
# Compressed files in, their bytes out, as long as they are not far more than any word vectors unpack to.

FREE_BYTES = 2**28
MAX_GROWTH = 50
"""Word vectors unpack to two or three times their size; what is large and grows more is a trap."""


def check_growth(n_unpacked: int, n_packed: int, source: str) -> None:
    """Refuse what unpacks to far more than its size.

    Raises
    ------
    EmbeddingError
    """
    if n_unpacked > FREE_BYTES and n_unpacked > MAX_GROWTH * n_packed:
        raise EmbeddingError(
            f"{source} unpacks to more than {MAX_GROWTH} times its size; that is no file of word vectors."
        )


class GzipStream(io.RawIOBase):
    """The bytes of a gzipped file, watched as they grow.

    Parameters
    ----------
    path : Path
    """

    def __init__(self, path: Path) -> None:
        self._packed = path.open("rb")
        self._unpacked = gzip.GzipFile(fileobj=self._packed, mode="rb")
        self._source = path.name
        self._n_read = 0

    def readable(self) -> bool:
        """Return that it can be read."""
        return True

    def readinto(self, buffer: object) -> int:
        """Unpack some more."""
        n = self._unpacked.readinto(buffer)  # type: ignore[arg-type]
        self._n_read += n
        check_growth(self._n_read, self._packed.tell(), self._source)
        return n

    def close(self) -> None:
        """Close the file."""
        self._unpacked.close()
        self._packed.close()
        super().close()


# --- archives -----------------------------------------------------------------------------------------------

MAX_WORD_CHARACTERS = 4_096
MAX_DIMENSION = 10_000

_BLOCK_BYTES = 2**24
_LAST_CHARACTER = 0x10FFFF
_DAMAGE = (
    ValueError, TypeError, IndexError, OSError, EOFError, MemoryError, RuntimeError, SyntaxError,
    OverflowError, zipfile.BadZipFile, zlib.error, tokenize.TokenError,
)  # fmt: skip
"""What the standard library and NumPy raise for archives that are none (RuntimeError: an encrypted one)."""


def read_npz(path: str, source: str, wanted: Collection[str] | None) -> WordVectors:
    """Read a NumPy archive of `words` and `vectors`, or of `words`, `q` and `scale` (vector = q * scale)."""
    try:
        with zipfile.ZipFile(path) as archive:
            _check_members(archive, source)
            return _collected(archive, source, wanted)
    except EmbeddingError:
        raise
    except KeyError as error:
        raise EmbeddingError(
            f"{source} lacks the array {error.args[0]!r}; an .npz needs 'words' and 'vectors'."
        ) from None
    except _DAMAGE as error:
        reason = " ".join(str(error).split()) or type(error).__name__
        raise EmbeddingError(f"{source} cannot be read as an .npz of word vectors: {reason}") from None


@dataclass(frozen=True)
class _Array:
    """An array of an archive, opened behind its header."""

    file: IO[bytes]
    shape: tuple[int, ...]
    dtype: np.dtype[Any]

    def rows(self, n: int) -> NDArray[Any]:
        """Return the next `n` rows."""
        shape = (n, *self.shape[1:])
        n_bytes = int(np.prod(shape, dtype=np.int64)) * self.dtype.itemsize
        data = self.file.read(n_bytes)
        if len(data) < n_bytes:
            raise ValueError("it is cut short")
        return np.frombuffer(data, self.dtype).reshape(shape)

    def by_rows(self) -> _Array:
        """Return an array that is stored by columns, read whole, as one that is stored by rows."""
        columns = _Array(self.file, self.shape[::-1], self.dtype).rows(self.shape[-1])
        return _Array(io.BytesIO(columns.T.tobytes()), self.shape, self.dtype)


def _check_members(archive: zipfile.ZipFile, source: str) -> None:
    members = archive.infolist()
    if not any(member.filename.endswith(".npy") for member in members):
        raise EmbeddingError(f"{source} is a zip archive; unzip it and give the file inside.")
    packed = sum(member.compress_size for member in members)
    check_growth(sum(member.file_size for member in members), packed, source)


def _collected(archive: zipfile.ZipFile, source: str, wanted: Collection[str] | None) -> WordVectors:
    """Put the wanted rows of an archive together; of a word that comes twice the first counts."""
    words: dict[str, None] = {}
    kept: list[NDArray[np.float32]] = []
    for block_words, vectors in _blocks(archive, source):
        rows = []
        for row, word in enumerate(block_words):
            if (wanted is None or word.lower() in wanted) and word not in words:
                words[word] = None
                rows.append(row)
        kept.append(vectors[rows])
    if not words and wanted is None:
        raise EmbeddingError(f"{source} has no words; give a file of word vectors.")
    return WordVectors(tuple(words), np.concatenate(kept), source)


def _blocks(archive: zipfile.ZipFile, source: str) -> Iterator[tuple[list[str], NDArray[np.float32]]]:
    """Yield words and vectors, (n, d), some rows at a time; at least once."""
    with ExitStack() as files:
        words = _opened(archive, "words", files)
        is_packed = "q.npy" in archive.namelist()
        vectors = _opened(archive, "q" if is_packed else "vectors", files)
        scale = _opened(archive, "scale", files) if is_packed else None
        _check_shapes(words, vectors, scale, source)
        n_rows, width = vectors.shape
        a_row = words.dtype.itemsize + width * max(vectors.dtype.itemsize, 4)
        at_once = max(1, _BLOCK_BYTES // a_row)
        for start in range(0, max(n_rows, 1), at_once):
            n = min(at_once, n_rows - start)
            numbers = vectors.rows(n).astype(np.float32)  # (n, d)
            if scale is not None:
                numbers *= scale.rows(n).astype(np.float32).reshape(-1, 1)
            yield _as_words(words.rows(n)), numbers


def _opened(archive: zipfile.ZipFile, name: str, files: ExitStack) -> _Array:
    """Open an array of an archive, and read its header."""
    if f"{name}.npy" not in archive.namelist():
        raise KeyError(name)
    file = files.enter_context(archive.open(f"{name}.npy"))
    version = npy.read_magic(file)
    if version not in ((1, 0), (2, 0)):
        raise ValueError(f"{name!r} has version {version} of NumPy's format")
    read_header = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
    shape, by_columns, dtype = read_header(file)
    if dtype.hasobject:
        raise ValueError(f"{name!r} holds Python objects, which are never loaded")
    array = _Array(file, shape, dtype)
    return array.by_rows() if by_columns and len(shape) > 1 else array


def _check_shapes(words: _Array, vectors: _Array, scale: _Array | None, source: str) -> None:
    """Refuse arrays of other types, or that do not fit together, before any of their rows is read."""
    if len(words.shape) != 1 or words.dtype.kind != "U":
        raise ValueError(f"'words' must be a list of strings, not {words.dtype} of shape {words.shape}")
    if not 0 < words.dtype.itemsize <= 4 * MAX_WORD_CHARACTERS:
        raise ValueError(f"'words' has words of {words.dtype.itemsize // 4:,} characters")
    if vectors.dtype.kind not in "fiu" or (scale is not None and scale.dtype.kind not in "fiu"):
        raise ValueError("the vectors must be numbers")
    if len(vectors.shape) != 2 or vectors.shape[0] != words.shape[0]:
        raise EmbeddingError(
            f"Word vectors '{source}' have {words.shape[0]:,} words and an array of shape {vectors.shape}; "
            "give one row a word."
        )
    if not 1 <= vectors.shape[1] <= MAX_DIMENSION:
        raise EmbeddingError(
            f"{source} has vectors of {vectors.shape[1]:,} numbers; from 1 to {MAX_DIMENSION:,} are read."
        )
    if scale is not None and scale.shape not in (words.shape, (*words.shape, 1)):
        raise ValueError(f"'scale' has the shape {scale.shape} for {words.shape[0]:,} words")


def _as_words(rows: NDArray[np.str_]) -> list[str]:
    """Return strings of which no character is beyond the last one there is."""
    codes = np.ascontiguousarray(rows).view(rows.dtype.str[0] + "u4")
    if codes.size and codes.max() > _LAST_CHARACTER:
        raise ValueError("'words' holds what is no character")
    words: list[str] = rows.tolist()
    return words
