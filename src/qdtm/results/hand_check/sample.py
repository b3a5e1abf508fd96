"""Which documents a person looks at: relevance and a cut-off in, a stratified sample out.

Documents are ranked and cut into strata: two above the cut-off, and below it those that nearly made it, those
further down, and the rest. Within a stratum chance decides. Half of the sample is from above the cut-off, for
precision; the other half goes where most documents that were missed may be, for recall.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from qdtm.errors import ParameterError

FloatArray = NDArray[np.float64]

_LEAST = 3  # documents of a stratum that are looked at, if it has as many
_SPLIT_FROM = 8  # documents above the cut-off that are cut in two


@dataclass(frozen=True)
class Stratum:
    """Documents of like relevance.

    Attributes
    ----------
    low, high : float
        The least and the largest relevance in it.
    size : int
        Its documents, in the sample or not.
    mean : float
        Their mean relevance.
    is_above : bool
        Whether they are at or above the cut-off.
    """

    low: float
    high: float
    size: int
    mean: float
    is_above: bool


@dataclass(frozen=True)
class CheckSample:
    """Documents to be looked at, in the order in which they are shown.

    Attributes
    ----------
    cutoff : float
        A document at or above it counts as being about the query.
    strata : tuple of Stratum
        From the most relevant down.
    documents : tuple of int
        Rows of the corpus, in random order, so that the order tells nothing.
    stratum_of : tuple of int
        Of each of them.
    relevance : tuple of float
        Of each of them, when the sample was drawn.
    """

    cutoff: float
    strata: tuple[Stratum, ...]
    documents: tuple[int, ...]
    stratum_of: tuple[int, ...]
    relevance: tuple[float, ...]

    def __post_init__(self) -> None:
        if not len(self.documents) == len(self.stratum_of) == len(self.relevance):
            raise ValueError("the parts of a sample differ in length")
        if len(set(self.documents)) != len(self.documents) or min(self.documents, default=0) < 0:
            raise ValueError("a document is in the sample twice, or does not exist")
        taken = np.bincount(np.array(self.stratum_of, np.int64), minlength=len(self.strata))
        if len(taken) != len(self.strata) or (taken > [stratum.size for stratum in self.strata]).any():
            raise ValueError("a sample has more documents of a stratum than there are")

    def __len__(self) -> int:
        return len(self.documents)


def draw_sample(relevance: FloatArray, cutoff: float, n: int, seed: int = 0) -> CheckSample:
    """Draw documents to be looked at.

    Parameters
    ----------
    relevance : ndarray of shape (D,)
        How likely each document is to be about the query, 0 to 1.
    cutoff : float
        From where on a document counts as being about it.
    n : int
        How many documents; all if there are no more.
    seed : int

    Raises
    ------
    ParameterError
        If there are no documents, or fewer than one is asked for.
    """
    if n < 1 or not len(relevance):
        raise ParameterError(f"A sample of {n} of {len(relevance)} documents cannot be checked; give more.")
    order = np.argsort(-relevance, kind="stable")
    groups = _cut(order, int((relevance >= cutoff).sum()), n)
    strata = [_stratum(relevance[group], cutoff) for group in groups]
    rng = np.random.default_rng(seed)
    chosen = [
        rng.choice(group, size, replace=False)
        for group, size in zip(groups, _allocate(strata, n), strict=True)
    ]
    rows = np.concatenate(chosen)
    owner = np.repeat(np.arange(len(groups)), [len(each) for each in chosen])
    shuffled = rng.permutation(len(rows))
    rows, owner = rows[shuffled], owner[shuffled]
    return CheckSample(
        cutoff=float(cutoff),
        strata=tuple(strata),
        documents=tuple(rows.tolist()),
        stratum_of=tuple(owner.tolist()),
        relevance=tuple(relevance[rows].tolist()),
    )


def _cut(order: NDArray[np.int64], n_above: int, n: int) -> list[NDArray[np.int64]]:
    """Cut ranked documents into strata, none of them empty."""
    near = max(n_above, n)
    halves = [n_above // 2] if n_above >= _SPLIT_FROM else []
    edges = [0, *halves, n_above, n_above + near, n_above + 5 * near, len(order)]
    rising = np.unique(np.minimum(edges, len(order)))
    return [order[start:end] for start, end in pairwise(rising)]


def _stratum(relevance: FloatArray, cutoff: float) -> Stratum:
    low, high = float(relevance.min()), float(relevance.max())
    return Stratum(low, high, len(relevance), float(relevance.mean()), low >= cutoff)


def _allocate(strata: Sequence[Stratum], n: int) -> list[int]:
    """Return how many documents of each stratum are looked at, `n` together or all there are.

    Half are from above the cut-off. Within a half a stratum gets as much as it adds to what is not known:
    its size times the standard deviation that its mean relevance lets expect (Neyman 1934).
    """
    sizes = np.array([stratum.size for stratum in strata])
    above = np.array([stratum.is_above for stratum in strata])
    means = np.clip([stratum.mean for stratum in strata], 0.5 / np.maximum(sizes, 1), 0.95)
    weights = sizes * np.sqrt(means * (1.0 - means))
    wanted = np.minimum(_LEAST, sizes)
    n_above = min(n // 2 + n % 2, int(sizes[above].sum()))
    n_below = min(n - n_above, int(sizes[~above].sum()))
    n_above = min(n - n_below, int(sizes[above].sum()))  # what is below may be less than its half
    for side, share in ((above, n_above), (~above, n_below)):
        if side.any():
            wanted[side] = _fill(wanted[side], weights[side], sizes[side], share)
    return [int(each) for each in wanted]


def _fill(
    least: NDArray[np.int64], weights: FloatArray, sizes: NDArray[np.int64], total: int
) -> NDArray[np.int64]:
    """Share `total` out one by one, to whom is furthest behind its weight; each has its least first."""
    given = np.minimum(least, sizes)
    while given.sum() > total:
        given[int(np.argmax(given))] -= 1
    while given.sum() < total:
        behind = np.where(given < sizes, weights / (given + 1.0), -1.0)
        given[int(np.argmax(behind))] += 1
    return given
