"""Shards: cut by the corpus alone, swept with the same answer on any number of threads."""

from __future__ import annotations

import numpy as np
import pytest

from qdtm.sampler.assignment import assign, recount, unassigned
from qdtm.sampler.chain import Chain
from qdtm.sampler.convergence import Schedule, run_chain
from qdtm.sampler.engines import MOST_SHARDS, TOKENS_A_SHARD, cut, n_shards_for
from qdtm.sampler.kernels import Assignment

from .cases import chain_of, plain_rules, planted_case

SCHEDULE = Schedule(12, 12)


def priors_of(assignment: Assignment) -> np.ndarray:
    """Priors by which each document can be told."""
    n_documents = len(assignment.offsets) - 1
    return np.arange(3 * n_documents, dtype=np.float32).reshape(n_documents, 3)


def promoting_chain(n_shards: int, n_jobs: int = 1) -> Chain:
    """Planted topics, with parents and promotion."""
    case = planted_case(0, n_topics=6).case
    return chain_of(case.assignment, case.rules, 0, (1,), n_jobs=n_jobs, n_shards=n_shards)


def unassigned_chain(n_shards: int, n_jobs: int = 1) -> Chain:
    """As phase 2 starts: no parents, nobody has a topic."""
    case = planted_case(1, n_topics=6).case
    rules = plain_rules(48, 1, beta=np.full(1, 0.05, np.float32))
    start = unassigned(case.assignment.tokens, case.assignment.offsets)
    return chain_of(start, rules, 0, (2, 0), n_jobs=n_jobs, n_shards=n_shards)


CHAINS = {"phase 1": promoting_chain, "phase 2": unassigned_chain}


@pytest.mark.parametrize("phase", CHAINS)
@pytest.mark.parametrize("n_shards", [2, 4, 8])
def test_threads_do_not_change_a_byte(phase: str, n_shards: int) -> None:
    chains = [CHAINS[phase](n_shards, n_jobs) for n_jobs in (1, 2, 4)]
    results = [run_chain(chain, SCHEDULE, stage="parents") for chain in chains]
    for chain, result in zip(chains[1:], results[1:], strict=True):
        assert result.n_wk.tobytes() == results[0].n_wk.tobytes()
        assert result.promoted_wq.tobytes() == results[0].promoted_wq.tobytes()
        assert chain.assignment.topics.tobytes() == chains[0].assignment.topics.tobytes()
        assert chain.assignment.links.tobytes() == chains[0].assignment.links.tobytes()
        np.testing.assert_array_equal(result.trace.n_tables, results[0].trace.n_tables)


@pytest.mark.parametrize("n_shards", [2, 3, 8])
def test_where_nobody_has_a_topic_shards_in_turn_are_as_one(n_shards: int) -> None:
    one, several = unassigned_chain(1), unassigned_chain(n_shards)
    for chain in (one, several):
        chain.step()
    np.testing.assert_array_equal(several.assignment.topics, one.assignment.topics)
    np.testing.assert_array_equal(several.m_k, one.m_k)
    assert several.in_use.sum() > 1


@pytest.mark.parametrize("phase", CHAINS)
def test_counts_are_those_of_the_assignment_after_every_sweep(phase: str) -> None:
    chain = CHAINS[phase](4, 2)
    for _ in range(10):
        chain.step()
        fresh = recount(chain.assignment, *chain.rules.n_related.shape, chain.counts.n_wk.shape[1])
        for ours, theirs in zip(chain.counts, fresh, strict=True):
            np.testing.assert_array_equal(ours, theirs)
        np.testing.assert_array_equal(chain.in_use, fresh.n_wk.any(axis=0))
    assert (chain.assignment.topics >= 0).all()


