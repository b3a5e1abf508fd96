"""Who is asked: the query-driven model, the paper's setting, and what else can answer a lone query.

In: a row's name. Out: an `AloneRow`, which answers queries of a data set. Rows that need words get the
concept words that the package chooses for the query (those of the row `qdtm`), or, with "-query", the query's
own.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from qdtm.concepts import Query, choose_concepts
from qdtm.concepts.resolve import matches_of, resolve_text
from qdtm.errors import MissingExtraError, ParameterError, QueryError
from qdtm.evaluation.baselines.chain import Schedule
from qdtm.evaluation.baselines.collapsed import LDA, SeededLDA
from qdtm.evaluation.baselines.extras import require
from qdtm.evaluation.baselines.retrieval import bm25_scores, query_likelihood_scores
from qdtm.evaluation.baselines.topic_fit import TopicFit
from qdtm.evaluation.bench.alone.cells import OURS
from qdtm.evaluation.datasets import Dataset
from qdtm.evaluation.systems import SystemOptions
from qdtm.evaluation.systems.query_driven import QueryDriven, Variant
from qdtm.results.scores import score_documents
from qdtm.settings import SCHEDULES

if TYPE_CHECKING:
    from qdtm.model import QueryDrivenTopicModel

FloatArray = NDArray[np.float64]
WordIds = NDArray[np.int64]

N_TOPICS = 20
"""Of LDA and seeded LDA: somebody with one query does not know how many categories there are."""

LDA_SCHEDULE = Schedule(n_sweeps=200, burn_in=100, thin=10)

REFERENCE = "share"
"""The row that every other has its margin over."""

TOGETHER = "together"
"""The row of all queries asked together."""


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
    """

    scores: tuple[FloatArray, ...]
    seconds: float
    topic: FloatArray | None = None
    prevalence: float | None = None
    n_background: int | None = None
    subtopics: tuple[FloatArray, ...] = ()


class AloneRow(Protocol):
    """A model that can be asked. Worker processes get a copy, so it must be a plain object of a module."""

    @property
    def name(self) -> str:
        """The row's name."""
        ...

    @property
    def at_once(self) -> bool:
        """Whether one fit answers all queries of a data set."""
        ...

    @property
    def settings(self) -> Mapping[str, str | float | bool | None]:
        """Everything that decides about the answer beside data and seed."""
        ...

    def answer(
        self, dataset: Dataset, queries: Sequence[int], seed: int, *, subtopics: bool = False
    ) -> Iterator[Answer]:
        """Answer queries of a data set, in order; its labels are for the metrics alone."""
        ...


# --- the query-driven model ------------------------------------------------------------------------------


@dataclass(frozen=True)
class QueryDrivenRow:
    """The query-driven model: with its defaults, or with the paper's start and priors.

    The paper runs 2,000 sweeps; here it stops where the package's own schedule does at the latest.
    """

    name: str
    preset: str
    max_sweeps: int | None

    at_once = False

    @property
    def settings(self) -> Mapping[str, str | float | bool | None]:
        """The preset and the sweeps."""
        return {"preset": self.preset, "max_sweeps": self._most_sweeps}

    @property
    def _most_sweeps(self) -> int | None:
        usual = SCHEDULES["default"][1] if self.preset == "paper" else None
        return usual if self.max_sweeps is None else self.max_sweeps

    @property
    def _system(self) -> QueryDriven:
        variant = Variant("kld", min_pointing=0.0 if self.preset == "paper" else "auto")
        return QueryDriven(self.name, variant, SystemOptions(self.preset, self._most_sweeps))

    def answer(
        self, dataset: Dataset, queries: Sequence[int], seed: int, *, subtopics: bool = False
    ) -> Iterator[Answer]:
        """Fit a model a query; see `AloneRow`."""
        for q in queries:
            start = time.perf_counter()
            alone = replace(dataset, concepts=(dataset.concepts[q],))
            try:
                model = self._system.fit_model(alone, seed, subtopics=subtopics)
            except QueryError:  # a corpus that was thinned too far no longer has the query's words
                yield _nothing(dataset)
                continue
            seconds = time.perf_counter() - start
            yield _answer_of_model(model, 0, seconds)


