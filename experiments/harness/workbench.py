"""What cells need beside a model: data sets, the reference corpus' counts and word vectors.

In: a data folder, and what loads a data set from it. Out: each of these, loaded once a process.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from experiments.datasets.files import DownloadProgress
from experiments.datasets.natural import NATURAL, load_natural
from experiments.datasets.paper_corpora import Dataset, load_dataset
from experiments.metrics.coherence import Presence, WindowCounts
from experiments.metrics.reference import find_reference, reference_counts

PRESENCE: Presence = "boolean"
"""How the tables count a word in a window: it is there or not, as C_V is defined and Palmetto counts."""

Loader = Callable[[str, str | Path | None, DownloadProgress | None], Dataset]
"""Loads a data set by its name from a data folder, and tells of downloads."""


def load_labelled(name: str, data: str | Path | None, progress: DownloadProgress | None) -> Dataset:
    """Load one of the paper's data sets, or one with natural categories."""
    return load_natural(name, data) if name in NATURAL else load_dataset(name, data, progress)


class Workbench:
    """Data sets and what measures them.

    Parameters
    ----------
    data : str or Path, optional
        The data folder, see `find_data`.
    load : callable
        A function of a module that loads a data set.
    progress : callable, optional
        Told of downloads; worker processes do without.
    """

    def __init__(
        self,
        data: str | Path | None = None,
        load: Loader = load_labelled,
        progress: DownloadProgress | None = None,
    ) -> None:
        self.data, self.load, self.progress = data, load, progress
        self.dataset = cache(self._dataset)
        self.windows = cache(self._windows)
        self.vectors = cache(self._vectors)

    def __reduce__(self) -> tuple[Any, ...]:
        """Go to a worker process without what was loaded."""
        return (type(self), (self.data, self.load))

    def prepare(self, bench: str, dataset: str) -> None:
        """Load what the cells of a bench need, and so make what is kept on disk before workers start."""
        self.dataset(dataset)
        if bench == "table1":
            self.windows(dataset)

    def _dataset(self, name: str) -> Dataset:
        return self.load(name, self.data, self.progress)

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
