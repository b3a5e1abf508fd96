"""What is asked alone: a data set's name in, its concepts and which of them are asked out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import numpy as np

from qdtm.evaluation.datasets import (
    DATASETS,
    NATURAL,
    Dataset,
    ExperimentConcept,
    concepts_of,
    natural_concepts,
)
from qdtm.evaluation.datasets.natural import available

MOST_QUERIES = 30
"""Of a data set with more categories so many are asked, chosen once and for all."""

ASKED_WITH_OR = frozenset({"Politics Society"})
"""Five snippets have both words. The paper's tables keep the paper's rule."""


def usual_datasets(data: str | Path | None = None) -> tuple[str, ...]:
    """Return the data sets that are there: the paper's, and the natural ones that the data folder has."""
    return (*DATASETS, *available(data))


def concepts_alone(name: str, data: str | Path | None = None) -> tuple[ExperimentConcept, ...]:
    """Return the concepts of a data set as they are asked alone."""
    return _asked(natural_concepts(name, data) if name in NATURAL else concepts_of(name))


@lru_cache(maxsize=8)
def asked_alone(dataset: Dataset) -> Dataset:
    """Return a data set with its concepts as they are asked alone; the same object for the same data set."""
    return replace(dataset, concepts=_asked(dataset.concepts))


def _asked(concepts: Sequence[ExperimentConcept]) -> tuple[ExperimentConcept, ...]:
    return tuple(replace(concept, rule="or") if concept.phrase in ASKED_WITH_OR else concept
                 for concept in concepts)  # fmt: skip


def sample_queries(queries: Mapping[str, Sequence[int]]) -> dict[str, tuple[int, ...]]:
    """Choose at most 30 queries of each data set at random, always the same ones, in order."""
    return {dataset: _sample(numbers) for dataset, numbers in queries.items()}


def _sample(numbers: Sequence[int]) -> tuple[int, ...]:
    if len(numbers) <= MOST_QUERIES:
        return tuple(numbers)
    chosen = np.random.default_rng(0).choice(len(numbers), MOST_QUERIES, replace=False)
    return tuple(numbers[place] for place in sorted(chosen.tolist()))
