"""What cells need beside a model: data sets, the reference corpus' counts and word vectors.

In: a data folder. Out: each of these, loaded once a process.
"""

from __future__ import annotations

import dataclasses
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qdtm.evaluation.datasets import NATURAL, Dataset, ExperimentConcept, load_dataset, load_natural
from qdtm.evaluation.datasets.download import DownloadProgress
from qdtm.evaluation.metrics import WindowCounts
from qdtm.evaluation.metrics.windows import Presence
from qdtm.evaluation.reference import find_reference, reference_counts

PRESENCE: Presence = "boolean"
"""How the tables count a word in a window: it is there or not, as C_V is defined and Palmetto counts."""

RARE_CONCEPT = ExperimentConcept("business", "and", "", (), "business")
"""The query of Table 4 that 20 Newsgroups seldom has; it is asked alone."""


class Workbench:
    """Data sets and what measures them.

    Parameters
    ----------
    data : str or Path, optional
        The data folder, see `find_data`.
    progress : callable, optional
        Told of downloads; worker processes do without.
    """

    def __init__(self, data: str | Path | None = None, progress: DownloadProgress | None = None) -> None:
        self.data = data
        self.progress = progress
        self.dataset = cache(self._dataset)
        self.windows = cache(self._windows)
        self.vectors = cache(self._vectors)

    def __reduce__(self) -> tuple[Any, ...]:
        """Go to a worker process without what was loaded."""
        return (type(self), (self.data,))

    def prepare(self, table: str, dataset: str) -> None:
        """Load what the cells of a table need, and so make what is kept on disk before workers start."""
        self.dataset(dataset)
        if table == "table1":
            self.windows(dataset)

    def rare_query(self, name: str) -> Dataset:
        """Return the data set with the rare query of Table 4 in place of its own."""
        return dataclasses.replace(self.dataset(name), concepts=(RARE_CONCEPT,))

    def _dataset(self, name: str) -> Dataset:
        if name in NATURAL:
            return load_natural(name, self.data)
        return load_dataset(name, self.data, self.progress)

    def _windows(self, name: str) -> WindowCounts:
        """Return the windows of the reference corpus for a data set's vocabulary."""
        vocabulary = self.dataset(name).corpus.vocabulary
        return reference_counts(vocabulary, find_reference(self.data), presence=PRESENCE)

    def _vectors(self, name: str) -> NDArray[np.float32]:
        """Return the bundled word vectors of a data set's vocabulary, (V, d)."""
        from qdtm.embeddings import embed_vocabulary, load_vectors

        vectors = load_vectors("glove")
        assert vectors is not None
        return embed_vocabulary(vectors, self.dataset(name).corpus.vocabulary).raw