@pytest.mark.parametrize("n_shards", [1, 2, 4])
@pytest.mark.parametrize("seed", range(3))
def test_planted_topics_come_back(n_shards: int, seed: int) -> None:
    """From one concept word each, parents find the words and the documents that were planted with it."""
    planted = planted_case(seed, n_topics=6)
    chain = chain_of(planted.case.assignment, planted.case.rules, seed, (1,), n_shards=n_shards)
    for _ in range(60):
        chain.step()
    assert np.mean(chain.counts.n_wk.argmax(axis=1) == planted.word_topic) > 0.95
    home = np.repeat(planted.document_topic, np.diff(chain.assignment.offsets))
    assert np.mean(chain.assignment.topics == home) > 0.9


def test_topics_are_born_in_one_shard_at_a_time() -> None:
    """Each sweep opens columns in the shard whose turn it is, and no other token is in them."""
    rng = np.random.default_rng(0)
    tokens = rng.integers(0, 300, 4000).astype(np.int32)
    rules = plain_rules(300, 1, beta=np.full(1, 0.01, np.float32), gamma=20.0)
    start = assign(tokens, np.arange(0, 4001, 20), np.zeros(4000, np.int32))
    chain = chain_of(start, rules, 0, (1,), n_shards=4)
    births = 0
    for sweep in range(8):
        before = chain.in_use.copy()
        chain.step()
        born = np.flatnonzero(chain.in_use & ~np.pad(before, (0, len(chain.in_use) - len(before))))
        births += len(born)
        for shard in chain.shards.shards:
            if shard.number != sweep % 4:
                assert not np.isin(shard.assignment.topics, born).any()
    assert births > 8


class TestCut:
    """Which documents are together."""

    @pytest.mark.parametrize("n_shards", [1, 2, 3, 8])
    def test_shards_are_the_corpus_in_order(self, n_shards: int) -> None:
        whole = planted_case(0).case.assignment
        priors = priors_of(whole)
        shards = cut(whole, n_shards, priors)
        assert [shard.number for shard in shards] == list(range(n_shards))
        np.testing.assert_array_equal(np.concatenate([s.assignment.tokens for s in shards]), whole.tokens)
        lengths = np.concatenate([np.diff(shard.assignment.offsets) for shard in shards])
        np.testing.assert_array_equal(lengths, np.diff(whole.offsets))
        np.testing.assert_array_equal(np.concatenate([s.evidence_jq for s in shards]), priors)
        longest = np.diff(whole.offsets).max()
        sizes = [len(shard.assignment.tokens) for shard in shards]
        assert max(sizes) - min(sizes) <= 2 * longest

    def test_a_shard_is_a_view(self) -> None:
        whole = planted_case(0).case.assignment
        cut(whole, 2, priors_of(whole))[1].assignment.topics[:] = 5
        assert (whole.topics == 5).any()

    def test_more_shards_than_documents(self) -> None:
        whole = assign(np.zeros(5, np.int32), np.array([0, 5]), np.zeros(5, np.int32))
        assert sum(len(shard.assignment.tokens) for shard in cut(whole, 4, priors_of(whole))) == 5


class TestNumber:
    """How many shards a corpus gets."""

    def test_a_small_corpus_gets_one(self) -> None:
        assert n_shards_for(0, 10) == n_shards_for(2 * TOKENS_A_SHARD - 1, 10) == 1

    def test_a_power_of_two(self) -> None:
        assert [n_shards_for(n * TOKENS_A_SHARD, 10) for n in (2, 3, 4, 7, 8)] == [2, 2, 4, 4, 8]

    def test_a_large_vocabulary_wants_larger_shards(self) -> None:
        assert n_shards_for(10**6, 5_000) > n_shards_for(10**6, 50_000) == 1

    def test_there_is_an_end(self) -> None:
        assert n_shards_for(10**10, 10) == MOST_SHARDS


def test_one_shard_is_swept_in_place() -> None:
    """Without a copy, as by the kernel alone."""
    chain = promoting_chain(1)
    n_wk = chain.counts.n_wk
    chain.step()
    assert chain.counts.n_wk is n_wk
