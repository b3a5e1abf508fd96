"""What the words of topics are worth.

In: word probabilities of a parent (V,) and of its subtopics (S, V), and word vectors (V, dim); or a labelled
data set. Out: diversity, cohesion and their product, which tables average over the parents that have
subtopics; and the words that are a category's, to hold a topic's against.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from experiments.datasets.paper_corpora import Dataset
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


# --- the words of a category -------------------------------------------------------------------------------


N_OWN = 50
"""Words that are a category's."""

MIN_DOCUMENTS = 5
"""A word in fewer documents of a category says nothing about it."""


@lru_cache(maxsize=64)
def category_words(dataset: Dataset, query: int) -> frozenset[str]:
    """Return the 50 words that a category has most more often than the corpus.

    They have the largest part in the divergence of the category's words from the corpus',
    p(w|category) log(p(w|category) / p(w|corpus)), among those that five of its documents have.
    """
    counts = dataset.corpus.document_term_matrix
    inside = counts[dataset.labels == query]  # (K, V) sparse
    within = np.asarray(inside.sum(axis=0), np.float64).ravel()  # (V,)
    whole = np.asarray(counts.sum(axis=0), np.float64).ravel()  # (V,)
    in_documents = np.asarray((inside > 0).sum(axis=0)).ravel()  # (V,)
    (known,) = np.nonzero(in_documents >= MIN_DOCUMENTS)
    p, q = within[known] / within.sum(), whole[known] / whole.sum()
    first = known[np.argsort(-p * np.log(p / q), kind="stable")[:N_OWN]]
    return frozenset(dataset.corpus.vocabulary[w] for w in first)


def share_of(words: Sequence[str], own: Collection[str]) -> float | None:
    """Return the share of some words that is among others; None if there are none."""
    return sum(word in own for word in words) / len(words) if words else None


N_CHARACTERISTIC = 50
"""Words that are a category's."""


@lru_cache(maxsize=64)
def characteristic_words(dataset: Dataset, query: int) -> frozenset[str]:
    """Return the 50 words that most surely tell a category's documents from the others in a data set.

    They are those with the largest log odds ratio over its standard error; see `log_odds`.
    """
    inside = dataset.labels == query
    has_word = (dataset.corpus.document_term_matrix > 0).astype(np.int64)
    within, without = (np.asarray(has_word[rows].sum(axis=0)).ravel() for rows in (inside, ~inside))
    scores = log_odds(within, without, int(inside.sum()), int((~inside).sum()))
    first = np.argsort(-scores, kind="stable")[:N_CHARACTERISTIC]
    return frozenset(dataset.corpus.vocabulary[w] for w in first)


def log_odds(
    within: NDArray[np.int64], without: NDArray[np.int64], n_within: int, n_without: int
) -> NDArray[np.float64]:
    """Return for each word how much likelier a category's documents are to have it, in standard errors, (V,).

    The log of the odds ratio, with 1/2 added to each count, over its standard error.

    Parameters
    ----------
    within, without : ndarray of shape (V,)
        Documents of the category, and others, that have each word.
    n_within, n_without : int
        Documents of the category, and others.
    """
    cells = (within + 0.5, n_within - within + 0.5, without + 0.5, n_without - without + 0.5)
    has, lacks, other_has, other_lacks = cells
    ratio = np.log(has) - np.log(lacks) - np.log(other_has) + np.log(other_lacks)
    return np.asarray(ratio / np.sqrt(sum(1.0 / cell for cell in cells)))
