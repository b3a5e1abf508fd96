"""What every baseline takes and gives: `TopicFit` and two ways to read documents from it.

In: a corpus, the experts' keywords. Out: keywords as vocabulary numbers, `Schedule` of a chain, topics of
counts, and which topic stands for which concept where a model does not know.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from experiments.metrics.topics import top_word_ids
from qdtm.corpus import Corpus
from qdtm.embeddings import WordVectors
from qdtm.errors import MissingExtraError, ParameterError
from qdtm.queries.resolve import matches_of, resolve_list


def require(module: str) -> Any:
    """Import a module that only some models need; all of them are in the extra `experiments`.

    Raises
    ------
    MissingExtraError
        If it is not installed.
    """
    try:
        return import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        raise MissingExtraError(
            f"This model needs {package!r}, which is not installed: pip install 'qdtm[experiments]'."
        ) from error


# --- fits -------------------------------------------------------------------------------------------------


FloatArray = NDArray[np.float64]

TrainingProgress = Callable[[int, int], object]
"""Called with the sweeps (epochs) done and how many there are in all."""


@dataclass(frozen=True, eq=False)
class TopicFit:
    """Topics and what they say about documents.

    Attributes
    ----------
    vocabulary : tuple of str, length V
    topics : ndarray of shape (K, V)
        p(word | topic); rows sum to 1.
    doc_topics : ndarray of shape (D, K)
        The model's own document distribution p(topic | document); rows sum to 1.
    p_topic_of_word : ndarray of shape (V, K)
        p(topic | word), from counts; rows sum to 1, or are 0 if the word has no token.
    """

    vocabulary: tuple[str, ...]
    topics: FloatArray
    doc_topics: FloatArray
    p_topic_of_word: FloatArray

    @property
    def n_topics(self) -> int:
        """The number of topics, K."""
        return len(self.topics)

    def top_words(self, k: int, n: int = 10) -> list[str]:
        """Return the most probable words of a topic; equal ones in the order of the vocabulary."""
        return [self.vocabulary[w] for w in np.argsort(-self.topics[k], kind="stable")[:n]]

    def mixed_doc_topics(self, corpus: Corpus) -> FloatArray:
        """Return p(topic | document) as the mix of p(topic | word) over the document's tokens, (D, K).

        This is how the query-driven model reads documents. A document without words has equal shares.
        """
        return normalised(np.asarray(corpus.document_term_matrix @ self.p_topic_of_word))


def fit_of_counts(
    vocabulary: tuple[str, ...], word_counts: FloatArray, topics: FloatArray, doc_topics: FloatArray
) -> TopicFit:
    """Make a `TopicFit` of a count model: `word_counts` (V, K) are the tokens of each word in each topic."""
    totals = word_counts.sum(axis=1, keepdims=True)  # (V, 1)
    p_topic_of_word = np.divide(word_counts, totals, out=np.zeros_like(word_counts), where=totals > 0)
    return TopicFit(vocabulary, topics, doc_topics, p_topic_of_word)


def smoothed_topics(word_counts: FloatArray, beta: float) -> FloatArray:
    """Return p(word | topic) of counts (V, K) with a symmetric prior, (K, V)."""
    return np.asarray(((word_counts + beta) / (word_counts + beta).sum(axis=0)).T)


def normalised(rows: FloatArray) -> FloatArray:
    """Return rows that sum to 1; one of zeros has equal shares."""
    totals = rows.sum(axis=1, keepdims=True)
    equal = np.full_like(rows, 1.0 / rows.shape[1])
    return np.asarray(np.divide(rows, totals, out=equal, where=totals > 0))


@dataclass(frozen=True)
class Schedule:
    """How long a chain runs: counts are averaged over every `thin`-th sweep after `burn_in` of `n_sweeps`."""

    n_sweeps: int = 400
    burn_in: int = 200
    thin: int = 10

    def __post_init__(self) -> None:
        if not (0 <= self.burn_in < self.n_sweeps and 1 <= self.thin <= self.n_sweeps - self.burn_in):
            raise ParameterError(
                f"{self.n_sweeps} sweeps, {self.burn_in} of them before every {self.thin}-th is averaged, "
                "leave nothing to average; give more sweeps."
            )

    def limited_to(self, max_sweeps: int | None) -> Schedule:
        """Return the schedule with at most so many sweeps, half of them to burn in."""
        if max_sweeps is None or max_sweeps >= self.n_sweeps:
            return self
        burn_in = max_sweeps // 2
        return Schedule(max_sweeps, burn_in, min(self.thin, max_sweeps - burn_in))

    def is_sample(self, n_done: int) -> bool:
        """Whether the counts after so many sweeps are averaged."""
        return n_done > self.burn_in and (n_done - self.burn_in) % self.thin == 0


# --- keywords ---------------------------------------------------------------------------------------------


WordIds = tuple[int, ...]


def keyword_ids(corpus: Corpus, keywords: Sequence[Iterable[str]]) -> list[WordIds]:
    """Return the vocabulary words of each concept's keywords; a keyword that the corpus lacks is left out.

    Parameters
    ----------
    corpus : Corpus
    keywords : sequence of iterables of str
        The keywords of each concept, cleaned as the corpus' texts were.
    """
    return [tuple(dict.fromkeys(matches_of(resolve_list(words, corpus)))) for words in keywords]


def without_shared(groups: Sequence[WordIds]) -> list[WordIds]:
    """Return the groups without the words that more than one of them has."""
    owners = Counter(w for group in groups for w in set(group))
    return [tuple(w for w in group if owners[w] == 1) for group in groups]


# --- topics of concepts -----------------------------------------------------------------------------------


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
