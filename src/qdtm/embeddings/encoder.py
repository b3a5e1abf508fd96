"""Documents as vectors by a sentence encoder: a corpus in, a vector a document out.

MiniLM from a package that carries it, a folder with a model, a model of sentence-transformers by name where
that is installed, or a function of the user's own. To encode takes a while (minutes on a CPU), so it is done
once: the vectors are kept in the cache folder, under a name that changes with the texts and the encoder.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qdtm.corpus.corpus import Corpus
from qdtm.embeddings.onnx_encoder import MINILM, open_folder, open_minilm
from qdtm.errors import CorpusError, EmbeddingError, StorageError
from qdtm.progress import Progress, ProgressCallback, check_cancelled
from qdtm.storage.cache import atomic_path, cache_directory

Encode = Callable[[list[str]], Any]
Vectors = NDArray[np.float32]
Reread = Callable[[NDArray[np.int64], Sequence[str]], Vectors]

BATCH = 256
"""Texts that are encoded between two reports of progress."""

LONGEST = 20_000
"""Characters of a text that are given to the encoder; of longer ones the first."""

_PROBE = "What is this document about?"

_UNEQUAL = "The encoder gave vectors of {} numbers after some of {}; give one that makes them equally long."


def load_encoder(encoder: str | os.PathLike[str] | Encode, n_jobs: int | None = None) -> Encode:
    """Return a function from texts to vectors.

    Parameters
    ----------
    encoder : str, path or callable
        "minilm"; a folder with a model; the name of one of sentence-transformers, where that is installed; or
        the function itself.
    n_jobs : int, optional
        Threads; by default as many as there are cores. The vectors do not depend on it.

    Raises
    ------
    MissingExtraError
        If the extra `encoder` is not installed.
    EmbeddingError
        If there is no such model.
    """
    if callable(encoder):
        return encoder
    from qdtm.settings import n_threads  # loads the sampler

    name = os.fspath(encoder)
    if name == MINILM:
        return open_minilm(n_threads(n_jobs))
    check_encoder(name)
    if Path(name).is_dir():
        try:
            return open_folder(Path(name), n_threads(n_jobs))
        except EmbeddingError:  # of a kind that is not known here
            if not _has_sentence_transformers():
                raise
    return _sentence_transformer(name)


def check_encoder(encoder: Any) -> None:
    """Refuse the name of an encoder that cannot be there, before anything is read.

    Raises
    ------
    EmbeddingError
        If it is neither a folder nor a name that somebody knows.
    """
    if (
        encoder is None
        or callable(encoder)
        or encoder == MINILM
        or not isinstance(encoder, str | os.PathLike)
    ):
        return
    if not (Path(encoder).is_dir() or _has_sentence_transformers()):
        raise EmbeddingError(
            f"The encoder {os.fspath(encoder)!r} is no folder, and names need 'sentence-transformers', which "
            f"is not installed; give '{MINILM}' or a folder with a model."
        )


def _has_sentence_transformers() -> bool:
    return find_spec("sentence_transformers") is not None


def _sentence_transformer(name: str) -> Encode:
    """Return a model of sentence-transformers; a folder is read, a name may be fetched."""
    from sentence_transformers import SentenceTransformer

    try:
        with loading_in_silence():
            model = SentenceTransformer(name, local_files_only=Path(name).is_dir())
    except (OSError, ValueError) as error:
        raise EmbeddingError(
            f"The encoder {name!r} is not a folder with a model, and cannot be fetched; name another one."
        ) from error
    return lambda texts: model.encode(texts, batch_size=64, show_progress_bar=False)


@contextmanager
def loading_in_silence() -> Iterator[None]:
    """Let the model load without a bar of its own, and leave the bars as they were."""
    from transformers.utils import logging

    was_on = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        if was_on:
            logging.enable_progress_bar()


@dataclass(frozen=True, eq=False)
class Encoded:
    """What an encoder makes of documents and queries.

    Parameters
    ----------
    documents : ndarray of float32, shape (D, e)
    queries : ndarray of float32, shape (Q, e)
    reread : callable
        From rows and words, as the corpus writes them, to what it makes of these documents without, (n, e).
    """

    documents: Vectors
    queries: Vectors
    reread: Reread


def encode_corpus(
    encoder: str | os.PathLike[str] | Encode,
    corpus: Corpus,
    queries: Sequence[str],
    progress: ProgressCallback | None = None,
    *,
    n_jobs: int | None = None,
) -> Encoded:
    """Encode the documents of a corpus, and what is asked of them."""
    encode = load_encoder(encoder, n_jobs)
    documents, asked = encode_documents(encode, corpus, progress), _encode(encode, list(queries))
    if len(documents) and documents.shape[1] != asked.shape[1]:
        raise EmbeddingError(_UNEQUAL.format(asked.shape[1], documents.shape[1]))

    def reread(rows: NDArray[np.int64], words: Sequence[str]) -> Vectors:
        return _encode_once(encode, without_words(corpus, _texts(corpus, rows.tolist()), words), progress)

    return Encoded(documents, asked, reread)


def encode_documents(
    encoder: str | os.PathLike[str] | Encode,
    corpus: Corpus,
    progress: ProgressCallback | None = None,
    *,
    variant: str = "",
) -> Vectors:
    """Return a vector for each document of a corpus, shape (D, d); from the cache if it is there.

    Documents of a corpus without texts are encoded by their words. `variant` tells apart encoders that make
    the same of a short sentence.
    """
    return _encode_once(load_encoder(encoder), _texts(corpus), progress, variant)


def without_words(corpus: Corpus, texts: Sequence[str], words: Sequence[str]) -> list[str]:
    """Return texts without some words of the vocabulary, in whatever form they stand there."""
    hidden = set(words)
    several = [word.replace("_", " ").split() for word in hidden if "_" in word or " " in word]
    phrases = [re.compile(r"\W+".join(map(re.escape, parts)), re.IGNORECASE) for parts in several if parts]
    becomes: dict[str, str] = {}

    def left(found: re.Match[str]) -> str:
        run = found.group()
        if run not in becomes:
            becomes[run] = _left_of(run, corpus, hidden)
        return becomes[run]

    stripped = []
    for text in texts:
        for phrase in phrases:
            text = phrase.sub(" ", text)
        stripped.append(_RUN.sub(left, text))
    return stripped


def _left_of(run: str, corpus: Corpus, hidden: set[str]) -> str:
    """What is left of a run of letters without some words: all or nothing, or without them in the middle."""
    try:
        tokens = list(corpus.pipeline(run))
    except CorpusError:  # a function of the user's that was not saved
        tokens = []
    if run.lower() in hidden or (len(tokens) == 1 and tokens[0] in hidden):
        return ""
    for token in hidden.intersection(tokens):  # a script without spaces
        run = run.replace(token, "")
    return run


_RUN = re.compile(r"\w+")


def _encode_once(
    encode: Encode, texts: Sequence[str], progress: ProgressCallback | None, variant: str = ""
) -> Vectors:
    """Return a vector a text, from the cache if these were encoded before."""
    path = cache_directory() / "encodings" / f"{_key(encode, texts, variant)}.safetensors"
    kept = _read(path, len(texts))
    if kept is not None:
        return kept
    vectors = _encode_all(encode, texts, progress)
    _keep(path, vectors)
    return vectors


def _texts(corpus: Corpus, rows: Sequence[int] | None = None) -> list[str]:
    """Return the texts of some documents, or of all; the words of those that have no texts."""
    documents = corpus.documents if rows is None else corpus.documents.select(rows)
    texts = [(document.text or "")[:LONGEST] for document in documents]
    if any(texts):
        return texts
    words, spans = corpus.vocabulary, list(pairwise(corpus.offsets.tolist()))
    return [
        " ".join(words[w] for w in corpus.tokens[start:end].tolist())
        for start, end in (spans if rows is None else [spans[j] for j in rows])
    ]


def _encode_all(encode: Encode, texts: Sequence[str], progress: ProgressCallback | None) -> Vectors:
    """Encode texts of like length together: the encoder pads a batch to its longest."""
    order = np.argsort([len(text) for text in texts], kind="stable")
    vectors: Vectors | None = None
    for start in range(0, len(order), BATCH):
        check_cancelled()
        rows = order[start : start + BATCH]
        found = _encode(encode, [texts[j] for j in rows.tolist()])
        if vectors is None:
            vectors = np.empty((len(texts), found.shape[1]), np.float32)
        elif found.shape[1] != vectors.shape[1]:
            raise EmbeddingError(_UNEQUAL.format(found.shape[1], vectors.shape[1]))
        vectors[rows] = found
        if progress is not None:
            progress(Progress("encoding", None, min(start + BATCH, len(order)), len(order), 0, None))
    return np.empty((0, 1), np.float32) if vectors is None else vectors


def _encode(encode: Encode, texts: list[str]) -> Vectors:
    """Encode texts and check what comes back: one finite vector a text."""
    found = np.asarray(encode(texts), np.float32)
    if found.ndim != 2 or len(found) != len(texts) or not found.shape[1]:
        raise EmbeddingError(
            f"The encoder gave an array of shape {found.shape} for {len(texts)} texts; "
            "give one vector a text."
        )
    if not np.isfinite(found).all():
        raise EmbeddingError("The encoder gave NaN or infinity; give one that makes finite vectors.")
    return found


def _key(encode: Encode, texts: Sequence[str], variant: str) -> str:
    """Tell encoders apart by their fingerprint, or by what they make of a sentence; and texts."""
    fingerprint = getattr(encode, "fingerprint", None)
    known = np.round(_encode(encode, [_PROBE]), 3).tobytes() if fingerprint is None else fingerprint.encode()
    digest = hashlib.sha256(known + variant.encode())
    for text in texts:
        digest.update(text.encode("utf-8", "replace") + b"\0")
    return digest.hexdigest()[:32]


def _read(path: Path, n_documents: int) -> Vectors | None:
    """Read kept vectors; None if there are none, or the file is damaged."""
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    if not path.is_file():
        return None
    try:
        vectors = np.asarray(load_file(path)["vectors"])
    except (SafetensorError, KeyError, OSError):
        return None
    sound = vectors.ndim == 2 and len(vectors) == n_documents and np.isfinite(vectors).all()
    return vectors.astype(np.float32, copy=False) if sound else None


def _keep(path: Path, vectors: Vectors) -> None:
    """Keep vectors for the next time; a cache that cannot be written is no reason to stop."""
    from safetensors.numpy import save_file

    try:
        with atomic_path(path) as temporary:
            save_file({"vectors": vectors}, temporary)
    except (OSError, StorageError):
        return
