"""Subtopics of one parent: how different they are from each other, and how near to the parent.

In: word probabilities of the parent (V,) and of its subtopics (S, V), and word vectors (V, dim). Out:
diversity, cohesion and their product. A table averages them over the parents that have subtopics.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from qdtm.errors import ParameterError

DIVERSITY_WORDS = 25
COHESION_WORDS = 10


def topic_diversity(subtopics: ArrayLike, n_words: int = DIVERSITY_WORDS) -> float:
    """Return the share of unique words among the top words of all subtopics: the paper's printed definition.

    Parameters
    ----------
    subtopics : array of shape (n_subtopics, n_vocabulary)
        Probability or weight of each word in each subtopic.
    n_words : int
        How many top words of each count.
    """
    tops = top_word_ids(subtopics, n_words)  # (S, n_words)
    return len(np.unique(tops)) / tops.size


def sibling_diversity(subtopics: ArrayLike, n_words: int = DIVERSITY_WORDS) -> float:
    """Return the share of a subtopic's top words that no sibling has, averaged: the definition as released.

    Parameters
    ----------
    subtopics : array of shape (n_subtopics, n_vocabulary)
        Probability or weight of each word in each subtopic.
    n_words : int
        How many top words of each count.
    """
    tops = top_word_ids(subtopics, n_words)  # (S, n_words)
    _, n_owners = np.unique(tops, return_counts=True)
    return int((n_owners == 1).sum()) / tops.size


def topic_cohesion(
    parent: ArrayLike, subtopics: ArrayLike, vectors: ArrayLike, n_words: int = COHESION_WORDS
) -> float:
    """Return the cosine between the embedding of the parent and of a subtopic, averaged over subtopics.

    Parameters
    ----------
    parent : array of shape (n_vocabulary,)
        Probability of each word in the parent topic.
    subtopics : array of shape (n_subtopics, n_vocabulary)
        Probability of each word in each subtopic.
    vectors : array of shape (n_vocabulary, n_dimensions)
        Word vectors; a row of zeros for a word that has none.
    n_words : int
        How many top words make up the embedding.
    """
    words, families = np.asarray(vectors, dtype=np.float64), _as_rows(subtopics)
    centre = topic_embedding(np.asarray(parent), words, n_words)
    return float(np.mean([_cosine(centre, topic_embedding(weights, words, n_words)) for weights in families]))


def overall_quality(parent: ArrayLike, subtopics: ArrayLike, vectors: ArrayLike) -> float:
    """Return diversity (as printed) times cohesion of a parent's subtopics."""
    return topic_diversity(subtopics) * topic_cohesion(parent, subtopics, vectors)


def topic_embedding(
    weights: NDArray[np.floating], vectors: NDArray[np.floating], n_words: int = COHESION_WORDS
) -> NDArray[np.float64]:
    """Return the sum of the vectors of a topic's top words, each times its probability.

    Parameters
    ----------
    weights : ndarray of shape (n_vocabulary,)
        Probability of each word in the topic.
    vectors : ndarray of shape (n_vocabulary, n_dimensions)
        Word vectors.
    n_words : int
        How many top words count.
    """
    top = top_word_ids(weights, n_words)[0]
    return np.asarray(weights[top] @ vectors[top], dtype=np.float64)


def top_word_ids(topics: ArrayLike, n_words: int) -> NDArray[np.int64]:
    """Return the ids of the heaviest words of each topic, heaviest first; equal weights rank by id.

    Parameters
    ----------
    topics : array of shape (n_topics, n_vocabulary) or (n_vocabulary,)
        Weight of each word.
    n_words : int
        How many; all of them if the vocabulary is smaller.

    Returns
    -------
    ndarray of int64, shape (n_topics, n_words)
    """
    return np.argsort(-_as_rows(topics), axis=1, kind="stable")[:, :n_words]


def _as_rows(topics: ArrayLike) -> NDArray[np.float64]:
    """Return topics as (n_topics, V), of which there must be at least one."""
    rows = np.atleast_2d(np.asarray(topics, dtype=np.float64))
    if rows.size == 0:
        raise ParameterError("Diversity and cohesion need at least one subtopic, got none.")
    return rows


def _cosine(left: NDArray[np.float64], right: NDArray[np.float64]) -> float:
    """Return the cosine of two vectors; 0 if one of them is zero, for then nothing is known."""
    norms = np.linalg.norm(left) * np.linalg.norm(right)
    return float(left @ right / norms) if norms > 0 else 0.0
