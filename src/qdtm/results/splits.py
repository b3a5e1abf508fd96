"""Subtopics opened into their own: `Split`, and how the tree that splits make is walked.

In: counts of a topic's subtopics, and of theirs. Out: ids, weights and branches of all subtopics of a query
in level order: "0.1", "0.2", then "0.1.1", "0.1.2", and so on. Arrays over subtopics keep that order, so
those of the query itself come first, whatever was opened. Where subtopics were merged or hidden by hand
(`Grouping`), ids have gaps: "0.1", "0.2", "0.4".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from qdtm.results.distributions import FloatArray, share_out
from qdtm.sampler.trace import Trace
from qdtm.storage.mapped import places_where

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


@dataclass(frozen=True, eq=False, repr=False)
class Grouping:
    """How the S0 subtopics that were found below a topic are shown as S, after some were merged or hidden.

    Attributes
    ----------
    numbers : tuple of int, length S
        The last number of the id of each that is shown.
    column : ndarray of int64, shape (S0,)
        As which of them each is shown; -1 if it is hidden.
    counts : ndarray of float32, shape (V, S0)
        As they were found.
    """

    numbers: tuple[int, ...]
    column: NDArray[np.int64]
    counts: NDArray[np.float32]

    @classmethod
    def of(cls, counts: NDArray[np.float32]) -> Grouping:
        """Return the one that shows all as they were found."""
        n = counts.shape[1]
        return cls(tuple(range(1, n + 1)), np.arange(n), counts)

    def regroup(self, into: NDArray[np.int64], numbers: Sequence[int]) -> Grouping:
        """Return it with each that is shown now shown as another, or not (-1), under these numbers."""
        column = np.where(self.column >= 0, into[self.column], -1)
        return Grouping(tuple(numbers), column, self.counts)

    def sums(self, values: FloatArray) -> FloatArray:
        """Return the sums over what each that is shown was made of, (V, S), of values (V, S0)."""
        shown = self.column >= 0
        found = np.zeros((len(values), len(self.numbers)))
        np.add.at(found.T, self.column[shown], values.T[shown])
        return found

    def largest(self, values: FloatArray) -> FloatArray:
        """Return the largest value of each that is shown, and last of those that are not, (D, S + 1).

        Parameters
        ----------
        values : ndarray of shape (D, S0 + R)
            Of those that were found, and of R others that are no subtopics.
        """
        found = np.full((len(values), len(self.numbers) + 1), -np.inf)
        column = np.concatenate([self.column, np.full(values.shape[1] - len(self.column), -1)])
        for group, s in enumerate(column.tolist()):
            found[:, s] = np.maximum(found[:, s], values[:, group])
        return found


class Below(NamedTuple):
    """The subtopics right below a topic: its id, theirs, and the counts of their words (V, S)."""

    of: str
    ids: tuple[str, ...]
    counts: NDArray[np.float32]


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


def counts_below(fit: ModelFit, q: int) -> Iterator[Below]:
    """Yield what is below the query's topic, then below each opened subtopic."""
    yield _below(fit, str(q), fit.subtopic_counts[q])
    for split in fit.splits:
        if is_within(split.of, str(q)):
            yield _below(fit, split.of, split.counts)


def _below(fit: ModelFit, id: str, counts: NDArray[np.float32]) -> Below:
    grouping = fit.corrections.groupings.get(id)
    numbers = range(1, counts.shape[1] + 1) if grouping is None else grouping.numbers
    return Below(id, tuple(f"{id}.{number}" for number in numbers), counts)


def below(fit: ModelFit, id: str) -> Below:
    """Return what is right below a query's topic or an opened subtopic; KeyError if that is not open."""
    return {each.of: each for each in counts_below(fit, path_of(id)[0])}[id]


def subtopic_ids(fit: ModelFit, q: int) -> tuple[str, ...]:
    """Return the ids of all subtopics of query `q`, in level order."""
    return tuple(id for below in counts_below(fit, q) for id in below.ids)


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
    for of, ids, counts in counts_below(fit, q):
        grouping = fit.corrections.groupings.get(of)
        found = share_out(weights[of], counts if grouping is None else grouping.counts)
        weights |= dict(zip(ids, (found if grouping is None else grouping.sums(found)).T, strict=True))
    all_below = list(weights.values())[1:]
    return np.stack(all_below, axis=1) if all_below else np.zeros((len(p_w), 0))


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
                places = np.array([ids.index(id) for id in below(fit, split.of).ids], np.int32)
                deepest[where[kept]] = places[split.token_children[kept]]
    return deepest


def tokens_in(fit: ModelFit, id: str) -> NDArray[np.int64]:
    """Return the positions in the corpus of the tokens that a subtopic has in the last sample."""
    q, first, *rest = path_of(id)
    of = str(q)
    column = _column(fit, of, first)
    where = places_where(lambda z, s: (z == q) & (s == column), fit.token_topics, fit.token_subtopics)
    opened, of = {split.of: split for split in fit.splits}, f"{q}.{first}"
    for number in rest:
        where = where[opened[of].token_children == _column(fit, of, number)]
        of = f"{of}.{number}"
    return where


def _column(fit: ModelFit, of: str, number: int) -> int:
    """Return which of the subtopics below a topic has a number at the end of its id."""
    return below(fit, of).ids.index(f"{of}.{number}")


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
    if counts.ndim != 2 or counts.shape[0] != n_words:
        raise ValueError(f"the counts below {split.of!r} have shape {counts.shape}")
    if not (np.isfinite(counts).all() and (counts >= 0).all()):
        raise ValueError(f"a count below {split.of!r} is negative or not a number")
    if not 0 <= split.rest <= 1:
        raise ValueError("a share of dropped subtopics is not between 0 and 1")
    if children.shape != (n_tokens,):
        raise ValueError(f"{split.of!r} has {n_tokens} tokens, and {children.shape} below it")
    if n_tokens and not (children.min() >= -1 and children.max() < counts.shape[1]):
        raise ValueError(f"a token's subtopic below {split.of!r} does not exist")
