"""From what the user names to word vectors, those learned from the corpus itself among them.

In: "glove", "corpus", a path, the name of a download, gensim's `KeyedVectors`, a dict, or None. Out:
`WordVectors` (None for None). With a corpus at hand only the vectors of its words are kept.
"""

from __future__ import annotations

import contextlib
import io
import os
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from qdtm.embeddings.npz_vectors import read_npz
from qdtm.embeddings.vector_files import keep_words, read_vector_file
from qdtm.embeddings.vectors import WordVectors
from qdtm.errors import EmbeddingError

if TYPE_CHECKING:
    from qdtm.corpus.corpus import Corpus


# --- vectors from anywhere ----------------------------------------------------------------------------------

BUNDLED = "glove6B_100d_top50k_int8.npz"
FILE_SUFFIXES = (".txt", ".vec", ".bin", ".gz", ".npz", ".zip", ".kv", ".model")


def load_vectors(
    spec: Any, corpus: Corpus | None = None, *, also: Iterable[str] = (), random_state: int = 0
) -> WordVectors | None:
    """Load the word vectors that the user asks for.

    Parameters
    ----------
    spec : str, Path, gensim KeyedVectors, mapping of str to vector, WordVectors or None
        "auto" is "glove" for English, and where the language is not known, and else "corpus". "glove" is
        bundled (GloVe 6B, 100 dimensions, 50,478 English words). "corpus" learns vectors from
        the corpus. Another string is a file (GloVe text, word2vec text or binary, fastText .vec, plain or
        gzipped, or .npz) and else the name of a `gensim.downloader` model.
    corpus : Corpus, optional
        Keep the vectors of its vocabulary alone; a file is then read as a stream.
    also : iterable of str
        Further words to keep, such as a query's, so that unknown ones can be compared with known ones.
    random_state : int
        Seed for "corpus".

    Returns
    -------
    WordVectors or None
        None if `spec` is None: no word vectors.
    """
    if isinstance(spec, str) and spec == "auto":
        spec = vectors_for(None if corpus is None else corpus.pipeline.language)
    if spec is None:
        return None
    if isinstance(spec, str) and spec == "corpus":
        return _learned(corpus, random_state)
    wanted = None if corpus is None else frozenset(_with_parts((*corpus.vocabulary, *also)))
    if isinstance(spec, (str, Path)):
        return _from_name(spec, wanted)
    vectors = _from_object(spec)
    return vectors if wanted is None else keep_words(vectors, wanted)


def _with_parts(words: Iterable[str]) -> Iterator[str]:
    """Yield words in lower case, and of phrases their words too."""
    for word in words:
        yield word.lower()
        if " " in word:
            yield from word.lower().split(" ")


def vectors_for(language: str | None) -> str:
    """Return what "auto" is for a language: the bundled vectors know English alone."""
    return "glove" if language in (None, "english") else "corpus"


@lru_cache(maxsize=1)
def bundled_vectors() -> WordVectors:
    """Return the GloVe vectors inside the package; read once."""
    with resources.as_file(resources.files("qdtm") / "data" / BUNDLED) as path:
        return read_npz(str(path), "glove", None)


def _learned(corpus: Corpus | None, random_state: int) -> WordVectors:

    if corpus is None:
        raise EmbeddingError("Vectors 'corpus' are learned from a corpus; give one, or name a file.")
    return learn_vectors(corpus.tokens, corpus.offsets, corpus.vocabulary, random_state=random_state)


def check_vectors(spec: Any) -> None:
    """Refuse the name of word vectors that are not there, before anything is read.

    Raises
    ------
    EmbeddingError
        If it is no file, and no model of gensim-data.
    """
    if isinstance(spec, (str, Path)) and spec not in ("auto", "corpus", "glove"):
        _find_file(spec)


def _from_name(spec: str | Path, wanted: frozenset[str] | None) -> WordVectors:
    """Resolve a string: the bundled vectors, a file, a download, in this order."""
    if spec == "glove":
        return bundled_vectors() if wanted is None else keep_words(bundled_vectors(), wanted)
    return read_vector_file(_find_file(spec), wanted)


def _find_file(spec: str | Path) -> Path:
    """Return the file of word vectors, fetching it if need be."""
    path = Path(spec).expanduser()
    if os.path.isfile(path):  # noqa: PTH113 - a name that no disk can have is no file, and no error
        return path
    if isinstance(spec, Path) or path.suffix in FILE_SUFFIXES or len(path.parts) != 1:
        raise EmbeddingError(
            f"Word vectors '{spec}' are not there; give the path of a file, or 'glove', 'corpus', None."
        )
    return _downloaded(spec)


def _downloaded(name: str) -> Path:
    """Return the file of a gensim-data model, fetching it if need be."""
    try:
        from gensim import downloader

        known = downloader.info()["models"]
        if name not in known:
            raise EmbeddingError(
                f"'{name}' is no file and no gensim-data model. Give a file, 'glove', 'corpus', None, "
                f"or one of: {', '.join(sorted(known))}."
            )
        with contextlib.redirect_stdout(io.StringIO()):  # gensim prints its progress
            return Path(downloader.load(name, return_path=True))
    except EmbeddingError:
        raise
    except Exception as error:  # gensim raises plain Exception for a bad checksum
        raise EmbeddingError(
            f"'{name}' is no file, and gensim-data cannot be reached to download it "
            f"({type(error).__name__}). Give a file, 'glove', 'corpus' or None."
        ) from None


