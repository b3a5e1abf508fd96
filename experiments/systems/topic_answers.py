"""Topic models that are asked one query, and which rows can be asked at all.

In: queries of a data set, or a row's name. Out: an `Answer` to each query, or an `AnsweringSystem`. None of
the topic models finds concept words, so they get those that the package chooses (those of the row `qdtm`).
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from experiments.baselines.tomotopy_models import HDP, LDA, SeededLDA
from experiments.baselines.topic_fit import Schedule, TopicFit, require
from experiments.datasets.paper_corpora import Dataset
from experiments.systems.answers import (
    EVIDENCE,
    OURS,
    RETRIEVAL,
    TOGETHER,
    Answer,
    AnsweringSystem,
    EvidenceRow,
    OneByOne,
    QueryDrivenRow,
    RetrievalRow,
    TogetherRow,
    concept_words,
    no_answer,
)
from experiments.systems.peers import RECIPES, PeerRow, make_peer
from experiments.systems.registry import Outcome, System, SystemOptions, make_available, make_system
from qdtm.embeddings.encoder import load_encoder
from qdtm.embeddings.onnx_encoder import MINILM
from qdtm.errors import ParameterError

N_TOPICS = 20
"""Of LDA and its seeded kin: somebody with one query does not know how many categories there are."""

LDA_SCHEDULE = Schedule(n_sweeps=200, burn_in=100, thin=10)


@dataclass(frozen=True)
class UnseededRow(AnsweringSystem):
    """Topics of LDA or an HDP; the query's is the one that gives the concept words the largest share."""

    at_once = True

    def answer(
        self,
        dataset: Dataset,
        queries: Sequence[int],
        seed: int,
        *,
        subtopics: bool = False,  # noqa: ARG002
    ) -> Iterator[Answer]:
        """Fit once, then find the topic of each query; see `AnsweringSystem`."""
        start = time.perf_counter()
        fit = self._model().fit(dataset.corpus, seed)
        seconds = time.perf_counter() - start
        for q in queries:
            words = concept_words(dataset, q)
            if not len(words):
                yield no_answer(dataset)
                continue
            yield _answer_of_topic(fit, dataset, int(fit.topics[:, words].sum(axis=1).argmax()), seconds)

    def _model(self) -> LDA | HDP:
        if self.name == "lda":
            return LDA(N_TOPICS, schedule=LDA_SCHEDULE.limited_to(self.max_sweeps))
        return HDP(n_sweeps=min(HDP.n_sweeps, self.max_sweeps or HDP.n_sweeps))


@dataclass(frozen=True)
class SeededLDARow(OneByOne):
    """LDA whose first topic has a prior on the concept words, beside nineteen that have none."""

    def ask(self, dataset: Dataset, q: int, seed: int, *, subtopics: bool) -> Answer:  # noqa: ARG002
        """Fit a model; see `OneByOne`."""
        schedule = LDA_SCHEDULE.limited_to(self.max_sweeps)
        start = time.perf_counter()
        words = [dataset.corpus.vocabulary[w] for w in concept_words(dataset, q)]
        if not words:
            return no_answer(dataset)
        fit = SeededLDA([words], n_topics=N_TOPICS, schedule=schedule).fit(dataset.corpus, seed)
        return _answer_of_topic(fit, dataset, 0, time.perf_counter() - start)


def _answer_of_topic(fit: TopicFit, dataset: Dataset, k: int, seconds: float) -> Answer:
    lengths = dataset.corpus.document_lengths
    return Answer(
        scores=(fit.mixed_doc_topics(dataset.corpus)[:, k], fit.doc_topics[:, k]),
        seconds=seconds,
        topic=fit.topics[k],
        prevalence=float(lengths @ fit.doc_topics[:, k] / max(lengths.sum(), 1)),
        n_background=fit.n_topics - 1,
    )


@dataclass(frozen=True)
class PeerTopicRow(OneByOne):
    """A package that people use today, given the concept words as its keywords and the query as its phrase.

    Where the number of topics has to be told, there are as many as those of `lda`.
    """

    @property
    def settings(self) -> Mapping[str, str | float | bool | None]:
        """Those of the peer."""
        return self._peer.settings

    @property
    def _peer(self) -> PeerRow:
        return replace(make_peer(self.name, SystemOptions(max_sweeps=self.max_sweeps)), n_rest=N_TOPICS - 1)

    def ask(self, dataset: Dataset, q: int, seed: int, *, subtopics: bool) -> Answer:  # noqa: ARG002
        """Fit a model; see `OneByOne`."""
        start = time.perf_counter()
        words = tuple(dataset.corpus.vocabulary[w] for w in concept_words(dataset, q))
        if not words:
            return no_answer(dataset)
        asked = replace(dataset, concepts=(replace(dataset.concepts[q], keywords=words),))
        return _answer_of_outcome(self._peer.fit(asked, seed), 0, time.perf_counter() - start)


