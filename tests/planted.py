"""Corpora with topics that we know because we planted them.

In: a seed, the words of each topic and the number of documents about it. Out: `PlantedCorpus`, with what a
model should find.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from qdtm import Corpus

GENERAL_SHARE = 0.3
"""Of each document: words that any document may have."""

ASIDE_SHARE = 0.2
"""Of the rest: words of other topics than the document's own."""

Words = tuple[str, ...]


@dataclass(frozen=True, eq=False)
class PlantedCorpus:
    """A corpus and the truth about it.

    Parameters
    ----------
    corpus : Corpus
    words : tuple of tuple of str
        The words of each topic, most probable first.
    document_topics : ndarray of shape (D,)
        The topic that each document is about.
    """

    corpus: Corpus
    words: tuple[Words, ...]
    document_topics: np.ndarray


def own_words(n_topics: int, words_each: int) -> tuple[Words, ...]:
    """Words for topics that share none: "a00", "a01", ... for the first."""
    return tuple(_words("abcdefghijklmnopqrstuvwxyz"[k], words_each) for k in range(n_topics))


def plant(
    seed: int, words: Sequence[Words], documents_each: Sequence[int], length: int = 40
) -> PlantedCorpus:
    """Write documents about topics, each among general words.

    Parameters
    ----------
    seed : int
    words : sequence of tuple of str
        The words of each topic; the first ones are drawn oftener, as in any language.
    documents_each : sequence of int
        How many documents are about each topic.
    length : int
        The mean length of a document.
    """
    rng = np.random.default_rng(seed)
    n_topics = len(words)
    everything = (*words, _words("general", 60))
    about = rng.permutation(np.repeat(np.arange(n_topics), documents_each))  # (D,)
    documents = []
    for k in about:
        n = max(5, int(rng.poisson(length)))
        topics = np.where(rng.random(n) < ASIDE_SHARE, rng.choice(about, n), k)
        topics = np.where(rng.random(n) < GENERAL_SHARE, n_topics, topics)
        documents.append([_draw(rng, everything[topic]) for topic in topics])
    return PlantedCorpus(Corpus.from_tokens(documents), tuple(words), about)


def plant_parts(seed: int, n_parts: int, n_documents: int = 120, length: int = 40) -> Corpus:
    """Write documents with the word "planet", and as many about other things.

    Parameters
    ----------
    seed : int
    n_parts : int
        Kinds of documents about planets, each with words of its own beside shared ones; 1 plants a topic
        without parts: all its documents are drawn from the same words.
    n_documents : int
        About planets.
    length : int
        The mean length of a document.
    """
    rng = np.random.default_rng(seed)
    shared = _words("shared", 30)
    documents = []
    for j in range(n_documents):
        n = int(rng.poisson(length))
        own = _words("abcdefgh"[j % n_parts], 30) if n_parts > 1 else shared
        words = [_draw(rng, own if i % 3 else shared) for i in range(n)]
        documents.append(["planet"] * int(rng.integers(2, 5)) + words)
    for j in range(n_documents):
        documents.append([_draw(rng, _words("xyz"[j % 3], 60)) for _ in range(int(rng.poisson(length)))])
    order = rng.permutation(len(documents))
    return Corpus.from_tokens([documents[j] for j in order])


def _words(stem: str, n: int) -> Words:
    return tuple(f"{stem}{w:02d}" for w in range(n))


def _draw(rng: np.random.Generator, words: Words) -> str:
    return words[int(len(words) * rng.random() ** 2)]


def nested_documents():
    """Make documents of a concept ("ship") in two broad themes, each of two narrow ones, and others."""
    rng = np.random.default_rng(0)
    documents = []
    for theme in ("sea", "sky"):
        general = [f"{theme}{i}" for i in range(6)]
        for narrow in "ab":
            own = [f"{theme}{narrow}{i}" for i in range(8)]
            documents += [["ship", *rng.choice(general, 12), *rng.choice(own, 10)] for _ in range(40)]
    other = [f"other{i}" for i in range(40)]
    documents += [list(rng.choice(other, 20)) for _ in range(160)]
    return [[str(word) for word in words] for words in documents]


def plant_groups(seed=0, n_groups=3, each=40, n_words=12, length=8):
    """Documents of groups with words of their own, among words of all."""
    rng = np.random.default_rng(seed)
    truth = np.repeat(np.arange(n_groups), each)
    rows = []
    for k in truth:
        own = rng.choice(n_words, length) + k * n_words
        general = rng.choice(n_words, length // 2) + n_groups * n_words
        rows.append(np.bincount([*own, *general], minlength=(n_groups + 1) * n_words))
    return sparse.csr_matrix(np.array(rows)), truth


def plant_vectors(n_groups=4, each=40, n_dimensions=30, apart=2.0, seed=0):
    """Plant groups of vectors; return them with the group of each."""
    rng = np.random.default_rng(seed)
    truth = np.repeat(np.arange(n_groups), each)
    centres = apart * np.random.default_rng(99).normal(size=(n_groups, n_dimensions))
    return (centres[truth] + rng.normal(size=(len(truth), n_dimensions))).astype(np.float32), truth
