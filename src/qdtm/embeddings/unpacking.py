"""Compressed files in, their bytes out, as long as they are not far more than any word vectors unpack to."""

from __future__ import annotations

import gzip
import io
from pathlib import Path

from qdtm.errors import EmbeddingError

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
