"""Concept words: as published when queries cover the corpus, coherent ones when they do not."""

import numpy as np
import pytest

from qdtm import Query
from qdtm.corpus import Corpus, load_demo_corpus
from qdtm.evidence.corpus_views import views_of
from qdtm.queries import build_concepts, choose_concepts
from qdtm.queries.check import check_query
from qdtm.queries.expansion import draft_concepts
from qdtm.queries.selection import (
    MIN_PRECISION,
    N_NEAREST,
    choose,
    coherent_words,
    cover_the_corpus,
    evidence_of,
    precision_of_words,
    tie_words,
)
from qdtm.queries.term_index import TermIndex

SUBJECTS = {
    "cat": ["cat", "whisker", "purr", "mouse", "claw", "kitten"],
    "ship": ["ship", "sail", "harbour", "anchor", "deck", "captain"],
}


def two_subjects(n_documents=200):
    """Documents about cats or ships, a subject word in every one, no word in common."""
    rng = np.random.default_rng(0)
    subjects = list(SUBJECTS.values())
    return Corpus.from_tokens([list(rng.choice(subjects[j % 2], 12)) for j in range(n_documents)])


def words(concepts):
    return [[word.word for word in concept.words] for concept in concepts]


@pytest.fixture(scope="module")
def demo():
    return load_demo_corpus()


def test_queries_that_cover_the_corpus_get_the_published_words():
    corpus = two_subjects()
    published = build_concepts(corpus, list(SUBJECTS))
    chosen = choose(corpus, list(SUBJECTS), views_of(corpus, None))
    assert chosen.covers
    assert cover_the_corpus(chosen.evidence)
    assert words(chosen.concepts) == words(published)
    assert all(word.tied for concept in chosen.concepts for word in concept.words)


def test_one_query_alone_covers_nothing():
    corpus = two_subjects()
    chosen = choose(corpus, ["cat"], views_of(corpus, None))
    assert not chosen.covers
    assert not cover_the_corpus(chosen.evidence)


def test_copies_of_a_document_do_not_change_whether_queries_cover_the_corpus():
    corpus = two_subjects()
    texts = [[corpus.vocabulary[w] for w in corpus.tokens[12 * j : 12 * j + 12]] for j in range(40)]
    rest = [["rain"] * 4 + ["cloud"] * 4 + ["wind"] * 4] * 400  # one document, many times
    inside = Corpus.from_tokens([*texts, *rest]).distinct
    chosen = choose(inside, list(SUBJECTS), views_of(inside, None))
    assert chosen.covers
    assert chosen.spread(inside).covers


def test_a_lone_query_gets_words_that_cohere_with_it(demo):
    (published,), (chosen,) = build_concepts(demo, "cricket"), choose_concepts(demo, "cricket")
    assert "day" in {word.word for word in published.words}
    assert "day" not in {word.word for word in chosen.words}
    reasons = {lost.word: lost.reason for lost in chosen.rejected}
    assert reasons["day"] == "too general, or in too few documents that name it"
    assert len(chosen.words) > 1


def test_a_given_value_is_honoured(demo):
    assert words(choose_concepts(demo, "cricket", min_precision=0.0)) == words(
        build_concepts(demo.distinct, "cricket")
    )
    for least in (0.5, 0.9):
        chosen = choose(demo.distinct, "cricket", views_of(demo.distinct, None), min_precision=least)
        precision = precision_of_words(TermIndex.of(demo.distinct), chosen.evidence[0])
        found = [word.index for word in chosen.concepts[0].words if word.origin == "expansion"]
        assert found
        assert precision[found].min() >= least


def test_words_far_down_the_ranking_are_not_listed_as_lost(demo):
    (chosen,) = choose_concepts(demo, "asylum seekers")  # few words cohere with it, hundreds do not
    assert len(chosen.words) < 10
    assert 0 < len(chosen.rejected) <= 30


def test_evidence_of_concepts_is_that_of_their_queries(demo):
    views = views_of(demo, None)
    chosen = choose(demo, ["cricket", "asylum seekers"], views)
    again = evidence_of(demo, chosen.concepts, views)
    for one, other in zip(chosen.evidence, again, strict=True):
        np.testing.assert_array_equal(one.probability, other.probability)
        assert one.words == other.words


