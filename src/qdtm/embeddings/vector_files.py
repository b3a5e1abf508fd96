"""A file of word vectors, whatever its format, read as a stream.

In: a path. Out: `WordVectors`. The format is told from the first bytes, never from the file's name: GloVe
text, word2vec text and binary, fastText .vec, each plain or gzipped, and NumPy archives.
"""

from __future__ import annotations

import codecs
import io
import re
import zlib
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import IO, Literal, cast

import numpy as np
from numpy.typing import NDArray

from qdtm.embeddings.npz_vectors import MAX_DIMENSION, GzipStream, read_npz
from qdtm.embeddings.vectors import WordVectors
from qdtm.errors import EmbeddingError

# --- the formats --------------------------------------------------------------------------------------------
#
# The published formats of word vectors, read as a stream.
#
# In: an open binary stream and the words that are wanted. Out: `WordVectors` with those words alone, so that
# a file of many gigabytes costs no more memory than the vocabulary's own rows.
#
# gensim's own loaders read whole files into memory; ours read what the corpus needs and must agree with them
# (tests compare the two).

MAX_LINE_BYTES = 1 << 20  # a line of 10,000 numbers stays well below
MAX_WORD_BYTES = 4_096
CHUNK_BYTES = 1 << 20

Row = tuple[str, NDArray[np.float32]]


def read_text(stream: IO[bytes], source: str, wanted: Collection[str] | None) -> WordVectors:
    """Read GloVe text, word2vec text or fastText .vec: `word number number ...`, with or without a header.

    Parameters
    ----------
    stream : binary file
        At its beginning.
    source : str
        The file's name, for messages and for `WordVectors.name`.
    wanted : collection of str or None
        The lower-case words to keep, in any capitalisation; None keeps every word. The numbers of other
        words are passed over, not parsed.
    """
    return _collect(_text_rows(stream, source, wanted), source)


def read_binary(stream: IO[bytes], source: str, wanted: Collection[str] | None) -> WordVectors:
    """Read word2vec's binary format: a header line, then for each word the word, a space, float32 numbers."""
    header = parse_header(stream.readline(MAX_LINE_BYTES))
    if header is None:
        raise EmbeddingError(
            f"{source} has no 'words dimensions' line at its start; is it word2vec's binary format?"
        )
    return _collect(_binary_rows(stream, source, wanted, *header), source)


def keep_words(vectors: WordVectors, wanted: Collection[str]) -> WordVectors:
    """Return the vectors of the words that are, in lower case, among the wanted."""
    rows = [row for row, word in enumerate(vectors.words) if word.lower() in wanted]
    return WordVectors(tuple(vectors.words[row] for row in rows), vectors.vectors[rows], vectors.name)


def parse_header(line: bytes) -> tuple[int, int] | None:
    """Return (number of words, dimension) if the line is such a header."""
    fields = line.split()
    if len(fields) != 2 or not all(field.isdigit() and len(field) < 12 for field in fields):
        return None
    return int(fields[0]), int(fields[1])


def parse_numbers(fields: Iterable[bytes]) -> NDArray[np.float32] | None:
    """Return the numbers, or None if any field is not a number. Out of range becomes infinity."""
    try:
        with np.errstate(over="ignore"):
            return np.array([float(field) for field in fields], dtype=np.float64).astype(np.float32)
    except ValueError:
        return None


def _text_rows(stream: IO[bytes], source: str, wanted: Collection[str] | None) -> Iterator[Row]:
    """Yield the wanted words of a text file, checking the number of fields of every line."""
    expected, dimension, n_words = None, 0, 0
    for number, line in _lines(stream, source):
        if number == 1 and (header := parse_header(line)) is not None:
            expected, dimension = header
            _check_dimension(dimension, source)
            continue
        if not dimension:
            dimension = len(line.split(b" ")) - 1
            _check_dimension(dimension, source)
        n_words += 1
        word = _checked_word(line, dimension, source, number)
        if wanted is None or word.lower() in wanted:
            numbers = parse_numbers(line.rsplit(b" ", dimension)[1:])
            yield word, _checked_numbers(numbers, word, f"{source}, line {number:,}")
    if expected is not None and n_words != expected:
        raise EmbeddingError(
            f"{source} promises {expected:,} words and has {n_words:,}; it is cut short: fetch it again."
        )


