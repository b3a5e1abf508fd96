"""Topic models that are asked beside the query-driven one: queries of a data set in, an `Answer` to each out.

None of them finds concept words, so they get those that the package chooses (those of the row `qdtm`).
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from qdtm.evaluation.baselines.chain import Schedule
from qdtm.evaluation.baselines.collapsed import LDA, SeededLDA
from qdtm.evaluation.baselines.hdp import HDP
from qdtm.evaluation.baselines.topic_fit import TopicFit
from qdtm.evaluation.bench.alone.rows import Answer, concept_words, no_answer
from qdtm.evaluation.datasets import Dataset
from qdtm.evaluation.systems.peers import PeerRow, make_peer
from qdtm.evaluation.systems.registry import SystemOptions

N_TOPICS = 20
"""Of LDA and its seeded kin: somebody with one query does not know how many categories there are."""

LDA_SCHEDULE = Schedule(n_sweeps=200, burn_in=100, thin=10)


@dataclass(frozen=True)
class UnseededRow:
    """Topics of LDA or an HDP; the query's is the one that gives the concept words the largest share."""

    name: Literal["lda", "hdp"]
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
            if not words:
                yield no_answer(dataset)
                continue
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


@dataclass(frozen=True)
class PeerTopicRow:
    """A package that people use today, given the concept words as its keywords and the query as its phrase.

    Where the number of topics has to be told, there are as many as those of `lda`.
    """

    name: str
    max_sweeps: int | None

    at_once = False

    @property
    def settings(self) -> Mapping[str, str | float | bool | None]:
        """Those of the peer."""
        return self._peer.settings

    @property
    def _peer(self) -> PeerRow:
        return replace(make_peer(self.name, SystemOptions(max_sweeps=self.max_sweeps)), n_rest=N_TOPICS - 1)

    def answer(
        self,
        dataset: Dataset,
        queries: Sequence[int],
        seed: int,
        *,
        subtopics: bool = False,  # noqa: ARG002
    ) -> Iterator[Answer]:
        """Fit a model a query; see `AloneRow`."""
        for q in queries:
            start = time.perf_counter()
            words = tuple(dataset.corpus.vocabulary[w] for w in concept_words(dataset, q))
            if not words:
                yield no_answer(dataset)
                continue
            asked = replace(dataset, concepts=(replace(dataset.concepts[q], keywords=words),))
            found = self._peer.fit(asked, seed)
            readings = [found.scores] if found.own is None else [found.scores, found.own.scores]
            yield Answer(
                scores=tuple(np.asarray(scores[:, 0], np.float64) for scores in readings),
                seconds=time.perf_counter() - start,
                topic=None if found.topics is None else np.asarray(found.topics[0], np.float64),
            )
