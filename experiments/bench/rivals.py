"""Other ways to split the documents about a query: those documents in, the main topic of each out.

All of them see the same documents as our row, and count the same words: those of the corpus. Where a model
has to be told the number of its topics, it is told the true one, or, for comparison, the one that we found.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from functools import cached_property, partial
from io import StringIO
from typing import Any

import numpy as np
from numpy.typing import NDArray

from experiments.baselines.encoder import DocumentEncoder, Vectors, sentence_encoder
from experiments.baselines.tomotopy_models import HDP, LDA
from experiments.baselines.topic_fit import Schedule, require
from experiments.datasets.thinning import rows_of
from experiments.metrics.labels import NONE
from experiments.systems.peers import line_vectorizer, load_encoder, token_lists
from experiments.systems.registry import make_available
from qdtm.corpus import Corpus
from qdtm.errors import ParameterError

Main = NDArray[np.int64]

N_SWEEPS = 300
"""Of the samplers; a few hundred to some thousand documents have settled long before."""

ALPHA, ETA = 0.1, 0.01
"""Priors of LDA and the HDP: tomotopy's own defaults."""

INITIAL_TOPICS = 2
"""That the HDP starts with: tomotopy's default."""

N_NEIGHBOURS = 15
"""Of UMAP: BERTopic's default."""

N_DIMENSIONS = 100
"""Of the singular value decomposition, and of the bundled word vectors."""


@dataclass(frozen=True, eq=False)
class Part:
    """The documents about a query.

    Attributes
    ----------
    whole : Corpus
        All documents.
    rows : ndarray of int64, shape (n,)
        Those that are about the query.
    n_same : int
        The parts that our row has.
    n_true : int
        The lower categories that are there.
    """

    whole: Corpus
    rows: NDArray[np.int64]
    n_same: int
    n_true: int

    @cached_property
    def corpus(self) -> Corpus:
        """These documents alone, over the words that they have."""
        return rows_of(self.whole, self.rows)

    @cached_property
    def has_words(self) -> NDArray[np.bool_]:
        """Whether each document has a word, (n,)."""
        return np.asarray(self.corpus.document_lengths > 0)

    @property
    def lines(self) -> list[str]:
        """The words of each document, in one text."""
        return [" ".join(words) for words in token_lists(self.corpus)]


@dataclass(frozen=True)
class Recipe:
    """How a rival splits, and what it needs for it."""

    split: Callable[[Part, int, Rival], Main]
    module: str | None = None
    needs_encoder: bool = False


@dataclass(frozen=True)
class Rival:
    """One of `RIVALS`, ready to be run."""

    name: str
    max_sweeps: int | None = None
    encoder: str | None = None

    @property
    def settings(self) -> Mapping[str, str | float | bool | None]:
        """Sweeps and encoder."""
        return {"max_sweeps": self.max_sweeps, "encoder": self.encoder}

    @property
    def n_sweeps(self) -> int:
        """Sweeps of a sampler."""
        return min(N_SWEEPS, self.max_sweeps or N_SWEEPS)

    def prepare(self, part: Part) -> None:
        """Encode the documents, where that is needed: once for all rows, and kept."""
        if self.encoder is not None:
            DocumentEncoder(self.encoder).encode_corpus(part.corpus)

    def split(self, part: Part, seed: int) -> Main:
        """Return the main topic of each document, (n,); -1 for none, as of one without words."""
        main = RIVALS[self.name].split(part, seed, self)
        return np.where(part.has_words, main, NONE)


def split_with_rivals(
    whole: Corpus,
    rows: NDArray[np.int64],
    *,
    n_same: int,
    n_true: int,
    seed: int = 0,
    names: Sequence[str] = (),
) -> dict[str, Main]:
    """Split some documents of a corpus with the rivals that are installed, or those that are named.

    Parameters
    ----------
    whole : Corpus
    rows : ndarray of int64, shape (n,)
        The documents.
    n_same, n_true : int
        The number of parts that we found, and that there are.
    seed : int
    names : sequence of str

    Returns
    -------
    dict of str to ndarray of int64, shape (n,)
        The main topic of each document; -1 for none.
    """
    part = Part(whole, rows, n_same, n_true)
    return {name: rival.split(part, seed) for name, rival in make_rivals(names).items()}


