"""Chains that are put down and taken up: they go on as if nothing had happened."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from qdtm.errors import StorageError
from qdtm.sampler import checkpoint as module
from qdtm.sampler.assignment import unassigned
from qdtm.sampler.chain import Chain, ChainState
from qdtm.sampler.checkpoint import Checkpoint, read_chain, write_chain
from qdtm.sampler.convergence import Run, Schedule, run_chain

from .cases import chain_of, plain_rules, planted_case

SCHEDULE = Schedule(14, 14, check_every=3, window=2)


def first_phase(state: ChainState | None = None) -> Chain:
    case = planted_case(0, n_topics=6).case
    return chain_of(case.assignment, case.rules, 0, (1,), n_shards=4, state=state)


def second_phase(state: ChainState | None = None) -> Chain:
    case = planted_case(1, n_topics=6).case
    rules = plain_rules(48, 1, beta=np.full(1, 0.05, np.float32))
    start = unassigned(case.assignment.tokens, case.assignment.offsets)
    return chain_of(start, rules, 0, (2, 0), n_shards=4, state=state)


PHASES = {"phase 1": first_phase, "phase 2": second_phase}


def refresh(chain: Chain) -> None:
    """Change lambda in every third sweep, so that it is part of the state in between."""
    if chain.n_sweeps % 3 == 0:
        chain.rules.promotion_probability[:] = (chain.counts.n_wk[:, : chain.n_parents] % 7) / 7


def outcome(chain: Chain, run: Run | None = None) -> list[bytes]:
    result = run_chain(chain, SCHEDULE, stage="parents", before_sweep=refresh, run=run)
    trace = result.trace
    arrays = (result.n_wk, result.promoted_wq, chain.assignment.topics, chain.assignment.links, chain.m_k)
    return [a.tobytes() for a in (*arrays, trace.sweeps, trace.log_likelihood, trace.n_tables)]


@pytest.mark.parametrize("phase", PHASES)
@pytest.mark.parametrize("n_sweeps", [1, 6, 10, 14])
def test_it_ends_in_the_same_bytes(phase: str, n_sweeps: int, tmp_path: Path) -> None:
    def stop(chain: Chain, run: Run) -> None:
        if run.done == n_sweeps:
            write_chain(tmp_path / "chain", chain, run)

    make = PHASES[phase]
    run_chain(make(), SCHEDULE, stage="parents", before_sweep=refresh, keep=stop)
    saved = read_chain(tmp_path / "chain")
    assert (saved.run.done, saved.run.finished) == (n_sweeps, n_sweeps == 14)
    assert outcome(make(saved.state), saved.run) == outcome(make())


class TestKeeping:
    """When a chain is written down, and what stays."""

    @pytest.fixture
    def clock(self, monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
        """A clock that stands still until it is moved."""
        now = [0.0]
        monkeypatch.setattr(module.time, "monotonic", lambda: now[0])

        def move(seconds: float) -> None:
            now[0] += seconds

        return move

    @staticmethod
    def names(folder: Path) -> list[str]:
        return sorted(path.name for path in folder.glob("*"))

    def test_a_short_fit_writes_nothing(self, tmp_path: Path, clock: Callable[[float], None]) -> None:
        began: list[Path] = []
        keeper = Checkpoint(tmp_path / "kept", began.append).chain("parents")
        clock(module.EVERY - 1)
        keeper.keep(first_phase(), Run(finished=True))
        assert not (tmp_path / "kept").exists()
        assert not began

    def test_from_time_to_time_and_only_the_last(
        self, tmp_path: Path, clock: Callable[[float], None]
    ) -> None:
        began: list[Path] = []
        keeper, chain = Checkpoint(tmp_path, began.append).chain("parents"), first_phase()
        for seconds, expected in [(31, "parents-000001"), (1, "parents-000001"), (30, "parents-000003")]:
            clock(seconds)
            chain.step()
            keeper.keep(chain, Run(done=chain.n_sweeps))
            assert self.names(tmp_path) == [expected]
        assert began == [tmp_path]
        saved = keeper.saved()
        assert saved is not None
        assert saved.state.n_sweeps == 3

    def test_the_end_of_a_chain_is_kept_if_there_is_something_to_lose(
        self, tmp_path: Path, clock: Callable[[float], None]
    ) -> None:
        keeper, chain = Checkpoint(tmp_path).chain("subtopics-0"), second_phase()
        clock(31)
        keeper.keep(chain, Run())
        clock(1)
        chain.step()
        keeper.keep(chain, Run(done=1, finished=True))
        assert self.names(tmp_path) == ["subtopics-0-000001"]

    def test_where_writing_is_slow_it_is_done_less_often(
        self, tmp_path: Path, clock: Callable[[float], None], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        keeper, written = Checkpoint(tmp_path).chain("parents"), []
        monkeypatch.setattr(module, "write_chain", lambda *_: (clock(10), written.append(1)))
        clock(31)
        for _ in range(200):
            keeper.keep(first_phase(), Run())
            clock(5)
        assert len(written) == 5  # of 1,000 seconds, at most a twentieth

    def test_chains_do_not_take_each_other_for_their_own(self, tmp_path: Path) -> None:
        kept = Checkpoint(tmp_path)
        write_chain(tmp_path / "subtopics-1-000003", second_phase(), Run())
        assert kept.chain("subtopics-1").saved() is not None
        assert kept.chain("subtopics-0").saved() is None
        assert kept.chain("subtopics-11").saved() is None
        assert kept.chain("subtopics").saved() is None

    def test_a_damaged_one_is_refused(self, tmp_path: Path) -> None:
        write_chain(tmp_path / "parents-000003", first_phase(), Run())
        arrays = tmp_path / "parents-000003" / "chain.safetensors"
        data = bytearray(arrays.read_bytes())
        data[-1] ^= 1
        arrays.write_bytes(data)
        with pytest.raises(StorageError, match="damaged"):
            Checkpoint(tmp_path).chain("parents").saved()

    def test_another_corpus_is_refused(self, tmp_path: Path) -> None:
        write_chain(tmp_path / "chain", first_phase(), Run())
        with pytest.raises(StorageError, match="tokens"):
            second_phase(read_chain(tmp_path / "chain").state)
