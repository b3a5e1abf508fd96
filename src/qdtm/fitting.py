"""The way of a fit: queries become concept words with evidence, the sampler draws, the outcome is frozen.

In: a corpus, queries and `Settings`. Out: `PreparedQueries` (`prepare_queries`), and from them a `ModelFit`
with the relevance of each document (`fit_prepared`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from qdtm.corpus import Corpus
from qdtm.corpus.distinct import DistinctCorpus
from qdtm.corpus.phrase_index import WordSplit
from qdtm.embeddings import embed_vocabulary, load_vectors, promotion_graph, similarity_threshold
from qdtm.embeddings.similarity import PromotionGraph
from qdtm.embeddings.vectors import VocabularyVectors, WordVectors
from qdtm.errors import QueryError
from qdtm.evidence.corpus_views import CorpusViews, views_of
from qdtm.evidence.evidence import Evidence
from qdtm.evidence.posterior import competing_posteriors, revise
from qdtm.evidence.word_evidence import distil
from qdtm.progress import ProgressCallback
from qdtm.queries import Concept, Query
from qdtm.queries.selection import choose, cover_the_corpus, evidence_of
from qdtm.results.distributions import document_topics
from qdtm.results.fit import ModelFit
from qdtm.results.promotion import RelatedWords, promoting_words
from qdtm.results.stability import QueryStability, chain_agreement, measure_stability, of_one_run
from qdtm.sampler.background import Background, background_of
from qdtm.sampler.checkpoint import Checkpoint
from qdtm.sampler.engines import Engine
from qdtm.sampler.parents import ParentFit
from qdtm.sampler.problem import ParentProblem, Priors, check_countable, smoothing_for
from qdtm.sampler.two_phases import Chains, TwoPhases, run_chains
from qdtm.settings import Settings

PACKAGES = ("qdtm", "numpy", "numba", "scipy")
"""The packages that decide about the numbers of a fit."""


@dataclass(frozen=True, eq=False)
class PreparedQueries:
    """What the sampler needs to know of the queries, besides the corpus and the settings.

    Parameters
    ----------
    concepts : tuple of Concept
    graph : PromotionGraph
        Which words promote which concept words.
    unit : ndarray of float32, shape (V, d), or None
        Word vectors of length 1; None without.
    evidence : tuple of Evidence
        Of each concept; empty where it has to be learned again.
    """

    concepts: tuple[Concept, ...]
    graph: PromotionGraph
    unit: NDArray[np.float32] | None
    evidence: tuple[Evidence, ...] = ()

    @property
    def names(self) -> list[str]:
        """Of the concepts."""
        return [concept.name for concept in self.concepts]

    def problem(
        self,
        corpus: Corpus,
        settings: Settings,
        evidence: Sequence[Evidence],
        background: Background | None,
        views: CorpusViews,
    ) -> ParentProblem:
        """Put together what phase 1 works on; queries that cover the corpus need no background."""
        joins = background is not None and not cover_the_corpus(evidence)
        return ParentProblem(
            tokens=corpus.tokens,
            offsets=corpus.offsets,
            n_words=corpus.n_words,
            concept_words=self.graph.concept_words,
            graph=self.graph,
            unit=self.unit if settings.word_filtering else None,
            promotion_weight=settings.promotion_weight if self.unit is not None else 0.0,
            priors=priors_of(settings, corpus.n_words),
            evidence=probabilities_of(evidence),
            before=background.token_topics if background is not None and joins else None,
            parts=None if (split := WordSplit.of(corpus)) is None else split.matrix,
            word_vectors=self.unit,
            document_vectors=None if views.encoded is None else views.encoded.vectors,
        )

    def promotion(self, settings: Settings) -> tuple[float | None, tuple[RelatedWords, ...]]:
        """Return the cosine above which words are related (None if nothing promotes), and which are."""
        promotes = self.unit is not None and settings.promotion_weight > 0
        related = promoting_words(self.graph, self.unit if promotes else None)
        return self.graph.threshold if promotes else None, related


def corpus_inside(corpus: Corpus, settings: Settings) -> DistinctCorpus:
    """The documents as the model sees them; the paper counts every copy."""
    return corpus.by_content if settings.start_as_paper else corpus.distinct


# --- before the sampler -----------------------------------------------------------------------------------


def prepare_queries(
    corpus: Corpus,
    queries: Sequence[Query],
    settings: Settings,
    engine: Engine,
    progress: ProgressCallback | None = None,
    *,
    rules: Sequence[str] = (),
    before: Sequence[Concept] = (),
) -> PreparedQueries:
    """Expand queries to concept words, learn their evidence, and find out which words promote which.

    Parameters
    ----------
    corpus : Corpus
        As the model sees it.
    queries : sequence of Query
    settings : Settings
    engine : Engine
        Where the background is learned, and where parts of the corpus are looked at.
    progress : callable, optional
    rules : sequence of {"and", "or"}
        One for each query, in place of that of the settings.
    before : sequence of Concept
        Of a fit: only the last query is new.
    """
    check_countable(corpus.word_counts, corpus.vocabulary)
    vectors = _word_vectors(corpus, queries, settings)
    embedded = None if vectors is None else embed_vocabulary(vectors, corpus.vocabulary)
    unit = None if embedded is None else embedded.unit
    views, query_vectors = look_at(corpus, queries, unit, settings, engine, progress)
    chosen = choose(
        corpus,
        queries,
        views,
        expansion=settings.expansion,
        rule=rules or settings.rule,
        n_concept_words=settings.n_concept_words,
        n_candidates=settings.n_candidates,
        min_precision=settings.min_precision,
        vectors=vectors,
        query_vectors=query_vectors,
        refuse=settings.refuse,
    )
    concepts = join_concepts(before, chosen.concepts[-1]) if before else chosen.concepts
    graph = _promotion_graph(corpus, concepts, embedded, settings)
    return PreparedQueries(concepts, graph, unit, chosen.evidence)


def _word_vectors(corpus: Corpus, queries: Sequence[Query], settings: Settings) -> WordVectors | None:
    """Load the word vectors, those of the queries' own words among them."""
    also = [word for query in queries for word in query.words.lower().split()]
    return load_vectors(settings.embeddings, corpus, also=also, random_state=settings.seed)


