"""The runs of a cell as one figure beside the paper's: cell results in, `Summary` and its JSON out."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal, get_args

import numpy as np

from qdtm.cache import atomic_path
from qdtm.errors import StorageError
from qdtm.evaluation.bench.cells import CellResult
from qdtm.evaluation.paper import Metric, published
from qdtm.evaluation.systems.registry import Table

_READINGS: dict[Metric, tuple[Metric, Metric]] = {
    "accuracy_mixed": ("accuracy", "accuracy_own"),
    "precision_at_k_mixed": ("precision_at_k", "precision_at_k_own"),
}
"""A metric of the second reading: its plain name, and the same of the first reading."""

OTHER_SCALE = frozenset({"coherence"})
"""Metrics whose figures here and in the paper are counted on different corpora: no side wins."""


@dataclass(frozen=True)
class Summary:
    """A figure of a table: the mean over runs, and what the paper says.

    Attributes
    ----------
    table : {"table1", "table3"}
    dataset, model : str
    metric : str
    mean : float
    sd : float
        Sample standard deviation over the runs; 0 with one run.
    runs : int
    paper : float or None
        The paper's figure; None if it has none.
    seconds : float
        That the model took for a run, on average, without its metrics.
    """

    table: Table
    dataset: str
    model: str
    metric: Metric
    mean: float
    sd: float
    runs: int
    paper: float | None
    seconds: float

    @property
    def difference(self) -> float | None:
        """Ours minus the paper's, both as printed: to three places."""
        return None if self.paper is None else round(round(self.mean, 3) - self.paper, 3)

    @property
    def winner(self) -> Literal["ours", "paper", "tie"] | None:
        """Who has the higher figure as printed; None if the two cannot be compared."""
        if self.difference is None or self.metric in OTHER_SCALE:
            return None
        return "tie" if self.difference == 0 else "ours" if self.difference > 0 else "paper"


def summarise(results: Iterable[CellResult]) -> tuple[Summary, ...]:
    """Put runs together, in the order in which rows first come; metrics in the order of `Metric`.

    Of a model with two readings both are there, and the better one once more under the metric's plain name:
    the one with the higher mean over the runs.
    """
    values: dict[tuple[Table, str, str, Metric], list[tuple[float, float]]] = {}
    for result in results:
        cell = result.cell
        for figure in result.figures:
            key = (cell.table, cell.dataset, cell.model, figure.metric)
            values.setdefault(key, []).append((figure.value, result.seconds))
    for (table, dataset, model, metric), runs in list(values.items()):
        if metric in _READINGS:
            plain, other = _READINGS[metric]
            best = max(
                runs, values[table, dataset, model, other], key=lambda of: float(np.mean(of, axis=0)[0])
            )
            values[table, dataset, model, plain] = best
    order = {metric: place for place, metric in enumerate(get_args(Metric))}
    rows = list(dict.fromkeys(key[:3] for key in values))
    keys = sorted(values, key=lambda key: (rows.index(key[:3]), order[key[3]]))
    return tuple(_summary(*key, values[key]) for key in keys)


def _summary(
    table: Table, dataset: str, model: str, metric: Metric, runs: Sequence[tuple[float, float]]
) -> Summary:
    figures, seconds = np.array(runs).T  # (n_runs,) each
    return Summary(
        table=table,
        dataset=dataset,
        model=model,
        metric=metric,
        mean=float(figures.mean()),
        sd=float(figures.std(ddof=1)) if len(figures) > 1 else 0.0,
        runs=len(figures),
        paper=published(model, dataset, metric),
        seconds=float(seconds.mean()),
    )


def check_writable(path: Path) -> None:
    """Refuse a file that could not be written in the end.

    Raises
    ------
    StorageError
        If its folder cannot be made or written to.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StorageError(f"Cannot write {str(path)!r} ({error.strerror}). Choose another file.") from error
    if path.is_dir() or not os.access(path.parent, os.W_OK):
        raise StorageError(f"Cannot write {str(path)!r}. Choose another file.")


def write_json(path: Path, rows: Iterable[object]) -> None:
    """Write dataclasses as a JSON list, whole or not at all."""
    check_writable(path)
    with atomic_path(path) as temporary:
        temporary.write_text(json.dumps(as_json(rows), indent=2) + "\n", encoding="utf-8")
        temporary.chmod(0o644)


def as_json(rows: Iterable[object]) -> list[dict[str, object]]:
    """Return dataclasses as JSON values."""
    return [asdict(row) for row in rows]  # type: ignore[call-overload]
