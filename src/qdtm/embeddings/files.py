"""A file of word vectors, whatever its format.

In: a path. Out: `WordVectors`. The format is told from the first bytes, never from the file's name: GloVe
text, word2vec text and binary, fastText .vec, each plain or gzipped, and NumPy archives.
"""

from __future__ import annotations

import codecs
import io
import re
import zlib
from collections.abc import Collection
from pathlib import Path
from typing import IO, Literal, cast

from qdtm.embeddings.archives import read_npz
from qdtm.embeddings.readers import (
    CHUNK_BYTES,
    MAX_LINE_BYTES,
    parse_header,
    parse_numbers,
    read_binary,
    read_text,
)
from qdtm.embeddings.unpacking import GzipStream
from qdtm.embeddings.vectors import WordVectors
from qdtm.errors import EmbeddingError

Format = Literal["text", "binary"]

_FASTTEXT_MODEL = (793712314).to_bytes(4, "little")
_SAMPLE_BYTES = 2 * MAX_LINE_BYTES
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1f]")


def read_vector_file(path: Path, wanted: Collection[str] | None = None) -> WordVectors:
    """Read word vectors from a file.

    Parameters
    ----------
    path : Path
        GloVe text, word2vec text or binary, fastText .vec (plain or .gz), or .npz.
    wanted : collection of str, optional
        The lower-case words to keep. All of them by default, which takes as much memory as the file holds.

    Returns
    -------
    WordVectors
    """
    try:
        if _starts_with(path, b"PK\x03\x04"):
            return read_npz(str(path), path.name, wanted)
        with _opened(path) as stream:
            found = _format_of(stream.read(_SAMPLE_BYTES), path.name)
        with _opened(path) as stream:
            read = read_text if found == "text" else read_binary
            return read(stream, path.name, wanted)
    except (OSError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or " ".join(str(error).split())
        raise EmbeddingError(f"Word vectors '{path}' cannot be read: {reason}.") from None


def _starts_with(path: Path, magic: bytes) -> bool:
    with path.open("rb") as file:
        return file.read(len(magic)) == magic


def _opened(path: Path) -> IO[bytes]:
    """Open the file, through gzip if it is compressed."""
    if _starts_with(path, b"\x1f\x8b"):
        return cast(IO[bytes], io.BufferedReader(GzipStream(path), CHUNK_BYTES))
    return path.open("rb")


def _format_of(sample: bytes, source: str) -> Format:
    """Tell text from binary by a file's first bytes, and refuse what is neither."""
    _refuse_known_strangers(sample, source)
    first, _, rest = sample.partition(b"\n")
    header = parse_header(first)
    if header is None:
        if _is_text_row(first, dimension=None):
            return "text"
        raise EmbeddingError(
            f"{source} is not a file of word vectors that qdtm knows: "
            "GloVe text, word2vec text or binary, fastText .vec (each plain or .gz), .npz."
        )
    row = rest.partition(b"\n")[0]
    return "text" if _is_text_row(row, header[1]) or not _looks_binary(rest) else "binary"


def _looks_binary(sample: bytes) -> bool:
    """Tell whether there are bytes that no text has; a letter cut off at the sample's end does not count."""
    try:
        codecs.getincrementaldecoder("utf-8")().decode(sample)
    except UnicodeDecodeError:
        return True
    return _CONTROL.search(sample) is not None


def _refuse_known_strangers(sample: bytes, source: str) -> None:
    """Name the way out for files that people have beside the right one."""
    if not sample.strip():
        raise EmbeddingError(f"{source} is empty; give a file of word vectors.")
    if sample.startswith(_FASTTEXT_MODEL):
        raise EmbeddingError(f"{source} is a fastText model; give the .vec file that is published beside it.")
    if sample.startswith(b"\x80"):
        raise EmbeddingError(
            f"{source} is a Python pickle, which qdtm never opens; "
            "load it with gensim and give the KeyedVectors."
        )


def _is_text_row(line: bytes, dimension: int | None) -> bool:
    """Tell whether the line is a word followed by numbers (at least two of them without a header)."""
    fields = line.replace(b"\t", b" ").strip(b" \r\n").split(b" ")
    n_numbers = len(fields) - 1 if dimension is None else dimension
    if n_numbers < 2 and dimension is None:
        return False
    return len(fields) > n_numbers and parse_numbers(fields[len(fields) - n_numbers :]) is not None
