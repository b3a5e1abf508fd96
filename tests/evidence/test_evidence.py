"""The evidence model on planted corpora: who is about it, how many, and what it never does."""

import numpy as np
import pytest

from qdtm import Corpus
from qdtm.errors import PassingQueryError, QueryError
from qdtm.evidence.breadth import sigmoid
from qdtm.evidence.corpus_views import views_of
from qdtm.evidence.evidence import LEAST_WORTH, combine, learn_evidence, probabilities, stacked, worths
from qdtm.queries.selection import document_evidence
from qdtm.sampler.background import Background, background_of

from .worlds import plant_names, write_many

SIZES = {"cat": 150, "ship": 250, "tree": 250, "rock": 250}


def ask(corpus, text="named", **options):
    return document_evidence(corpus, text, embeddings=None, **options)


@pytest.fixture(scope="module")
def planted():
    return plant_names(0, SIZES, {"cat": 0.4})


@pytest.fixture(scope="module")
def found(planted):
    return ask(planted[0])


class TestPlanted:
    """A random 40 % of the documents about something name it."""

    @pytest.mark.parametrize("seed", range(3))
    def test_how_many_there_are(self, seed):
        corpus, themes = plant_names(seed, SIZES, {"cat": 0.4})
        evidence = ask(corpus)
        truth = (themes == "cat").sum()
        assert truth / 1.6 < evidence.n_about < truth * 1.6
        assert evidence.probability[themes != "cat"].sum() < 0.1 * truth

    def test_who_they_are(self, planted, found):
        _, themes = planted
        best = np.argsort(-found.probability, kind="stable")[:150]
        assert (themes[best] == "cat").mean() > 0.95

    def test_one_that_does_not_name_it_is_never_surer_than_those_that_do(self, found):
        named = found.strength > 0
        average = found.strength @ found.probability / found.strength.sum()
        assert found.probability[~named].max() <= average + 1e-9

    def test_they_sum_to_the_estimate(self, found):
        wanted = found.n_about
        again = probabilities(found.seen, found.unseen, found.strength, found.possible)
        np.testing.assert_allclose(again, found.probability, rtol=1e-5)  # bins of equal scores may differ
        assert again.sum() == pytest.approx(wanted)

    def test_half_of_them_is_half(self, found):
        half = probabilities(found.seen, found.unseen, found.strength, found.possible, 0.5)
        named = found.strength > 0
        np.testing.assert_array_equal(half[named], found.probability[named])
        assert half[~named].sum() == pytest.approx(0.5 * found.probability[~named].sum(), rel=1e-3)

    def test_the_order_of_documents_does_not_matter(self):
        documents, _ = write_many(4, SIZES, {"cat": 0.4})
        order = np.random.default_rng(0).permutation(len(documents))
        first = learn_bare(Corpus.from_tokens(documents))
        second = learn_bare(Corpus.from_tokens([documents[j] for j in order]))
        np.testing.assert_allclose(second, first[order], atol=0.02)  # but for where an optimiser stops

    def test_the_same_again(self, planted, found):
        corpus = Corpus.from_tokens(
            [
                [planted[0].vocabulary[w] for w in words]
                for words in np.split(planted[0].tokens, planted[0].offsets[1:-1])
            ]
        )
        np.testing.assert_array_equal(ask(corpus).probability, found.probability)


def learn_bare(corpus):
    """The evidence without a background, which depends on the order of documents as any sample does."""
    from qdtm.evidence.corpus_views import CorpusViews
    from qdtm.queries.query import Query
    from qdtm.queries.search import search

    views = CorpusViews(corpus.document_term_matrix, corpus.document_hashes)
    one = search(corpus, Query("named"), "and")
    return learn_evidence(views, one.naming.strength, one.words, one.naming.possible).probability


class TestStaying:
    """The answer stays with the query."""

    def test_a_word_in_passing_is_refused_and_else_returns_no_theme(self):
        """Five of 300 documents of a theme mention the name once, in long texts."""
        documents, _ = write_many(0, {"rugby": 300, "ship": 300})
        rng = np.random.default_rng(1)
        rugby = [j for j, words in enumerate(documents) if any(w.startswith("rugby") for w in words)][:5]
        for j in rugby:
            documents[j] = [*documents[j], *documents[j], *documents[j], "named"]
            documents[j] = [str(w) for w in rng.permutation(documents[j])]
        corpus = Corpus.from_tokens(documents)
        with pytest.raises(PassingQueryError):
            ask(corpus)
        evidence = ask(corpus, refuse=False)
        assert evidence.n_about <= 1.5 * 5
        assert evidence.probability[evidence.strength == 0].max() < 0.5

    def test_a_specific_query_does_not_swallow_its_neighbour(self):
        """Two themes that share half of their words; all of one have the name."""
        rng = np.random.default_rng(0)
        shared = [f"shared{i:02d}" for i in range(30)]
        documents = []
        for j in range(600):
            own = [f"{'linq' if j < 40 else 'oracle'}{i:02d}" for i in range(15)]
            words = [str(rng.choice(shared if rng.random() < 0.6 else own)) for _ in range(20)]
            documents.append([*words, "named", "named"] if j < 40 else words)
        evidence = ask(Corpus.from_tokens(documents))
        assert evidence.n_about < 80
        assert evidence.probability[40:].sum() < 0.5 * evidence.probability[:40].sum()
        assert set(np.argsort(-evidence.probability, kind="stable")[:40]) == set(range(40))

    def test_what_is_excluded_stays_out(self, planted):
        corpus, _ = planted
        evidence = ask(corpus, "named -cat00")
        has = corpus.document_term_matrix[:, [corpus.word_index["cat00"]]].toarray().ravel() > 0
        assert has.any()
        assert not evidence.possible[has].any()
        assert (evidence.probability[has] == 0).all()
        assert evidence.n_about > 20

    def test_what_nobody_says_is_refused(self, planted):
        with pytest.raises(QueryError, match="is in no document"):
            ask(planted[0], "zebra")


