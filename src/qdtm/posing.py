"""From a corpus and its concepts to what the sampler works on, and from what it found to the frozen outcome.

In: a corpus, concepts, word vectors and `Settings`. Out: `Posed` and its `ParentProblem`; later `ModelFit`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from qdtm.concepts import Concept
from qdtm.concepts.choosing import cover_the_corpus
from qdtm.corpus import Corpus
from qdtm.corpus.phrases import WordSplit
from qdtm.embeddings import promotion_graph, similarity_threshold
from qdtm.embeddings.similarity import PromotionGraph
from qdtm.embeddings.vectors import VocabularyVectors
from qdtm.evidence.corpus_views import CorpusViews
from qdtm.evidence.model import Evidence
from qdtm.evidence.rivals import rival_posteriors
from qdtm.evidence.scoring import distil
from qdtm.evidence.topics import with_topics
from qdtm.results.distributions import document_topics
from qdtm.results.fit import ModelFit
from qdtm.results.related import RelatedWords, related_words
from qdtm.results.stability import QueryStability, chain_agreement, measure_stability, of_one_run
from qdtm.sampler.background import Background
from qdtm.sampler.chains import Chains
from qdtm.sampler.problem import ParentProblem, Priors, smoothing_for
from qdtm.sampler.two_phases import TwoPhases
from qdtm.settings import Settings

PACKAGES = ("qdtm", "numpy", "numba", "scipy")
"""The packages that decide about the numbers of a fit."""


@dataclass(frozen=True, eq=False)
class Posed:
    """The question: what the sampler needs to know besides the corpus and the settings.

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
        )

    def promotion(self, settings: Settings) -> tuple[float | None, tuple[RelatedWords, ...]]:
        """Return the cosine above which words are related (None if nothing promotes), and which are."""
        promotes = self.unit is not None and settings.promotion_weight > 0
        related = related_words(self.graph, self.unit if promotes else None)
        return self.graph.threshold if promotes else None, related


def pose(
    corpus: Corpus,
    concepts: tuple[Concept, ...],
    embedded: VocabularyVectors | None,
    settings: Settings,
    evidence: tuple[Evidence, ...] = (),
) -> Posed:
    """Find out which words promote which concept words."""
    words = [np.array(concept.tied_indices, np.int32) for concept in concepts]
    threshold = settings.similarity_threshold
    if threshold is None:
        threshold = 1.0 if embedded is None else similarity_threshold(embedded)
    graph = promotion_graph(embedded, words, threshold, n_words=corpus.n_words)
    return Posed(concepts, graph, None if embedded is None else embedded.unit, evidence)


def priors_of(settings: Settings, n_words: int) -> Priors:
    """The priors of phase 1 for a vocabulary of so many words."""
    return settings.priors if settings.start_as_paper else smoothing_for(settings.priors, n_words)


def freeze(
    corpus: Corpus,
    posed: Posed,
    chains: Chains,
    settings: Settings,
    parameters: dict[str, Any],
) -> ModelFit:
    """Put together the frozen outcome."""
    found, concepts = chains.first, posed.concepts
    parents, subtopics = found.parents, found.subtopics
    threshold, related = posed.promotion(settings)
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
        stability=measure_stability(chains.complete, posed.names, corpus.vocabulary, settings.n_chains)
        or of_one_run(_agreements(found, posed.names, corpus.vocabulary), parents, settings.seed),
    )


def _agreements(found: TwoPhases, names: Sequence[str], vocabulary: Sequence[str]) -> list[QueryStability]:
    """What the chains of each query's split agree on."""
    return [
        chain_agreement(split, q, names[q], vocabulary, float(found.parents.prevalence[-1, q]))
        for q, split in enumerate(found.subtopics)
    ]


def judge(
    corpus: Corpus,
    evidence: Sequence[Evidence],
    views: CorpusViews,
    query_vectors: NDArray[np.float32] | None,
    token_topics: NDArray[np.int32],
    word_topic: NDArray[np.float32],
) -> NDArray[np.float32]:
    """How likely each document is to be about each query, (D, Q): the evidence, with what the topics add."""
    if not cover_the_corpus(evidence):
        return probabilities_of(with_topics(evidence, *views.topic_tokens(corpus, token_topics)))
    shares = document_topics(corpus.document_term_matrix, word_topic)[:, : len(evidence)]
    possible = np.stack([one.possible for one in evidence], axis=1)  # (D, Q)
    with threadpool_limits(1, "blas"):  # sums of several threads would depend on their number
        rivals = rival_posteriors(views, shares, _strength(evidence), possible, query_vectors)
    return rivals.astype(np.float32)


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
