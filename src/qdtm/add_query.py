"""One more query for a fitted model: a fit, its corpus and concepts with a new one in, a fit with it out.

The chain goes on from where it was (`qdtm.sampler.initialise`). What was known stays: the averages of before
are corrected by what has moved since, and the subtopics of the other queries lose the tokens that have left
their topic. Only the new query's topic is split.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qdtm.corpus import Corpus
from qdtm.corpus.indexing import count_numbers
from qdtm.errors import QueryError
from qdtm.evidence.breadth import weights_about
from qdtm.evidence.corpus_views import CorpusViews
from qdtm.evidence.evidence import Evidence
from qdtm.fitting import PreparedQueries, document_relevance, look_at, prepare_queries, with_relevance
from qdtm.progress import ProgressCallback, defer_interrupts
from qdtm.queries import as_queries
from qdtm.recorded import ADDED, n_added
from qdtm.results.fit import ModelFit, Presentation
from qdtm.results.splits import Split, tokens_in
from qdtm.results.stability import Stability, chain_agreement
from qdtm.results.topics import topic_id
from qdtm.sampler.engines import Threads, open_engine
from qdtm.sampler.initialise import start_joining
from qdtm.sampler.mixture import DocumentMixture
from qdtm.sampler.parents import ParentFit, fit_parents, promoted_mass
from qdtm.sampler.problem import ParentProblem, parent_rules
from qdtm.sampler.subtopics import SubtopicFit, split_documents
from qdtm.sampler.trace import Trace
from qdtm.settings import Settings
from qdtm.storage.mapped import blocks, map_blocks, places_where


def add_query(
    fit: ModelFit,
    corpus: Corpus,
    query: Any,
    rule: str,
    settings: Settings,
    progress: ProgressCallback | None = None,
) -> ModelFit:
    """Fit one more query, going on from a fit.

    Parameters
    ----------
    fit : ModelFit
    corpus : Corpus
        What it was fitted on, as the model sees it.
    query : str, Query or {"name": [words]}
    rule : {"and", "or"}
        Of the new query.
    settings : Settings

    Raises
    ------
    QueryError
        If it cannot be answered, or is there already.
    """
    if fit.threshold is not None:  # as before, and known
        settings = replace(settings, similarity_threshold=fit.threshold)
    queries = as_queries([*(concept.query for concept in fit.concepts), *as_queries(query)])
    if len(queries) != fit.n_queries + 1:
        raise QueryError(f"There are {len(queries) - fit.n_queries} queries to add; add one at a time.")
    rules = [*(concept.rule for concept in fit.concepts), rule]
    with open_engine(settings) as engine:
        prepared = prepare_queries(
            corpus, queries, settings, engine, progress, rules=rules, before=fit.concepts
        )
        views, query_vectors = look_at(corpus, queries, prepared.unit, settings, engine, progress)
        relevance_of = partial(document_relevance, corpus, prepared.evidence, views, query_vectors)
        more, relevance = fit_newest(
            fit, corpus, prepared, prepared.evidence, views, settings, relevance_of, progress
        )
    return with_relevance(more, corpus, prepared.evidence, relevance)


def fit_newest(
    fit: ModelFit,
    corpus: Corpus,
    prepared: PreparedQueries,
    evidence: Sequence[Evidence],
    views: CorpusViews,
    settings: Settings,
    relevance_of: Callable[[NDArray[np.int32], NDArray[np.float32]], NDArray[np.float32]],
    progress: ProgressCallback | None = None,
) -> tuple[ModelFit, NDArray[np.float32]]:
    """Fit the newest of some prepared queries; the others were fitted before.

    Parameters
    ----------
    fit : ModelFit
        Of the other queries.
    corpus : Corpus
        What it was fitted on.
    prepared : PreparedQueries
        With the concepts from `join_concepts`; the last is new.
    evidence : sequence of Evidence
        Of all of them.
    views : CorpusViews
    settings : Settings
    relevance_of : callable
        How likely each document is to be about each query, (D, Q), given the topics of all tokens and
        the words of all topics.

    Returns
    -------
    fit : ModelFit
        Without relevance.
    relevance : ndarray of float32, shape (D, Q)
    """
    q, concepts = fit.n_queries, prepared.concepts
    problem = replace(
        prepared.problem(corpus, settings, evidence, None, views),
        before=fit.token_topics,
        promoted_before=fit.token_promoted,
        n_before=q,
    )
    threshold, related = prepared.promotion(settings)
    with Threads(settings.n_jobs or 1) as engine, defer_interrupts() as interruption:
        chain = start_joining(problem, settings.seed, engine)
        parents = fit_parents(
            problem, chain, settings.joining_schedule, progress=progress, interruption=interruption
        )
        word_topic = _corrected_counts(fit, problem, parents)
        relevance = relevance_of(parents.token_topics, word_topic)
        where = parents.tokens_of(q)
        found = SubtopicFit.none(problem.n_words, len(where))
        if settings.subtopics and not interruption.requested:
            found = split_documents(
                problem.tokens,
                problem.offsets,
                problem.n_words,
                where,
                weights_about(relevance[:, q]),
                settings.priors,
                settings.fewest_tokens(len(problem.tokens), len(where)),
                settings.seed,
                (q,),
                name=concepts[q].name,
                parts=problem.parts,
                word_vectors=problem.word_vectors,
                document_vectors=problem.document_vectors,
                engine=engine,
                progress=progress,
                interruption=interruption,
            )
    stays = map_blocks(  # (N,): in its query's topic
        lambda before, now: (before < q) & (before == now), fit.token_topics, parents.token_topics, dtype=bool
    )
    token_subtopics = map_blocks(
        lambda each, subtopics: np.where(each, subtopics, -1), stays, fit.token_subtopics, dtype=np.int32
    )
    token_subtopics[where] = found.token_subtopics
    known = fit.subtopic_traces or (None,) * q
    traces = [*(trace or Trace.none() for trace in known), found.trace]
    more = replace(
        fit,
        relevance=None,  # what was known is of the other queries
        concepts=concepts,
        word_topic=word_topic,
        promoted_mass=_corrected_mass(fit, problem, parents),
        subtopic_counts=(*_remaining_counts(fit, problem, stays), found.counts.astype(np.float32)),
        subtopic_rest=(*fit.subtopic_rest, found.rest),
        token_topics=parents.token_topics,
        token_subtopics=token_subtopics,
        token_promoted=parents.token_promoted,
        parent_trace=fit.parent_trace.then(parents.trace),
        subtopic_traces=tuple(traces) if settings.subtopics or fit.subtopic_traces else (),
        presentation=_renumbered(fit, parents),
        parameters={**fit.parameters, ADDED: n_added(fit.parameters, q) + 1},
        splits=tuple(_remaining_split(fit, problem, split, stays) for split in fit.splits),
        threshold=threshold,
        related=related,
        mixtures=(*(fit.mixtures or (DocumentMixture.none(problem.n_words),) * q), found.mixture),
        stability=_with_newest(fit, found, concepts[q].name, parents),
    )
    return more, relevance


def _with_newest(fit: ModelFit, found: SubtopicFit, name: str, parents: ParentFit) -> Stability | None:
    """What chains agree on, with those that split the new topic; whole runs did not know it."""
    known, q = fit.stability, fit.n_queries
    if known is None or known.n_asked > 1:
        return None
    newest = chain_agreement(found, q, name, fit.vocabulary, float(parents.prevalence[-1, q]))
    return replace(known, queries=(*known.queries, newest))


# --- what was known, corrected by what has moved -----------------------------------------------------------


def _corrected_counts(fit: ModelFit, problem: ParentProblem, parents: ParentFit) -> NDArray[np.float32]:
    """The averages of before, and what has changed since the sample that the chain went on from, (V, K)."""
    last = count_pairs(problem.tokens, fit.token_topics, fit.word_topic.shape)
    word_topic = parents.word_topic.copy()
    for topic, column in enumerate(parents.columns.tolist()):
        old = column if column < fit.n_queries else column - 1
        if column != fit.n_queries and old < fit.n_topics:
            word_topic[:, topic] += fit.word_topic[:, old] - last[:, old]
    word_topic = np.maximum(word_topic, 0.0)
    n_w = count_numbers(problem.tokens, problem.n_words)  # (V,): a word keeps its tokens
    total = word_topic.sum(axis=1)
    scaled = word_topic * np.divide(n_w, total, out=np.zeros_like(total), where=total > 0)[:, None]
    counts: NDArray[np.float32] = scaled.astype(np.float32)
    return counts


def _corrected_mass(fit: ModelFit, problem: ParentProblem, parents: ParentFit) -> NDArray[np.float32]:
    """The same for the mass that promotion adds, (V, Q)."""
    promoted = places_where(lambda each: each > 0, fit.token_promoted)
    shape = (problem.n_words, problem.n_parents)
    last = promoted_mass(
        problem,
        count_pairs(problem.tokens[promoted], fit.token_topics[promoted], shape),
        parent_rules(problem).promotion_weight,
    )
    mass = parents.promoted_mass.copy()
    mass[:, :-1] += fit.promoted_mass - last[:, :-1]
    return np.maximum(mass, 0.0).astype(np.float32)


def _remaining_counts(
    fit: ModelFit, problem: ParentProblem, stays: NDArray[np.bool_]
) -> Iterator[NDArray[np.float32]]:
    """Yield the counts of each query's subtopics without the tokens that have left its topic."""
    for q, counts in enumerate(fit.subtopic_counts):
        left = places_where(
            lambda z, s, stay, q=q: (z == q) & (s >= 0) & ~stay, fit.token_topics, fit.token_subtopics, stays
        )
        yield _without(counts, problem.tokens[left], fit.token_subtopics[left])


