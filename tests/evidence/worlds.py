"""Small planted corpora for the evidence model: themes with words of their own, and a name that some say.

In: a seed. Out: a `Corpus` and the theme of each document.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from qdtm import Corpus
from qdtm.corpus.indexing import hash_documents
from qdtm.evidence.corpus_views import CorpusViews

GENERAL = [f"general{i:02d}" for i in range(40)]


def own_words(theme: str, n: int = 30) -> list[str]:
    return [f"{theme}{i:02d}" for i in range(n)]


def write(rng: np.random.Generator, theme: str, n: int = 24) -> list[str]:
    """A document of a theme: two thirds its own words, the rest general."""
    own = own_words(theme)
    return [str(rng.choice(own if rng.random() < 0.67 else GENERAL)) for _ in range(n)]


def write_many(
    seed: int, sizes: dict[str, int], names: dict[str, float] | None = None, *, times: int = 3
) -> tuple[list[list[str]], np.ndarray]:
    """Documents of themes in random order; a share of those of a theme has the name "named", a few times."""
    rng = np.random.default_rng(seed)
    documents, themes = [], []
    for theme, size in sizes.items():
        for _ in range(size):
            words = write(rng, theme)
            if rng.random() < (names or {}).get(theme, 0.0):
                words += ["named"] * times
            documents.append([str(word) for word in rng.permutation(words)])
            themes.append(theme)
    order = rng.permutation(len(documents))
    return [documents[j] for j in order], np.array(themes)[order]


def plant_names(seed: int, sizes: dict[str, int], names: dict[str, float], *, times: int = 3):
    documents, themes = write_many(seed, sizes, names, times=times)
    return Corpus.from_tokens(documents), themes


def random_counts(seed: int, n_documents: int = 40, n_words: int = 15):
    """A sparse matrix of counts, (D, V) CSR; no document is empty."""
    rng = np.random.default_rng(seed)
    counts = rng.poisson(0.7, (n_documents, n_words))
    counts[np.arange(n_documents), rng.integers(0, n_words, n_documents)] += 1
    return sparse.csr_array(counts.astype(np.int32))


def bare_views(counts, **options) -> CorpusViews:
    """The views of counts, whose documents are hashed as bags."""
    documents = [np.repeat(row.indices, row.data) for row in (counts[[j]] for j in range(counts.shape[0]))]
    offsets = np.cumsum([0, *map(len, documents)]).astype(np.int64)
    hashes = hash_documents(np.concatenate(documents).astype(np.int32), offsets)
    return CorpusViews(counts, hashes, **options)
