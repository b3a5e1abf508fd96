"""LDA with prior knowledge about words: ISLDA, SCLDA and DF-LDA, on one kernel.

In: a corpus and keywords or links. Out: `TopicFit`. Topic q belongs to the q-th list of keywords (DF-LDA does
not know which of its topics that is); the last topic is free.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import combinations, pairwise

import numpy as np

from qdtm.corpus import Corpus
from qdtm.errors import ParameterError
from qdtm.evaluation.baselines.chain import ConstrainedChain, Schedule
from qdtm.evaluation.baselines.forest import Pair, plant_forest
from qdtm.evaluation.baselines.keywords import WordIds, keyword_ids, without_shared
from qdtm.evaluation.baselines.knowledge import make_knowledge
from qdtm.evaluation.baselines.topic_fit import TopicFit, TrainingProgress

Keywords = Sequence[Sequence[str]]
WordPairs = Sequence[tuple[str, str]]


@dataclass(frozen=True)
class ISLDA:
    """LDA whose keywords may have their own topics only (Nikolenko, Koltcov and Koltsova 2017).

    Attributes
    ----------
    keywords : sequence of sequences of str
        Words of topic 0, of topic 1, and so on; a word of two topics may have either.
    n_topics : int, optional
        By default one more than there are lists.
    alpha, beta : float, optional
        By default 1 / n_topics, as in the paper's experiments.
    schedule : Schedule
    """

    keywords: Keywords
    n_topics: int | None = None
    alpha: float | None = None
    beta: float | None = None
    schedule: Schedule = field(default_factory=Schedule)

    def chain(self, corpus: Corpus, seed: int = 0) -> ConstrainedChain:
        """Start a chain."""
        n_topics = _n_topics(self.n_topics, self.keywords)
        potentials = _potentials(keyword_ids(corpus, self.keywords), n_topics, elsewhere=0.0)
        return ConstrainedChain(
            corpus,
            n_topics,
            alpha=1.0 / n_topics if self.alpha is None else self.alpha,
            beta=1.0 / n_topics if self.beta is None else self.beta,
            knowledge=make_knowledge(corpus.n_words, n_topics, potentials=potentials),
            seed=seed,
        )

    def fit(self, corpus: Corpus, seed: int = 0, progress: TrainingProgress | None = None) -> TopicFit:
        """Find the topics of a corpus; the same seed finds the same."""
        return self.chain(corpus, seed).run(self.schedule, progress)


@dataclass(frozen=True)
class SCLDA:
    """Sparse constrained LDA: knowledge of words as potentials (Yang, Downey and Boyd-Graber 2015).

    Attributes
    ----------
    keywords : sequence of sequences of str
        Words of topic 0, of topic 1, and so on: in other topics they have the potential exp(-strength).
    strength : float
        With 0, keywords mean nothing.
    must_links, cannot_links : sequence of (str, str)
        Pairs of words: each has the potential max(1, n / floor), or its inverse, in a topic where the other
        has n tokens.
    floor : float
        The original's lambda; with infinity, links mean nothing.
    n_topics : int, optional
        By default one more than there are lists.
    alpha, beta : float
        As the original paper suggests.
    schedule : Schedule
    """

    keywords: Keywords = ()
    strength: float = 5.0
    must_links: WordPairs = ()
    cannot_links: WordPairs = ()
    floor: float = 1.0
    n_topics: int | None = None
    alpha: float = 0.1
    beta: float = 0.01
    schedule: Schedule = field(default_factory=Schedule)

    def chain(self, corpus: Corpus, seed: int = 0) -> ConstrainedChain:
        """Start a chain."""
        if not (self.strength >= 0 and self.floor > 0):
            raise ParameterError(
                f"strength is {self.strength} and floor is {self.floor}; give 0 or more, and more than 0."
            )
        n_topics = _n_topics(self.n_topics, self.keywords)
        elsewhere = float(np.exp(-self.strength))
        potentials = _potentials(keyword_ids(corpus, self.keywords), n_topics, elsewhere=elsewhere)
        knowledge = make_knowledge(
            corpus.n_words,
            n_topics,
            potentials=potentials,
            must_links=_pair_ids(corpus, self.must_links),
            cannot_links=_pair_ids(corpus, self.cannot_links),
            floor=self.floor,
        )
        return ConstrainedChain(
            corpus, n_topics, alpha=self.alpha, beta=self.beta, knowledge=knowledge, seed=seed
        )

    def fit(self, corpus: Corpus, seed: int = 0, progress: TrainingProgress | None = None) -> TopicFit:
        """Find the topics of a corpus; the same seed finds the same."""
        return self.chain(corpus, seed).run(self.schedule, progress)


@dataclass(frozen=True)
class DFLDA:
    """LDA with a Dirichlet forest prior (Andrzejewski, Zhu and Craven 2009).

    Attributes
    ----------
    keywords : sequence of sequences of str
        The words of a list are must-linked. A word of two lists is left out, or it would join them.
    must_links, cannot_links : sequence of (str, str)
        Further links.
    eta : float
        Strength; 1 is plain LDA, the original takes 100.
    n_topics : int, optional
        By default one more than there are lists.
    alpha, beta : float
        As the paper's experiments take them.
    schedule : Schedule
    """

    keywords: Keywords = ()
    must_links: WordPairs = ()
    cannot_links: WordPairs = ()
    eta: float = 100.0
    n_topics: int | None = None
    alpha: float = 0.5
    beta: float = 0.1
    schedule: Schedule = field(default_factory=Schedule)

    def chain(self, corpus: Corpus, seed: int = 0) -> ConstrainedChain:
        """Start a chain."""
        if not self.eta > 0:
            raise ParameterError(f"eta is {self.eta}; give a number above 0 (1 is plain LDA).")
        n_topics = _n_topics(self.n_topics, self.keywords)
        groups = without_shared(keyword_ids(corpus, self.keywords))
        must = [pair for group in groups for pair in pairwise(group)] + _pair_ids(corpus, self.must_links)
        forest = plant_forest(must, _pair_ids(corpus, self.cannot_links))
        knowledge = make_knowledge(corpus.n_words, n_topics, forest=forest, eta=self.eta)
        return ConstrainedChain(
            corpus, n_topics, alpha=self.alpha, beta=self.beta, knowledge=knowledge, forest=forest, seed=seed
        )

    def fit(self, corpus: Corpus, seed: int = 0, progress: TrainingProgress | None = None) -> TopicFit:
        """Find the topics of a corpus; the same seed finds the same."""
        return self.chain(corpus, seed).run(self.schedule, progress)


def all_pairs(keywords: Keywords) -> list[tuple[str, str]]:
    """Return all pairs of words of the same list."""
    return [pair for words in keywords for pair in combinations(words, 2)]


def _n_topics(n_topics: int | None, keywords: Keywords) -> int:
    chosen = len(keywords) + 1 if n_topics is None else n_topics
    if chosen < max(1, len(keywords)):
        raise ParameterError(f"n_topics is {chosen}, but there are keywords for {len(keywords)} topics.")
    return chosen


def _potentials(groups: Sequence[WordIds], n_topics: int, *, elsewhere: float) -> dict[int, list[float]]:
    """Return the factor of each keyword in each topic: 1 in its own, `elsewhere` in others."""
    factors: dict[int, list[float]] = {}
    for q, group in enumerate(groups):
        for w in group:
            factors.setdefault(w, [elsewhere] * n_topics)[q] = 1.0
    return factors


def _pair_ids(corpus: Corpus, pairs: Iterable[tuple[str, str]]) -> list[Pair]:
    """Return pairs as vocabulary numbers; a pair with a word that the corpus lacks is left out."""
    found = keyword_ids(corpus, list(pairs))
    return [(ids[0], ids[1]) for ids in found if len(ids) == 2]
