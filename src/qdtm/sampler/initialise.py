"""Where phase 1 starts: queries join topics that were there before, or start as the paper does.

In: a `ParentProblem`, whose `before` are the topics of a background, or of a fit without the newest queries.
Out: a `Chain` that starts where these ended.

A new parent takes its concept words wherever they are, the documents that evidence gives it, and those
background topics that lie mostly in such documents: they were about the query before it was asked. Everything
else stays where it was, and only documents that could have to do with a new query are swept again. In each of
them the parent's prior is multiplied by how much likelier than usual the document is to be about its query.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from qdtm.corpus.indexing import blocks_of, count_numbers
from qdtm.sampler.assignment import assign
from qdtm.sampler.chain import Chain, ChainState, open_chain
from qdtm.sampler.engines import Engine, Threads
from qdtm.sampler.kernels import JOINING, PAPER_START, Assignment, weights_in_topics
from qdtm.sampler.problem import ParentProblem, fixed_topics, parent_rules, with_concept_documents
from qdtm.storage.mapped import concatenate_beside, full_beside, map_blocks, places_where

# --- queries join a background ------------------------------------------------------------------------------

MOSTLY = 0.35
"""A background topic with more of its tokens in documents about a query becomes part of the query's parent.

Below a half, because evidence is cautious: it gives a query fewer documents than are about it."""

MARGIN = 3
"""Documents are swept again up to so many times the number that is about a new query."""

LONGEST, OVERLONG = 1000.0, 5.0
"""Documents of more tokens than this, and of so many times the usual number, take no part in a parent."""

LEAST_PRIOR, MOST_PRIOR = 0.02, 20.0
"""How far evidence can lower or raise the prior of a parent in a document."""


def start_joining(
    problem: ParentProblem, seed: int, engine: Engine, *, state: ChainState | None = None
) -> Chain:
    """Let the newest queries of a problem join, or take the chain up where it was put down."""
    tokens, offsets = with_concept_documents(problem)
    topics = topics_at_start(problem)
    assignment = Assignment(tokens, offsets, topics, full_beside(tokens, 0, np.uint16))
    if problem.promoted_before is not None and problem.promotion_weight:
        promotes = places_where(
            lambda promoted, now, before: (promoted > 0) & (now == before) & (before < problem.n_parents),
            problem.promoted_before,
            topics,
            topics_before(problem),
        )
        assignment.links[promotes] = problem.graph.n_related[tokens[promotes], topics[promotes]]
    swept, evidence_jq = document_priors(problem)
    return open_chain(
        engine,
        assignment,
        parent_rules(problem),
        seed,
        (JOINING, problem.n_before),
        evidence_jq=evidence_jq,
        swept=swept,
        state=state,
    )


def topics_before(problem: ParentProblem) -> NDArray[np.int32]:
    """The topics of all tokens before, the background's moved up to make room for new parents, (N,)."""
    assert problem.before is not None
    n_new = np.int32(problem.n_parents - problem.n_before)
    return map_blocks(
        lambda before: np.where(before >= problem.n_before, before + n_new, before),
        problem.before,
        dtype=np.int32,
    )


def topics_at_start(problem: ParentProblem) -> NDArray[np.int32]:
    """The topic of each token, new parents having theirs, and of the concept words' own documents, (N',)."""
    topics, n_before = topics_before(problem), problem.n_before
    by_document, by_topic = documents_taken(problem), absorbed_topics(problem, topics)
    fixed_topic, offsets = fixed_topics(problem), problem.offsets
    for first, last in blocks_of(offsets):
        here = slice(int(offsets[first]), int(offsets[last]))
        before, fixed = topics[here], fixed_topic[problem.tokens[here]]
        asked = np.repeat(by_document[first:last], np.diff(offsets[first : last + 1]))
        taken = np.where(asked >= 0, asked, by_topic[before])
        own = np.where((taken >= 0) & ((asked >= 0) | (before >= n_before)), taken, before)
        topics[here] = np.where(fixed >= 0, fixed, own)
    return concatenate_beside(topics, *(fixed_topic[words] for words in problem.concept_words))


