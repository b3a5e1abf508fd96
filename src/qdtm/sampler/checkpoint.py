"""Chains on disk: a run that is killed goes on where it was last written down, and ends in the same bytes.

In: a chain and its run, after each sweep. Out: from time to time a folder `<name>-<sweep>` with a manifest
and checksums (`qdtm.storage.folders`), and `Saved` back from the newest one. The one before is removed only
when the next is whole, so there is no moment at which a crash leaves nothing.
"""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from qdtm.sampler.chain import Chain, ChainState
from qdtm.sampler.convergence import Averages, History, Run, Saved
from qdtm.storage.atomic import remove_folder
from qdtm.storage.folders import (
    ArraySpec,
    fitting_together,
    load_arrays,
    read_manifest,
    save_arrays,
    write_directory_atomically,
    write_manifest,
)

EVERY = 30.0
"""Seconds between two times that a chain is written down: a fit that is done sooner writes nothing."""

MOST_SHARE = 0.05
"""Writing takes at most this share of the time; where it is slow it is done less often."""

KIND = "chain"
VERSION = 1

_ARRAYS = "chain.safetensors"
_STATE = {
    "m_k": ArraySpec("int64", 1),
    "promotion_probability": ArraySpec("float32", 2),
    "topics": ArraySpec("int32", 1),
    "links": ArraySpec("uint16", 1),
}
_HISTORY = {
    "sweeps": ArraySpec("int64", 1),
    "log_likelihood": ArraySpec("float64", 1),
    "n_topics": ArraySpec("int64", 1),
    "n_tables": ArraySpec("int64", 1),
    "parent_tokens": ArraySpec("int64", 1),
}
_RUN = ("done", "settled", "sampling_from", "finished")
_AVERAGES = {"n_wk": ArraySpec("float64", 2), "promoted_wq": ArraySpec("float64", 2)}


class Checkpoint:
    """Where the chains of one fit are kept.

    Parameters
    ----------
    folder : Path
    begin : callable, optional
        Called with the folder before the first chain is written into it; puts down what does not change.
    """

    def __init__(self, folder: Path, begin: Callable[[Path], object] | None = None) -> None:
        self.folder = folder
        self.started = time.monotonic()
        self._begin = begin
        self._lock = threading.Lock()

    def chain(self, name: str) -> ChainKeeper:
        """Keep the chain of that name, such as "parents"."""
        return ChainKeeper(self, name)

    def keepers(self, run: int) -> Callable[[str], ChainKeeper]:
        """What keeps the chains of one of several runs of the sampler, by name."""
        return lambda name: self.chain(f"run-{run}-{name}" if run else name)

    def prepare(self) -> Path:
        """The folder, ready to be written into."""
        with self._lock:
            if self._begin is not None:
                self._begin(self.folder)
                self._begin = None
        return self.folder

    def remove(self) -> None:
        """Forget everything: the fit is done. A kill on the way leaves nothing that looks like a fit."""
        remove_folder(self.folder)


class ChainKeeper:
    """Writes down one chain from time to time, and finds it again."""

    def __init__(self, checkpoint: Checkpoint, name: str) -> None:
        self._checkpoint, self._name = checkpoint, name
        self._due = checkpoint.started + EVERY

    def saved(self) -> Saved | None:
        """Where the chain was last written down, None if it never was.

        Raises
        ------
        StorageError
            If it was, and is damaged.
        """
        folders = self._folders()
        return read_chain(folders[-1]) if folders else None

    def keep(self, chain: Chain, run: Run) -> None:
        """Write the chain down if it is time, or the end and there is something to lose."""
        now = time.monotonic()
        if now < self._due and not (run.finished and now >= self._checkpoint.started + EVERY):
            return
        self.keep_now(chain, run)
        after = time.monotonic()
        self._due = after + max(EVERY, (after - now) / MOST_SHARE)

    def keep_now(self, chain: Chain, run: Run) -> None:
        """Write the chain down."""
        older = self._folders()
        write_chain(self._checkpoint.prepare() / f"{self._name}-{chain.n_sweeps:06d}", chain, run)
        for folder in older:
            shutil.rmtree(folder, ignore_errors=True)

    def _folders(self) -> list[Path]:
        """The chain's folders, newest last."""
        digits = "[0-9]" * 6
        return sorted(self._checkpoint.folder.glob(f"{self._name}-{digits}"))


def write_chain(folder: Path, chain: Chain, run: Run) -> None:
    """Write a chain and its run to a folder, whole or not at all."""
    state, averages, history = chain.state, run.averages, run.history
    arrays = {name: getattr(state, name) for name in _STATE}
    arrays |= {
        f"history.{name}": np.array(getattr(history, name), spec.dtype) for name, spec in _HISTORY.items()
    }
    if averages.n_samples:
        arrays |= {f"averages.{name}": getattr(averages, name) for name in _AVERAGES}
    content = {name: getattr(run, name) for name in _RUN} | {
        "n_sweeps": state.n_sweeps,
        "n_columns": state.n_columns,
        "n_samples": averages.n_samples,
    }
    with write_directory_atomically(folder, force=True) as temporary:
        save_arrays(temporary / _ARRAYS, arrays)
        write_manifest(temporary, kind=KIND, version=VERSION, content=content)


def read_chain(folder: Path) -> Saved:
    """Read what `write_chain` wrote.

    Raises
    ------
    StorageError
        If it is damaged, or of a newer version.
    """
    content = read_manifest(folder, kind=KIND, max_version=VERSION).content
    with fitting_together(folder):
        arrays = load_arrays(folder / _ARRAYS, _specs(int(content["n_samples"])))
        state = ChainState(
            n_sweeps=int(content["n_sweeps"]),
            n_columns=int(content["n_columns"]),
            **{name: arrays[name] for name in _STATE},
        )
        return Saved(state, _run(content, arrays))


def _run(content: Mapping[str, Any], arrays: Mapping[str, Any]) -> Run:
    averages = Averages()
    averages.n_samples = int(content["n_samples"])
    if averages.n_samples:
        averages.n_wk, averages.promoted_wq = (arrays[f"averages.{name}"] for name in _AVERAGES)
    return Run(
        done=int(content["done"]),
        settled=bool(content["settled"]),
        sampling_from=int(content["sampling_from"]),
        finished=bool(content["finished"]),
        averages=averages,
        history=History(**{name: arrays[f"history.{name}"].tolist() for name in _HISTORY}),
    )


def _specs(n_samples: int) -> dict[str, ArraySpec]:
    """Name all arrays of a saved chain, with their types."""
    specs = _STATE | {f"history.{name}": spec for name, spec in _HISTORY.items()}
    return specs | ({f"averages.{name}": spec for name, spec in _AVERAGES.items()} if n_samples else {})
