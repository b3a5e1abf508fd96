"""Subtopics opened into their own: `Split`, and how the tree that splits make is walked.

In: counts of a topic's subtopics, and of theirs. Out: ids, weights and branches of all subtopics of a query
in level order: "0.1", "0.2", then "0.1.1", "0.1.2", and so on. Arrays over subtopics keep that order, so
those of the query itself come first, whatever was opened.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from qdtm.results.distributions import FloatArray, share_out
from qdtm.sampler.trace import Trace

if TYPE_CHECKING:
    from qdtm.results.fit import ModelFit

Branch = tuple[int, slice]
"""The position of a subtopic (-1 for the query itself), and those of the subtopics below it."""


@dataclass(frozen=True, eq=False, repr=False)
class Split:
    """One subtopic opened into S subtopics of its own.

    Attributes
    ----------
    of : str
        The id of the subtopic, such as "0.1"; those below it are "0.1.1", "0.1.2", ...
    counts : ndarray of float32, shape (V, S)
        Tokens of each word in each subtopic that is kept, largest first, averaged over the samples.
    rest : float
        The share of its tokens in subtopics that were dropped as too small.
    token_children : ndarray of int32, shape (n,)
        The subtopic of each of its n tokens in the last sample, in the order of the corpus; -1 for none.
    trace : Trace
    """

    of: str
    counts: NDArray[np.float32]
    rest: float
    token_children: NDArray[np.int32]
    trace: Trace

    def __repr__(self) -> str:
        return f"Split({self.of!r} into {self.counts.shape[1]})"


def path_of(id: str) -> tuple[int, ...]:
    """Return the numbers of an id: "0.1.2" is (0, 1, 2)."""
    return tuple(int(number) for number in id.split("."))


def above(id: str) -> str:
    """Return the id of the topic that a subtopic is part of."""
    return id.rpartition(".")[0]


def is_within(id: str, other: str) -> bool:
    """Return whether a topic is another, or lies below it."""
    return id == other or id.startswith(other + ".")


def level_order(splits: Sequence[Split]) -> tuple[Split, ...]:
    """Return splits in the order in which a fit keeps them: shallow before deep, then by id."""
    return tuple(sorted(splits, key=lambda split: (split.of.count("."), path_of(split.of))))


def counts_below(fit: ModelFit, q: int) -> Iterator[tuple[str, NDArray[np.float32]]]:
    """Yield the id of the query's topic, then of each opened subtopic, with the counts below it (V, S)."""
    yield str(q), fit.subtopic_counts[q]
    for split in fit.splits:
        if is_within(split.of, str(q)):
            yield split.of, split.counts


def subtopic_ids(fit: ModelFit, q: int) -> tuple[str, ...]:
    """Return the ids of all subtopics of query `q`, in level order."""
    return tuple(f"{id}.{s + 1}" for id, counts in counts_below(fit, q) for s in range(counts.shape[1]))


def branches(ids: Sequence[str]) -> list[Branch]:
    """Return which subtopics are below which, given all ids in level order."""
    position = {id: at for at, id in enumerate(ids)}
    found, start = [], 0
    for parent, children in groupby(ids, above):
        end = start + len(list(children))
        found.append((position.get(parent, -1), slice(start, end)))
        start = end
    return found


def subtopic_weights(fit: ModelFit, q: int, p_w: FloatArray) -> FloatArray:
    """Return how likely a token of each word is to be in each subtopic of query `q`, at all levels.

    Parameters
    ----------
    fit : ModelFit
    q : int
    p_w : ndarray of shape (V,)
        How likely it is to be about the query.

    Returns
    -------
    ndarray of float64, shape (V, B)
        In level order. What a subtopic has is shared out among those below it.
    """
    weights = {str(q): p_w}
    for id, counts in counts_below(fit, q):
        shares = share_out(weights[id], counts)  # (V, S)
        weights |= {f"{id}.{s + 1}": shares[:, s] for s in range(counts.shape[1])}
    below = list(weights.values())[1:]
    return np.stack(below, axis=1) if below else np.zeros((len(p_w), 0))


def deepest_subtopics(fit: ModelFit) -> NDArray[np.int32]:
    """Return the deepest subtopic of each token in the last sample, (N,).

    It is a position among `subtopic_ids` of the token's query; -1 for none.
    """
    deepest = fit.token_subtopics.copy() if fit.splits else fit.token_subtopics
    for q in range(fit.n_queries):
        ids = subtopic_ids(fit, q)
        for split in fit.splits:
            if is_within(split.of, str(q)):
                where = np.flatnonzero((fit.token_topics == q) & (deepest == ids.index(split.of)))
                kept = split.token_children >= 0
                deepest[where[kept]] = ids.index(f"{split.of}.1") + split.token_children[kept]
    return deepest


def tokens_in(fit: ModelFit, id: str) -> NDArray[np.int64]:
    """Return the positions in the corpus of the tokens that a subtopic has in the last sample."""
    q, first, *rest = path_of(id)
    where = np.flatnonzero((fit.token_topics == q) & (fit.token_subtopics == first - 1))
    opened, of = {split.of: split for split in fit.splits}, f"{q}.{first}"
    for number in rest:
        where = where[opened[of].token_children == number - 1]
        of = f"{of}.{number}"
    return where


def check_splits(fit: ModelFit) -> None:
    """Raise unless every split is of a subtopic that exists and has as many tokens, each once, in order."""
    if [split.of for split in level_order(fit.splits)] != [split.of for split in fit.splits]:
        raise ValueError("opened subtopics are not in order")
    if len({split.of for split in fit.splits}) != len(fit.splits):
        raise ValueError("a subtopic is opened twice")
    known = {id for q in range(fit.n_queries) for id in subtopic_ids(fit, q)}
    for split in fit.splits:
        if split.of not in known:
            raise ValueError(f"a subtopic that does not exist is opened: {split.of!r}")
        _check_split(split, len(fit.vocabulary), len(tokens_in(fit, split.of)))


def _check_split(split: Split, n_words: int, n_tokens: int) -> None:
    counts, children = split.counts, split.token_children
    if counts.ndim != 2 or counts.shape[0] != n_words or not counts.shape[1]:
        raise ValueError(f"the counts below {split.of!r} have shape {counts.shape}")
    if not (np.isfinite(counts).all() and (counts >= 0).all()):
        raise ValueError(f"a count below {split.of!r} is negative or not a number")
    if not 0 <= split.rest <= 1:
        raise ValueError("a share of dropped subtopics is not between 0 and 1")
    if children.shape != (n_tokens,):
        raise ValueError(f"{split.of!r} has {n_tokens} tokens, and {children.shape} below it")
    if n_tokens and not (children.min() >= -1 and children.max() < counts.shape[1]):
        raise ValueError(f"a token's subtopic below {split.of!r} does not exist")
