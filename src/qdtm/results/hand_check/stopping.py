"""When to stop reading: documents read by relevance and by chance in, a certified recall out.

Documents are read in the order of relevance, and in between some that chance draws from all that nobody has
read. If the corpus has T documents about the query, and y of them were read before such a draw, it finds one
with probability (T - y) / u, where u documents are unread: known, whatever was read in between and why. So
each T has a betting martingale: a stake that grows if fewer are found than T would have it. By Ville's
inequality the stake against the true T passes 1 / (1 - confidence) with a probability of at most
1 - confidence, at whatever moment one looks; every T whose stake has passed it is ruled out. What is left
bounds the number of documents that were missed, and so recall, however often one has looked.

Sampling without replacement, hypergeometric chances: Callaghan and Müller-Hansen 2020 ("Statistical stopping
criteria for automated screening in systematic reviews"). That one may look after every answer: Waudby-Smith
and Ramdas 2020 ("Confidence sequences for sampling without replacement"). Against totals that would leave one
document or more, with nothing found by chance and all staked on nothing being left, the stake is one over the
hypergeometric chance of finding nothing.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from qdtm.results.hand_check.answers import Verdict
from qdtm.results.hand_check.sample import CheckSample

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

BETS = (0.02, 0.1, 0.3)
"""How many documents are left, as shares of what may be missed: a third of the stake is on each. Chosen by
simulation (`python -m experiments review`): single bets of 0.02, 0.1, 0.2 and 0.5 read as much or more."""

_USUAL = 0.95  # the recall at which the bets are aimed; other goals are certified as well


@dataclass(frozen=True)
class Certificate:
    """What is certain of the documents that nobody has read.

    Attributes
    ----------
    confidence : float
        How often such a statement is true, at least.
    n_read, n_unread : int
    n_found : int
        Documents about the query among those that were read.
    most_left : int
        As many are about it among the others, at most.
    """

    confidence: float
    n_read: int
    n_unread: int
    n_found: int
    most_left: int

    @property
    def recall(self) -> float:
        """The share of the documents about the query that was found, at least."""
        total = self.n_found + self.most_left
        return self.n_found / total if total else 1.0

    def reaches(self, recall: float) -> bool:
        """Whether this recall is certain."""
        return self.n_found >= recall * (self.n_found + self.most_left) - 1e-9

    def least_more(self, recall: float) -> int:
        """Return how many documents must still be drawn by chance, at least, if none of them is about it.

        To rule out that k are left among u, one has to read a share of 1 - (1 - confidence)^(1 / k) of them:
        about 45 % for k = 5, 14 % for k = 20. However good the order is, it cannot be less.
        """
        if self.reaches(recall):
            return 0
        too_many = int(self.n_found / recall - self.n_found + 1e-9) + 1
        share = 1.0 - float((1.0 - self.confidence) ** (1.0 / too_many))
        return math.ceil(self.n_unread * share)

    def summary(self, recall: float) -> str:
        """Say it for people: 83 found in 900 read; with 95% confidence at most 4 are left, ..."""
        found = f"{self.n_found:,} found in {self.n_read:,} read"
        more = self.least_more(recall)
        if more and self.most_left >= self.n_unread:
            return f"{found}; to be {self.confidence:.0%} sure of {recall:.0%}, read {more:,} more at least"
        most = "none is" if not self.most_left else f"at most {self.most_left:,} {_are(self.most_left)}"
        certain = f"with {self.confidence:.0%} confidence {most} left, so {self.recall:.0%} or more are found"
        goal = f"for {recall:.0%}, read {more:,} more at least" if more else "you can stop"
        return f"{found}; {certain}; {goal}"


def _are(n: int) -> str:
    return "is" if n == 1 else "are"


def certify(sample: CheckSample, verdicts: Mapping[int, Verdict], confidence: float = 0.95) -> Certificate:
    """Bound the number of documents about a query that nobody has read.

    Parameters
    ----------
    sample : CheckSample
        Its draws are in the order of reading; those of an audit were drawn by chance from what was unread.
    verdicts : mapping of int to {"yes", "no", "unsure"}
        What is unsure counts as a yes where it raises the bound, and not as found.
    confidence : float
    """
    drawn = list(sample.draws)
    while drawn and drawn[-1].row not in verdicts:
        drawn.pop()
    maybe = [verdicts.get(draw.row) != "no" for draw in drawn]  # what was passed over may be about it, too
    stakes = log_stakes(maybe, [draw.how == "audit" for draw in drawn], sample.n_corpus)
    possible = stakes < math.log(1.0 / (1.0 - confidence))
    n_passed = sum(draw.row not in verdicts for draw in drawn)
    n_found = sum(about == "yes" for about in verdicts.values())
    most_left = int(np.flatnonzero(possible).max(initial=0)) + n_passed
    n_rest = sample.n_corpus - len(drawn)
    return Certificate(confidence, len(verdicts), n_rest + n_passed, n_found, most_left)


def log_stakes(
    about: Sequence[bool], by_chance: Sequence[bool], n_documents: int, bets: Sequence[float] = BETS
) -> FloatArray:
    """Return the logarithm of the stake against each number of documents that may be left, (n_unread + 1,).

    Parameters
    ----------
    about, by_chance : sequence of bool
        Of each document that was read, in order: whether it is about the query, and whether chance drew it
        from all that were unread.
    n_documents : int
    bets : sequence of float
        Shares of what may be missed; a part of the stake is on each.
    """
    after = np.arange(n_documents - len(about) + 1)  # how many may be left in the end
    stakes = np.zeros((len(bets), len(after)))
    n_read, n_found, n_about = 0, 0, sum(about)
    for (is_about, chance), run in groupby(zip(about, by_chance, strict=True)):
        n = len(list(run))
        for size in [1] * n if is_about else [n]:  # documents off the subject are one step, however many
            if chance:
                may_miss = max(max(n_found, 1) * (1.0 / _USUAL - 1.0), 1.0)
                left = after + (n_about - n_found)
                for stake, bet in zip(stakes, bets, strict=True):
                    stake += _won(left, n_documents - n_read, size, is_about, bet * may_miss)
            n_read, n_found = n_read + size, n_found + size * is_about
    return np.asarray(np.logaddexp.reduce(stakes, axis=0) - math.log(len(bets)))


def _won(left: IntArray, n_unread: int, n: int, is_about: bool, expected: float) -> FloatArray:
    """Return what draws of one kind add to the stakes against numbers of documents left, if one expects some.

    Nobody bets against fewer than are expected: there nothing is won or lost.
    """
    against = left > expected
    won = np.zeros(len(left))
    if is_about:
        won[against] = (math.log(expected) if expected else -math.inf) - np.log(left[against])
    elif against.any():
        unread = n_unread - np.arange(n)
        hoped = float(np.log1p(-expected / unread).sum())
        won[against] = hoped - _log_none(left[against], n_unread, n)
    return won


def _log_none(left: IntArray, n_unread: int, n: int) -> FloatArray:
    """Return the logarithm of the hypergeometric chance to draw `n` documents and none of those left."""
    from scipy.special import gammaln

    rest = n_unread - left
    chosen = gammaln(rest + 1.0) - gammaln(rest - n + 1.0)
    return np.asarray(chosen - float(gammaln(n_unread + 1.0) - gammaln(n_unread - n + 1.0)))
