"""Concept words: as published when queries cover the corpus, pointing ones when they do not."""

import numpy as np

from qdtm.concepts import build_concepts, choose_concepts
from qdtm.concepts.choosing import measure_reaches
from qdtm.concepts.reach import cover_the_corpus
from qdtm.corpus import Corpus, load_demo_corpus

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


def test_queries_that_cover_the_corpus_get_the_published_words():
    corpus = two_subjects()
    published = build_concepts(corpus, list(SUBJECTS))

    assert cover_the_corpus(measure_reaches(corpus, published))
    assert words(choose_concepts(corpus, list(SUBJECTS))) == words(published)


def test_a_lone_query_gets_words_that_point_to_it():
    corpus = load_demo_corpus()
    (published,), (chosen,) = build_concepts(corpus, "cricket"), choose_concepts(corpus, "cricket")

    assert "day" in {word.word for word in published.words}
    assert "day" not in {word.word for word in chosen.words}
    assert ("day", "too general") in {(lost.word, lost.reason) for lost in chosen.rejected}
    assert words([chosen]) == words(build_concepts(corpus, "cricket", min_pointing=0.65))


def test_a_given_value_is_honoured():
    corpus = load_demo_corpus()
    assert words(choose_concepts(corpus, "cricket", min_pointing=0.0)) == words(
        build_concepts(corpus, "cricket")
    )


def test_words_far_down_the_ranking_are_not_listed_as_lost():
    (chosen,) = choose_concepts(
        load_demo_corpus(), "asylum seekers"
    )  # few words point to it, hundreds do not
    assert len(chosen.words) < 10
    assert 0 < len(chosen.rejected) <= 30


def test_a_word_of_few_documents_is_left_out_as_rare_and_not_as_general():
    (chosen,) = choose_concepts(load_demo_corpus(), "asylum seekers")
    reasons = {lost.word: lost.reason for lost in chosen.rejected}
    assert reasons["nauru"] == "too rare to be sure"  # three documents, all of them about it
    assert reasons["government"] == "too general"
