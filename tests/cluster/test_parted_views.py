"""The views of an index in parts say what those of the whole corpus say, byte for byte, in any sections."""

from __future__ import annotations

import os
import signal

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from qdtm import QueryDrivenTopicModel
from qdtm.embeddings import embed_vocabulary, load_vectors
from qdtm.evidence import parted_views, views
from qdtm.evidence.corpus_views import views_of
from qdtm.evidence.sections import Section
from qdtm.queries.query import as_queries
from qdtm.queries.selection import choose
from qdtm.sampler.background import background_of
from qdtm.sampler.engines import Threads

QUERIES = ("penalty", "south africa court", '"bank account" OR loan', "river -goal")


class HereSections:
    """Sections in this process, which remember nothing from call to call, as if each worker died after it."""

    def __init__(self, corpus, *, forgetful=False):
        parts = corpus.distinct.__dict__["parts"]
        self.bounds, self.remembered, self._forgetful = parts.bounds, {}, forgetful
        self._specs = [(parts.place, p, p + 1, corpus.n_words) for p in range(len(parts.bounds) - 1)]
        self._held = [Section(*spec) for spec in self._specs]
        self.n_calls = 0

    def share(self, value):
        return value

    def each(self, method, calls):
        assert len(calls) == len(self._specs)
        return [self._call(s, method, arguments) for s, arguments in enumerate(calls)]

    def chains(self, method, calls, carried):
        for s, arguments in enumerate(calls):
            carried = [self._call(s, method, (*arguments, each)) for each in carried]
        return carried

    def _call(self, s, method, arguments):
        self.n_calls += 1
        if self._forgetful:
            self._held[s] = Section(*self._specs[s])
        return getattr(self._held[s], method)(*arguments)


class PartedEngine(Threads):
    """Threads that look at parts as a cluster would."""

    held = None

    def sections(self, corpus):
        if self.held is None:
            type(self).held = HereSections(corpus)
        return self.held


def unit_of(corpus):
    return embed_vocabulary(load_vectors("auto", corpus), corpus.vocabulary).unit


def both(corpus, whole, **options):
    inside, ours = whole.distinct, corpus.distinct
    background = background_of(whole)
    here = views_of(inside, unit_of(whole), background=background)
    sections = HereSections(corpus, **options)
    return here, views_of(ours, unit_of(corpus), background=background, sections=sections)


@pytest.fixture(autouse=True)
def one_thread():
    """Sums of several threads would depend on their number; the model limits them too."""
    with threadpool_limits(1, "blas"):
        yield


@pytest.fixture(params=["kept", "not kept"])
def kept(request, monkeypatch):
    """Few documents keep their shares of topics; many do not."""
    if request.param == "not kept":
        monkeypatch.setattr(views, "MOST_KEPT", 0)
        monkeypatch.setattr(parted_views, "MOST_KEPT", 0)
        from qdtm.evidence import corpus_views

        monkeypatch.setattr(corpus_views, "_KNOWN", {})
    return request.param


@pytest.mark.parametrize("hide", [(), (3, 50, 7)])
def test_scores_are_the_same(learned, whole, hide, kept):
    here, there = both(learned, whole)
    rng = np.random.default_rng(0)
    labels = np.where(rng.random(len(whole.distinct)) < 0.05, rng.random(len(whole.distinct)), 0.0)
    rows = rng.permutation(len(labels))[:40]
    one, other = (each.hidden(hide) if hide else each.views for each in (here, there))
    for ours, theirs in zip(other, one, strict=True):
        for given in (labels, labels + 1e-4):
            np.testing.assert_array_equal(ours(given), theirs(given), strict=True)
        few, those = ours.of(rows), theirs.of(rows)
        np.testing.assert_array_equal(few(labels[rows]), those(labels[rows]))
        if theirs.features(rows) is not None:
            np.testing.assert_array_equal(ours.features(rows), theirs.features(rows))


@pytest.mark.parametrize("query", QUERIES)
def test_evidence_and_concepts_are_the_same(learned, whole, query):
    here, there = both(learned, whole)
    vectors = load_vectors("auto", whole)
    one = choose(whole.distinct, as_queries(query), here, vectors=vectors, refuse=False)
    other = choose(learned.distinct, as_queries(query), there, vectors=vectors, refuse=False)
    for name in ("probability", "possible", "strength", "seen", "unseen"):
        np.testing.assert_array_equal(getattr(other.evidence[0], name), getattr(one.evidence[0], name))
    assert other.concepts[0].words == one.concepts[0].words


def test_a_worker_that_took_the_place_of_another_says_the_same(learned, whole):
    here, there = both(learned, whole, forgetful=True)
    one = choose(whole.distinct, as_queries("penalty"), here, refuse=False)
    other = choose(learned.distinct, as_queries("penalty"), there, refuse=False)
    np.testing.assert_array_equal(other.evidence[0].probability, one.evidence[0].probability)


def same_fit(ours, theirs):
    for name in ("relevance", "strength", "word_topic", "token_topics", "token_subtopics"):
        np.testing.assert_array_equal(getattr(ours.fit_, name), getattr(theirs.fit_, name))
    np.testing.assert_array_equal(ours.fit_.word_evidence.weights, theirs.fit_.word_evidence.weights)


COVERING = ["goal", "court", "bank account", "flood"]


@pytest.mark.parametrize("queries", ["penalty", pytest.param(COVERING, marks=pytest.mark.slow)])
def test_a_fit_is_the_same(learned, whole, queries, monkeypatch):
    theirs = QueryDrivenTopicModel(queries, progress=None).fit(whole)
    monkeypatch.setattr("qdtm.model.open_engine", lambda settings: PartedEngine(settings.n_jobs or 1))
    monkeypatch.setattr(PartedEngine, "held", None)
    ours = QueryDrivenTopicModel(queries, progress=None).fit(learned)
    assert PartedEngine.held.n_calls > 20
    same_fit(ours, theirs)


@pytest.mark.cluster
@pytest.mark.usefixtures("cluster")
class TestOnACluster:
    def test_a_query_of_an_index_has_the_bytes_of_one_machine(self, learned, whole):
        theirs = QueryDrivenTopicModel("penalty", progress=None).fit(whole)
        ours = QueryDrivenTopicModel("penalty", progress=None, engine="ray", n_jobs=2).fit(learned)
        same_fit(ours, theirs)
        added = [model.add_query("river") for model in (ours, theirs)]
        assert added[0].top_words(10) == added[1].top_words(10)
        same_fit(ours, theirs)
        new = ["the keeper saved a penalty", "interest on a bank account"]
        np.testing.assert_array_equal(ours.transform(new), theirs.transform(new))

    def test_a_worker_that_is_killed_is_replaced_and_says_the_same(self, engine, learned, whole):
        background, unit = background_of(whole), unit_of(whole)
        here = views_of(whole.distinct, unit, background=background)
        there = views_of(
            learned.distinct, unit, background=background, sections=engine.sections(learned.distinct)
        )
        labels = np.where(np.arange(len(whole.distinct)) % 30 == 0, 0.7, 0.0)
        for n, (ours, theirs) in enumerate(zip(there.hidden((3, 5)), here.hidden((3, 5)), strict=True)):
            pid = int(engine.get(engine.worker(n % 2).about.remote())["pid"])
            os.kill(pid, signal.SIGKILL)
            np.testing.assert_array_equal(ours(labels), theirs(labels))
