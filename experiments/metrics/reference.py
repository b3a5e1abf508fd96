r"""The external corpus of coherence: its window counts for any set of words, counted once and kept.

In: a file of UTF-8 text with a document a line, and words. Out: `WindowCounts`. The file is read as a
`WordStream`: the distinct words, those of `re.findall(r"\w+", text)` in lower case, and which of them stands
at each place. A word of the file stands for a word of the list that it equals, or else for the one that is
its noun lemma, since the words of topics are lemmas and those of the file are not.
"""

from __future__ import annotations

import bz2
import gzip
import hashlib
import lzma
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from experiments.datasets.files import require_file
from experiments.metrics.coherence import OTHER, WINDOW_SIZE, Presence, WindowCounts, count_windows
from qdtm.corpus.lemmas import noun_lemma, shortest_noun_lemma
from qdtm.errors import CorpusError
from qdtm.jit import njit
from qdtm.storage.cache import atomic_path, cache_directory

_FNV_OFFSET = np.uint64(14695981039346656037)
_FNV_PRIME = np.uint64(1099511628211)
_NEWLINE = 10
_PIECE = 1 << 20  # bytes read at a time


@dataclass(frozen=True, eq=False)
class WordStream:
    """A corpus as numbers of its distinct words.

    Attributes
    ----------
    words : tuple of str
        The distinct words; two may be the same where only the case of a letter beyond ASCII differed.
    tokens : ndarray of int32, shape (n_tokens,)
        The place in `words` of each word of the text.
    offsets : ndarray of int64, shape (n_docs + 1,)
        Document j is `tokens[offsets[j]:offsets[j + 1]]`.
    """

    words: tuple[str, ...]
    tokens: NDArray[np.int32]
    offsets: NDArray[np.int64]