def make_rivals(names: Sequence[str] = (), max_sweeps: int | None = None) -> dict[str, Rival]:
    """Make the rivals that are named, or all that can be run here; of others it is said why not."""
    return make_available(partial(make_rival, max_sweeps=max_sweeps), names, RIVALS)


def make_rival(name: str, max_sweeps: int | None = None) -> Rival:
    """Make one of `RIVALS`.

    Raises
    ------
    ParameterError
        If there is none of that name.
    MissingExtraError, EmbeddingError
        If it needs a package or an encoder that is not there.
    """
    if name not in RIVALS:
        raise ParameterError(f"There is no row {name!r}. Choose one of {', '.join(RIVALS)}.")
    recipe = RIVALS[name]
    if recipe.module is not None:
        require(recipe.module)
    if not recipe.needs_encoder:
        return Rival(name, max_sweeps)
    encoder = sentence_encoder()
    require("sentence_transformers")
    DocumentEncoder(encoder).check()
    return Rival(name, max_sweeps, encoder)


# --- counts of words -------------------------------------------------------------------------------------


def _lda(part: Part, n_topics: int, seed: int, rival: Rival) -> Main:
    n = rival.n_sweeps
    schedule = Schedule(n_sweeps=N_SWEEPS, burn_in=N_SWEEPS // 2, thin=10).limited_to(n)
    fit = LDA(max(n_topics, 1), ALPHA, ETA, schedule).fit(part.corpus, seed)
    return np.asarray(fit.doc_topics.argmax(axis=1))


def _lda_same(part: Part, seed: int, rival: Rival) -> Main:
    """LDA (tomotopy) with as many topics as we found."""
    return _lda(part, part.n_same, seed, rival)


def _lda_true(part: Part, seed: int, rival: Rival) -> Main:
    """LDA (tomotopy) with the true number of topics."""
    return _lda(part, part.n_true, seed, rival)


def _hdp(part: Part, seed: int, rival: Rival) -> Main:
    """The hierarchical Dirichlet process of tomotopy, which finds its number."""
    model = HDP(ALPHA, eta=ETA, initial_topics=INITIAL_TOPICS, n_sweeps=rival.n_sweeps)
    return np.asarray(model.fit(part.corpus, seed).doc_topics.argmax(axis=1))


# --- vectors of documents --------------------------------------------------------------------------------


def _kmeans(vectors: Any, n_parts: int, seed: int) -> Main:
    from sklearn.cluster import KMeans
    from sklearn.preprocessing import normalize

    n_parts = min(max(n_parts, 1), len(vectors))
    found = KMeans(n_parts, n_init=10, random_state=seed).fit_predict(normalize(vectors))
    return np.asarray(found, np.int64)


def _kmeans_glove(part: Part, seed: int, rival: Rival) -> Main:  # noqa: ARG001
    """k-means with the true number on the mean of the bundled word vectors of each document."""
    return _kmeans(_word_means(part), part.n_true, seed)


def _word_means(part: Part) -> Vectors:
    """Return the mean of the bundled word vectors of each document, of length 1, (n, d)."""
    from qdtm.embeddings import embed_vocabulary, load_vectors

    words = load_vectors("glove")
    assert words is not None
    of_words = embed_vocabulary(words, part.corpus.vocabulary).raw  # (V, d)
    sums = np.asarray(part.corpus.document_term_matrix @ of_words, np.float32)
    return np.asarray(sums / np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-12), np.float32)


