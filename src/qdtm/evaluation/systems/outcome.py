"""What every system of the tables takes and gives, so that one metric call serves them all.

In: a `Dataset` (documents and what is asked of them) and a seed. Out: `Outcome`. A system that has no topics
(retrieval by document embeddings) leaves them None, and the table has no figure there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from qdtm.evaluation.datasets import Dataset

FloatArray = NDArray[np.float32] | NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class SubtopicGroup:
    """The subtopics of one concept.

    Attributes
    ----------
    probabilities : ndarray of shape (S, V)
        p(word | subtopic); S may be 0.
    prevalence : ndarray of shape (S,)
        Share of the corpus' tokens.
    """

    probabilities: FloatArray
    prevalence: FloatArray


@dataclass(frozen=True, eq=False)
class Reading:
    """What the same topics say about documents, read in another way.

    Attributes
    ----------
    scores : ndarray of shape (D, Q)
    shares : ndarray of shape (D, K), optional
        None if they are those of the first reading.
    """

    scores: FloatArray
    shares: FloatArray | None = None


@dataclass(frozen=True, eq=False)
class Outcome:
    """What a system found in a corpus.

    Attributes
    ----------
    scores : ndarray of shape (D, Q)
        How much each document is about each concept, for ranking; the concepts in the data set's order.
    shares : ndarray of shape (D, K), optional
        Topic shares of each document, for classification: at most one for each concept and one for the rest,
        whatever the number of topics that the model found. A classifier with more to look at does better, so
        rows are compared on as many numbers.
    topics : ndarray of shape (Q, V), optional
        p(word | topic) of the topic that stands for each concept.
    subtopics : tuple of SubtopicGroup, length Q, optional
        The subtopics of each concept; None if the system has none or was not asked for them.
    own : Reading, optional
        What the model itself says of a document, where `scores` and `shares` are another reading: of a count
        model the mix of p(topic | word), of a model that weighs each concept by itself what sets one apart
        from the others. The tables print both and compare on the better, so that the way of reading does not
        decide the race.
    all_features : ndarray of shape (D, F), optional
        All that the model says of a document, where that is more than Q + 1 numbers; its accuracy stands
        beside that of `shares`, with F.
    """

    scores: FloatArray
    shares: FloatArray | None = None
    topics: FloatArray | None = None
    subtopics: tuple[SubtopicGroup, ...] | None = None
    own: Reading | None = None
    all_features: FloatArray | None = None


class System(Protocol):
    """A row of the tables. Worker processes get a copy, so it must be a plain object of a module."""

    @property
    def name(self) -> str:
        """The row's name, such as "qdtm-kld"."""
        ...

    @property
    def settings(self) -> Mapping[str, str | float | bool | None]:
        """Everything that decides about the outcome beside data and seed; finished runs are known by it."""
        ...

    def fit(self, dataset: Dataset, seed: int, *, subtopics: bool = False) -> Outcome:
        """Run the system.

        Parameters
        ----------
        dataset : Dataset
            `corpus` and `concepts` may be looked at; `labels` are for the metrics alone.
        seed : int
            The same seed gives the same outcome.
        subtopics : bool
            Whether subtopics are wanted; a system that has none ignores it.
        """
        ...
