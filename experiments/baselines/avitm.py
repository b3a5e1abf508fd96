"""ProdLDA by autoencoding variational inference (AVITM; Srivastava and Sutton 2017), in PyTorch.

In: a corpus. Out: `TopicFit`, and the evidence lower bound (ELBO) of every epoch. An encoder maps
a document's word counts to a logistic normal over topics; the decoder is a product of experts,
p(w | theta) = softmax(batch norm(theta B)).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from experiments.baselines.topic_fit import FloatArray, TopicFit, TrainingProgress, require
from qdtm.corpus import Corpus
from qdtm.errors import ParameterError


@dataclass(frozen=True, eq=False)
class AVITMTraining:
    """What training gave.

    Attributes
    ----------
    fit : TopicFit
    elbo : ndarray of shape (n_epochs,)
        Per document, averaged over the documents of each epoch.
    """

    fit: TopicFit
    elbo: FloatArray


@dataclass(frozen=True)
class AVITM:
    """ProdLDA with the settings of its paper.

    Attributes
    ----------
    n_topics : int
    alpha : float
        Of the Dirichlet prior, which a logistic normal stands in for (Laplace approximation).
    n_hidden : int
        Units of each of the encoder's two layers.
    dropout : float
        Of the encoder's last layer and of theta.
    learning_rate, momentum : float
        Of Adam; the high momentum keeps topics from collapsing into one.
    batch_size, n_epochs : int
    """

    n_topics: int
    alpha: float = 1.0
    n_hidden: int = 100
    dropout: float = 0.2
    learning_rate: float = 2e-3
    momentum: float = 0.99
    batch_size: int = 200
    n_epochs: int = 50

    def fit(self, corpus: Corpus, seed: int = 0, progress: TrainingProgress | None = None) -> TopicFit:
        """Find the topics of a corpus; the same seed finds the same."""
        return self.train(corpus, seed, progress).fit

    def train(self, corpus: Corpus, seed: int = 0, progress: TrainingProgress | None = None) -> AVITMTraining:
        """Find the topics of a corpus, and tell how training went."""
        torch = require("torch")
        counts = corpus.document_term_matrix
        rows = np.flatnonzero(np.diff(counts.indptr) > 0)  # documents with words
        if self.n_topics < 2 or len(rows) < 2:
            raise ParameterError(
                f"AVITM needs 2 topics and 2 documents with words, got {self.n_topics} and {len(rows)}."
            )
        with _one_seeded_thread(torch, seed):
            network = _Network(torch, corpus.n_words, self)
            elbo = self._optimise(torch, network, counts[rows], np.random.default_rng(seed), progress)
            return AVITMTraining(_read(torch, network, corpus, rows), elbo)

    def _optimise(
        self,
        torch: Any,
        network: _Network,
        counts: Any,
        rng: np.random.Generator,
        progress: TrainingProgress | None,
    ) -> FloatArray:
        """Raise the ELBO by mini-batches; return it for each epoch."""
        adam = torch.optim.Adam(network.parameters(), lr=self.learning_rate, betas=(self.momentum, 0.999))
        network.train(True)
        elbo = np.zeros(self.n_epochs)
        for epoch in range(self.n_epochs):
            for rows in _batches(rng.permutation(counts.shape[0]), self.batch_size):
                batch = torch.from_numpy(counts[rows].toarray().astype(np.float32))  # (B, V)
                loss = network.loss(batch)
                adam.zero_grad()
                loss.backward()
                adam.step()
                elbo[epoch] -= loss.item() * len(rows) / counts.shape[0]
            if progress is not None:
                progress(epoch + 1, self.n_epochs)
        return elbo


class _Network:
    """The encoder, the decoder and the prior; no subclass of torch's, which may not be installed."""

    def __init__(self, torch: Any, n_words: int, settings: AVITM) -> None:
        nn, k = torch.nn, settings.n_topics
        self.torch = torch
        self.encoder = nn.Sequential(
            nn.Linear(n_words, settings.n_hidden), nn.Softplus(),
            nn.Linear(settings.n_hidden, settings.n_hidden), nn.Softplus(),
            nn.Dropout(settings.dropout),
        )  # fmt: skip
        self.mean = nn.Sequential(nn.Linear(settings.n_hidden, k), nn.BatchNorm1d(k, affine=False))
        self.log_variance = nn.Sequential(nn.Linear(settings.n_hidden, k), nn.BatchNorm1d(k, affine=False))
        self.drop_theta = nn.Dropout(settings.dropout)
        self.experts = nn.Linear(k, n_words, bias=False)  # B, (V, K)
        nn.init.xavier_uniform_(self.experts.weight)
        self.normalise = nn.BatchNorm1d(n_words, affine=False)
        self.prior_variance = (1.0 - 2.0 / k) / settings.alpha + 1.0 / (k * settings.alpha)
        self._modules = nn.ModuleList(
            [self.encoder, self.mean, self.log_variance, self.drop_theta, self.experts, self.normalise]
        )

    def parameters(self) -> Any:
        return self._modules.parameters()

    def train(self, on: bool) -> None:
        self._modules.train(on)

    def loss(self, batch: Any) -> Any:
        """Return minus the ELBO of a document, averaged over the batch."""
        torch = self.torch
        hidden = self.encoder(batch)
        mean, log_variance = self.mean(hidden), self.log_variance(hidden)  # (B, K) each
        noise = torch.randn_like(mean)
        theta = self.drop_theta(torch.softmax(mean + noise * (0.5 * log_variance).exp(), dim=1))
        log_p = torch.log_softmax(self.normalise(self.experts(theta)), dim=1)  # (B, V)
        variance, prior = log_variance.exp(), self.prior_variance
        divergence = 0.5 * (variance / prior + mean**2 / prior - 1.0 + np.log(prior) - log_variance).sum(
            dim=1
        )
        return (divergence - (batch * log_p).sum(dim=1)).mean()