@dataclass(frozen=True)
class TogetherRow:
    """The query-driven model with its defaults, asked everything at once."""

    name: str
    max_sweeps: int | None

    at_once = True

    @property
    def settings(self) -> Mapping[str, str | float | bool | None]:
        """The sweeps."""
        return {"max_sweeps": self.max_sweeps}

    def answer(
        self, dataset: Dataset, queries: Sequence[int], seed: int, *, subtopics: bool = False
    ) -> Iterator[Answer]:
        """Fit all queries of the data set, of which some are asked for; see `AloneRow`."""
        start = time.perf_counter()
        options = SystemOptions("default", self.max_sweeps)
        system = QueryDriven(self.name, Variant("kld", min_pointing="auto"), options)
        try:
            model = system.fit_model(dataset, seed, subtopics=subtopics)
        except QueryError:
            yield from (_nothing(dataset) for _ in queries)
            return
        seconds = time.perf_counter() - start
        for q in queries:
            yield _answer_of_model(model, q, seconds)


def _answer_of_model(model: QueryDrivenTopicModel, q: int, seconds: float) -> Answer:
    topic = model.topics_[q]
    relevance = score_documents(model.fit_, model.corpus_.document_term_matrix).relevance  # (D, Q)
    return Answer(
        scores=(relevance[:, q],),
        seconds=seconds,
        topic=np.asarray(topic.probabilities, np.float64),
        prevalence=float(topic.prevalence),
        n_background=len(model.background_topics_),
        subtopics=tuple(np.asarray(sub.probabilities, np.float64) for sub in topic.subtopics),
    )


def _nothing(dataset: Dataset) -> Answer:
    """The answer to a query that the corpus cannot answer: all documents are equally good."""
    return Answer((np.zeros(dataset.corpus.n_documents),), 0.0)


# --- plain retrieval -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class RetrievalRow:
    """Documents ranked by a list of words: by their share of the tokens, BM25 or query likelihood."""

    name: str

    at_once = False

    @property
    def settings(self) -> Mapping[str, str | float | bool | None]:
        """Nothing but the name decides."""
        return {}

    def answer(
        self,
        dataset: Dataset,
        queries: Sequence[int],
        seed: int,  # noqa: ARG002
        *,
        subtopics: bool = False,  # noqa: ARG002
    ) -> Iterator[Answer]:
        """Rank documents; see `AloneRow`."""
        method, _, by_query = self.name.partition("-")
        for q in queries:
            start = time.perf_counter()
            words = (query_words if by_query else concept_words)(dataset, q)
            scores = _SCORES[method](dataset.corpus.document_term_matrix, words)
            yield Answer((scores,), time.perf_counter() - start)


def share_scores(counts: object, words: WordIds) -> FloatArray:
    """Return the share of each document's tokens that are among some words, (D,)."""
    matrix = counts.tocsr()  # type: ignore[attr-defined]
    lengths = np.asarray(matrix.sum(axis=1), np.float64).ravel()
    own = np.asarray(matrix[:, words].sum(axis=1), np.float64).ravel()
    return np.asarray(own / np.maximum(lengths, 1.0))


_SCORES = {"share": share_scores, "bm25": bm25_scores, "ql": query_likelihood_scores}


def concept_words(dataset: Dataset, query: int) -> WordIds:
    """Return the concept words that the package chooses for a query asked alone; none if it has none."""
    concept = dataset.concepts[query]
    try:
        [chosen] = choose_concepts(dataset.corpus, [Query(concept.query, rule=concept.rule)])
    except QueryError:
        return np.empty(0, np.int64)
    return np.array(chosen.word_indices, np.int64)


def query_words(dataset: Dataset, query: int) -> WordIds:
    """Return the query's own words in the corpus."""
    return np.array(matches_of(resolve_text(dataset.concepts[query].query, dataset.corpus)), np.int64)


