"""The external corpus of coherence: its window counts for any set of words, counted once and kept.

In: a text file with a document a line, and words. Out: `WindowCounts`. A word of the file stands for a word
of the list that it equals, or else for the one that is its noun lemma, since the words of topics are lemmas
and those of the file are not.
"""

import bz2
import gzip
import hashlib
import lzma
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from qdtm.cache import atomic_path, cache_directory
from qdtm.corpus.lemmas import noun_lemma, shortest_noun_lemma
from qdtm.errors import CorpusError
from qdtm.evaluation.datasets.location import require_file
from qdtm.evaluation.metrics.windows import OTHER, WINDOW_SIZE, Presence, WindowCounts, count_windows
from qdtm.evaluation.metrics.wordstream import WordStream, read_words

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