def _promotion_graph(
    corpus: Corpus, concepts: Sequence[Concept], embedded: VocabularyVectors | None, settings: Settings
) -> PromotionGraph:
    """Find out which words promote which concept words."""
    words = [np.array(concept.tied_indices, np.int32) for concept in concepts]
    threshold = settings.similarity_threshold
    if threshold is None:
        threshold = 1.0 if embedded is None else similarity_threshold(embedded)
    return promotion_graph(embedded, words, threshold, n_words=corpus.n_words)


def join_concepts(before: Sequence[Concept], new: Concept) -> tuple[Concept, ...]:
    """Put a new concept beside those of a fit; no word is in two of them.

    The others keep their words, but for a word of the new query itself that was only proposed to them.

    Raises
    ------
    QueryError
        If nothing is left of the new one.
    """
    known = [word for concept in before for word in concept.words]
    has, owns = {w.index for w in known}, {w.index for w in known if w.origin != "expansion"}
    words = [w for w in new.words if w.index not in (has if w.origin == "expansion" else owns)]
    if not words:
        raise QueryError(f"Query '{new.name}' has no concept word left: other queries have them all.")
    taken = {word.index for word in words}
    kept = [replace(c, words=tuple(w for w in c.words if w.index not in taken)) for c in before]
    return (*kept, replace(new, words=tuple(words)))


def look_at(
    corpus: Corpus,
    queries: Sequence[Query],
    unit: NDArray[np.float32] | None,
    settings: Settings,
    engine: Engine,
    progress: ProgressCallback | None = None,
) -> tuple[CorpusViews, NDArray[np.float32] | None]:
    """The views of the corpus, and what a sentence encoder makes of the queries, if there is one."""
    background = background_of(corpus, engine, n_topics=settings.n_background_topics, progress=progress)
    if settings.encoder is None:
        return views_of(corpus, unit, background=background, sections=engine.sections(corpus)), None
    from qdtm.embeddings.encoder import encode_corpus

    asked = [query.words for query in queries]
    encoded = encode_corpus(settings.encoder, corpus, asked, progress, n_jobs=settings.n_jobs)
    views = views_of(
        corpus,
        unit,
        document_vectors=encoded.documents,
        reread=encoded.reread,
        background=background,
    )
    return views, encoded.queries


# --- the sampler, and what it found -----------------------------------------------------------------------


def fit_prepared(
    corpus: Corpus,
    prepared: PreparedQueries,
    settings: Settings,
    parameters: dict[str, Any],
    engine: Engine,
    progress: ProgressCallback | None = None,
    checkpoint: Checkpoint | None = None,
) -> ModelFit:
    """Fit parent topics and subtopics, and say how relevant each document is.

    Parameters
    ----------
    corpus : Corpus
        As the model sees it, and as the queries were prepared for it.
    parameters : dict
        The estimator's, for the record.
    engine : Engine
        Where to sweep.
    checkpoint : Checkpoint, optional
        Where chains are written down now and then.
    """
    queries = [concept.query for concept in prepared.concepts]
    views, query_vectors = look_at(corpus, queries, prepared.unit, settings, engine, progress)
    evidence = prepared.evidence or evidence_of(corpus, prepared.concepts, views, query_vectors)
    background = None
    if not settings.start_as_paper:
        background = background_of(corpus, engine, n_topics=settings.n_background_topics, progress=progress)
    problem = prepared.problem(corpus, settings, evidence, background, views)

    def relevance_of(parents: ParentFit) -> NDArray[np.float32]:
        words = parents.word_topic.astype(np.float32)
        return document_relevance(corpus, evidence, views, query_vectors, parents.token_topics, words)

    chains = run_chains(
        problem,
        prepared.names,
        settings,
        progress,
        engine=engine,
        checkpoint=checkpoint,
        relevance_of=None if settings.start_as_paper else relevance_of,
    )
    first = chains.first
    relevance = relevance_of(first.parents) if first.relevance is None else first.relevance
    fit = freeze(corpus, prepared, chains, settings, parameters)
    return with_relevance(fit, corpus, evidence, relevance)


