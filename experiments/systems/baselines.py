"""The rows of what the query-driven model is compared with: a row's name in, a `System` out.

Every row gets the experts' keywords, but for retrieval by the query itself. A count model's documents are
read in two ways; see `Outcome.own`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from experiments.baselines.avitm import AVITM
from experiments.baselines.constrained import DFLDA, ISLDA, SCLDA, Keywords
from experiments.baselines.encoder import BERT, DocumentEncoder, sentence_encoder
from experiments.baselines.retrieval import bm25_scores, query_likelihood_scores
from experiments.baselines.tomotopy_models import HDP, HTM, LDA, LONG, SeededLDA, TopicTree
from experiments.baselines.topic_fit import FloatArray, Schedule, TopicFit, match_topics, require
from experiments.datasets.concepts import ExperimentConcept
from experiments.datasets.paper_corpora import Dataset
from experiments.systems.registry import Outcome, Reading, SubtopicGroup, SystemOptions
from qdtm.corpus import Corpus
from qdtm.embeddings import load_vectors
from qdtm.queries.resolve import matches_of, resolve_list, resolve_text

Array = TypeVar("Array", NDArray[np.float32], NDArray[np.float64])

Settings = Mapping[str, str | float | bool | None]


class TopicModel(Protocol):
    """A model of `experiments.baselines`."""

    def fit(self, corpus: Corpus, seed: int = 0) -> TopicFit:
        """Find the topics of a corpus."""
        ...


@dataclass(frozen=True)
class Recipe:
    """How a topic model gets its row.

    Attributes
    ----------
    make : callable
        Takes the keywords of each concept and the options.
    knows_concepts : bool
        Whether topic q is that of concept q; else it is found by its words.
    needs : tuple of str
        Modules that may not be installed.
    """

    make: Callable[[Keywords, SystemOptions], TopicModel]
    knows_concepts: bool = True
    needs: tuple[str, ...] = ()


def _schedule(options: SystemOptions) -> Schedule:
    return Schedule().limited_to(options.max_sweeps)


def _avitm(n_topics: int, options: SystemOptions) -> AVITM:
    n_epochs = AVITM.n_epochs if options.max_sweeps is None else options.max_sweeps
    return AVITM(n_topics, n_epochs=min(AVITM.n_epochs, n_epochs))


RECIPES: Mapping[str, Recipe] = {
    "lda": Recipe(
        lambda words, options: LDA(len(words) + 1, schedule=LONG.limited_to(options.max_sweeps)),
        False,
        ("tomotopy",),
    ),
    "hdp": Recipe(
        lambda _, options: HDP(n_sweeps=min(HDP.n_sweeps, options.max_sweeps or HDP.n_sweeps)),
        False,
        ("tomotopy",),
    ),
    "dflda": Recipe(lambda words, options: DFLDA(words, schedule=_schedule(options)), False),
    "sclda": Recipe(lambda words, options: SCLDA(words, schedule=_schedule(options))),
    "islda": Recipe(lambda words, options: ISLDA(words, schedule=_schedule(options))),
    "seeded-lda": Recipe(
        lambda words, options: SeededLDA(words, schedule=_schedule(options)), needs=("tomotopy",)
    ),
    "avitm": Recipe(lambda words, options: _avitm(len(words) + 1, options), False, ("torch",)),
}


def make_topic_row(name: str, options: SystemOptions) -> TopicRow:
    """Make the system of one of `RECIPES`."""
    for module in RECIPES[name].needs:
        require(module)
    return TopicRow(name, options)


@dataclass(frozen=True)
class TopicRow:
    """A row of a flat topic model."""

    name: str
    options: SystemOptions

    @property
    def settings(self) -> Settings:
        """The options; all else is in the code."""
        return {"max_sweeps": self.options.max_sweeps}

    def fit(self, dataset: Dataset, seed: int, *, subtopics: bool = False) -> Outcome:  # noqa: ARG002
        """Fit the model; see `System`."""
        recipe, keywords = RECIPES[self.name], keywords_of(dataset)
        fit = recipe.make(keywords, self.options).fit(dataset.corpus, seed)
        chosen = np.arange(len(keywords)) if recipe.knows_concepts else matched(fit.topics, dataset)
        return two_readings(fit, dataset, chosen)


def two_readings(fit: TopicFit, dataset: Dataset, chosen: NDArray[np.int64]) -> Outcome:
    """Read documents off a fit in both ways; `chosen` is the topic of each concept, (Q,)."""
    mixed = fit.mixed_doc_topics(dataset.corpus)
    return Outcome(
        scores=mixed[:, chosen],
        shares=_with_one_rest(mixed, chosen),
        topics=fit.topics[chosen],
        own=Reading(fit.doc_topics[:, chosen], _with_one_rest(fit.doc_topics, chosen)),
        all_features=mixed if mixed.shape[1] > len(chosen) + 1 else None,
    )


def _with_one_rest(shares: FloatArray, chosen: NDArray[np.int64]) -> FloatArray:
    """Return shares of topics, (D, K); if there are more than Q + 1, of those of concepts and of the rest."""
    if shares.shape[1] <= len(chosen) + 1:
        return shares
    of_concepts = shares[:, np.unique(chosen)]
    return np.column_stack([of_concepts, shares.sum(axis=1) - of_concepts.sum(axis=1)])


def make_tree_row(name: str, options: SystemOptions) -> TreeRow:
    """Make the row of hierarchical LDA."""
    require("tomotopy")
    return TreeRow(name, options)


#: The prior of a new topic in each row of hierarchical LDA: the paper's, and one that gives larger trees.
TREE_GAMMAS = {"htm": 0.1, "htm-gamma-1": 1.0}


@dataclass(frozen=True)
class TreeRow:
    """A row of hierarchical LDA: of each concept the nearest topic of the second level, and its children."""

    name: str
    options: SystemOptions

    @property
    def settings(self) -> Settings:
        """The options; all else is in the code."""
        return {"max_sweeps": self.options.max_sweeps}

    def fit(self, dataset: Dataset, seed: int, *, subtopics: bool = False) -> Outcome:
        """Fit the model; see `System`."""
        n_sweeps = self.options.max_sweeps or HTM.n_sweeps
        model = HTM(gamma=TREE_GAMMAS[self.name], n_sweeps=min(HTM.n_sweeps, n_sweeps))
        tree = model.fit(dataset.corpus, seed)
        chosen = matched(tree.parents, dataset)
        p_parent = tree.parents / tree.parents.sum(axis=0).clip(1e-300)  # (P, V)
        scores = np.asarray(dataset.corpus.document_term_matrix @ p_parent[chosen].T)
        return Outcome(
            scores=scores,
            topics=tree.parents[chosen],
            subtopics=tuple(_group(tree, p) for p in chosen) if subtopics else None,
        )


def _group(tree: TopicTree, p: int) -> SubtopicGroup:
    return SubtopicGroup(tree.children[p], tree.child_prevalence[p])


def make_retrieval_row(name: str, _options: SystemOptions) -> RetrievalRow:
    """Make a row of plain retrieval: "bm25", "ql", and both with "-expert"."""
    return RetrievalRow(name)


@dataclass(frozen=True)
class RetrievalRow:
    """A row that ranks documents by a list of words; equally good documents are in random order."""

    name: str

    @property
    def settings(self) -> Settings:
        """Nothing but the name decides."""
        return {}

    def fit(self, dataset: Dataset, seed: int, *, subtopics: bool = False) -> Outcome:  # noqa: ARG002
        """Rank documents; see `System`."""
        score = bm25_scores if self.name.startswith("bm25") else query_likelihood_scores
        counts = dataset.corpus.document_term_matrix
        columns = [score(counts, np.array(self._words(concept, dataset.corpus), dtype=np.int64))
                   for concept in dataset.concepts]  # fmt: skip
        return Outcome(scores=break_ties(np.stack(columns, axis=1), seed))

    def _words(self, concept: ExperimentConcept, corpus: Corpus) -> tuple[int, ...]:
        if self.name.endswith("-expert"):
            return matches_of(resolve_list(concept.keywords, corpus))
        return matches_of(resolve_text(concept.query, corpus))


def make_encoder_row(name: str, options: SystemOptions) -> EncoderRow:
    """Make a row of retrieval by a Transformer: "bert" or "sbert"."""
    encoder = options.encoder or (BERT if name == "bert" else sentence_encoder())
    DocumentEncoder(encoder).check()
    return EncoderRow(name, encoder)


@dataclass(frozen=True)
class EncoderRow:
    """A row that ranks documents by their text's cosine to the query phrase; every seed finds the same.

    Its other reading ranks by how much nearer a text is to the phrase than to those of the other concepts.
    """

    name: str
    encoder: str

    @property
    def settings(self) -> Settings:
        """The encoder."""
        return {"encoder": self.encoder}

    def fit(self, dataset: Dataset, seed: int, *, subtopics: bool = False) -> Outcome:  # noqa: ARG002
        """Rank documents; see `System`."""
        cosines = DocumentEncoder(self.encoder).scores(dataset.corpus, phrases_of(dataset))
        return Outcome(scores=margins(cosines), own=Reading(cosines))


def margins(scores: Array) -> Array:
    """Return how much each score of a document is above the best of its others, (D, Q); a lone one stays."""
    if scores.shape[1] < 2:
        return scores
    ordered = np.sort(scores, axis=1)  # (D, Q)
    best, second = ordered[:, -1:], ordered[:, -2:-1]
    return np.asarray(scores - np.where(scores == best, second, best), dtype=scores.dtype)


def break_ties(scores: FloatArray, seed: int) -> FloatArray:
    """Return the rank of each document in each column, the best highest; equal scores in random order.

    Corpora are sorted by category, so to keep the order of equally good documents would tell the labels.
    """
    order = np.random.default_rng(seed).permutation(len(scores))
    ranks = np.empty_like(scores)
    for column, rank in zip(scores.T, ranks.T, strict=True):
        rank[order[np.argsort(column[order], kind="stable")]] = np.arange(len(scores))
    return ranks


def keywords_of(dataset: Dataset) -> Sequence[tuple[str, ...]]:
    """Return the experts' keywords of each concept."""
    return [concept.keywords for concept in dataset.concepts]


def phrases_of(dataset: Dataset) -> list[str]:
    """Return the query phrase of each concept."""
    return [concept.phrase for concept in dataset.concepts]


def matched(topics: FloatArray, dataset: Dataset) -> NDArray[np.int64]:
    """Return the topic of each concept by the words' bundled vectors."""
    vectors = load_vectors("glove")
    assert vectors is not None
    return match_topics(topics, dataset.corpus.vocabulary, keywords_of(dataset), vectors)