def _lines(stream: IO[bytes], source: str) -> Iterator[tuple[int, bytes]]:
    """Yield (number, line) with fields parted by single spaces, leaving out empty lines."""
    number = 0
    while line := stream.readline(MAX_LINE_BYTES):
        number += 1
        if len(line) == MAX_LINE_BYTES:
            raise EmbeddingError(
                f"{source}, line {number:,} is longer than 1 MB; that is not a file of word vectors."
            )
        line = line.replace(b"\t", b" ").strip(b" \r\n")
        if line:
            yield number, line


def _checked_word(line: bytes, dimension: int, source: str, number: int) -> str:
    """Return the word of a line, after a check that it has `dimension` numbers and no more.

    Some words of GloVe 840B hold spaces (". . ."), so what stands before the last `dimension` fields is the
    word, unless it ends in a number: then the line has too many of them. Counting spaces is much faster than
    splitting, and most lines need no more.
    """
    n_numbers = line.count(b" ")
    if n_numbers == dimension:
        return line[: line.index(b" ")].decode("utf-8", errors="replace")
    where = f"{source}, line {number:,}"
    if n_numbers < dimension:
        raise EmbeddingError(
            f"{where} has {n_numbers} numbers, not {dimension}; the file is cut short or damaged."
        )
    word = line.rsplit(b" ", dimension)[0]
    if parse_numbers(word.split(b" ")[1:]) is not None:
        raise EmbeddingError(
            f"{where} has more than {dimension} numbers; all vectors must have one dimension."
        )
    return word.decode("utf-8", errors="replace")


def _checked_numbers(numbers: NDArray[np.float32] | None, word: str, where: str) -> NDArray[np.float32]:
    """Return the numbers if they are numbers, and finite."""
    if numbers is None:
        raise EmbeddingError(f"{where} has a field that is not a number in the vector of {word!r}.")
    if not np.isfinite(numbers).all():
        raise EmbeddingError(f"{where} has NaN or infinity in the vector of {word!r}; remove that line.")
    return numbers


def _binary_rows(
    stream: IO[bytes], source: str, wanted: Collection[str] | None, n_words: int, dimension: int
) -> Iterator[Row]:
    """Yield the wanted words of a binary file, reading it chunk by chunk."""
    _check_dimension(dimension, source)
    n_bytes = 4 * dimension
    buffer, start = b"", 0
    for number in range(1, n_words + 1):
        space = buffer.find(b" ", start)
        while space < 0 or len(buffer) < space + 1 + n_bytes:
            chunk = stream.read(CHUNK_BYTES)
            if not chunk:
                raise EmbeddingError(
                    f"{source} ends inside word {number:,} of {n_words:,}; it is cut short: fetch it again."
                )
            buffer, start = buffer[start:] + chunk, 0
            space = buffer.find(b" ")
            _check_word_length(space if space >= 0 else len(buffer), number, source)
        word = buffer[start:space].lstrip(b"\n").decode("utf-8", errors="replace")
        start = space + 1 + n_bytes
        if wanted is None or word.lower() in wanted:
            numbers = np.frombuffer(buffer, dtype="<f4", count=dimension, offset=space + 1)
            yield word, _checked_numbers(numbers.astype(np.float32), word, f"{source}, word {number:,}")


def _check_word_length(n_bytes: int, number: int, source: str) -> None:
    if n_bytes > MAX_WORD_BYTES:
        raise EmbeddingError(
            f"{source}, word {number:,} is longer than {MAX_WORD_BYTES:,} bytes; the file is damaged."
        )


def _check_dimension(dimension: int, source: str) -> None:
    if not 1 <= dimension <= MAX_DIMENSION:
        raise EmbeddingError(
            f"{source} has vectors of {dimension:,} numbers; from 1 to {MAX_DIMENSION:,} are read."
        )


def _collect(rows: Iterator[Row], source: str) -> WordVectors:
    """Put the rows into one array, keeping the first of a word that comes twice."""
    kept: dict[str, NDArray[np.float32]] = {}
    for word, numbers in rows:
        kept.setdefault(word, numbers)
    if not kept:
        raise EmbeddingError(
            f"{source} has a vector for none of the words of this corpus; is it of another language?"
        )
    return WordVectors(tuple(kept), np.stack(list(kept.values())), source)


# --- which format a file has --------------------------------------------------------------------------------

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
