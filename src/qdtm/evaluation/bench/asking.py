"""Ask the queries that were not asked before, here or in worker processes, and keep every answer.

In: cells (a query, a model, a run), rows, a workbench and a store. Out: a result a cell, in order. Every
result is kept the moment it is there; whoever stops the run and starts it again goes on where it was.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from qdtm.cache import atomic_path, cache_directory
from qdtm.evaluation.bench.store import cell_key
from qdtm.evaluation.bench.workbench import Workbench
from qdtm.evaluation.bench.workers import run_tasks


class AskedRow(Protocol):
    """A model that cells name; its kind is a matter of those who run the cells."""

    @property
    def settings(self) -> Mapping[str, str | float | bool | None]:
        """Everything that decides about the answer beside data and seed."""
        ...


RowT = TypeVar("RowT", bound=AskedRow)


class AskedCell(Protocol):
    """One query, asked of one model in one run; a frozen dataclass."""

    @property
    def table(self) -> str:
        """What it is for."""
        ...

    @property
    def dataset(self) -> str:
        """The data set's name."""
        ...

    @property
    def query(self) -> int:
        """Its place among the data set's concepts, from 0."""
        ...

    @property
    def model(self) -> str:
        """The row's name."""
        ...

    @property
    def seed(self) -> int:
        """Of the run."""
        ...


CellT = TypeVar("CellT", bound=AskedCell)
CellT_co = TypeVar("CellT_co", bound=AskedCell, covariant=True)


class AskedResult(Protocol[CellT_co]):
    """What came of a cell; a frozen dataclass."""

    @property
    def cell(self) -> CellT_co:
        """The cell."""
        ...


ResultT = TypeVar("ResultT", bound=AskedResult[Any])


class AnswerStore(ABC, Generic[CellT, ResultT]):
    """A folder of finished answers, so that none is asked for twice.

    A result is known by the cell, the row's settings, the corpus and the code, as those of the tables are.

    Parameters
    ----------
    folder : Path, optional
        By default `bench` in the cache folder.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder or cache_directory() / "bench"

    @abstractmethod
    def read(self, cell: CellT, kept: Mapping[str, Any]) -> ResultT:
        """Read a result back; raise ValueError if it is one of another cell."""

    def find(self, cell: CellT, row: AskedRow, corpus_fingerprint: str) -> ResultT | None:
        """Return the result of a cell, or None if it was not run, or its file is damaged."""
        try:
            return self.read(cell, json.loads(self._path(cell, row, corpus_fingerprint).read_text("utf-8")))
        except (OSError, ValueError, TypeError, KeyError):
            return None

    def keep(self, result: ResultT, row: AskedRow, corpus_fingerprint: str) -> None:
        """Keep a result."""
        with atomic_path(self._path(result.cell, row, corpus_fingerprint)) as temporary:
            temporary.write_text(json.dumps(asdict(result)), encoding="utf-8")  # type: ignore[call-overload]

    def _path(self, cell: CellT, row: AskedRow, corpus_fingerprint: str) -> Path:
        key = cell_key(cell, row.settings, corpus_fingerprint)
        name = f"{cell.table}-{cell.dataset}-{cell.query}-{cell.model}-{cell.seed}-{key[:16]}.json"
        return self.folder / name


def one_by_one(cells: Sequence[CellT]) -> list[tuple[CellT, ...]]:
    """Every cell is on its own: no two are answered by one fit."""
    return [(cell,) for cell in cells]


def ask_cells(
    cells: Sequence[CellT],
    rows: Mapping[str, RowT],
    workbench: Workbench,
    store: AnswerStore[CellT, ResultT],
    *,
    run_batch: Callable[[tuple[CellT, ...], RowT, Workbench], list[ResultT]],
    batched: Callable[[Sequence[CellT]], Sequence[tuple[CellT, ...]]] = one_by_one,
    n_jobs: int = 1,
    fresh: bool = False,
    on_result: Callable[[ResultT, bool], object] | None = None,
) -> list[ResultT]:
    """Run cells, each at most once.

    Parameters
    ----------
    cells : sequence of cells
    rows : mapping of str to AskedRow
        The rows that the cells name.
    workbench : Workbench
    store : AnswerStore
    run_batch : callable
        A function of a module that runs some cells of one row.
    batched : callable
        Puts cells of one row together that one fit answers; by default none are.
    n_jobs : int
        Worker processes; the results do not depend on it.
    fresh : bool
        Run finished cells too.
    on_result : callable, optional
        Told of each result as it comes, and whether it was run now (else it was kept from before).

    Returns
    -------
    list of results
        One a cell, in the order of `cells`.
    """
    tell = on_result or (lambda *_: None)
    done: dict[CellT, ResultT] = {}
    for cell in cells:
        kept = None if fresh else store.find(cell, rows[cell.model], _fingerprint(workbench, cell))
        if kept is not None:
            done[cell] = kept
            tell(kept, False)
    todo = batched([cell for cell in cells if cell not in done])
    tasks = [(batch, rows[batch[0].model]) for batch in todo]
    for results in run_tasks(run_batch, tasks, workbench, n_jobs):
        for result in results:
            store.keep(result, rows[result.cell.model], _fingerprint(workbench, result.cell))
            done[result.cell] = result
            tell(result, True)
    return [done[cell] for cell in cells]


def _fingerprint(workbench: Workbench, cell: AskedCell) -> str:
    return workbench.dataset(cell.dataset).corpus.fingerprint
