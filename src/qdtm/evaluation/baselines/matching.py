"""Which topic stands for which concept, where a model does not know: topics in, one a concept out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from qdtm.embeddings import WordVectors
from qdtm.evaluation.metrics.subtopics import top_word_ids

N_TOP_WORDS = 10


def match_topics(
    topics: NDArray[np.float64],
    vocabulary: Sequence[str],
    keywords: Sequence[Iterable[str]],
    vectors: WordVectors,
) -> NDArray[np.int64]:
    """Return for each concept the topic whose top ten words are nearest to its keywords, as the paper does.

    Nearness is the cosine, averaged over all pairs of a keyword and a top word; pairs with a word that has
    no vector do not count. Two concepts may get the same topic.

    Parameters
    ----------
    topics : ndarray of shape (K, V)
        p(word | topic).
    vocabulary : sequence of str, length V
    keywords : sequence of iterables of str, length Q
        The expert's keywords of each concept, as printed.
    vectors : WordVectors

    Returns
    -------
    ndarray of int64, shape (Q,)
    """
    tops = top_word_ids(topics, N_TOP_WORDS)  # (K, 10)
    centres = np.stack([_mean_unit([vocabulary[w] for w in top], vectors) for top in tops])  # (K, d)
    wanted = np.stack([_mean_unit(words, vectors) for words in keywords])  # (Q, d)
    return np.asarray((wanted @ centres.T).argmax(axis=1), dtype=np.int64)


def _mean_unit(words: Iterable[str], vectors: WordVectors) -> NDArray[np.float64]:
    """Return the mean of words' unit vectors: dot products of such means are mean pairwise cosines."""
    rows = [row for word in words if (row := vectors.find(word)) is not None]
    if not rows:
        return np.zeros(vectors.dimension)
    found = vectors.vectors[rows].astype(np.float64)  # (n, d)
    return np.asarray((found / np.linalg.norm(found, axis=1, keepdims=True).clip(1e-12)).mean(axis=0))
