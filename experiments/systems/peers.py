"""Rows of what people use today: a row's name in, a `System` around somebody's package out.

Rows beyond the paper. Each gets what its users would give it: keywords where the model takes them, the query
phrase where it takes a phrase; topic q is that of concept q.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from functools import lru_cache
from io import StringIO
from typing import Any

import numpy as np

from experiments.baselines.encoder import DocumentEncoder, Vectors, sentence_encoder
from experiments.baselines.topic_fit import (
    FloatArray,
    TopicFit,
    keyword_ids,
    normalised,
    require,
    without_shared,
)
from experiments.datasets.paper_corpora import Dataset
from experiments.systems.baselines import Settings, keywords_of, margins, phrases_of, two_readings
from experiments.systems.registry import Outcome, Reading, SystemOptions
from qdtm.corpus import Corpus
from qdtm.embeddings.encoder import loading_in_silence

_N_SWEEPS = 300
_ANCHOR_STRENGTH = 3.0
_KEYNMF_TOPICS = 10
_SEED_EXPONENT = 2.0  # turftopic's default
_ZERO_SHOT_SIMILARITY = 0.3


@dataclass(frozen=True)
class Recipe:
    """How a peer gets its row: what fits it, and the package that it needs."""

    fit: Callable[[Dataset, int, PeerRow], Outcome]
    module: str
    needs_encoder: bool = False


def make_peer(name: str, options: SystemOptions) -> PeerRow:
    """Make the system of one of `RECIPES`."""
    recipe = RECIPES[name]
    require(recipe.module)
    encoder = (options.encoder or sentence_encoder()) if recipe.needs_encoder else None
    if encoder is not None:
        DocumentEncoder(encoder).check()
    return PeerRow(name, options.max_sweeps, encoder)


@dataclass(frozen=True)
class PeerRow:
    """A row of a package that people use today."""

    name: str
    max_sweeps: int | None
    encoder: str | None
    n_rest: int = 1
    """Topics beside those of the concepts, where the model asks for their number."""

    @property
    def settings(self) -> Settings:
        """The options that mean something to it."""
        return {"max_sweeps": self.max_sweeps, "encoder": self.encoder, "n_rest": self.n_rest}

    @property
    def n_sweeps(self) -> int:
        """Sweeps of a sampler."""
        return min(_N_SWEEPS, self.max_sweeps or _N_SWEEPS)

    def fit(self, dataset: Dataset, seed: int, *, subtopics: bool = False) -> Outcome:  # noqa: ARG002
        """Fit the model; see `System`."""
        return RECIPES[self.name].fit(dataset, seed, self)


# --- topica ----------------------------------------------------------------------------------------------


def _keyatm(dataset: Dataset, seed: int, row: PeerRow) -> Outcome:
    """KeyATM (Eshima, Imai and Sasaki 2024), with topics without keywords."""
    words = _known_keywords(dataset)
    model = require("topica").KeyATM(
        _named(words), num_topics=len(words) + row.n_rest, seed=seed, num_threads=1
    )
    model.fit(token_lists(dataset.corpus), iters=row.n_sweeps)
    return two_readings(_fit_of_topica(model, dataset.corpus), dataset, np.arange(len(words)))


def _seeded_lda(dataset: Dataset, seed: int, row: PeerRow) -> Outcome:
    """Seeded LDA as in the R package `seededlda`, with residual topics."""
    words = _known_keywords(dataset)
    model = require("topica").SeededLDA(_named(words), residual=row.n_rest, seed=seed, num_threads=1)
    model.fit(token_lists(dataset.corpus), iters=row.n_sweeps)
    return two_readings(_fit_of_topica(model, dataset.corpus), dataset, np.arange(len(words)))


def _fit_of_topica(model: Any, corpus: Corpus) -> TopicFit:
    columns = [corpus.word_index[word] for word in model.vocabulary]
    topics = np.zeros((len(model.topic_word), corpus.n_words))
    topics[:, columns] = model.topic_word
    shares = np.asarray(model.doc_topic, dtype=np.float64)
    tokens = np.diff(corpus.offsets) @ shares  # (K,) tokens of each topic
    joint = topics.T * tokens  # (V, K)
    p_topic_of_word = joint / joint.sum(axis=1, keepdims=True).clip(1e-300)
    return TopicFit(corpus.vocabulary, topics, shares, p_topic_of_word)


# --- anchored CorEx --------------------------------------------------------------------------------------


def _corex(dataset: Dataset, seed: int, row: PeerRow) -> Outcome:
    """Anchored correlation explanation (Gallagher et al. 2017)."""
    corpus = dataset.corpus
    module = require("corextopic.corextopic")
    anchors = [[corpus.vocabulary[w] for w in ids] for ids in keyword_ids(corpus, keywords_of(dataset))]
    model = module.Corex(n_hidden=len(anchors) + row.n_rest, seed=seed, max_iter=min(200, row.n_sweeps))
    binary = corpus.document_term_matrix.astype(bool).astype(np.float64)
    model.fit(binary, words=list(corpus.vocabulary), anchors=anchors, anchor_strength=_ANCHOR_STRENGTH)
    weights = np.asarray(model.alpha * model.mis, dtype=np.float64).clip(0)  # (K, V)
    shares = np.array(model.p_y_given_x, dtype=np.float64)  # (D, K), each topic by itself
    for q, ids in enumerate(keyword_ids(corpus, keywords_of(dataset))):
        has_keyword = np.asarray(binary[:, list(ids)].sum(axis=1)).ravel() > 0
        if shares[has_keyword, q].sum() * len(shares) < shares[:, q].sum() * has_keyword.sum():
            shares[:, q] = 1.0 - shares[:, q]  # its state 1 may as well mean that the words are absent
    return Outcome(shares[:, : len(anchors)], shares, weights[: len(anchors)])


# --- KeyNMF ----------------------------------------------------------------------------------------------


def _keynmf(dataset: Dataset, seed: int, row: PeerRow) -> Outcome:
    """KeyNMF with the query as its seed phrase (turftopic), a model a concept.

    All topics of such a model are about its phrase, so a document is about the concept as far as they
    explain its keywords: by themselves, or, in the other reading, beside those of the other concepts.
    """
    corpus = dataset.corpus
    texts, vectors, encoder = _encoded(corpus, row)
    keywords = _keywords(corpus, row)
    cosines = vectors @ DocumentEncoder(row.encoder or "").encode(phrases_of(dataset)).T  # (D, Q)
    weights, topics = [], []
    for relevance in cosines.T:
        model = _new_keynmf(corpus, encoder, seed)
        with redirect_stdout(StringIO()):  # it reports to the terminal
            of_topics = model.fit_transform(texts, keywords=seeded_keywords(keywords, relevance))  # (D, 10)
        words = _on_vocabulary(model.components_, model.get_vocab(), corpus)  # (10, V)
        weights.append(of_topics @ words.sum(axis=1))
        topics.append(of_topics.sum(axis=0) @ words)
    alone = np.stack(weights, axis=1)  # (D, Q)
    shares = normalised(alone)
    return Outcome(shares, shares, np.stack(topics), own=Reading(alone, alone))


@lru_cache(maxsize=1)
def _keywords(corpus: Corpus, row: PeerRow) -> list[dict[str, float]]:
    """Return the words of each document that are nearest to its text, the same in every run."""
    texts, vectors, encoder = _encoded(corpus, row)
    found: list[dict[str, float]] = _new_keynmf(corpus, encoder).extract_keywords(texts, embeddings=vectors)
    return found


def _new_keynmf(corpus: Corpus, encoder: Any, seed: int = 0) -> Any:
    return require("turftopic").KeyNMF(
        _KEYNMF_TOPICS, encoder=encoder, vectorizer=line_vectorizer(corpus), random_state=seed
    )


def seeded_keywords(keywords: Sequence[Mapping[str, float]], relevance: Vectors) -> list[dict[str, float]]:
    """Return what `seed_phrase` makes of the documents' keywords, which are the same for every phrase.

    Parameters
    ----------
    keywords : sequence of mapping of str to float, length D
        As extracted without a seed phrase.
    relevance : ndarray of shape (D,)
        Cosine of each document to the seed phrase.
    """
    factors = relevance.clip(0) ** _SEED_EXPONENT
    return [
        {word: float(weight * factor) for word, weight in of_document.items() if factor > 0}
        for of_document, factor in zip(keywords, factors, strict=True)
    ]


# --- BERTopic --------------------------------------------------------------------------------------------


def _bertopic(dataset: Dataset, seed: int, row: PeerRow) -> Outcome:
    """BERTopic with the queries as zero-shot topics: documents rank by their cosine to the topic's centre.

    Or, in the other reading, by how much nearer it is than the centres of the other queries' topics. A
    classifier sees the same of the concepts and the nearest other topic, or else the cosines to all topics.
    """
    corpus = dataset.corpus
    texts, vectors, encoder = _encoded(corpus, row)
    phrases = phrases_of(dataset)
    model = require("bertopic").BERTopic(
        embedding_model=encoder,
        zeroshot_topic_list=phrases,
        zeroshot_min_similarity=_ZERO_SHOT_SIMILARITY,
        vectorizer_model=line_vectorizer(corpus),
        umap_model=require("umap").UMAP(
            n_neighbors=15, n_components=5, min_dist=0.0, metric="cosine", random_state=seed
        ),
    )
    with warnings.catch_warnings():  # UMAP says each time that a seed allows one thread only
        warnings.filterwarnings("ignore", message="n_jobs value")
        found, _ = model.fit_transform(texts, embeddings=vectors)
    members = np.asarray(found)
    labels = [model.topic_labels_.get(k, "") for k in range(members.max() + 1)]
    centres = np.stack([_centre(vectors[members == k]) for k in range(len(labels))])
    wanted = DocumentEncoder(row.encoder or "").encode(phrases)
    chosen = [labels.index(phrase) if phrase in labels else None for phrase in phrases]
    own = np.stack([wanted[q] if k is None else centres[k] for q, k in enumerate(chosen)])
    weights = _on_vocabulary(
        model.c_tf_idf_.toarray()[-len(labels) :], model.vectorizer_model.get_feature_names_out(), corpus
    )
    topics = np.stack([np.zeros(corpus.n_words) if k is None else weights[k] for k in chosen])
    cosines, to_all = vectors @ own.T, vectors @ centres.T  # (D, Q), (D, T)
    near = margins(cosines)
    return Outcome(
        scores=near,
        shares=beside_the_rest(near, to_all, chosen),
        topics=topics,
        own=Reading(cosines, beside_the_rest(cosines, to_all, chosen)),
        all_features=to_all if to_all.shape[1] > len(phrases) + 1 else None,
    )


def beside_the_rest(of_concepts: Vectors, to_all: Vectors, chosen: Sequence[int | None]) -> Vectors:
    """Return what is said of the concepts, (D, Q), and the cosine to the nearest topic of no concept.

    Parameters
    ----------
    of_concepts : ndarray of shape (D, Q)
    to_all : ndarray of shape (D, T)
        Cosine of each document to each topic.
    chosen : sequence of int or None, length Q
        The topic of each concept, if it has one.
    """
    others = np.setdiff1d(np.arange(to_all.shape[1]), [k for k in chosen if k is not None])
    if not len(others):
        return of_concepts
    return np.column_stack([of_concepts, to_all[:, others].max(axis=1)])


def _centre(vectors: Vectors) -> Vectors:
    mean = vectors.mean(axis=0)
    return np.asarray(mean / np.linalg.norm(mean), dtype=np.float32)


# --- what several of them need ----------------------------------------------------------------------------


def _known_keywords(dataset: Dataset) -> list[list[str]]:
    """Return the keywords that the corpus has, without those of two concepts unless one has no others."""
    ids = keyword_ids(dataset.corpus, keywords_of(dataset))
    groups = zip(without_shared(ids), ids, strict=True)
    return [[dataset.corpus.vocabulary[w] for w in own or every] for own, every in groups]


def _named(words: list[list[str]]) -> dict[str, list[str]]:
    return {f"topic{q}": group for q, group in enumerate(words)}


def token_lists(corpus: Corpus) -> list[list[str]]:
    """Return the words of each document."""
    documents = np.split(corpus.tokens, corpus.offsets[1:-1])
    return [[corpus.vocabulary[w] for w in tokens] for tokens in documents]


def _encoded(corpus: Corpus, row: PeerRow) -> tuple[list[str], Vectors, Any]:
    """Return the documents' words, a line each, the vectors of their texts, and the encoder itself."""
    assert row.encoder is not None
    vectors = DocumentEncoder(row.encoder).encode_corpus(corpus)
    return [" ".join(words) for words in token_lists(corpus)], vectors, load_encoder(row.encoder)


@lru_cache(maxsize=1)
def load_encoder(name: str) -> Any:
    """Return a sentence encoder as the packages here take one."""
    with loading_in_silence():
        return require("sentence_transformers").SentenceTransformer(name)


def line_vectorizer(corpus: Corpus) -> Any:
    """Return a vectorizer of lines of words."""
    from sklearn.feature_extraction.text import CountVectorizer

    return CountVectorizer(analyzer=str.split, vocabulary=list(corpus.vocabulary))


def _on_vocabulary(weights: Any, words: Any, corpus: Corpus) -> FloatArray:
    """Return topics over some words as topics over the corpus' vocabulary, (K, V)."""
    spread = np.zeros((len(weights), corpus.n_words))
    spread[:, [corpus.word_index[str(word)] for word in words]] = weights
    return spread


RECIPES: Mapping[str, Recipe] = {
    "keyatm": Recipe(_keyatm, "topica"),
    "topica-seeded-lda": Recipe(_seeded_lda, "topica"),
    "corex": Recipe(_corex, "corextopic.corextopic"),
    "keynmf": Recipe(_keynmf, "turftopic", needs_encoder=True),
    "bertopic": Recipe(_bertopic, "bertopic", needs_encoder=True),
}