class TestLooks:
    """What views are worth, and how they are put together."""

    def test_a_look_that_tells_more_is_worth_more_and_none_is_worth_nothing(self):
        rng = np.random.default_rng(0)
        strength = (np.arange(200) < 30).astype(float)
        good, vague, bad = 3 * strength + rng.normal(size=200), rng.normal(size=200), -strength
        found = worths([good, vague, bad], strength)
        assert found[0] > 1.0 > found[1] >= found[2] == LEAST_WORTH

    def test_they_are_put_together_on_a_common_scale(self):
        looks = [np.array([0.0, 1.0]), np.array([1000.0, 0.0])]
        np.testing.assert_allclose(combine(looks, [3.0, 1.0]), [-0.5, 0.5])

    def test_views_are_made_once(self, planted):
        corpus, _ = planted
        assert views_of(corpus, None) is views_of(corpus, None)
        vectors = np.eye(corpus.n_words, 4, dtype=np.float32)
        other = views_of(corpus, vectors)
        assert len(other.views) == 3
        assert views_of(corpus, vectors.copy()) is other

    def test_another_background_of_the_same_size_is_another_view(self, planted):
        corpus, _ = planted
        usual = background_of(corpus)
        other = Background(usual.token_topics, np.roll(usual.word_topic, 1, axis=0))
        assert views_of(corpus, None, background=other) is not views_of(corpus, None, background=usual)

    def test_an_encoder_is_one_more_view(self, planted):
        corpus, themes = planted
        vectors = np.column_stack([themes == "cat", themes != "cat"]).astype(np.float32) + 0.01
        views = views_of(corpus, None, document_vectors=vectors)
        assert len(views.views) == 3
        strength = 0.8 * (corpus.document_term_matrix[:, [corpus.word_index["named"]]].toarray().ravel() > 0)
        words, possible = [corpus.word_index["named"]], np.ones(corpus.n_documents, bool)
        evidence = learn_evidence(views, strength, words, possible, vectors[themes == "cat"][0])
        assert evidence.probability[themes == "cat"].sum() > 0.85 * evidence.n_about
        assert evidence.probability[themes == "cat"].min() > evidence.probability[themes != "cat"].max()


def test_one_document_that_names_it_is_enough():
    documents, _ = write_many(0, {"cat": 40, "ship": 40})
    documents[0] = ["named"] * 6 + documents[0]
    evidence = ask(Corpus.from_tokens(documents), refuse=False)
    assert evidence.probability.argmax() == 0
    assert evidence.n_about < 3


def test_all_documents_name_it():
    evidence = ask(Corpus.from_tokens([["named", "a", "b"], ["named", "c"], ["b", "named"]] * 5))
    assert (evidence.probability > 0.5).all()
    assert sigmoid(np.zeros(1))[0] == 0.5


class TestEncoder:
    """The encoder's view: worth what it tells of names that it did not see."""

    def test_looks_that_tell_the_same_share_their_weight(self):
        rng = np.random.default_rng(0)
        strength = (np.arange(400) < 80) * 0.8
        hashes = rng.permutation(400).astype(np.uint64)
        one, other = (np.where(strength > 0, 1.0, 0.0) + rng.normal(0, 0.5, 400) for _ in range(2))
        alone = stacked([one, other], strength, hashes)
        doubled = stacked([one, one, other], strength, hashes)
        assert alone[0] / sum(alone) == pytest.approx(0.5, abs=0.15)
        assert doubled[2] / sum(doubled) > 1.2 / 3.0  # by its worth alone it would have a third

    def test_a_look_that_tells_nothing_counts_for_little(self):
        rng = np.random.default_rng(1)
        strength = (np.arange(400) < 80) * 0.8
        telling = np.where(strength > 0, 1.0, 0.0) + rng.normal(0, 0.5, 400)
        weights = stacked([telling, rng.normal(0, 1, 400)], strength, np.arange(400, dtype=np.uint64))
        assert weights[1] < 0.2 * weights[0]

    def test_without_others_nothing_is_learned(self):
        looks = [np.arange(4.0), np.ones(4)]
        assert sum(stacked(looks, np.full(4, 0.5), np.arange(4, dtype=np.uint64))) == pytest.approx(1.0)

    def test_an_encoder_that_only_sees_the_name_is_worth_little(self, planted):
        """Its vectors tell who has the word, which is hidden from it; it must not change who is about it."""
        corpus, themes = planted
        seen = ask(
            corpus, encoder=lambda texts: [["named" in text, len(text) % 7 - 3, 1.0] for text in texts]
        )
        best = np.argsort(-seen.probability, kind="stable")[:150]
        assert (themes[best] == "cat").mean() > 0.9

    def test_an_encoder_that_knows_the_theme_helps(self):
        corpus, themes = plant_names(3, {"cat": 60, "ship": 300, "tree": 300}, {"cat": 0.15})

        def knows(texts):
            return [[text.count(f" {theme}") + 0.1 for theme in ("cat", "ship", "tree")] for text in texts]

        def found(**options):
            best = np.argsort(-ask(corpus, **options).probability, kind="stable")[:60]
            return (themes[best] == "cat").mean()

        assert found(encoder=knows) >= found()
        assert found(encoder=knows) > 0.95
