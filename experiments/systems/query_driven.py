"""The rows of the query-driven topic model itself: its extractors, expert keywords, and what is left out.

In: a row's name. Out: a `System` around `QueryDrivenTopicModel`. Most rank documents by p(z|d), as the paper
does; two by relevance, as the package does.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from experiments.datasets.concepts import ExperimentConcept
from experiments.datasets.paper_corpora import Dataset
from experiments.systems.registry import Outcome, SubtopicGroup, SystemOptions
from qdtm.queries import Query
from qdtm.results.topics import Topic

if TYPE_CHECKING:
    from qdtm.model import QueryDrivenTopicModel


@dataclass(frozen=True)
class Variant:
    """How a row differs from the others.

    Attributes
    ----------
    expansion : {"kld", "fre", "rel"} or None
        None: the experts' keywords are the concept words.
    min_precision : "auto" or float
        0 is the extractor as published; "auto" drops general words, as the package does by default.
    word_filtering : bool
    promotes : bool
    judges : bool
        Whether documents are read by their relevance, not by p(z|d) alone.
    encodes : bool
        Whether a sentence encoder takes part in judging them.
    """

    expansion: str | None
    min_precision: str | float = 0.0
    word_filtering: bool = True
    promotes: bool = True
    judges: bool = False
    encodes: bool = False


VARIANTS: Mapping[str, Variant] = {
    "qdtm-fre": Variant("fre"),
    "qdtm-rel": Variant("rel"),
    "qdtm-kld": Variant("kld"),
    "qdtm-expert": Variant(None),
    "qdtm-no-filtering": Variant("kld", word_filtering=False),
    "qdtm-no-promotion": Variant("kld", promotes=False),
    "qdtm-default": Variant("kld", min_precision="auto"),
    "qdtm-relevance": Variant("kld", min_precision="auto", judges=True),
    "qdtm-encoder": Variant("kld", min_precision="auto", judges=True, encodes=True),
}


def make_query_driven(name: str, options: SystemOptions) -> QueryDriven:
    """Make the system of one of `VARIANTS`."""
    variant = VARIANTS[name]
    if not variant.encodes:
        return QueryDriven(name, variant, options)
    from qdtm.embeddings.encoder import load_encoder
    from qdtm.embeddings.onnx_encoder import MINILM

    encoder = options.encoder or MINILM
    load_encoder(encoder)  # is it there?
    return QueryDriven(name, variant, options, encoder)


@dataclass(frozen=True)
class QueryDriven:
    """A row of the query-driven topic model."""

    name: str
    variant: Variant
    options: SystemOptions
    encoder: str | None = None

    @property
    def settings(self) -> Mapping[str, str | float | bool | None]:
        """The variant and the options that mean something to it."""
        options = {"preset": self.options.preset, "max_sweeps": self.options.max_sweeps}
        return asdict(self.variant) | options | {"encoder": self.encoder}

    def fit(self, dataset: Dataset, seed: int, *, subtopics: bool = False) -> Outcome:
        """Fit the model; see `System`."""
        model = self.fit_model(dataset, seed, subtopics=subtopics)
        read = _by_relevance if self.variant.judges else _by_shares
        return replace(
            read(model),
            topics=np.stack([topic.probabilities for topic in model.topics_]),
            subtopics=tuple(map(_group, model.topics_)) if subtopics else None,
        )

    def fit_model(
        self, dataset: Dataset, seed: int, *, subtopics: bool, refuse: bool = False
    ) -> QueryDrivenTopicModel:
        """Fit the model and return it whole; told so, it refuses what the corpus does not answer."""
        from qdtm.model import QueryDrivenTopicModel

        parameters: dict[str, Any] = {} if self.variant.promotes else {"promotion_weight": 0.0}
        model = QueryDrivenTopicModel(
            [self._query(concept) for concept in dataset.concepts],
            expansion=self.variant.expansion,
            refuse=refuse,
            min_precision=self.variant.min_precision,
            word_filtering=self.variant.word_filtering,
            preset=self.options.preset,
            max_sweeps=self.options.max_sweeps,
            subtopics=subtopics,
            encoder=self.encoder,
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


def _by_shares(model: QueryDrivenTopicModel) -> Outcome:
    """Read documents by p(z|d); the background topics, however many, are one number."""
    theta, n_queries = model.doc_topic_, len(model.topics_)
    of_queries = theta[:, :n_queries]
    return Outcome(of_queries, np.column_stack([of_queries, theta[:, n_queries:].sum(axis=1)]))


def _by_relevance(model: QueryDrivenTopicModel) -> Outcome:
    """Read documents by their relevance, and what it leaves for the rest; p(z|d) is beside it."""
    judged = np.column_stack([model.relevance(q).scores for q in range(len(model.topics_))])  # (D, Q)
    rest = (1.0 - judged.sum(axis=1)).clip(0.0)  # (D,)
    return Outcome(
        scores=judged,
        shares=np.column_stack([judged, rest]),
        all_features=np.column_stack([judged, model.doc_topic_]),
    )


def _group(topic: Topic) -> SubtopicGroup:
    """Return the subtopics of a topic as arrays."""
    n_words = len(topic.vocabulary)
    rows = [subtopic.probabilities for subtopic in topic.subtopics]
    return SubtopicGroup(
        probabilities=np.stack(rows) if rows else np.empty((0, n_words), np.float32),
        prevalence=np.array([subtopic.prevalence for subtopic in topic.subtopics]),
    )
