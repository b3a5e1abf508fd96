"""Ask the queries that were not asked before, here or in worker processes.

In: cells, rows, a workbench and a store. Out: an `AloneResult` a cell, in order. Every result is kept the
moment it is there; whoever stops the run and starts it again goes on where it was.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from qdtm.evaluation.bench.alone.cells import AloneCell, AloneResult
from qdtm.evaluation.bench.alone.measuring import measure_answer
from qdtm.evaluation.bench.alone.rows import AloneRow
from qdtm.evaluation.bench.alone.store import AloneStore
from qdtm.evaluation.bench.alone.thinning import thin
from qdtm.evaluation.bench.workbench import Workbench
from qdtm.evaluation.bench.workers import run_tasks
from qdtm.evaluation.datasets import Dataset

Batch = tuple[AloneCell, ...]
"""Cells that one fit answers."""

#: Called with each result, and whether it was run now (else it was kept from before).
OnResult = Callable[[AloneResult, bool], object]


def run_alone(
    cells: Sequence[AloneCell],
    rows: Mapping[str, AloneRow],
    workbench: Workbench,
    store: AloneStore,
    *,
    n_jobs: int = 1,
    fresh: bool = False,
    on_result: OnResult | None = None,
) -> list[AloneResult]:
    """Run cells, each at most once.

    Parameters
    ----------
    cells : sequence of AloneCell
    rows : mapping of str to AloneRow
        The rows that the cells name.
    workbench : Workbench
    store : AloneStore
    n_jobs : int
        Worker processes; the results do not depend on it.
    fresh : bool
        Run finished cells too.
    on_result : callable, optional
        Told of each result as it comes.

    Returns
    -------
    list of AloneResult
        One a cell, in the order of `cells`.
    """
    tell = on_result or (lambda *_: None)
    done: dict[AloneCell, AloneResult] = {}
    for cell in cells:
        kept = None if fresh else store.find(cell, rows[cell.model], _fingerprint(workbench, cell))
        if kept is not None:
            done[cell] = kept
            tell(kept, False)
    todo = batches([cell for cell in cells if cell not in done], rows)
    tasks = [(batch, rows[batch[0].model]) for batch in todo]
    for results in run_tasks(run_batch, tasks, workbench, n_jobs):
        for result in results:
            store.keep(result, rows[result.cell.model], _fingerprint(workbench, result.cell))
            done[result.cell] = result
            tell(result, True)
    return [done[cell] for cell in cells]


def batches(cells: Sequence[AloneCell], rows: Mapping[str, AloneRow]) -> list[Batch]:
    """Put cells together that one fit answers; on a thinned corpus each query is on its own."""
    found: dict[tuple[object, ...], list[AloneCell]] = {}
    for cell in cells:
        shared = rows[cell.model].at_once and cell.thin is None
        key = (cell.dataset, cell.model, cell.seed, None if shared else cell.query)
        found.setdefault(key, []).append(cell)
    return [tuple(batch) for batch in found.values()]


def run_batch(batch: Batch, row: AloneRow, workbench: Workbench) -> list[AloneResult]:
    """Ask the queries of a batch; linear algebra keeps to one thread."""
    first = batch[0]
    dataset = workbench.dataset(first.dataset)
    if first.thin is not None:
        dataset = thin(dataset, first.query, first.thin, first.seed)
    with threadpool_limits(1):
        queries = [cell.query for cell in batch]
        answers = row.answer(dataset, queries, first.seed, subtopics=first.subtopics)
        vectors = _vectors(dataset) if first.subtopics else None
        return [measure_answer(cell, answer, dataset, vectors)
                for cell, answer in zip(batch, answers, strict=True)]  # fmt: skip


def _vectors(dataset: Dataset) -> NDArray[np.float32]:
    """Return the bundled word vectors of the vocabulary, (V, d)."""
    from qdtm.embeddings import embed_vocabulary, load_vectors

    vectors = load_vectors("glove")
    assert vectors is not None
    return embed_vocabulary(vectors, dataset.corpus.vocabulary).raw


def _fingerprint(workbench: Workbench, cell: AloneCell) -> str:
    return workbench.dataset(cell.dataset).corpus.fingerprint
