"""Ask lone queries: cells, rows, a workbench and a store in, an `AloneResult` a cell out, in order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from qdtm.evaluation.bench.alone.cells import AloneCell, AloneResult
from qdtm.evaluation.bench.alone.measuring import measure_answer
from qdtm.evaluation.bench.alone.queries import asked_alone
from qdtm.evaluation.bench.alone.rows import AloneRow
from qdtm.evaluation.bench.alone.store import AloneStore
from qdtm.evaluation.bench.asking import ask_cells
from qdtm.evaluation.bench.workbench import Workbench
from qdtm.evaluation.datasets import Dataset

Batch = tuple[AloneCell, ...]
"""Cells that one fit answers."""


def run_alone(
    cells: Sequence[AloneCell],
    rows: Mapping[str, AloneRow],
    workbench: Workbench,
    store: AloneStore,
    **options: Any,
) -> list[AloneResult]:
    """Run cells, each at most once; `options` are those of `ask_cells`."""
    return ask_cells(
        cells, rows, workbench, store, batched=partial(batches, rows=rows), run_batch=run_batch, **options
    )


def batches(cells: Sequence[AloneCell], rows: Mapping[str, AloneRow]) -> list[Batch]:
    """Put cells together that one fit answers."""
    found: dict[tuple[object, ...], list[AloneCell]] = {}
    for cell in cells:
        key = (cell.dataset, cell.model, cell.seed, None if rows[cell.model].at_once else cell.query)
        found.setdefault(key, []).append(cell)
    return [tuple(batch) for batch in found.values()]


def run_batch(batch: Batch, row: AloneRow, workbench: Workbench) -> list[AloneResult]:
    """Ask the queries of a batch; linear algebra keeps to one thread."""
    first = batch[0]
    dataset = asked_alone(workbench.dataset(first.dataset))
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