def _from_object(spec: Any) -> WordVectors:
    """Turn vectors in memory into ours."""
    if isinstance(spec, WordVectors):
        return spec
    if isinstance(spec, Mapping):
        return _from_mapping(spec)
    keyed = getattr(spec, "wv", spec)  # a gensim model carries its KeyedVectors as `wv`
    if hasattr(keyed, "index_to_key") and hasattr(keyed, "vectors"):
        words = tuple(str(word) for word in keyed.index_to_key)
        return WordVectors(words, np.asarray(keyed.vectors, dtype=np.float32), type(keyed).__name__)
    raise EmbeddingError(
        f"Word vectors cannot be a {type(spec).__name__}; give 'glove', 'corpus', a path, gensim "
        "KeyedVectors, a dict of word to vector, or None."
    )


def _from_mapping(vectors: Mapping[str, Any]) -> WordVectors:
    """Check a dict of word to vector: numbers, one dimension."""
    rows: list[NDArray[np.float32]] = []
    for word, vector in vectors.items():
        try:
            row = np.asarray(vector, dtype=np.float32)
        except (TypeError, ValueError):
            raise EmbeddingError(f"The vector of {word!r} is not a list of numbers.") from None
        if row.ndim != 1 or (rows and row.shape != rows[0].shape):
            shape = rows[0].shape if rows else "(d,)"
            raise EmbeddingError(f"The vector of {word!r} has the shape {row.shape}; all must be {shape}.")
        rows.append(row)
    if not rows:
        raise EmbeddingError("The dict of word vectors is empty; give at least one word, or None.")
    return WordVectors(tuple(map(str, vectors)), np.stack(rows), "dict")


# --- vectors learned from the corpus ------------------------------------------------------------------------
#
# Word vectors learned from the corpus itself, for any language and without a download.
#
# In: a corpus' flat tokens. Out: `WordVectors` named "corpus". Words are related if they stand near each
# other more often than chance: positive pointwise mutual information, brought to few dimensions by a
# truncated singular value decomposition (Levy, Goldberg and Dagan 2015, "Improving distributional similarity
# with lessons learned from word embeddings": contexts smoothed with the power 0.75, singular values with the
# power 0.5).

CONTEXT_SMOOTHING = 0.75


def learn_vectors(
    tokens: NDArray[np.int32],
    offsets: NDArray[np.int64],
    vocabulary: tuple[str, ...],
    *,
    dimension: int = 100,
    window: int = 10,
    random_state: int = 0,
) -> WordVectors:
    """Learn a vector for each vocabulary word from the company it keeps.

    Parameters
    ----------
    tokens : ndarray of int32, shape (N,)
        Word ids of all documents, one after the other.
    offsets : ndarray of int64, shape (D + 1,)
        Document j is `tokens[offsets[j]:offsets[j + 1]]`.
    vocabulary : tuple of str, length V
    dimension : int
        The most dimensions to keep; a small vocabulary has fewer.
    window : int
        Two words are near each other if at most this many places of one document apart.
    random_state : int
        Seed of the randomised decomposition; the same seed gives the same vectors.

    Returns
    -------
    WordVectors
        A word that is near no other has a vector of zeros.
    """
    near = cooccurrence(tokens, offsets, len(vocabulary), window)
    if near.nnz == 0:
        raise EmbeddingError(
            "No document has two different words, so no vectors can be learned; give embeddings=None."
        )
    vectors = factorise(positive_pmi(near), dimension, random_state)
    return WordVectors(vocabulary, vectors, "corpus")


def cooccurrence(tokens: NDArray[np.int32], offsets: NDArray[np.int64], n_words: int, window: int) -> Any:
    """Count how often two different words stand at most `window` places apart; sparse, symmetric, (V, V)."""
    document = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))  # (N,)
    counts = sparse.csr_array((n_words, n_words), dtype=np.float64)  # (V, V)
    longest = int(np.diff(offsets).max(initial=0))
    for gap in range(1, min(window, longest - 1) + 1):
        pair = (document[gap:] == document[:-gap]) & (tokens[gap:] != tokens[:-gap])
        left, right = tokens[:-gap][pair], tokens[gap:][pair]
        ones = np.ones(len(left))
        counts = counts + sparse.coo_array((ones, (left, right)), shape=(n_words, n_words)).tocsr()
    return (counts + counts.T).tocsr()


def positive_pmi(counts: Any) -> Any:
    """Return log p(w, c) / (p(w) p'(c)) where positive, with p' the smoothed context; sparse, (V, V)."""
    n_w = np.asarray(counts.sum(axis=1)).ravel()  # (V,)
    p_c = n_w**CONTEXT_SMOOTHING / np.sum(n_w**CONTEXT_SMOOTHING)  # (V,)
    pairs = counts.tocoo()
    pmi = np.log(pairs.data / (n_w[pairs.row] * p_c[pairs.col]))
    keep = pmi > 0
    return sparse.csr_array((pmi[keep], (pairs.row[keep], pairs.col[keep])), shape=counts.shape)


def factorise(matrix: Any, dimension: int, random_state: int) -> NDArray[np.float32]:
    """Return U sqrt(S) of the truncated singular value decomposition, shape (V, at most `dimension`)."""
    from sklearn.utils.extmath import randomized_svd

    U, S, _ = randomized_svd(matrix, min(dimension, matrix.shape[0]), n_iter=5, random_state=random_state)
    kept = S / S[0] > 1e-6  # beyond the matrix' rank there is only rounding noise
    vectors: NDArray[np.float64] = U[:, kept] * np.sqrt(S[kept])  # (V, d)
    vectors[np.diff(matrix.indptr) == 0] = 0.0
    return vectors.astype(np.float32)
