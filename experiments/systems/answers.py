"""Who is asked one query: the query-driven model, the paper's setting, the evidence alone, retrieval.

In: queries of a data set. Out: an `Answer` to each, from an `AnsweringSystem`. Rows that need words get the
concept words that the package chooses for the query (those of the row `qdtm`), or, with "-query", the query's
own.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from experiments.baselines.retrieval import bm25_scores, query_likelihood_scores, rm3_scores
from experiments.datasets.paper_corpora import Dataset
from experiments.systems.query_driven import QueryDriven, Variant
from experiments.systems.registry import SystemOptions
from qdtm.embeddings import load_vectors
from qdtm.errors import QueryError
from qdtm.queries import Query, choose_concepts
from qdtm.queries.resolve import matches_of, resolve_text
from qdtm.queries.selection import document_evidence
from qdtm.settings import SCHEDULES

if TYPE_CHECKING:
    from qdtm.model import QueryDrivenTopicModel

FloatArray = NDArray[np.float64]
WordIds = NDArray[np.int64]

OURS = "qdtm"
"""The row that all others are there for."""

EVIDENCE = "evidence"
"""The row of the evidence model, before any topic is fitted."""

EVIDENT = 0.5
"""Documents that are as likely as this to be about a query are listed."""

REFERENCE = "share"
"""The row that every other has its margin over."""

RETRIEVAL = (REFERENCE, "ql", "ql-query", "bm25", "bm25-query", "rm3", "rm3-query")
"""Rows that rank documents by a list of words."""

TOGETHER = "together"
"""The row of all queries asked together."""


@dataclass(frozen=True, eq=False)
class Judgement:
    """What a model says of how sure it is.

    Attributes
    ----------
    probability : ndarray of shape (D,)
        That a document is about the query.
    cutoff : float
        Documents from here up are listed as being about it.
    count : float
        How many documents are about it.
    interval : tuple of two floats, optional
        Where that number lies.
    topic_share : ndarray of shape (D,), optional
        p(z|d): the share of the query's topic in each document.
    """

    probability: FloatArray
    cutoff: float
    count: float
    interval: tuple[float, float] | None = None
    topic_share: FloatArray | None = None


@dataclass(frozen=True, eq=False)
class Answer:
    """What a model says about one query.

    Attributes
    ----------
    scores : tuple of ndarray of shape (D,)
        How much each document is about the query. A count model that can be read in two ways gives both, and
        is measured by the better.
    seconds : float
    topic : ndarray of shape (V,), optional
        p(word | topic) of the query's topic.
    prevalence : float, optional
        The topic's share of the tokens.
    n_background : int, optional
        The other topics.
    subtopics : tuple of ndarray of shape (V,)
    judgement : Judgement, optional
        How likely each document is to be about the query, if the model says so.
    answered : bool
        False if the query was refused: all documents are then equally good.
    """

    scores: tuple[FloatArray, ...]
    seconds: float
    topic: FloatArray | None = None
    prevalence: float | None = None
    n_background: int | None = None
    subtopics: tuple[FloatArray, ...] = ()
    judgement: Judgement | None = None
    answered: bool = True


@dataclass(frozen=True)
class AnsweringSystem(ABC):
    """A row that can be asked. Worker processes get a copy, so it must be a plain object of a module.

    Attributes
    ----------
    name : str
    max_sweeps : int, optional
    """

    name: str
    max_sweeps: int | None = None

    at_once: ClassVar[bool] = False
    """Whether one fit answers all queries of a data set."""

    @property
    def settings(self) -> Mapping[str, str | float | bool | None]:
        """Everything that decides about the answer beside data and seed."""
        return {"max_sweeps": self.max_sweeps}

    @abstractmethod
    def answer(
        self, dataset: Dataset, queries: Sequence[int], seed: int, *, subtopics: bool = False
    ) -> Iterator[Answer]:
        """Answer queries of a data set, in order; its labels are for the metrics alone."""


class OneByOne(AnsweringSystem):
    """A row that is asked anew for every query."""

    def answer(
        self, dataset: Dataset, queries: Sequence[int], seed: int, *, subtopics: bool = False
    ) -> Iterator[Answer]:
        """Ask one query after the other; see `AnsweringSystem`."""
        for q in queries:
            try:
                yield self.ask(dataset, q, seed, subtopics=subtopics)
            except QueryError:  # documents only mention it, or lack its words
                yield no_answer(dataset)

    @abstractmethod
    def ask(self, dataset: Dataset, q: int, seed: int, *, subtopics: bool) -> Answer:
        """Answer a query, or raise QueryError."""


def no_answer(dataset: Dataset) -> Answer:
    """The answer to a query that the corpus cannot answer: all documents are equally good."""
    return Answer((np.zeros(dataset.corpus.n_documents),), 0.0, answered=False)


# --- the query-driven model ------------------------------------------------------------------------------


@dataclass(frozen=True)
class QueryDrivenRow(OneByOne):
    """The query-driven model: with its defaults, or with the paper's start and priors.

    The paper runs 2,000 sweeps; here it stops where the package's own schedule does at the latest.
    """

    preset: str = "default"
    encoder: str | None = None

    @property
    def settings(self) -> Mapping[str, str | float | bool | None]:
        """The preset, the sweeps and the encoder."""
        sweeps = {"max_sweeps": self._most_sweeps, "refuses": self._refuses}
        return {"preset": self.preset, **sweeps} | ({"encoder": self.encoder} if self.encoder else {})

    @property
    def _most_sweeps(self) -> int | None:
        usual = SCHEDULES["default"][1] if self.preset == "paper" else None
        return usual if self.max_sweeps is None else self.max_sweeps

    @property
    def _refuses(self) -> bool:
        """Whether queries that the corpus does not answer are refused, which the paper does not know."""
        return self.preset != "paper"

    def ask(self, dataset: Dataset, q: int, seed: int, *, subtopics: bool) -> Answer:
        """Fit a model; see `OneByOne`."""
        variant = Variant("kld", min_precision=0.0 if self.preset == "paper" else "auto")
        system = QueryDriven(self.name, variant, SystemOptions(self.preset, self._most_sweeps), self.encoder)
        start = time.perf_counter()
        alone = replace(dataset, concepts=(dataset.concepts[q],))
        model = system.fit_model(alone, seed, subtopics=subtopics, refuse=self._refuses)
        return _answer_of_model(model, 0, time.perf_counter() - start)


@dataclass(frozen=True)
class TogetherRow(AnsweringSystem):
    """The query-driven model with its defaults, asked everything at once."""

    encoder: str | None = None

    at_once = True

    @property
    def settings(self) -> Mapping[str, str | float | bool | None]:
        """The sweeps and the encoder."""
        return {"max_sweeps": self.max_sweeps} | ({"encoder": self.encoder} if self.encoder else {})

    def answer(
        self, dataset: Dataset, queries: Sequence[int], seed: int, *, subtopics: bool = False
    ) -> Iterator[Answer]:
        """Fit all queries of the data set, of which some are asked for; see `AnsweringSystem`."""
        start = time.perf_counter()
        options = SystemOptions("default", self.max_sweeps)
        system = QueryDriven(self.name, Variant("kld", min_precision="auto"), options, self.encoder)
        try:
            model = system.fit_model(dataset, seed, subtopics=subtopics)
        except QueryError:
            yield from (no_answer(dataset) for _ in queries)
            return
        seconds = time.perf_counter() - start
        for q in queries:
            yield _answer_of_model(model, q, seconds)


def _answer_of_model(model: QueryDrivenTopicModel, q: int, seconds: float) -> Answer:
    topic = model.topics_[q]
    relevance = model.relevance(q)
    return Answer(
        scores=(relevance.scores,),
        seconds=seconds,
        topic=np.asarray(topic.probabilities, np.float64),
        prevalence=float(topic.prevalence),
        n_background=len(model.background_topics_),
        subtopics=tuple(np.asarray(sub.probabilities, np.float64) for sub in topic.subtopics),
        judgement=Judgement(
            relevance.scores,
            relevance.cutoff,
            relevance.n_about,
            relevance.n_about_interval,
            np.asarray(model.doc_topic_[:, q], np.float64),
        ),
    )


# --- the evidence alone ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class EvidenceRow(OneByOne):
    """The probability of each document by the evidence model alone."""

    encoder: str | None = None

    @property
    def settings(self) -> Mapping[str, str | float | bool | None]:
        """The encoder; it refuses what the model refuses."""
        return {"refuses": True} | ({"encoder": self.encoder} if self.encoder else {})

    def ask(self, dataset: Dataset, q: int, seed: int, *, subtopics: bool) -> Answer:  # noqa: ARG002
        """Judge documents; see `OneByOne`."""
        start = time.perf_counter()
        concept = dataset.concepts[q]
        found = document_evidence(dataset.corpus, concept.query, concept.rule, encoder=self.encoder)
        p = found.probability  # (D,)
        judged = Judgement(p, EVIDENT, float(p.sum()))
        return Answer((p,), time.perf_counter() - start, judgement=judged)


# --- plain retrieval -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class RetrievalRow(OneByOne):
    """Documents ranked by a list of words: by their share of the tokens, BM25, query likelihood or RM3."""

    @property
    def settings(self) -> Mapping[str, str | float | bool | None]:
        """Nothing but the name decides."""
        return {}

    def ask(self, dataset: Dataset, q: int, seed: int, *, subtopics: bool) -> Answer:  # noqa: ARG002
        """Rank documents; see `OneByOne`."""
        method, _, by_query = self.name.partition("-")
        start = time.perf_counter()
        words = (query_words if by_query else concept_words)(dataset, q)
        if not len(words):
            return no_answer(dataset)
        counts = dataset.corpus.document_term_matrix
        score = partial(rm3_scores, seed=seed) if method == "rm3" else _SCORES[method]
        return Answer((score(counts, words),), time.perf_counter() - start)


def share_scores(counts: object, words: WordIds) -> FloatArray:
    """Return the share of each document's tokens that are among some words, (D,)."""
    matrix = counts.tocsr()  # type: ignore[attr-defined]
    lengths = np.asarray(matrix.sum(axis=1), np.float64).ravel()
    own = np.asarray(matrix[:, words].sum(axis=1), np.float64).ravel()
    return np.asarray(own / np.maximum(lengths, 1.0))


_SCORES = {"share": share_scores, "bm25": bm25_scores, "ql": query_likelihood_scores}


@lru_cache(maxsize=32)
def concept_words(dataset: Dataset, query: int) -> WordIds:
    """Return the concept words that the package chooses for a query asked alone; none if it has none.

    Several rows of a run ask for the same, so they are remembered.
    """
    concept, corpus = dataset.concepts[query], dataset.corpus
    asked, vectors = Query(concept.query, rule=concept.rule), load_vectors("auto", corpus)
    try:
        [chosen] = choose_concepts(corpus, [asked], vectors=vectors, refuse=False)
    except QueryError:
        return np.empty(0, np.int64)
    return np.array(chosen.word_indices, np.int64)


def query_words(dataset: Dataset, query: int) -> WordIds:
    """Return the query's own words in the corpus."""
    return np.array(matches_of(resolve_text(dataset.concepts[query].query, dataset.corpus)), np.int64)