def priors_of(settings: Settings, n_words: int) -> Priors:
    """The priors of phase 1 for a vocabulary of so many words."""
    return settings.priors if settings.start_as_paper else smoothing_for(settings.priors, n_words)


def freeze(
    corpus: Corpus,
    prepared: PreparedQueries,
    chains: Chains,
    settings: Settings,
    parameters: dict[str, Any],
) -> ModelFit:
    """Put together the frozen outcome."""
    found, concepts = chains.first, prepared.concepts
    parents, subtopics = found.parents, found.subtopics
    threshold, related = prepared.promotion(settings)
    none = np.zeros((corpus.n_words, 0), np.float32)
    return ModelFit(
        vocabulary=corpus.vocabulary,
        concepts=concepts,
        word_topic=parents.word_topic.astype(np.float32),
        promoted_mass=parents.promoted_mass.astype(np.float32),
        subtopic_counts=tuple(s.counts.astype(np.float32) for s in subtopics) or (none,) * len(concepts),
        subtopic_rest=tuple(s.rest for s in subtopics) or (0.0,) * len(concepts),
        token_topics=parents.token_topics,
        token_subtopics=found.token_subtopics,
        token_promoted=parents.token_promoted,
        parent_trace=parents.trace,
        subtopic_traces=tuple(s.trace for s in subtopics),
        beta=priors_of(settings, corpus.n_words).beta,
        threshold=threshold,
        parameters=parameters,
        corpus_fingerprint=corpus.fingerprint,
        versions=versions(),
        related=related,
        mixtures=tuple(s.mixture for s in subtopics),
        stability=measure_stability(chains.complete, prepared.names, corpus.vocabulary, settings.n_chains)
        or of_one_run(_agreements(found, prepared.names, corpus.vocabulary), parents, settings.seed),
    )


def _agreements(found: TwoPhases, names: Sequence[str], vocabulary: Sequence[str]) -> list[QueryStability]:
    """What the chains of each query's split agree on."""
    return [
        chain_agreement(split, q, names[q], vocabulary, float(found.parents.prevalence[-1, q]))
        for q, split in enumerate(found.subtopics)
    ]


def document_relevance(
    corpus: Corpus,
    evidence: Sequence[Evidence],
    views: CorpusViews,
    query_vectors: NDArray[np.float32] | None,
    token_topics: NDArray[np.int32],
    word_topic: NDArray[np.float32],
) -> NDArray[np.float32]:
    """How likely each document is to be about each query, (D, Q): the evidence, with what the topics add."""
    if not cover_the_corpus(evidence):
        looks = views.topic_looks(corpus, token_topics)
        return probabilities_of([revise(one, *looks(q, one.words)) for q, one in enumerate(evidence)])
    shares = document_topics(corpus.document_term_matrix, word_topic)[:, : len(evidence)]
    possible = np.stack([one.possible for one in evidence], axis=1)  # (D, Q)
    with threadpool_limits(1, "blas"):  # sums of several threads would depend on their number
        relevance = competing_posteriors(views, shares, _strength(evidence), possible, query_vectors)
    return relevance.astype(np.float32)


def with_relevance(
    fit: ModelFit, corpus: Corpus, evidence: Sequence[Evidence], relevance: NDArray[np.float32]
) -> ModelFit:
    """Put how likely documents are to be about the queries into a fit."""
    strength = _strength(evidence)
    words = distil(corpus.document_term_matrix, relevance, strength)
    return replace(
        fit,
        relevance=relevance,
        strength=strength.astype(np.float32),
        word_evidence=words,
        covers=cover_the_corpus(evidence),
        shared_words=None,
        words_about=None,
    )


def _strength(evidence: Sequence[Evidence]) -> NDArray[np.float64]:
    """How much each document names each query, (D, Q)."""
    return np.stack([one.strength for one in evidence], axis=1)


def probabilities_of(evidence: Sequence[Evidence]) -> NDArray[np.float32]:
    """How likely each document is to be about each query, (D, Q)."""
    return np.stack([one.probability for one in evidence], axis=1).astype(np.float32)


def versions() -> dict[str, str]:
    """Of the packages that decide about the numbers of a fit."""
    return {package: version(package) for package in PACKAGES}