def _remaining_split(fit: ModelFit, problem: ParentProblem, split: Split, stays: NDArray[np.bool_]) -> Split:
    where, children = tokens_in(fit, split.of), split.token_children
    left = ~stays[where] & (children >= 0)
    counts = _without(split.counts, problem.tokens[where[left]], children[left])
    return replace(split, counts=counts, token_children=children[stays[where]])


def _without(
    counts: NDArray[np.float32], words: NDArray[np.int32], columns: NDArray[np.int32]
) -> NDArray[np.float32]:
    """Take tokens out of counts, (V, S)."""
    remaining: NDArray[np.float32] = np.maximum(counts - count_pairs(words, columns, counts.shape), 0.0)
    return remaining.astype(np.float32)


def count_pairs(
    words: NDArray[np.int32], columns: NDArray[np.int32], shape: tuple[int, ...]
) -> NDArray[np.float64]:
    """Count the tokens of each word in each column, (V, C)."""
    counts = np.zeros(shape[0] * shape[1])
    for here in blocks(len(words)):
        cells = words[here].astype(np.int64) * shape[1] + columns[here]
        counts += np.bincount(cells, minlength=len(counts))
    return counts.reshape(shape)


def _renumbered(fit: ModelFit, parents: ParentFit) -> Presentation:
    """The user's names, those of background topics at their new places; one that is gone loses its name."""
    q, labels = fit.n_queries, fit.presentation.labels
    kept = {id: label for id, label in labels.items() if not id.startswith("b")}
    for topic, column in enumerate(parents.columns.tolist()):
        old = topic_id(column - 1, q)
        if column > q and old in labels:
            kept[topic_id(topic, q + 1)] = labels[old]
    return replace(fit.presentation, labels=kept)