def _kmeans_svd(part: Part, seed: int, rival: Rival) -> Main:  # noqa: ARG001
    """k-means with the true number on tf-idf after a singular value decomposition."""
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import TfidfTransformer

    weights = TfidfTransformer(sublinear_tf=True).fit_transform(part.corpus.document_term_matrix)
    n = min(N_DIMENSIONS, min(weights.shape) - 1)
    if n < 1:
        return np.zeros(len(part.rows), np.int64)
    return _kmeans(TruncatedSVD(n, random_state=seed).fit_transform(weights), part.n_true, seed)


def _encoded(part: Part, rival: Rival) -> Vectors:
    """Return the vectors of the documents' texts, (n, d), worked out once."""
    assert rival.encoder is not None
    return DocumentEncoder(rival.encoder).encode_corpus(part.corpus)


def _kmeans_minilm(part: Part, seed: int, rival: Rival) -> Main:
    """k-means with the true number on the vectors of a sentence encoder."""
    return _kmeans(_encoded(part, rival), part.n_true, seed)


def _keynmf(part: Part, seed: int, rival: Rival) -> Main:
    """KeyNMF (turftopic) with the true number of topics."""
    assert rival.encoder is not None
    model = require("turftopic").KeyNMF(
        max(part.n_true, 1),
        encoder=load_encoder(rival.encoder),
        vectorizer=line_vectorizer(part.corpus),
        random_state=seed,
    )
    with redirect_stdout(StringIO()):  # it reports to the terminal
        weights = model.fit_transform(part.lines, embeddings=_encoded(part, rival))  # (n, K)
    return np.where(weights.any(axis=1), weights.argmax(axis=1), NONE)


def _bertopic(part: Part, seed: int, rival: Rival) -> Main:
    """BERTopic as it comes, with a sentence encoder."""
    assert rival.encoder is not None
    return _clusters(part, _encoded(part, rival), seed)


def _bertopic_glove(part: Part, seed: int, rival: Rival) -> Main:  # noqa: ARG001
    """BERTopic on the vectors that we have: the mean of the bundled word vectors."""
    return _clusters(part, _word_means(part), seed)


def _clusters(part: Part, vectors: Vectors, seed: int) -> Main:
    """Return what BERTopic finds in vectors: UMAP, HDBSCAN, a number of its own, outliers in no topic.

    It needs more documents than UMAP has neighbours; fewer stay together.
    """
    if len(vectors) <= N_NEIGHBOURS + 1:
        return np.zeros(len(vectors), np.int64)
    from sklearn.feature_extraction.text import CountVectorizer

    model = require("bertopic").BERTopic(
        vectorizer_model=CountVectorizer(analyzer=str.split),  # words that no document here has would be inf
        umap_model=require("umap").UMAP(
            n_neighbors=N_NEIGHBOURS, n_components=5, min_dist=0.0, metric="cosine", random_state=seed
        ),
    )
    with warnings.catch_warnings():  # UMAP says each time that a seed allows one thread only
        warnings.filterwarnings("ignore", message="n_jobs value")
        found, _ = model.fit_transform(part.lines, embeddings=vectors)
    return np.asarray(found, np.int64)


RIVALS: Mapping[str, Recipe] = {
    "lda-same": Recipe(_lda_same, "tomotopy"),
    "lda-true": Recipe(_lda_true, "tomotopy"),
    "hdp": Recipe(_hdp, "tomotopy"),
    "kmeans-glove": Recipe(_kmeans_glove),
    "kmeans-svd": Recipe(_kmeans_svd),
    "kmeans-minilm": Recipe(_kmeans_minilm, "transformers", needs_encoder=True),
    "keynmf": Recipe(_keynmf, "turftopic", needs_encoder=True),
    "bertopic": Recipe(_bertopic, "bertopic", needs_encoder=True),
    "bertopic-glove": Recipe(_bertopic_glove, "bertopic"),
}
"""What stands beside our row, by name."""
