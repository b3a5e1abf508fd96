"""Concept words that belong to one query only.

In: for each query its proposals, best first, and the words it claims. Out: for each query a `Selection`.

The sampler ties a concept word to its query's parent topic in every document, so no word may serve two.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Selection:
    """The words that one query keeps, and those it loses to another.

    Parameters
    ----------
    claimed : tuple of int
        Claimed words that no other query claims, in the order given.
    proposed : tuple of int
        Proposals kept, best first; a claimed word may be among them.
    shared : dict of int to tuple of int
        The words lost, and the queries that share them. Only proposals better than the last one kept.
    full : bool
        Whether there are as many proposals as were asked for.
    """

    claimed: tuple[int, ...]
    proposed: tuple[int, ...]
    shared: dict[int, tuple[int, ...]]
    full: bool


def select_distinct(
    proposals: Sequence[Sequence[int]], claims: Sequence[Sequence[int]], n_words: int
) -> tuple[Selection, ...]:
    """Keep the best words that only one query has.

    A word that more than one query proposes is dropped; the first `n_words` left are kept. A word that a
    query claims (it stands in its text, or the user gave it) is kept beside them, unless another query claims
    it too.

    Parameters
    ----------
    proposals : sequence of sequence of int
        For each query the words proposed, best first.
    claims : sequence of sequence of int
        For each query the words of its own.
    n_words : int
        How many proposals a query keeps.

    Returns
    -------
    tuple of Selection
    """
    proposers, claimants = _queries_of(proposals), _queries_of(claims)
    return tuple(
        _select(q, proposals[q], claims[q], proposers, claimants, n_words) for q in range(len(proposals))
    )


def _queries_of(words: Sequence[Sequence[int]]) -> dict[int, set[int]]:
    """Return the queries that have each word."""
    queries: dict[int, set[int]] = {}
    for q, of_query in enumerate(words):
        for word in of_query:
            queries.setdefault(word, set()).add(q)
    return queries


def _select(
    q: int,
    proposals: Sequence[int],
    claims: Sequence[int],
    proposers: dict[int, set[int]],
    claimants: dict[int, set[int]],
    n_words: int,
) -> Selection:
    shared: dict[int, tuple[int, ...]] = {}
    claimed = [word for word in claims if claimants[word] == {q}]
    for word in claims:
        if claimants[word] != {q}:
            shared[word] = tuple(sorted(claimants[word] - {q}))
    kept: list[int] = []
    for word in proposals:
        if len(kept) == n_words:
            break
        # DEVIATION(C2): a word that another query claims is lost too. The authors look at proposals alone, so
        # a query word that its own query fails to propose could serve two topics.
        others = (proposers[word] | claimants.get(word, set())) - {q}
        if not others:
            kept.append(word)
        elif word not in claimed:
            shared.setdefault(word, tuple(sorted(others)))
    return Selection(tuple(claimed), tuple(kept), shared, full=len(kept) == n_words)
