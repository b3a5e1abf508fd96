"""The published formats of word vectors, read as a stream.

In: an open binary stream and the words that are wanted. Out: `WordVectors` with those words alone, so that a
file of many gigabytes costs no more memory than the vocabulary's own rows.

gensim's own loaders read whole files into memory; ours read what the corpus needs and must agree with them
(tests compare the two).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import IO

import numpy as np
from numpy.typing import NDArray

from qdtm.embeddings.archives import MAX_DIMENSION
from qdtm.embeddings.vectors import WordVectors
from qdtm.errors import EmbeddingError

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
