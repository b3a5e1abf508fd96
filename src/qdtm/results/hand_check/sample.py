"""Which documents a person looks at: relevance and a cut-off in, a sample that grows in rounds out.

Documents are ranked and cut into strata: two above the cut-off, and below it those that nearly made it, those
further down, and the rest. Each stratum has its documents in a random order, and the corpus has all of its;
what is drawn at random is always the next in such an order. So however many documents were chosen for other
reasons in between, the first of an order that have been reached are a simple random sample: one that was
chosen before counts when the order comes to it. Everything else that was read counts for itself alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from qdtm.errors import ParameterError

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

How = Literal["random", "audit", "chosen", "ranked", "own"]
"""Why a document is looked at: by chance in its stratum, by chance among all that nobody has read, because
its answer would tell most, because it is next by relevance, or because somebody came by it in a list."""

_LEAST = 3  # documents of a stratum that are looked at, if it has as many
_SPLIT_FROM = 8  # documents above the cut-off that are cut in two
_NEAR = 50  # documents that nearly made it, at least
_OF_AUDIT = 7_919  # which random order: that of the corpus, not of a stratum


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
class Draw:
    """A document that is to be looked at, or was.

    Attributes
    ----------
    row : int
        Of the corpus.
    stratum : int
    relevance : float
        Of the model, without what people said.
    round : int
        From 1; 0 for what nobody drew.
    how : {"random", "audit", "chosen", "ranked", "own"}
    probability : float or None
        How likely it was to be drawn by then; None if chance did not decide.
    """

    row: int
    stratum: int
    relevance: float
    round: int
    how: How
    probability: float | None = None

    def __post_init__(self) -> None:
        if self.row < 0 or self.stratum < 0 or self.round < 0 or self.how not in get_args(How):
            raise ValueError("a document was drawn in a way that does not exist")
        if not 0 <= self.relevance <= 1 or not (self.probability is None or 0 < self.probability <= 1):
            raise ValueError("a probability is not between 0 and 1")


@dataclass(frozen=True)
class CheckSample:
    """Documents that are looked at, in the order in which they are shown.

    Attributes
    ----------
    cutoff : float
        A document at or above it counts as being about the query.
    strata : tuple of Stratum
        From the most relevant down.
    draws : tuple of Draw
        A document each; those of a round are in random order, so that the order tells nothing.
    reached : tuple of tuple of int
        Of each stratum, the first documents of its random order, as far as it has been reached.
    audited : tuple of int
        The same of the corpus.
    again : tuple of int
        Documents to be looked at once more: what was learned from the others speaks against their answer.
    seed : int
        Of the random orders.
    """

    cutoff: float
    strata: tuple[Stratum, ...]
    draws: tuple[Draw, ...] = ()
    reached: tuple[tuple[int, ...], ...] = ()
    audited: tuple[int, ...] = ()
    seed: int = 0
    again: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if not self.reached:
            object.__setattr__(self, "reached", ((),) * len(self.strata))
        drawn = set(self.documents)
        if len(drawn) != len(self.draws) or any(draw.stratum >= len(self.strata) for draw in self.draws):
            raise ValueError("a document is in the sample twice, or in no stratum")
        if len(self.reached) != len(self.strata) or not all(
            drawn.issuperset(rows) for rows in (*self.orders, self.again)
        ):
            raise ValueError("a random order has documents that were not drawn")
        for rows, most in zip(self.orders, [*(s.size for s in self.strata), self.n_corpus], strict=True):
            if len(set(rows)) != len(rows) or len(rows) > most:
                raise ValueError("a sample has more documents of a stratum than there are")

    @property
    def orders(self) -> tuple[tuple[int, ...], ...]:
        """What has been reached of each random order: those of the strata, then that of the corpus."""
        return (*self.reached, self.audited)

    @cached_property
    def documents(self) -> tuple[int, ...]:
        """The rows, in the order of the draws."""
        return tuple(draw.row for draw in self.draws)

    @cached_property
    def places(self) -> dict[int, Draw]:
        """The draws by row."""
        return {draw.row: draw for draw in self.draws}

    @property
    def n_corpus(self) -> int:
        """Documents of the corpus."""
        return sum(stratum.size for stratum in self.strata)

    @property
    def n_rounds(self) -> int:
        """Rounds that were drawn."""
        return max((draw.round for draw in self.draws), default=0)

    def random_in(self, h: int) -> tuple[int, ...]:
        """Return a simple random sample of stratum `h`: the longer of the two that there are."""
        audited = tuple(row for row in self.audited if self.places[row].stratum == h)
        return max(self.reached[h], audited, key=len)

    def __len__(self) -> int:
        return len(self.draws)

    def to_json(self) -> dict[str, Any]:
        """Return it in a form that JSON can hold."""
        draws = [[d.row, d.stratum, d.relevance, d.round, d.how, d.probability] for d in self.draws]
        return asdict(self) | {"draws": draws}

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> CheckSample:
        """Return what `to_json` described; anything else raises."""
        return cls(
            cutoff=float(values["cutoff"]),
            strata=tuple(Stratum(**stratum) for stratum in values["strata"]),
            draws=tuple(_draw(*each) for each in values["draws"]),
            reached=tuple(tuple(int(row) for row in rows) for rows in values["reached"]),
            audited=tuple(int(row) for row in values["audited"]),
            seed=int(values["seed"]),
            again=tuple(int(row) for row in values["again"]),
        )


def _draw(row: Any, stratum: Any, relevance: Any, round: Any, how: Any, probability: Any) -> Draw:
    p = None if probability is None else float(probability)
    return Draw(int(row), int(stratum), float(relevance), int(round), how, p)


# --- strata -------------------------------------------------------------------------------------------------


def stratify(relevance: FloatArray, cutoff: float, seed: int = 0) -> CheckSample:
    """Cut the documents of a corpus into strata of relevance, of which nothing is drawn yet.

    Raises
    ------
    ParameterError
        If there are no documents.
    """
    if not len(relevance):
        raise ParameterError("A corpus without documents cannot be checked.")
    ranked = np.sort(relevance)[::-1]
    n_above = int((relevance >= cutoff).sum())
    near = max(n_above, _NEAR)
    halves = [n_above // 2] if n_above >= _SPLIT_FROM else []
    edges = [0, *halves, n_above, n_above + near, n_above + 5 * near, len(ranked)]
    rising = np.unique(np.minimum(edges, len(ranked)))
    strata = [_stratum(ranked[start:end], cutoff) for start, end in pairwise(rising)]
    return CheckSample(float(cutoff), tuple(strata), seed=seed)


def _stratum(relevance: FloatArray, cutoff: float) -> Stratum:
    low, high = float(relevance.min()), float(relevance.max())
    return Stratum(low, high, len(relevance), float(relevance.mean()), low >= cutoff)


def strata_of(relevance: FloatArray, sample: CheckSample) -> IntArray:
    """Return the stratum of each document of the corpus, (D,)."""
    if sample.n_corpus != len(relevance):
        raise ParameterError("The check is of another corpus.")
    owner = np.empty(len(relevance), np.int64)
    order = np.argsort(-relevance, kind="stable")
    owner[order] = np.repeat(np.arange(len(sample.strata)), [stratum.size for stratum in sample.strata])
    return owner


# --- draws --------------------------------------------------------------------------------------------------


def draw_sample(relevance: FloatArray, cutoff: float, n: int, seed: int = 0) -> CheckSample:
    """Draw the documents of a first round.

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
        If there are no documents.
    """
    sample = stratify(relevance, cutoff, seed)
    return draw_round(sample, relevance, random=allocate_first(sample.strata, n))


def draw_round(
    sample: CheckSample,
    relevance: FloatArray,
    *,
    random: Sequence[int] = (),
    n_audit: int = 0,
    chosen: Iterable[int] = (),
    ranked: Iterable[int] = (),
    own: Iterable[int] = (),
) -> CheckSample:
    """Add a round of documents that nobody has drawn.

    Parameters
    ----------
    sample : CheckSample
    relevance : ndarray of shape (D,)
        Of the model, as it was when the strata were made.
    random : sequence of int
        How many of each stratum, by chance.
    n_audit : int
        How many of the corpus, by chance.
    chosen, ranked : iterable of int
        Rows.
    own : iterable of int
        Rows that somebody has read anyway; they are of no round.
    """
    owner, known = strata_of(relevance, sample), set(sample.documents)
    reached, found = list(sample.reached), dict[int, tuple[How, float | None]]()
    picked: tuple[tuple[Iterable[int], How], ...] = ((ranked, "ranked"), (chosen, "chosen"), (own, "own"))
    for rows, how in picked:
        found |= {int(row): (how, None) for row in rows if int(row) not in known}
    for h, n in enumerate(random):
        new, passed = _next(np.flatnonzero(owner == h), reached[h], known, n, (sample.seed, h))
        reached[h] = (*reached[h], *passed)
        found |= {row: ("random", len(reached[h]) / sample.strata[h].size) for row in new}
    n_unread = len(relevance) - len(known)
    of_corpus = (np.arange(len(relevance)), sample.audited, known, n_audit, (sample.seed, _OF_AUDIT))
    new, passed = _next(*of_corpus) if n_audit else ([], [])
    found |= {row: ("audit", min(1.0, n_audit / n_unread)) for row in new}
    number = 0 if own else sample.n_rounds + 1
    draws = [
        Draw(row, int(owner[row]), float(relevance[row]), number, how, p)
        for row, (how, p) in _mixed(found, (sample.seed, number, len(sample)))
    ]
    audited = (*sample.audited, *passed)
    return replace(sample, draws=(*sample.draws, *draws), reached=tuple(reached), audited=audited)


def _next(
    population: IntArray, reached: Sequence[int], known: set[int], n: int, key: tuple[int, int]
) -> tuple[list[int], list[int]]:
    """Go on in a random order until `n` documents were met that are not known; these, and all passed."""
    new: list[int] = []
    passed: list[int] = []
    before = set(reached)
    for row in np.random.default_rng(key).permutation(population).tolist():
        if len(new) >= n:
            break
        if row not in before:
            passed.append(row)
            if row not in known:
                new.append(row)
    return new, passed


def _mixed(
    found: Mapping[int, tuple[How, float | None]], key: tuple[int, ...]
) -> list[tuple[int, tuple[How, float | None]]]:
    """Put the documents of a round in random order, but what is read by relevance first, in its order."""
    ranked = [row for row, (how, _) in found.items() if how == "ranked"]
    others = [row for row in found if found[row][0] != "ranked"]
    mixed = np.random.default_rng(key).permutation(np.array(others, np.int64)).tolist()
    return [(row, found[row]) for row in (*ranked, *mixed)]


# --- how many of each stratum -------------------------------------------------------------------------------


def allocate_first(strata: Sequence[Stratum], n: int) -> list[int]:
    """Return how many documents of each stratum are looked at first, `n` together or all there are.

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
            wanted[side] = share_out(weights[side], sizes[side], share, wanted[side])
    return [int(each) for each in wanted]


def share_out(weights: FloatArray, sizes: IntArray, total: int, least: IntArray | None = None) -> IntArray:
    """Share `total` out one by one, to whom is furthest behind its weight; each has its least first."""
    given = np.zeros(len(sizes), np.int64) if least is None else np.minimum(least, sizes)
    while given.sum() > total:
        given[int(np.argmax(given))] -= 1
    while given.sum() < min(total, int(sizes.sum())):
        behind = np.where(given < sizes, weights / (given + 1.0), -1.0)
        given[int(np.argmax(behind))] += 1
    return given