def fitting_evidence(problem: ParentProblem) -> NDArray[np.float32]:
    """The evidence for each query in documents that are not much longer than usual; 0 in others, (D, Q).

    A document of many times the usual length is about many things, and one mailed binary or list of lists
    would outweigh hundreds of others. It keeps its topics, but for concept words.
    """
    lengths = np.diff(problem.offsets)
    usual = float(np.median(lengths)) if len(lengths) else 0.0
    fits = lengths <= max(LONGEST, OVERLONG * usual)
    return np.where(fits[:, None], problem.evidence, np.float32(0.0))


def documents_taken(problem: ParentProblem) -> NDArray[np.int32]:
    """The new query that takes each document, -1 for none, (D,).

    A query takes the documents likeliest to be about it, as many as are; of several the one that is surer.
    """
    query, evidence = np.full(len(problem.offsets) - 1, -1, np.int32), fitting_evidence(problem)
    surest = np.zeros(len(query))
    for q in range(problem.n_before, problem.n_parents):
        p_j = evidence[:, q]
        best = np.argsort(-p_j, kind="stable")[: max(1, round(float(p_j.sum())))]
        best = best[p_j[best] > surest[best]]
        query[best], surest[best] = q, p_j[best]
    return query


def absorbed_topics(problem: ParentProblem, topics: NDArray[np.int32]) -> NDArray[np.int32]:
    """The new parent that each topic becomes part of, -1 for none, (K,)."""
    n_k = count_numbers(topics, problem.n_parents)
    parent, most = np.full(len(n_k), -1, np.int32), np.full(len(n_k), MOSTLY)
    for q in range(problem.n_before, problem.n_parents):
        p_j = np.ascontiguousarray(problem.evidence[:, q])
        inside = weights_in_topics(topics, problem.offsets, p_j, len(n_k)) / np.maximum(n_k, 1)
        inside[: problem.n_parents] = 0.0
        more = inside > most
        parent[more], most[more] = q, inside[more]
    return parent


def document_priors(problem: ParentProblem) -> tuple[NDArray[np.bool_], NDArray[np.float32]]:
    """Which documents new queries could change, (D + Q,), and the evidence for all in each, (D + Q, Q)."""
    n_documents, n_parents, fitting = len(problem.offsets) - 1, problem.n_parents, fitting_evidence(problem)
    swept = np.zeros(n_documents + n_parents, np.bool_)
    evidence = np.ones((n_documents + n_parents, n_parents), np.float32)
    for q in range(n_parents):
        p_j = fitting[:, q]
        usual = max(float(p_j.mean()), float(np.finfo(np.float32).tiny))
        evidence[:n_documents, q] = np.clip(p_j / usual, LEAST_PRIOR, MOST_PRIOR)
        if q >= problem.n_before:
            n_likely = MARGIN * max(1, round(float(p_j.sum())))
            swept[np.argsort(-p_j, kind="stable")[:n_likely]] = True
    is_word = np.zeros(problem.n_words, np.bool_)
    for words in problem.concept_words[problem.n_before :]:
        is_word[words] = True
    at = places_where(is_word.__getitem__, problem.tokens)
    swept[np.searchsorted(problem.offsets, at, side="right") - 1] = True
    return swept, evidence


# --- the start of the paper ---------------------------------------------------------------------------------
#
# The paper starts from K = Q + 1: a document with a concept word wholly in that word's parent topic, any
# other in the one background topic. That works when the queries together cover the corpus. A lone query
# would swallow it: its parent has no competitor. So queries that leave much of the corpus uncovered join
# a background that was learned before, as above.


def start_as_paper(
    problem: ParentProblem, seed: int, engine: Engine | None = None, *, state: ChainState | None = None
) -> Chain:
    """Start as Initialize in Appendix C: whole documents in one topic; or take up where it was put down."""
    tokens, offsets = with_concept_documents(problem)
    start = assign(
        tokens, offsets, topics_as_paper(tokens, offsets, fixed_topics(problem), problem.n_parents)
    )
    return open_chain(engine or Threads(), start, parent_rules(problem), seed, (PAPER_START,), state=state)


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
