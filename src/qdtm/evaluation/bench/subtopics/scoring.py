"""What subtopics are worth: a fitted model and the documents' true categories in, `SubtopicScore` out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from qdtm.evaluation.metrics.agreement import Agreement, agreement
from qdtm.results.matching import FOUND, Parts, match
from qdtm.results.result import Result

if TYPE_CHECKING:
    from qdtm.model import QueryDrivenTopicModel

N_WORDS = 5
"""Words of a subtopic that are kept, for people."""


@dataclass(frozen=True)
class SubtopicScore:
    """How a split of the documents about a query agrees with their lower categories.

    Attributes
    ----------
    query : str
    n_found : int
        Parts: the subtopics that are shown, or a rival's topics that are the main one of any document.
    n_about, n_right : int
        The documents that are about the query by the model; those of them whose upper category it is.
    right : Agreement or None
        Of the right documents; None if there are none.
    everything : Agreement or None
        Of all of them: one of another upper category should be apart, in a part of its own lower category.
    words : tuple of str
        The first words of each subtopic, one text each.
    """

    query: str
    n_found: int
    n_about: int
    n_right: int
    right: Agreement | None
    everything: Agreement | None
    words: tuple[str, ...] = ()


def score_subtopics(
    model: QueryDrivenTopicModel | Result,
    query: str | int,
    upper: Sequence[str],
    lower: Sequence[str],
    *,
    category: str | None = None,
) -> SubtopicScore:
    """Compare the main subtopic shown for each document about a query with its lower category.

    Parameters
    ----------
    model : QueryDrivenTopicModel or Result
    query : str or int
        Its name, or its position.
    upper, lower : sequence of str, length D
        The categories of each document of the corpus.
    category : str, optional
        The upper category that is asked for; by default it has the query's name.
    """
    result = result_of(model)
    q = result.query_index(query)
    scores, topic = result.scores(q), result.topics[q]
    rows = np.flatnonzero(scores.about)
    right = np.asarray(upper, dtype=str)[rows] == (topic.name if category is None else category)
    return score_split(
        topic.name,
        scores.main[rows],
        right,
        np.asarray(lower, dtype=str)[rows],
        n_found=len(topic.subtopics),
        words=[" ".join(word for word, _ in each.top_words(N_WORDS)) for each in topic.subtopics],
    )


def score_split(
    query: str,
    main: ArrayLike,
    right: NDArray[np.bool_],
    lower: NDArray[np.str_],
    *,
    n_found: int | None = None,
    words: Sequence[str] = (),
) -> SubtopicScore:
    """Compare a split of the documents about a query with their lower categories.

    Parameters
    ----------
    query : str
    main : array-like of int, shape (n,)
        The part of each document; -1 for none.
    right : ndarray of bool, shape (n,)
        Whether it is of the upper category that was asked for.
    lower : ndarray of str, shape (n,)
    n_found : int, optional
        By default the parts that have a document.
    words : sequence of str
    """
    parts = np.asarray(main)
    if n_found is None:
        n_found = len(np.unique(parts[parts >= 0]))
    return SubtopicScore(
        query,
        n_found,
        len(parts),
        int(right.sum()),
        agreement(parts[right], lower[right]),
        agreement(parts, lower),
        tuple(words),
    )


def share_found_again(
    first: QueryDrivenTopicModel | Result, other: QueryDrivenTopicModel | Result, query: str | int = 0
) -> float | None:
    """Return the share of subtopics that another fit of the same corpus finds too; None without any.

    They are paired one to one, and are the same from a likeness of 0.3 (`results.matching`).
    """
    one, two = result_of(first), result_of(other)
    counts = [each.fit.subtopic_counts[each.query_index(query)] for each in (one, two)]  # (V, S) each
    n_shown = int(counts[0].shape[1])
    if not n_shown:
        return None
    return len(match(Parts(counts[0]).likeness(Parts(counts[1])), FOUND)) / n_shown


def result_of(model: QueryDrivenTopicModel | Result) -> Result:
    """Return the result of a fitted model, or the result itself."""
    return model if isinstance(model, Result) else model.result_
