"""A result and a query in, the hand-check of the query out: the one that was begun, or a new one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from qdtm.errors import ParameterError
from qdtm.results.checks.handcheck import HandCheck
from qdtm.results.checks.sample import draw_sample

if TYPE_CHECKING:
    from qdtm.results.result import Result


def begin_check(
    result: Result, query: str | int = 0, n: int = 50, *, seed: int = 0, fresh: bool = False
) -> HandCheck:
    """Return the hand-check of a query: the one that was begun before, else a new sample.

    Parameters
    ----------
    result : Result
    query : str or int
    n : int
        Documents of a new sample.
    seed : int
        Of a new sample.
    fresh : bool
        Draw a new sample in any case.

    Raises
    ------
    ParameterError
        If `n` is below 10: too few to say anything.
    """
    q = result.query_index(query)
    begun = result.fit.check_of(q)
    if begun is not None and not fresh:
        return begun
    if n < LEAST:
        raise ParameterError(f"A sample of {n} documents says too little; give at least {LEAST}.")
    relevance, cutoff = result.unchecked_relevance(q)
    return HandCheck(result.fit.concepts[q].name, draw_sample(relevance, cutoff, n, seed))


LEAST = 10
"""Documents that have to be looked at."""