class TestCoherence:
    """A proposed word must stand in enough different documents, most of them about the query."""

    @staticmethod
    def draft_of(documents):
        corpus = Corpus.from_tokens(documents)
        (draft,) = draft_concepts(corpus, "fire", expansion="kld", rule="and", vectors=None)
        views = views_of(corpus, None)
        (evidence,) = evidence_of(corpus, build_concepts(corpus, "fire"), views)
        return corpus, coherent_words(draft, evidence, views.hashes, MIN_PRECISION)

    def test_copies_of_one_story_count_once(self):
        story = ["fire", "fire", "blaze", "comet"]
        others = [["fire", "fire", "blaze", f"own{j}"] for j in range(10)]
        rest = [["match", "ball", f"game{j % 5}", "goal"] for j in range(40)]
        corpus, coherent = self.draft_of([*[story] * 8, *others, *rest])
        assert coherent[corpus.word_index["blaze"]]
        assert not coherent[corpus.word_index["comet"]]  # in eight documents, which are one
        told = [["fire", "fire", "blaze", "comet", f"teller{j}"] for j in range(8)]
        corpus, coherent = self.draft_of([*told, *others, *rest])
        assert coherent[corpus.word_index["comet"]]

    def test_a_word_of_other_themes_does_not_cohere(self):
        fires = [["fire", "fire", "blaze", "people", f"own{j}"] for j in range(10)]
        rest = [["match", "ball", "people", f"game{j % 5}"] for j in range(40)]
        corpus, coherent = self.draft_of([*fires, *rest])
        assert not coherent[corpus.word_index["people"]]
        assert not coherent[corpus.word_index["match"]]

    def test_precision_equals_a_loop(self):
        rng = np.random.default_rng(0)
        documents = [["fire"] * (j % 3) + [f"w{w}" for w in rng.integers(0, 12, 6)] for j in range(60)]
        corpus = Corpus.from_tokens(documents)
        (evidence,) = evidence_of(corpus, build_concepts(corpus, "fire"), views_of(corpus, None))
        found = precision_of_words(TermIndex.of(corpus), evidence)
        for w, word in enumerate(corpus.vocabulary):
            having = [j for j, document in enumerate(documents) if word in document]
            assert found[w] == pytest.approx(np.mean(evidence.probability[having]))


class TestTies:
    """A general word of a query of several is not tied to its topic."""

    @pytest.fixture
    def corpus(self):
        """Deaf people's language is signed; programs have languages, and cheques signs."""
        rng = np.random.default_rng(0)

        def write(*own):
            return [*own, *rng.choice([f"general{i}" for i in range(20)], 4).tolist()]

        deaf = [write("sign", "language", "sign", "language", "deaf", "hand") for _ in range(20)]
        programs = [write("language", "code", "compiler", "program") for _ in range(120)]
        return Corpus.from_tokens([*deaf, *programs])

    def test_the_general_one_is_free_and_the_telling_one_is_tied(self, corpus):
        (concept,) = choose_concepts(corpus, "sign language")
        tied = {word.word: word.tied for word in concept.words}
        assert tied["sign"]
        assert not tied["language"]
        assert "language" in words([concept])[0]
        assert corpus.word_index["language"] not in concept.tied_indices
        assert corpus.word_index["sign"] in concept.tied_indices

    def test_a_phrase_too(self, corpus):
        (concept,) = choose_concepts(corpus, Query('"sign language"'))
        assert {word.word: word.tied for word in concept.words}.get("language", False) is False

    def test_the_best_stays_tied_however_general(self, corpus):
        (concept,) = choose_concepts(corpus, "language")
        assert [word.tied for word in concept.words if word.word == "language"] == [True]

    def test_by_hand(self, corpus):
        (concept,) = build_concepts(corpus, "sign language", expansion=None)
        precision = np.zeros(corpus.n_words)
        precision[corpus.word_index["sign"]] = 0.1
        tied = tie_words(concept, precision, 0.5)
        assert [word.word for word in tied.words if word.tied] == ["sign"]
        precision[:] = 0.9
        assert all(word.tied for word in tie_words(concept, precision, 0.5).words)

    def test_a_free_word_is_drawn_by_the_sampler(self, corpus):
        from qdtm import QueryDrivenTopicModel

        model = QueryDrivenTopicModel("sign language", embeddings=None, max_sweeps=20, subtopics=False)
        fit = model.fit(corpus).fit_
        free = corpus.tokens == corpus.word_index["language"]
        assert (fit.token_topics[corpus.tokens == corpus.word_index["sign"]] == 0).all()
        assert (fit.token_topics[free] != 0).mean() > 0.5  # that of the programs stays with them


class TestAQueryWithoutWordsOfItsOwn:
    """What the vocabulary leaves out, such as "9/11", can be answerable, and no word go with it alone."""

    @pytest.fixture(scope="class")
    def corpus(self):
        rng = np.random.default_rng(0)
        general = ["house", "street", "morning", "people", "minister", "school", "river", "weather"]
        texts = ["On the " + " and in the ".join(rng.choice(general, 12)) for _ in range(80)]
        return Corpus.from_texts(
            [f"{t}. It was 9/11, and 9/11 again." if j < 8 else t for j, t in enumerate(texts)]
        )

    def test_the_nearest_words_stand_for_it(self, corpus):
        assert check_query(corpus, "9/11").verdict == "fine"
        (concept,) = choose_concepts(corpus, "9/11")
        assert 1 <= len(concept.words) <= N_NEAREST
        assert all(word.origin == "expansion" and word.tied for word in concept.words)
        assert concept.without_own.startswith("The topic has no word of the query itself")

    def test_dropped_words_do_not(self, corpus):
        (concept,) = choose_concepts(corpus, "9/11")
        dropped = tuple(word.word for word in concept.words)
        (other,) = choose_concepts(corpus, Query("9/11", drop=dropped))
        assert not {word.word for word in other.words} & set(dropped)

    def test_a_query_with_words_has_no_such_note(self):
        assert choose_concepts(two_subjects(), "cat")[0].without_own == ""
