"""Shards on a cluster: the same bytes as in one process, whoever dies on the way."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from qdtm.cluster.engine import RayEngine
from qdtm.cluster.worker import Block, Worker
from qdtm.errors import StorageError
from qdtm.sampler.assignment import unassigned
from qdtm.sampler.chain import Chain, open_chain
from qdtm.sampler.convergence import ChainResult, Schedule, run_chain
from qdtm.sampler.engines import Engine, Threads
from qdtm.storage.array_store import ArrayStore
from sampler.cases import plain_rules, planted_case

pytestmark = pytest.mark.cluster
SCHEDULE = Schedule(8, 8)


def first_phase(engine: Engine, n_shards: int) -> Chain:
    """Planted topics, with parents and promotion."""
    case = planted_case(0, n_topics=6).case
    return open_chain(engine, case.assignment, case.rules, 0, (1,), n_shards=n_shards)


def second_phase(engine: Engine, n_shards: int) -> Chain:
    """Nobody has a topic yet."""
    case = planted_case(1, n_topics=6).case
    rules = plain_rules(48, 1, beta=np.full(1, 0.05, np.float32))
    start = unassigned(case.assignment.tokens, case.assignment.offsets)
    return open_chain(engine, start, rules, 0, (2, 0), n_shards=n_shards)


PHASES: dict[str, Callable[[Engine, int], Chain]] = {"phase 1": first_phase, "phase 2": second_phase}


def assert_same(ours: tuple[Chain, ChainResult], theirs: tuple[Chain, ChainResult]) -> None:
    (chain, result), (other, expected) = ours, theirs
    assert result.n_wk.tobytes() == expected.n_wk.tobytes()
    assert result.promoted_wq.tobytes() == expected.promoted_wq.tobytes()
    assert result.trace.log_likelihood.tobytes() == expected.trace.log_likelihood.tobytes()
    assert chain.m_k.tobytes() == other.m_k.tobytes()
    for part in ("topics", "links"):
        assert getattr(chain.assignment, part).tobytes() == getattr(other.assignment, part).tobytes()


def finish(chain: Chain, **options) -> tuple[Chain, ChainResult]:
    return chain, run_chain(chain, SCHEDULE, stage="parents", **options)


@pytest.mark.parametrize("phase", PHASES)
@pytest.mark.parametrize("n_shards", [1, 4])
def test_the_same_bytes_as_in_one_process(engine: RayEngine, phase: str, n_shards: int) -> None:
    expected = finish(PHASES[phase](Threads(), n_shards))
    assert_same(finish(PHASES[phase](engine, n_shards)), expected)
    assert expected[1].n_wk[:, 2:].any()


class MortalWorker(Worker):
    """Dies twice: when it has swept but not written that down, and when it has but did not answer."""

    def _advance(self, chain: str, block: Block) -> None:
        at, store = block.at, self._store("deaths")
        if at == 2 and is_free(store, "first"):
            os.kill(os.getpid(), signal.SIGKILL)
        super()._advance(chain, block)
        if at == 5 and is_free(store, "second"):
            os.kill(os.getpid(), signal.SIGKILL)


def is_free(store: ArrayStore, name: str) -> bool:
    """Whether nothing lay there; now something does."""
    try:
        store.read(name)
    except StorageError:
        store.write(name, {"x": np.zeros(1)})
        return True
    return False


def test_workers_that_die_in_the_middle_of_a_sweep(
    cluster: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Two workers, each twice."""
    monkeypatch.setattr("qdtm.cluster.engine.Worker", MortalWorker)
    with RayEngine(n_workers=2, worker_dir=str(tmp_path)) as engine:
        chain = first_phase(engine, 4)
        assert_same(finish(chain), finish(first_phase(Threads(), 4)))
        deaths = sorted(path.name for path in tmp_path.glob("*/*/deaths/*"))
    assert deaths == ["first", "first", "second", "second"]
    assert list(tmp_path.iterdir()) == []
