"""Where phase 1 starts.

In: a `ParentProblem` (and the reach of each concept). Out: a `Chain` that is ready to run.

The paper starts from K = Q + 1: a document with a concept word wholly in that word's parent topic, any other
in the one background topic. That works when the queries together cover the corpus. A lone query would
swallow it: its parent has no rival. So a query that leaves much of the corpus uncovered starts otherwise: its
parent with the documents that its reach gives it, the rest cut into background topics about as fine as the
query, which learn where general words live before the parent opens to them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from qdtm.concepts.reach import Reach, cover_the_corpus, uncovered_share
from qdtm.sampler.assignment import assign
from qdtm.sampler.chain import Chain, ChainState, open_chain
from qdtm.sampler.engines import Engine, Threads
from qdtm.sampler.problem import ParentProblem, fixed_topics, parent_rules, with_concept_documents
from qdtm.sampler.progress import Interruption, Progress, ProgressCallback
from qdtm.sampler.running import KeepChain, Run

PHASE = 1
"""First number of the random streams of phase 1."""

FINENESS = 1.5
"""How the number of background topics grows with what the queries leave, measured in concepts of their size.

Above 1, because what lies beside a narrow concept is nearer to it and must be told apart from it."""

MOST_BACKGROUND_TOPICS = 60

BACKGROUND_SWEEPS = 20
"""Sweeps that the background has to itself."""


def start_as_paper(
    problem: ParentProblem, seed: int, engine: Engine | None = None, *, state: ChainState | None = None
) -> Chain:
    """Start as Initialize in Appendix C: whole documents in one topic; or take up where it was put down."""
    tokens, offsets = with_concept_documents(problem)
    start = assign(
        tokens, offsets, topics_as_paper(tokens, offsets, fixed_topics(problem), problem.n_parents)
    )
    return open_chain(engine or Threads(), start, parent_rules(problem), seed, (PHASE,), state=state)


def start_from_reach(
    problem: ParentProblem,
    reaches: Sequence[Reach],
    n_background: int,
    seed: int,
    engine: Engine | None = None,
    *,
    state: ChainState | None = None,
    progress: ProgressCallback | None = None,
    interruption: Interruption | None = None,
    keep: KeepChain | None = None,
) -> Chain:
    """Start the parents with the documents that speak for them, beside a background that knows the rest."""
    chain = place_claims(problem, reaches, n_background, seed, engine, state=state)
    learn_background(chain, progress, interruption, keep)
    return chain


def place_claims(
    problem: ParentProblem,
    reaches: Sequence[Reach],
    n_background: int,
    seed: int,
    engine: Engine | None = None,
    *,
    state: ChainState | None = None,
) -> Chain:
    """Put claimed documents into the parents and scatter the rest; the background has yet to be learned."""
    tokens, offsets = with_concept_documents(problem)
    claims = claimed_documents(reaches, len(problem.offsets) - 1)  # (D,)
    claims = np.concatenate([claims, np.arange(problem.n_parents)])  # the concept words' own documents
    scattered = scatter(len(tokens), problem.n_parents, n_background, seed)
    topics = topics_from_claims(tokens, offsets, fixed_topics(problem), claims, scattered)
    return open_chain(
        engine or Threads(),
        assign(tokens, offsets, topics),
        parent_rules(problem),
        seed,
        (PHASE,),
        unclaimed=claims < 0,
        state=state,
    )


def topics_as_paper(
    tokens: NDArray[np.int32], offsets: NDArray[np.int64], fixed_topic: NDArray[np.int32], n_parents: int
) -> NDArray[np.int32]:
    """Put each document into the topic of the first concept word met, or the background, (N,)."""
    fixed = fixed_topic[tokens]  # (N,)
    document = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    home = np.full(len(offsets) - 1, n_parents, np.int32)  # (D,)
    concept = np.flatnonzero(fixed >= 0)[::-1]  # backwards: the first concept word met is written last
    home[document[concept]] = fixed[concept]
    return np.where(fixed >= 0, fixed, home[document]).astype(np.int32)


def topics_from_claims(
    tokens: NDArray[np.int32],
    offsets: NDArray[np.int64],
    fixed_topic: NDArray[np.int32],
    claims: NDArray[np.int64],
    scattered: NDArray[np.int64],
) -> NDArray[np.int32]:
    """Put claimed documents into their parent, the tokens of others where they were scattered, (N,)."""
    fixed = fixed_topic[tokens]  # (N,)
    claim = np.repeat(claims, np.diff(offsets))  # (N,)
    return np.where(fixed >= 0, fixed, np.where(claim >= 0, claim, scattered)).astype(np.int32)


def scatter(n_tokens: int, n_parents: int, n_background: int, seed: int) -> NDArray[np.int64]:
    """Draw a random background topic for each token, (N,)."""
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(0,)))
    return rng.integers(n_parents, n_parents + n_background, n_tokens)


def learn_background(
    chain: Chain,
    progress: ProgressCallback | None,
    interruption: Interruption | None,
    keep: KeepChain | None,
) -> None:
    """Sweep over the documents that no parent claims, with the parents closed to free words."""
    for done in range(chain.n_sweeps + 1, BACKGROUND_SWEEPS + 1):
        chain.step(unclaimed_only=True, parents_open=False)
        if progress is not None:
            progress(Progress("background", None, done, BACKGROUND_SWEEPS, int(chain.in_use.sum()), None))
        if interruption is not None and interruption.requested:
            break
        if keep is not None:
            keep(chain, Run())


def claimed_documents(reaches: Sequence[Reach], n_documents: int) -> NDArray[np.int64]:
    """The query that claims each document, -1 for none, (D,).

    A query claims its likeliest documents, as many as its breadth says. Of several claims the one wins in
    whose query's order the document stands higher, relative to the number claimed.
    """
    claims = np.full(n_documents, -1, np.int64)
    strength = np.zeros(n_documents)
    for q, found in enumerate(reaches):
        documents = found.documents
        claim = 1.0 - np.arange(len(documents)) / max(len(documents), 1)
        wins = claim > strength[documents]
        claims[documents[wins]], strength[documents[wins]] = q, claim[wins]
    return claims


def choose_n_background(reaches: Sequence[Reach]) -> int:
    """Choose how many background topics to start with: those that cut the rest finer than the queries.

    Queries that cover the corpus leave room for one, and start as in the paper; a lone query on a hundredth
    of it, for many.
    """
    if cover_the_corpus(reaches):
        return 1
    breadth = float(np.mean([reach.breadth for reach in reaches]))
    wanted = (uncovered_share(reaches) / breadth) ** FINENESS
    return int(np.clip(round(wanted), 2, MOST_BACKGROUND_TOPICS))
