"""Ask what people ask: cells, rows, a workbench and a store in, a `StayingResult` a cell out, in order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from qdtm.corpus import Corpus
from qdtm.evaluation.bench.alone.rows import AloneRow, Answer
from qdtm.evaluation.bench.asking import AnswerStore, ask_cells
from qdtm.evaluation.bench.staying.cells import StayingCell, StayingResult
from qdtm.evaluation.bench.staying.naming import word_counts
from qdtm.evaluation.bench.staying.queries import Queries
from qdtm.evaluation.bench.workbench import Workbench
from qdtm.evaluation.datasets import Dataset, ExperimentConcept, load_whole
from qdtm.evaluation.datasets.authors import UNLABELLED
from qdtm.evaluation.datasets.download import DownloadProgress
from qdtm.evaluation.systems.baselines import break_ties

N_FIRST = 10
OFTEN = 3
"""A document that names a query so many times is about it."""
LIKELIER_THAN_NOT = 0.5


class StayingWorkbench(Workbench):
    """Whole corpora with the package's own text pipeline, and what people ask of them.

    Parameters
    ----------
    data, progress
        As of `Workbench`.
    queries : mapping of str to tuple of StayingQuery
    """

    def __init__(
        self, data: str | Path | None = None, progress: DownloadProgress | None = None, *, queries: Queries
    ) -> None:
        super().__init__(data, progress)
        self.queries = queries

    def __reduce__(self) -> tuple[Any, ...]:
        """Go to a worker process without what was loaded."""
        return (_workbench, (self.data, self.queries))

    def _dataset(self, name: str) -> Dataset:
        corpus = Corpus.from_texts(load_whole(name, self.data, self.progress))
        concepts = (ExperimentConcept(each.text, "and", "", (), each.text) for each in self.queries[name])
        return Dataset(name, corpus, np.full(corpus.n_documents, UNLABELLED), tuple(concepts))


def _workbench(data: str | Path | None, queries: Queries) -> StayingWorkbench:
    return StayingWorkbench(data, queries=queries)


class StayingStore(AnswerStore[StayingCell, StayingResult]):
    """A folder of finished answers; see `AnswerStore`."""

    def read(self, cell: StayingCell, kept: Mapping[str, Any]) -> StayingResult:
        """Read a result back; it must be of the cell that was asked for."""
        if StayingCell(**kept["cell"]) != cell:
            raise ValueError("a result of another cell")
        return StayingResult(**{**kept, "cell": cell})


def run_staying(
    cells: Sequence[StayingCell],
    rows: Mapping[str, AloneRow],
    workbench: Workbench,
    store: StayingStore,
    **options: Any,
) -> list[StayingResult]:
    """Run cells, each at most once; `options` are those of `ask_cells`."""
    return ask_cells(cells, rows, workbench, store, run_batch=run_cell, **options)


def run_cell(batch: tuple[StayingCell, ...], row: AloneRow, workbench: Workbench) -> list[StayingResult]:
    """Ask a query; linear algebra keeps to one thread."""
    [cell] = batch
    dataset = workbench.dataset(cell.dataset)
    with threadpool_limits(1):
        [answer] = row.answer(dataset, [cell.query], cell.seed)
    return [measure_staying(cell, answer, dataset.corpus)]


def measure_staying(cell: StayingCell, answer: Answer, corpus: Corpus) -> StayingResult:
    """Hold an answer against the documents' texts; equally good documents are in random order."""
    counts = word_counts((document.text for document in corpus.documents), cell.text)  # (D, n)
    named = np.all(counts > 0, axis=1)  # (D,)
    has_word = np.any(counts > 0, axis=1)  # (D,)
    n_named = int(named.sum())
    judged = answer.judgement
    if not answer.answered or judged is None:
        return StayingResult(cell, n_named, answer.seconds)
    p = judged.probability  # (D,)
    listed = np.asarray((p >= judged.cutoff) & (p > 0))  # (D,)
    often = counts.min(axis=1) >= OFTEN  # (D,)
    first = np.argsort(-break_ties(p[:, None], cell.seed)[:, 0], kind="stable")[:N_FIRST]
    return StayingResult(
        cell,
        n_named,
        answer.seconds,
        count=judged.count,
        n_listed=int(listed.sum()),
        with_word=float(has_word[listed].mean()) if listed.any() else None,
        first_ten=int(named[first].sum()),
        found=float(listed[often].mean()) if often.any() else None,
        n_unnamed=int(((p > LIKELIER_THAN_NOT) & ~named).sum()),
    )