def read_words(stream: IO[bytes]) -> WordStream:
    """Split a text into words and number them in the order in which they first occur.

    Parameters
    ----------
    stream : binary file
        UTF-8, a document a line.

    Raises
    ------
    CorpusError
        If it is not UTF-8.
    """
    is_word, table = _word_characters(), _WordTable()
    words: list[str] = []
    tokens, line_ends, n_tokens = [np.empty(0, dtype=np.int32)], [np.zeros(1, dtype=np.int64)], 0
    for piece in _pieces(stream):
        raw = np.frombuffer(piece, dtype=np.uint8)
        table.make_room(len(words) + len(raw) // 2)
        new_tokens, ends, word_starts, word_ends = _intern(
            raw, is_word, piece.count(b"\n"), table.hashes, table.numbers, len(words)
        )
        words += [piece[a:b].decode("utf-8").lower() for a, b in zip(word_starts, word_ends, strict=True)]
        tokens.append(new_tokens)
        line_ends.append(ends + n_tokens)
        n_tokens += len(new_tokens)
    return WordStream(tuple(words), np.concatenate(tokens), np.concatenate(line_ends))


def _pieces(stream: IO[bytes]) -> Iterator[bytes]:
    """Yield the text in whole lines, some thousand at a time, each with a newline at its end."""
    while piece := stream.read(_PIECE) + stream.readline():
        try:
            piece.decode("utf-8")
        except UnicodeDecodeError as error:
            raise CorpusError(f"The text is not UTF-8 ({error.reason}). Save it as UTF-8.") from error
        yield piece if piece.endswith(b"\n") else piece + b"\n"


@cache
def _word_characters() -> NDArray[np.bool_]:
    r"""Return for each code point whether a regular expression's \w takes it."""
    return np.array([char.isalnum() or char == "_" for char in map(chr, range(0x110000))])


class _WordTable:
    """Word numbers by hash: open addressing, never more than half full.

    It grows here, between two pieces: arrays that a kernel exchanges inside its loop make it several times
    slower.
    """

    def __init__(self) -> None:
        self.hashes = np.zeros(2, dtype=np.uint64)
        self.numbers = np.full(2, -1, dtype=np.int32)  # -1: a free slot

    def make_room(self, n_words: int) -> None:
        """Grow until `n_words` fit."""
        if 2 * n_words <= len(self.hashes):
            return
        hashes, numbers = self.hashes[self.numbers >= 0], self.numbers[self.numbers >= 0]
        n_slots = 1 << (2 * n_words).bit_length()
        self.hashes, self.numbers = np.zeros(n_slots, dtype=np.uint64), np.full(n_slots, -1, dtype=np.int32)
        _insert(hashes, numbers, self.hashes, self.numbers)


@njit(cache=True, nogil=True)
def _intern(
    raw: NDArray[np.uint8],
    is_word: NDArray[np.bool_],
    n_lines: int,
    hashes: NDArray[np.uint64],
    numbers: NDArray[np.int32],
    n_known: int,
) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Number the words of a text, which ends with a newline; new ones enter the table (mutated).

    Returns the number of each word, how many words there are up to the end of each line, and where each new
    word starts and ends in `raw`. Words are told apart by a hash of 64 bits, with the letters of ASCII in
    lower case; for a million words the odds that any two share a hash are 1 to 30 million.
    """
    tokens = np.empty(len(raw) // 2, dtype=np.int32)
    line_ends = np.empty(n_lines, dtype=np.int64)
    starts = np.empty(len(raw) // 2, dtype=np.int64)
    ends = np.empty(len(raw) // 2, dtype=np.int64)
    n_tokens, n_new, line, i, start, hashed = 0, 0, 0, 0, -1, _FNV_OFFSET
    while i < len(raw):
        width = _width(raw[i])
        if is_word[raw[i] if width == 1 else _code_point(raw, i, width)]:
            if start < 0:
                start, hashed = i, _FNV_OFFSET
            hashed = _extend_hash(hashed, raw, i, width)
        else:
            if start >= 0:
                slot = _find(hashed, hashes, numbers)
                if numbers[slot] < 0:
                    hashes[slot], numbers[slot] = hashed, n_known + n_new
                    starts[n_new], ends[n_new] = start, i
                    n_new += 1
                tokens[n_tokens] = numbers[slot]
                n_tokens, start = n_tokens + 1, -1
            if raw[i] == _NEWLINE:
                line_ends[line] = n_tokens
                line += 1
        i += width
    return tokens[:n_tokens].copy(), line_ends, starts[:n_new].copy(), ends[:n_new].copy()


@njit(cache=True, nogil=True)
def _find(hashed: np.uint64, hashes: NDArray[np.uint64], numbers: NDArray[np.int32]) -> np.int64:
    """Return the slot of a hash, or the free slot where it belongs."""
    slot = np.int64(hashed & np.uint64(len(hashes) - 1))
    while numbers[slot] >= 0 and hashes[slot] != hashed:
        slot = (slot + 1) & (len(hashes) - 1)
    return slot


@njit(cache=True, nogil=True)
def _insert(
    new_hashes: NDArray[np.uint64],
    new_numbers: NDArray[np.int32],
    hashes: NDArray[np.uint64],
    numbers: NDArray[np.int32],
) -> None:
    """Put words into a table (mutated) that has room for them."""
    for w in range(len(new_hashes)):
        slot = _find(new_hashes[w], hashes, numbers)
        hashes[slot], numbers[slot] = new_hashes[w], new_numbers[w]


@njit(cache=True, nogil=True)
def _extend_hash(hashed: np.uint64, raw: NDArray[np.uint8], i: int, width: int) -> np.uint64:
    """Return the FNV-1a hash of a word that goes on with the character at byte i."""
    if width == 1:
        return (hashed ^ np.uint64(raw[i] | 0x20 if 65 <= raw[i] <= 90 else raw[i])) * _FNV_PRIME
    for b in range(i, i + width):
        hashed = (hashed ^ np.uint64(raw[b])) * _FNV_PRIME
    return hashed


@njit(cache=True, nogil=True)
def _width(byte: int) -> int:
    """Return how many bytes a UTF-8 character has, from its first byte."""
    if byte < 0x80:
        return 1
    if byte < 0xE0:
        return 2
    return 3 if byte < 0xF0 else 4


@njit(cache=True, nogil=True)
def _code_point(raw: NDArray[np.uint8], i: int, width: int) -> np.int64:
    """Return the code point of the UTF-8 character of `width` bytes, two or more, that starts at byte i."""
    code = np.int64(raw[i]) & (0x7F >> width)
    for b in range(i + 1, i + width):
        code = (code << 6) | (np.int64(raw[b]) & 0x3F)
    return code


# --- window counts ----------------------------------------------------------------------------------------


WIKIPEDIA = "reference/enwiki_68k_docs.txt.xz"

_FORMAT = "1"  # of the cached file and of the way words are matched
_OPENERS: dict[str, Callable[..., Any]] = {".xz": lzma.open, ".gz": gzip.open, ".bz2": bz2.open}


def find_reference(data: str | Path | None = None) -> Path:
    """Return the sample of Wikipedia in the data folder; see `find_data`."""
    return require_file(WIKIPEDIA, data)


def reference_counts(
    words: Sequence[str],
    reference: Path,
    *,
    window_size: int = WINDOW_SIZE,
    presence: Presence = "gensim",
) -> WindowCounts:
    """Return in how many windows of a reference corpus words occur, alone and together.

    The first call for a set of words reads the whole corpus, some seconds for 20 million words; the counts
    are then kept in the cache folder and any later call only reads them.

    Parameters
    ----------
    words : sequence of str
        Lemmas to count: the words of some topics, or the vocabulary of a corpus.
    reference : Path
        A document a line, UTF-8; plain or compressed as .xz, .gz or .bz2.
    window_size : int
        Words in a window.
    presence : {"gensim", "boolean"}
        See `count_windows`.
    """
    known = tuple(sorted(set(words)))
    path = cache_directory() / "windows" / f"{_key(known, reference, window_size, presence)}.safetensors"
    cached = _load(path, known)
    if cached is not None:
        return cached
    stream = _read_reference(reference)
    tokens = _match(stream.words, known)[stream.tokens]
    counts = count_windows(tokens, stream.offsets, known, window_size=window_size, presence=presence)
    _save(counts, path)
    return counts


def _read_reference(reference: Path) -> WordStream:
    """Read the corpus as numbers of its distinct words."""
    open_file = _OPENERS.get(reference.suffix, open)
    try:
        stream: IO[bytes]
        with open_file(reference, "rb") as stream:
            return read_words(stream)
    except (OSError, EOFError, lzma.LZMAError) as error:
        raise CorpusError(f"Cannot read the reference corpus {str(reference)!r} ({error}).") from error


def _match(found: Sequence[str], words: Sequence[str]) -> NDArray[np.int32]:
    """Return for each word of the corpus the place in `words` of what it stands for, -1 if nothing."""
    ids = {word: w for w, word in enumerate(words)}

    def match(word: str) -> int:
        forms = (word, noun_lemma(word), shortest_noun_lemma(word))
        return next((ids[form] for form in forms if form in ids), OTHER)

    return np.array([match(word) for word in found], dtype=np.int32)


def _key(words: Sequence[str], reference: Path, window_size: int, presence: Presence) -> str:
    """Return a name for the counts that changes with everything they depend on."""
    try:
        with reference.open("rb") as stream:
            digest = hashlib.file_digest(stream, "sha256")
    except OSError as error:
        raise CorpusError(
            f"Cannot read the reference corpus {str(reference)!r} ({error.strerror})."
        ) from error
    for part in (_FORMAT, str(window_size), presence, *words):
        digest.update(b"\0" + part.encode("utf-8"))
    return digest.hexdigest()[:32]


def _save(counts: WindowCounts, path: Path) -> None:
    """Keep counts in a file: the upper triangle, row after row."""
    from safetensors.numpy import save_file

    rows = [row[w:] for w, row in enumerate(counts.joint)]
    packed = np.concatenate([np.empty(0, dtype=np.int32), *rows])
    with atomic_path(path) as temporary:
        save_file({"joint": packed}, temporary, metadata={"n_windows": str(counts.n_windows)})


def _load(path: Path, words: tuple[str, ...]) -> WindowCounts | None:
    """Return the counts that a file keeps; None if there is no file, or it is damaged and so counted anew."""
    from safetensors import SafetensorError, safe_open

    if not path.is_file():
        return None
    try:
        with safe_open(path, framework="numpy") as file:
            packed, n_windows = file.get_tensor("joint"), int(file.metadata()["n_windows"])
    except (SafetensorError, KeyError, TypeError, ValueError):
        return None
    n_words = len(words)
    if len(packed) != n_words * (n_words + 1) // 2:
        return None
    joint = np.empty((n_words, n_words), dtype=np.int32)  # (W, W)
    start = 0
    for w in range(n_words):
        row = packed[start : start + n_words - w]
        joint[w, w:], joint[w:, w] = row, row
        start += n_words - w
    return WindowCounts(words, n_windows, joint)
