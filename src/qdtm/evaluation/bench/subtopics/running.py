"""Ask for upper categories: cells, rows, a workbench and a store in, a `SubtopicsResult` a cell out."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from threadpoolctl import threadpool_limits

from qdtm.errors import QueryError
from qdtm.evaluation.bench.alone.cells import OURS
from qdtm.evaluation.bench.asking import AnswerStore, ask_cells
from qdtm.evaluation.bench.subtopics.cells import SubtopicsCell, SubtopicsResult
from qdtm.evaluation.bench.subtopics.rivals import Part, Rival, make_rival, make_rivals
from qdtm.evaluation.bench.subtopics.scoring import (
    SubtopicScore,
    score_split,
    score_subtopics,
    share_found_again,
)
from qdtm.evaluation.bench.workbench import Workbench
from qdtm.evaluation.datasets.download import DownloadProgress
from qdtm.evaluation.datasets.two_level import GivenCorpus, TwoLevelDataset, load_two_level, read_two_level
from qdtm.evaluation.metrics.agreement import Agreement, n_categories

if TYPE_CHECKING:
    from qdtm.model import QueryDrivenTopicModel


class TwoLevelWorkbench(Workbench):
    """Corpora with categories on two levels.

    Parameters
    ----------
    data, progress
        As of `Workbench`.
    given : GivenCorpus, optional
        A user's file, known by its name.
    """

    def __init__(
        self,
        data: str | Path | None = None,
        progress: DownloadProgress | None = None,
        *,
        given: GivenCorpus | None = None,
    ) -> None:
        super().__init__(data, progress)
        self.given = given

    def __reduce__(self) -> tuple[Any, ...]:
        """Go to a worker process without what was loaded."""
        return (_workbench, (self.data, self.given))

    def _dataset(self, name: str) -> TwoLevelDataset:
        if self.given is not None and name == self.given.name:
            return read_two_level(self.given)
        return load_two_level(name, self.data, self.progress)


def two_level(workbench: Workbench, name: str) -> TwoLevelDataset:
    """Return a data set of a workbench that has such, loaded once."""
    dataset = workbench.dataset(name)
    assert isinstance(dataset, TwoLevelDataset)
    return dataset


def _workbench(data: str | Path | None, given: GivenCorpus | None) -> TwoLevelWorkbench:
    return TwoLevelWorkbench(data, given=given)


class SubtopicsStore(AnswerStore[SubtopicsCell, SubtopicsResult]):
    """A folder of finished answers; see `AnswerStore`."""

    def read(self, cell: SubtopicsCell, kept: Mapping[str, Any]) -> SubtopicsResult:
        """Read a result back; it must be of the cell that was asked for."""
        if SubtopicsCell(**kept["cell"]) != cell:
            raise ValueError("a result of another cell")
        score = None if kept["score"] is None else _score(kept["score"])
        return SubtopicsResult(**{**kept, "cell": cell, "score": score})


def _score(kept: Mapping[str, Any]) -> SubtopicScore:
    parts = {
        name: None if kept[name] is None else Agreement(**kept[name]) for name in ("right", "everything")
    }
    return SubtopicScore(**{**kept, **parts, "words": tuple(kept["words"])})


@dataclass(frozen=True)
class OurRow:
    """The query-driven model as it comes."""

    name: str = OURS
    max_sweeps: int | None = None

    @property
    def settings(self) -> Mapping[str, str | float | bool | None]:
        """The sweeps."""
        return {"max_sweeps": self.max_sweeps}


SplittingRow = OurRow | Rival


def make_subtopics_rows(names: Sequence[str], max_sweeps: int | None = None) -> dict[str, SplittingRow]:
    """Make the rows that are named; ours and all rivals that can be run here if none is."""
    if not names:
        return {OURS: OurRow(OURS, max_sweeps), **make_rivals((), max_sweeps)}
    return {name: OurRow(OURS, max_sweeps) if name == OURS else make_rival(name, max_sweeps)
            for name in names}  # fmt: skip


def run_subtopics(
    cells: Sequence[SubtopicsCell],
    rows: Mapping[str, SplittingRow],
    workbench: Workbench,
    store: SubtopicsStore,
    **options: Any,
) -> list[SubtopicsResult]:
    """Run cells, each at most once; `options` are those of `ask_cells`."""
    return ask_cells(cells, rows, workbench, store, run_batch=run_cell, **options)


def run_cell(
    batch: tuple[SubtopicsCell, ...], row: SplittingRow, workbench: Workbench
) -> list[SubtopicsResult]:
    """Split the documents about a query; linear algebra keeps to one thread."""
    [cell] = batch
    dataset = two_level(workbench, cell.dataset)
    category = dataset.concepts[cell.query].category
    with threadpool_limits(1):
        model, seconds = fit_query(dataset, cell.query, cell.seed, row.max_sweeps)
        if model is None:
            return [SubtopicsResult(cell, category, None, seconds)]
        if isinstance(row, OurRow):
            return [_our_result(cell, dataset, model, seconds, row)]
        return [_rival_result(cell, dataset, model, row)]


@lru_cache(maxsize=2)
def fit_query(
    dataset: TwoLevelDataset, q: int, seed: int, max_sweeps: int | None = None
) -> tuple[QueryDrivenTopicModel | None, float]:
    """Ask for an upper category alone; None if that is refused. Also return the seconds it took.

    The last answers are remembered: all rows of a query need the documents that are about it.
    """
    from qdtm.model import QueryDrivenTopicModel

    start = time.perf_counter()
    model = QueryDrivenTopicModel(dataset.concepts[q].query, random_state=seed, max_sweeps=max_sweeps)
    try:
        model.fit(dataset.corpus)
    except QueryError:  # documents only mention it, or lack its words
        return None, time.perf_counter() - start
    return model, time.perf_counter() - start


def _our_result(
    cell: SubtopicsCell,
    dataset: TwoLevelDataset,
    model: QueryDrivenTopicModel,
    seconds: float,
    row: OurRow,
) -> SubtopicsResult:
    concepts = [*dataset.concepts, None]  # the last for documents of no category: -1
    upper = ["" if (c := concepts[label]) is None else c.category for label in dataset.labels]
    category = dataset.concepts[cell.query].category
    score = score_subtopics(model, 0, upper, dataset.lower, category=category)
    other, _ = fit_query(dataset, cell.query, cell.seed + 1, row.max_sweeps)
    again = None if other is None else share_found_again(model, other)
    return SubtopicsResult(cell, category, score, seconds, again)


def _rival_result(
    cell: SubtopicsCell, dataset: TwoLevelDataset, model: QueryDrivenTopicModel, rival: Rival
) -> SubtopicsResult:
    rows = np.flatnonzero(model.relevance(0).about)
    right = dataset.labels[rows] == cell.query
    lower = np.asarray(dataset.lower, dtype=str)[rows]
    part = Part(dataset.corpus, rows, len(model.topics_[0].subtopics), n_categories(lower[right]))
    rival.prepare(part)
    start = time.perf_counter()
    main = rival.split(part, cell.seed)
    seconds = time.perf_counter() - start
    category = dataset.concepts[cell.query].category
    return SubtopicsResult(cell, category, score_split(cell.text, main, right, lower), seconds)
