"""Documents whose truth is known, and relevance that is right, too sure of itself, or too high."""

import numpy as np

N_DOCUMENTS = 3_000


def world(kind, seed):
    """Return relevance and truth of documents, (D,) each: one in fifteen or so is about the query."""
    rng = np.random.default_rng(seed)
    odds = rng.normal(-4.2, 2.2, N_DOCUMENTS)
    truth = rng.random(N_DOCUMENTS) < _p(odds)
    shown = {"right": odds, "sure": 1.8 * odds + 0.5, "high": odds + 1.5, "low": 0.6 * odds - 1.0}[kind]
    return _p(shown), truth


def calibration_error(relevance, truth, n_bins=10):
    """The distance of relevance from the share that is true, averaged over bins of relevance."""
    bins = np.minimum((relevance * n_bins).astype(int), n_bins - 1)
    return sum(
        abs(relevance[bins == b].mean() - truth[bins == b].mean()) * (bins == b).mean()
        for b in np.unique(bins)
    )


def _p(odds):
    return 1.0 / (1.0 + np.exp(-odds))