@dataclass(frozen=True)
class RivalAtOnceRow(AnsweringSystem):
    """A row of Table 1 that is asked all queries of a corpus, with the keywords of its concepts."""

    at_once = True

    @property
    def settings(self) -> Mapping[str, str | float | bool | None]:
        """Those of the row."""
        return self._system.settings

    @property
    def _system(self) -> System:
        return make_system(self.name, "table1", SystemOptions(max_sweeps=self.max_sweeps))

    def answer(
        self,
        dataset: Dataset,
        queries: Sequence[int],
        seed: int,
        *,
        subtopics: bool = False,  # noqa: ARG002
    ) -> Iterator[Answer]:
        """Fit all queries of the data set, of which some are asked for; see `AnsweringSystem`."""
        start = time.perf_counter()
        found = self._system.fit(dataset, seed)
        seconds = time.perf_counter() - start
        for q in queries:
            yield _answer_of_outcome(found, q, seconds)


def _answer_of_outcome(found: Outcome, q: int, seconds: float) -> Answer:
    readings = [found.scores] if found.own is None else [found.scores, found.own.scores]
    return Answer(
        scores=tuple(np.asarray(scores[:, q], np.float64) for scores in readings),
        seconds=seconds,
        topic=None if found.topics is None else np.asarray(found.topics[q], np.float64),
    )


# --- rows by name -----------------------------------------------------------------------------------------


ENCODED = (f"{OURS}-encoder", f"{EVIDENCE}-encoder")
"""The query-driven model and its evidence with MiniLM."""

ASKED = (OURS, EVIDENCE, "paper", *RETRIEVAL, "lda", "hdp", "seeded-lda", *RECIPES, *ENCODED)
"""All rows, in order."""


def make_row(name: str, max_sweeps: int | None = None) -> AnsweringSystem:
    """Make a row.

    Raises
    ------
    ParameterError
        If there is none of that name.
    MissingExtraError
        If it needs a package that is not installed, or a part of this one that is not there.
    """
    if name in (OURS, "paper"):
        return QueryDrivenRow(name, max_sweeps, "default" if name == OURS else name)
    if name == TOGETHER:
        return TogetherRow(name, max_sweeps)
    if name == EVIDENCE:
        return EvidenceRow(name)
    if name in ENCODED:
        load_encoder(MINILM)  # is it there?
        if name == ENCODED[0]:
            return QueryDrivenRow(name, max_sweeps, encoder=MINILM)
        return EvidenceRow(name, encoder=MINILM)
    if name in RETRIEVAL:
        return RetrievalRow(name)
    if name in RECIPES:
        make_peer(name, SystemOptions(max_sweeps=max_sweeps))  # is it installed?
        return PeerTopicRow(name, max_sweeps)
    if name not in ASKED:
        raise ParameterError(f"There is no row {name!r}. Choose one of {', '.join(ASKED)}.")
    require("tomotopy")
    if name == "seeded-lda":
        return SeededLDARow(name, max_sweeps)
    return UnseededRow(name, max_sweeps)


def make_rows(
    names: Sequence[str],
    max_sweeps: int | None = None,
    *,
    usual: Sequence[str] = ASKED,
    always: Sequence[str] = (),
) -> dict[str, AnsweringSystem]:
    """Make rows: those of `usual` that can be run here if none is named, and always those of `always`."""
    rows = make_available(partial(make_row, max_sweeps=max_sweeps), names, usual)
    for name in always:
        rows.setdefault(name, make_row(name, max_sweeps))
    return rows


# --- rows that are asked everything at once ---------------------------------------------------------------


AT_ONCE = (
    OURS, ENCODED[0], "lda", "hdp", "seeded-lda", "bm25", "ql", *RECIPES,
)  # fmt: skip
"""All of them, in order."""


def make_row_at_once(name: str, max_sweeps: int | None = None) -> AnsweringSystem:
    """Make a row that one fit answers for; see `make_row`."""
    if name == OURS:
        return TogetherRow(name, max_sweeps)
    if name == ENCODED[0]:
        load_encoder(MINILM)  # is it there?
        return TogetherRow(name, max_sweeps, encoder=MINILM)
    make_system(name, "table1", SystemOptions(max_sweeps=max_sweeps))  # is there one, and is it installed?
    return RivalAtOnceRow(name, max_sweeps)


def make_rows_at_once(names: Sequence[str], max_sweeps: int | None = None) -> dict[str, AnsweringSystem]:
    """Make what is named; if nothing is, all rows that can be run here."""
    return make_available(partial(make_row_at_once, max_sweeps=max_sweeps), names, AT_ONCE)
