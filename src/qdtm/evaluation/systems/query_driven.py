"""The rows of the query-driven topic model itself: its extractors, expert keywords, and what is left out.

In: a row's name. Out: a `System` around `QueryDrivenTopicModel`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from qdtm.concepts import Query
from qdtm.evaluation.datasets import Dataset, ExperimentConcept
from qdtm.evaluation.systems.outcome import Outcome, SubtopicGroup
from qdtm.evaluation.systems.registry import SystemOptions
from qdtm.results.topic import Topic

if TYPE_CHECKING:
    from qdtm.model import QueryDrivenTopicModel


@dataclass(frozen=True)
class Variant:
    """How a row differs from the others.

    Attributes
    ----------
    expansion : {"kld", "fre", "rel"} or None
        None: the experts' keywords are the concept words.
    min_pointing : "auto" or float
        0 is the extractor as published; "auto" drops general words, as the package does by default.
    word_filtering : bool
    promotes : bool
    """

    expansion: str | None
    min_pointing: str | float = 0.0
    word_filtering: bool = True
    promotes: bool = True


VARIANTS: Mapping[str, Variant] = {
    "qdtm-fre": Variant("fre"),
    "qdtm-rel": Variant("rel"),
    "qdtm-kld": Variant("kld"),
    "qdtm-expert": Variant(None),
    "qdtm-no-filtering": Variant("kld", word_filtering=False),
    "qdtm-no-promotion": Variant("kld", promotes=False),
    "qdtm-default": Variant("kld", min_pointing="auto"),
}


def make_query_driven(name: str, options: SystemOptions) -> QueryDriven:
    """Make the system of one of `VARIANTS`."""
    return QueryDriven(name, VARIANTS[name], options)


@dataclass(frozen=True)
class QueryDriven:
    """A row of the query-driven topic model."""

    name: str
    variant: Variant
    options: SystemOptions

    @property
    def settings(self) -> Mapping[str, str | float | bool | None]:
        """The variant and the options."""
        options = {"preset": self.options.preset, "max_sweeps": self.options.max_sweeps}
        return asdict(self.variant) | options

    def fit(self, dataset: Dataset, seed: int, *, subtopics: bool = False) -> Outcome:
        """Fit the model; see `System`."""
        model = self.fit_model(dataset, seed, subtopics=subtopics)
        n_queries = len(dataset.concepts)
        theta = model.doc_topic_
        return Outcome(
            scores=theta[:, :n_queries],
            shares=theta,
            topics=np.stack([topic.probabilities for topic in model.topics_]),
            subtopics=tuple(map(_group, model.topics_)) if subtopics else None,
        )

    def fit_model(self, dataset: Dataset, seed: int, *, subtopics: bool) -> QueryDrivenTopicModel:
        """Fit the model and return it whole."""
        from qdtm.model import QueryDrivenTopicModel

        parameters: dict[str, Any] = {} if self.variant.promotes else {"promotion_weight": 0.0}
        model = QueryDrivenTopicModel(
            [self._query(concept) for concept in dataset.concepts],
            expansion=self.variant.expansion,
            min_pointing=self.variant.min_pointing,
            word_filtering=self.variant.word_filtering,
            preset=self.options.preset,
            max_sweeps=self.options.max_sweeps,
            subtopics=subtopics,
            random_state=seed,
            **parameters,
        ).fit(dataset.corpus)
        if model.fit_.interrupted:  # Ctrl-C ends a fit early and whole; a table must not have such a run
            raise KeyboardInterrupt
        return model

    def _query(self, concept: ExperimentConcept) -> Query:
        if self.variant.expansion is None:
            return Query(name=concept.phrase, keywords=concept.keywords, rule="or")
        return Query(concept.query, name=concept.phrase, rule=concept.rule)


def _group(topic: Topic) -> SubtopicGroup:
    """Return the subtopics of a topic as arrays."""
    n_words = len(topic.vocabulary)
    rows = [subtopic.probabilities for subtopic in topic.subtopics]
    return SubtopicGroup(
        probabilities=np.stack(rows) if rows else np.empty((0, n_words), np.float32),
        prevalence=np.array([subtopic.prevalence for subtopic in topic.subtopics]),
    )