def _read(torch: Any, network: _Network, corpus: Corpus, rows: NDArray[np.int64]) -> TopicFit:
    """Read topics and document shares off the network; a document without words has the mean shares.

    A topic is what the decoder says of a document that is all about it. B alone is not: batch normalisation
    shifts and scales each word, so that B's own values say little about which words are likely.
    """
    network.train(False)
    counts = corpus.document_term_matrix
    with torch.no_grad():
        parts = [
            torch.softmax(network.mean(network.encoder(torch.from_numpy(part))), dim=1).numpy()
            for part in (counts[batch].toarray().astype(np.float32) for batch in _batches(rows, 500))
        ]
        pure = network.normalise(network.experts.weight.T)  # (K, V): theta is the identity
        topics = torch.softmax(pure.double(), dim=1).numpy()
    found = np.concatenate(parts).astype(np.float64)
    doc_topics = np.tile(found.mean(axis=0), (corpus.n_documents, 1))
    doc_topics[rows] = found
    joint = topics.T * found.mean(axis=0)  # (V, K)
    return TopicFit(corpus.vocabulary, topics, doc_topics, joint / joint.sum(axis=1, keepdims=True))


def _batches(rows: NDArray[np.int64], size: int) -> Iterator[NDArray[np.int64]]:
    """Cut rows into batches of about equal size, none of one row alone: batch norm has no variance there."""
    n_batches = max(1, len(rows) // size)
    return iter(np.array_split(rows, n_batches))


@contextmanager
def _one_seeded_thread(torch: Any, seed: int) -> Iterator[None]:
    """Work with one thread and a seeded generator, and leave torch as it was: sums depend on the threads."""
    n_threads = torch.get_num_threads()
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        torch.set_num_threads(1)
        try:
            yield
        finally:
            torch.set_num_threads(n_threads)
