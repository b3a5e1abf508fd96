"""Planted topics come back when they are asked for, however rare, and a lone parent keeps its size."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from planted import PlantedCorpus, own_words, plant
from qdtm import QueryDrivenTopicModel
from qdtm.sampler.convergence import Schedule
from qdtm.sampler.problem import Priors
from qdtm.sampler.subtopics import fit_subtopics

N_TOP = 10


def ask(planted: PlantedCorpus, *queries: str, seed: int = 0, **options: object) -> QueryDrivenTopicModel:
    model = QueryDrivenTopicModel(
        list(queries), embeddings=None, subtopics=False, random_state=seed, **options
    )
    return model.fit(planted.corpus)


def top_words(topic) -> set[str]:
    return {word for word, _ in topic.top_words(N_TOP)}


def own_share(topic, words: tuple[str, ...]) -> float:
    """How many of a topic's top words, general ones aside, are those that were planted."""
    top = [word for word in top_words(topic) if not word.startswith("general")]
    return sum(word in words for word in top) / max(len(top), 1)


class TestTenTopics:
    """Ten topics of a tenth each."""

    TRUTH = 0.1

    @staticmethod
    @cache
    def planted(seed: int) -> PlantedCorpus:
        return plant(seed, own_words(10, 40), [60] * 10)

    @pytest.mark.parametrize("seed", range(3))
    def test_all_that_are_asked_for_come_back(self, seed: int) -> None:
        planted = self.planted(seed)
        asked = (7, 2, 5)
        model = ask(planted, *(planted.words[k][0] for k in asked), seed=seed)
        for q, k in enumerate(asked):
            assert own_share(model.topics_[q], planted.words[k]) == 1.0
            found = [planted.document_topics[document.index] for document in model.documents(q, n=50)]
            assert np.mean(np.array(found) == k) > 0.95

    def test_those_that_are_not_asked_for_are_in_the_background(self) -> None:
        planted = self.planted(0)
        model = ask(planted, planted.words[0][0], seed=1)
        for words in planted.words[1:]:
            assert max(own_share(topic, words) for topic in model.background_topics_) > 0.9

    @pytest.mark.parametrize("seed", range(3))
    def test_a_lone_parent_has_the_size_of_its_topic(self, seed: int) -> None:
        planted = self.planted(seed)
        (parent,) = ask(planted, planted.words[3][0], seed=seed).topics_
        assert self.TRUTH / 2 <= parent.prevalence <= self.TRUTH * 2
        assert own_share(parent, planted.words[3]) == 1.0

    @pytest.mark.parametrize("seed", range(3))
    def test_as_in_the_paper_a_lone_parent_swallows_other_topics(self, seed: int) -> None:
        """What the default repairs: with one background topic the parent has no rival."""
        planted = self.planted(seed)
        sweeps = {"min_sweeps": 100, "max_sweeps": 150}
        (parent,) = ask(planted, planted.words[3][0], seed=seed, preset="paper", **sweeps).topics_
        assert parent.prevalence > self.TRUTH * 2
        assert own_share(parent, planted.words[3]) < 0.7


class TestRareConcept:
    """A concept of one document in two hundred, whose words have other uses too.

    Its documents have the word "rare", words that ten broad topics use now and then, and those that they use
    most. Only what occurs together tells it from them.
    """

    N_BROAD = 10
    N_RARE = 10

    @classmethod
    @cache
    def planted(cls, seed: int) -> PlantedCorpus:
        broad = own_words(cls.N_BROAD, 200)
        rare = ("rare", *(words[rank] for rank in (160, 0, 170, 1, 180, 2, 190, 3) for words in broad))
        n_broad = (200 * cls.N_RARE - cls.N_RARE) // cls.N_BROAD
        return plant(seed, (*broad, rare), [n_broad] * cls.N_BROAD + [cls.N_RARE], length=25)

    @classmethod
    def rare_words(cls, planted: PlantedCorpus) -> set[str]:
        """The words that are typical of the concept: not those that a broad topic has at its top."""
        return set(planted.words[-1]) - {word for words in planted.words[:-1] for word in words[:10]}

    @classmethod
    def assert_other(cls, planted: PlantedCorpus, top: set[str]) -> None:
        """A topic of a handful of tokens may have a word of the concept by chance, and none has its name."""
        assert "rare" not in top
        assert len(top & cls.rare_words(planted)) <= 1

    def test_it_is_rare(self) -> None:
        about = self.planted(0).document_topics
        assert (about == self.N_BROAD).sum() == self.N_RARE == round(0.005 * len(about))

    @pytest.mark.parametrize("seed", range(3))
    def test_it_comes_back_when_it_is_asked_for(self, seed: int) -> None:
        planted = self.planted(seed)
        model = ask(planted, "rare", seed=seed)
        top = top_words(model.topics_[0])
        assert len(top & set(planted.words[-1])) >= N_TOP - 1
        assert len(top & self.rare_words(planted)) >= N_TOP - 4
        found = [planted.document_topics[document.index] for document in model.documents(n=self.N_RARE)]
        assert found.count(self.N_BROAD) >= 9

    @pytest.mark.parametrize("seed", range(3))
    def test_without_a_query_it_is_missed(self, seed: int) -> None:
        """The same kernel without parents is a plain Hierarchical Dirichlet Process."""
        planted = self.planted(seed)
        corpus = planted.corpus
        found = fit_subtopics(
            corpus.tokens, corpus.offsets, corpus.n_words, Priors(), Schedule(100, 300), 0.0, seed, (0,)
        )
        for k in range(found.counts.shape[1]):
            best = np.argsort(-found.counts[:, k], kind="stable")[:N_TOP]
            self.assert_other(planted, {corpus.vocabulary[w] for w in best if found.counts[w, k] > 0})

    def test_another_implementation_misses_it_too(self) -> None:
        tomotopy = pytest.importorskip("tomotopy")
        planted = self.planted(0)
        corpus = planted.corpus
        model = tomotopy.HDPModel(alpha=1.0, eta=0.5, gamma=1.5, seed=0)
        for tokens in np.split(corpus.tokens, corpus.offsets[1:-1]):
            model.add_doc([corpus.vocabulary[w] for w in tokens])
        model.train(150, workers=1)
        for k in filter(model.is_live_topic, range(model.k)):
            self.assert_other(planted, {word for word, _ in model.get_topic_words(k, top_n=N_TOP)})