# --- topic models ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class LDARow:
    """Twenty topics of LDA; the query's is the one that gives the concept words the largest share."""

    name: str
    max_sweeps: int | None

    at_once = True

    @property
    def settings(self) -> Mapping[str, str | float | bool | None]:
        """The sweeps."""
        return {"max_sweeps": self.max_sweeps}

    def answer(
        self,
        dataset: Dataset,
        queries: Sequence[int],
        seed: int,
        *,
        subtopics: bool = False,  # noqa: ARG002
    ) -> Iterator[Answer]:
        """Fit once, then find the topic of each query; see `AloneRow`."""
        start = time.perf_counter()
        fit = LDA(N_TOPICS, schedule=LDA_SCHEDULE.limited_to(self.max_sweeps)).fit(dataset.corpus, seed)
        seconds = time.perf_counter() - start
        for q in queries:
            k = int(fit.topics[:, concept_words(dataset, q)].sum(axis=1).argmax())
            yield _answer_of_topic(fit, dataset, k, seconds)


@dataclass(frozen=True)
class SeededLDARow:
    """LDA whose first topic has a prior on the concept words, beside nineteen that have none."""

    name: str
    max_sweeps: int | None

    at_once = False

    @property
    def settings(self) -> Mapping[str, str | float | bool | None]:
        """The sweeps."""
        return {"max_sweeps": self.max_sweeps}

    def answer(
        self,
        dataset: Dataset,
        queries: Sequence[int],
        seed: int,
        *,
        subtopics: bool = False,  # noqa: ARG002
    ) -> Iterator[Answer]:
        """Fit a model a query; see `AloneRow`."""
        schedule = LDA_SCHEDULE.limited_to(self.max_sweeps)
        for q in queries:
            start = time.perf_counter()
            words = [dataset.corpus.vocabulary[w] for w in concept_words(dataset, q)]
            fit = SeededLDA([words], n_topics=N_TOPICS, schedule=schedule).fit(dataset.corpus, seed)
            yield _answer_of_topic(fit, dataset, 0, time.perf_counter() - start)


def _answer_of_topic(fit: TopicFit, dataset: Dataset, k: int, seconds: float) -> Answer:
    lengths = dataset.corpus.document_lengths
    return Answer(
        scores=(fit.mixed_doc_topics(dataset.corpus)[:, k], fit.doc_topics[:, k]),
        seconds=seconds,
        topic=fit.topics[k],
        prevalence=float(lengths @ fit.doc_topics[:, k] / max(lengths.sum(), 1)),
        n_background=fit.n_topics - 1,
    )


# --- by name ---------------------------------------------------------------------------------------------

ROWS = (OURS, "paper", REFERENCE, "ql", "ql-query", "bm25", "bm25-query", "lda", "seeded-lda")
"""All rows, in order."""


def make_row(name: str, max_sweeps: int | None = None) -> AloneRow:
    """Make a row.

    Raises
    ------
    ParameterError
        If there is none of that name.
    MissingExtraError
        If it needs a package that is not installed.
    """
    if name in (OURS, "paper"):
        return QueryDrivenRow(name, "default" if name == OURS else name, max_sweeps)
    if name == TOGETHER:
        return TogetherRow(name, max_sweeps)
    if name in ("lda", "seeded-lda"):
        require("tomotopy", "baselines")
        return (LDARow if name == "lda" else SeededLDARow)(name, max_sweeps)
    if name not in ROWS:
        raise ParameterError(f"alone has no row {name!r}. Choose one of {', '.join(ROWS)}.")
    return RetrievalRow(name)


def make_rows(
    names: Sequence[str], max_sweeps: int | None = None, *, together: bool = False
) -> dict[str, AloneRow]:
    """Make rows, `share` always among them; if none is named, all that can be run here."""
    rows: dict[str, AloneRow] = {}
    for name in names or ROWS:
        try:
            rows[name] = make_row(name, max_sweeps)
        except MissingExtraError as error:
            if names:
                raise
            warnings.warn(f"The row {name!r} is left out. {error}", stacklevel=2)
    rows.setdefault(REFERENCE, make_row(REFERENCE))
    if together:
        rows[TOGETHER] = make_row(TOGETHER, max_sweeps)
    return rows
