"""`SpreadGround`: chains on tokens that only the workers have.

In: a corpus in parts, on workers. Out: chains of both phases at their start, equal to those that
`qdtm.sampler.grounds.LocalGround` starts with all tokens in one place: cut into the same shards, from the
same topics. Tokens go from worker to worker; the driver knows how many there are.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from qdtm.cluster.engine import RayEngine, RayShards
from qdtm.cluster.memory import Need
from qdtm.distributed.claims import claim_documents
from qdtm.distributed.searching import ReachInParts
from qdtm.distributed.sources import ParentSource, PartSource, Source, Start
from qdtm.distributed.spreading import SpreadCorpus
from qdtm.distributed.stretches import Extent, Stretch, begin_at, blocks_of, find_cuts, make_shards
from qdtm.distributed.workers import Outcome, value_of
from qdtm.errors import ParameterError, StorageError
from qdtm.sampler.assignment import columns_for
from qdtm.sampler.chain import MOST_TOKENS_A_WORD, Chain, ChainState
from qdtm.sampler.parents import ParentFit
from qdtm.sampler.problem import ParentProblem, fixed_topics, parent_rules
from qdtm.sampler.shards import Shard, n_shards_for
from qdtm.sampler.starts import PHASE as PARENTS
from qdtm.sampler.subtopics import PHASE as SUBTOPICS
from qdtm.sampler.subtopics import subtopic_rules


class SpreadGround:
    """The tokens of a corpus on the workers of a cluster.

    Parameters
    ----------
    problem : ParentProblem
        Without tokens.
    corpus : SpreadCorpus
        On the workers of `engine`.
    seed : int
    engine : RayEngine
    """

    def __init__(self, problem: ParentProblem, corpus: SpreadCorpus, seed: int, engine: RayEngine) -> None:
        most = int(corpus.collection.word_counts.max(initial=0))
        if most >= MOST_TOKENS_A_WORD:
            raise ParameterError(
                f"A word occurs {most:,} times, more than {MOST_TOKENS_A_WORD:,}; leave it out (--max-df)."
            )
        self._problem, self._corpus, self._seed, self._engine = problem, corpus, seed, engine
        self._parents: Chain | None = None

    @property
    def n_tokens(self) -> int:
        """The tokens of the corpus, N."""
        return self._corpus.n_tokens

    def start_as_paper(self, state: ChainState | None = None) -> Chain:
        """Start phase 1 as the paper does."""
        return self._start_parents(None, state)

    def start_from_reach(
        self, reaches: Sequence[ReachInParts], n_background: int, state: ChainState | None = None
    ) -> Chain:
        """Start phase 1 from the reach of each query."""
        claim_documents(self._corpus.workers, reaches)
        return self._start_parents(n_background, state)

    def end_parents(self, chain: Chain) -> None:
        """Keep the shards, of which phase 2 takes the parents' tokens."""
        self._parents = chain

    def start_subtopics(
        self, parents: ParentFit, q: int, state: ChainState | None = None, *, alone: bool = True
    ) -> tuple[Chain, int]:
        """Start phase 2 with the parent's tokens in the last sample."""
        del parents, alone
        _refuse(state)
        chain, problem = self._parents, self._problem
        if chain is None or not isinstance(chain.shards, RayShards):
            raise ValueError("phase 1 has not ended")
        n_wq = chain.counts.n_wk[:, q].astype(np.int64)  # (V,)
        n_wq[problem.concept_words[q]] -= 1  # the concept words' own document is no part of the corpus
        rules = subtopic_rules(np.flatnonzero(n_wq), problem.n_words, problem.priors)
        shards = self._place(ParentSource(self._engine, chain.shards, q, problem.n_parents), None)
        return Chain(shards, rules, self._seed, (SUBTOPICS, q)), int(n_wq.sum())

    def release(self) -> None:
        """Let the workers forget the shards of phase 1."""
        if self._parents is not None:
            self._parents.shards.release()
            self._parents = None

    def _start_parents(self, n_background: int | None, state: ChainState | None) -> Chain:
        _refuse(state)
        problem = self._problem
        start = Start(fixed_topics(problem), problem.n_parents, n_background, self._seed)
        source = PartSource(self._corpus.workers, start)
        shards = self._place(source, _concept_documents(problem))
        return Chain(shards, parent_rules(problem), self._seed, (PARENTS,))

    def _place(self, source: Source, tail: Stretch | None) -> RayShards:
        """Cut what the workers have, and a tail that the driver adds, into shards on the workers."""
        extents = list(source.extents)
        if tail is not None:
            extents.append(Extent(len(tail.lengths), len(tail.tokens)))

        def locate(worker: int, tokens: list[int]) -> list[int]:
            if tail is not None and worker == len(extents) - 1:
                return begin_at(tail.lengths, tokens)
            return source.locate(worker, tokens)

        n_shards = self._n_shards(extents)
        cuts = find_cuts(extents, n_shards, locate)
        numbers = blocks_of(n_shards, min(n_shards, self._engine.n_workers))
        sent = _send(source, [(cuts[block.start], cuts[block.stop]) for block in numbers])
        blocks: list[list[Any]] = [
            [block, tuple(cuts), *stretches] for block, stretches in zip(numbers, sent, strict=True)
        ]
        # A cut may fall among the concept words' documents; then the last shards are of them alone.
        if tail is not None:
            first = sum(each.n_documents for each in source.extents)
            for block, given in zip(numbers, blocks, strict=True):
                given.append(tail.between(cuts[block.start] - first, cuts[block.stop] - first))
        return self._engine.place_made(_make_shards, blocks, n_shards)

    def _n_shards(self, extents: Sequence[Extent]) -> int:
        """Into how many shards so much is cut; refuse it if the cluster cannot hold it."""
        n_tokens, n_documents = sum(e.n_tokens for e in extents), sum(e.n_documents for e in extents)
        n_words = self._problem.n_words
        n_shards = n_shards_for(n_tokens, n_words)
        n_blocks = min(n_shards, self._engine.n_workers)
        n_columns = columns_for(self._problem.n_parents)
        self._engine.check_room(Need(n_tokens, n_documents, n_words, n_columns, n_blocks))
        return n_shards


def _send(source: Source, ranges: Sequence[tuple[int, int]]) -> list[list[Any]]:
    """Let all workers cut off what each block is to get; return the handles of each block, in order."""
    sent, first = [], 0
    for worker, extent in enumerate(source.extents):
        sent.append(source.cut(worker, [(start - first, stop - first) for start, stop in ranges]))
        first += extent.n_documents
    return [list(block) for block in zip(*sent, strict=True)]


def _make_shards(block: range, cuts: Sequence[int], *stretches: Stretch | Outcome) -> tuple[Shard, ...]:
    """Make the shards of a block, on the worker that will hold them."""
    return make_shards(block, cuts, [value_of(stretch) for stretch in stretches])


def _concept_documents(problem: ParentProblem) -> Stretch:
    """The concept words of each query as a document of its own, so that no parent topic can die."""
    lengths = np.array([len(words) for words in problem.concept_words], np.int64)
    topics = np.repeat(np.arange(problem.n_parents, dtype=np.int32), lengths)
    tokens = np.concatenate(problem.concept_words).astype(np.int32)
    return Stretch(tokens, topics, lengths, np.zeros(len(lengths), np.bool_))


def _refuse(state: ChainState | None) -> None:
    if state is not None:
        raise StorageError("A fit over files on a cluster cannot be resumed; start it again.")
