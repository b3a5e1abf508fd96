"""Readings: groups of documents that name a query and do not know each other, and none where they do."""

from functools import cache

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from qdtm import QueryDrivenTopicModel
from qdtm.corpus import Corpus
from qdtm.errors import QueryError
from qdtm.evidence import readings
from qdtm.evidence.corpus_views import views_of
from qdtm.evidence.readings import find_readings
from qdtm.queries import Query, build_concepts, choose_concepts, concept_from_json, concept_to_json
from qdtm.queries.search import search
from qdtm.queries.selection import choose, evidence_of

SUBJECTS = ["cat", "ship", "bread", "chess", "opera", "mine", "glacier", "loom"]
SUBJECTS += ["piano", "bridge", "vine", "comet", "judge", "tram", "saddle", "pottery"]
NAME = "blick"


def subject_words(subject):
    return [f"{subject}{letter}" for letter in "abcdefghijklmnopqrstuvwxyz"]


def texts(named, n_each=30, n_named=12, seed=1):
    """Documents about each subject; in the first of some subjects stands a word that means nothing itself."""
    rng = np.random.default_rng(seed)
    documents = []
    for j in range(n_each):
        for subject in SUBJECTS:
            words = [*rng.choice(subject_words(subject), 20), *rng.choice(["say", "day", "way"], 4)]
            documents.append([*words, NAME, NAME] if subject in named and j < n_named else words)
    return documents


@cache
def planted(*named):
    return Corpus.from_tokens(texts(named))


def found(corpus, query=NAME):
    looked = search(corpus, Query(query), "and")
    views = views_of(corpus, None)
    return find_readings(views, corpus.document_term_matrix, looked.naming.strength, looked.words)


def subjects_of(corpus, reading):
    return {SUBJECTS[j % len(SUBJECTS)] for j in np.flatnonzero(reading.members)}


@pytest.mark.parametrize("named", [("cat", "ship"), ("cat", "ship", "opera")])
def test_a_word_with_several_meanings_has_as_many_readings(named):
    corpus = planted(*named)
    each = found(corpus)
    assert [reading.number for reading in each] == list(range(1, len(named) + 1))
    assert [subjects_of(corpus, reading) for reading in each] == [
        {corpus.vocabulary[reading.words[0]][:-1]} for reading in each
    ]
    assert set.union(*(subjects_of(corpus, reading) for reading in each)) == set(named)
    for reading in each:
        assert reading.n_documents == 12
        assert len(reading.documents) == 3
        assert reading.members[list(reading.documents)].all()
        assert NAME not in {corpus.vocabulary[w] for w in reading.words}


def test_a_word_of_one_subject_has_none():
    assert found(planted("cat")) == ()


def test_a_word_that_stands_anywhere_has_none():
    corpus = Corpus.from_tokens(texts(SUBJECTS, n_named=4))
    assert found(corpus) == ()


def test_aspects_that_share_their_words_are_one_group():
    rng = np.random.default_rng(0)
    documents = texts(())
    shared = subject_words("law")
    for subject in ("gun", "court"):
        for _ in range(15):
            documents.append([*rng.choice(shared, 12), *rng.choice(subject_words(subject), 12), NAME])
    assert found(Corpus.from_tokens(documents)) == ()


def test_copies_count_once():
    """Fifteen copies of one document are no second meaning; all copies are in the reading of the first."""
    lone = ["glaciera", "glacierb", "glacierc", NAME]
    assert found(Corpus.from_tokens([*texts(("cat",)), *[lone] * 15])) == ()

    documents = texts(("cat", "ship"))
    first = next(words for words in documents if NAME in words)
    corpus = Corpus.from_tokens([*documents, first, first])
    assert sorted(reading.n_documents for reading in found(corpus)) == [12, 14]


def test_the_same_at_any_number_of_threads():
    corpus = planted("cat", "ship", "opera")
    with threadpool_limits(1):
        one = found(corpus)
    with threadpool_limits(2):
        two = found(corpus)
    for a, b in zip(one, two, strict=True):
        assert (a.words, a.documents) == (b.words, b.documents)
        np.testing.assert_array_equal(a.members, b.members)


def test_what_is_not_clustered_is_claimed(monkeypatch):
    monkeypatch.setattr(readings, "MOST_NAMERS", 16)
    monkeypatch.setattr(readings, "MOST_OTHERS", 100)
    corpus = planted("cat", "ship")
    assert {frozenset(subjects_of(corpus, reading)) for reading in found(corpus)} == {
        frozenset({"cat"}),
        frozenset({"ship"}),
    }


@pytest.mark.parametrize("n", [1, 2, 9, 10, 11])
def test_tiny_corpora(n):
    assert found(Corpus.from_tokens([[NAME, f"w{j % 3}"] for j in range(n)])) == ()
    some = [[NAME, f"w{j % 3}"] if j % 2 else ["other", "words"] for j in range(2 * n)]
    assert found(Corpus.from_tokens(some)) == ()
    assert found(Corpus.from_tokens([[NAME] * (j + 1) for j in range(n)] + [["x"]])) == ()


# --- choosing one ------------------------------------------------------------------------------------------


def test_concepts_say_the_readings_and_a_chosen_one_restricts_the_names():
    corpus = planted("cat", "ship")
    (whole,) = choose_concepts(corpus, NAME)
    assert [reading.n_documents for reading in whole.readings] == [12, 12]
    assert whole.split.startswith("The documents that name it fall into 2 groups: 1 ")

    views = views_of(corpus, None)
    for number, reading in enumerate(whole.readings, start=1):
        chosen = choose(corpus, Query(NAME, reading=number), views)
        (concept,), (evidence,) = chosen.concepts, chosen.evidence
        assert concept.readings == whole.readings
        assert concept.split == ""
        assert concept.check.n_named == 12
        assert 0 < len(concept.tied_indices) < len(concept.words) or len(concept.words) == 1
        subject = reading.words[0][:-1]
        assert {word.word[:-1] for word in concept.words if word.origin == "expansion"} <= {subject}
        assert {SUBJECTS[j % len(SUBJECTS)] for j in np.flatnonzero(evidence.strength)} == {subject}
        np.testing.assert_array_equal(
            evidence_of(corpus, chosen.concepts, views)[0].probability, evidence.probability
        )


def test_zero_is_all():
    corpus = planted("cat", "ship")
    assert choose_concepts(corpus, Query(NAME, reading=0)) == choose_concepts(corpus, NAME)


def test_a_reading_that_is_not_there_is_refused_in_a_line():
    with pytest.raises(QueryError, match=r"has no reading 3; choose from 1 .* \(12\), 2 .* \(12\)\."):
        choose_concepts(planted("cat", "ship"), Query(NAME, reading=3))
    with pytest.raises(QueryError, match="one group"):
        choose_concepts(planted("cat"), Query(NAME, reading=1))
    with pytest.raises(QueryError, match="choose_concepts"):
        build_concepts(planted("cat"), Query(NAME, reading=1))
    for wrong in (-1, 1.5, "2", True):
        with pytest.raises(QueryError, match="reading"):
            Query(NAME, reading=wrong)


def test_readings_are_saved_and_older_files_have_none():
    (concept,) = choose_concepts(planted("cat", "ship"), Query(NAME, reading=2))
    values = concept_to_json(concept)
    assert concept_from_json(values) == concept
    del values["readings"], values["query"]["reading"]
    assert concept_from_json(values).readings == ()


def test_new_documents_are_judged_by_the_reading_that_was_chosen():
    corpus, new = planted("cat", "ship"), Corpus.from_tokens(texts(("cat", "ship"), n_each=12, seed=2))
    for number in (1, 2):
        model = QueryDrivenTopicModel(Query(NAME, reading=number), min_sweeps=5, max_sweeps=10).fit(corpus)
        subjects = np.array(SUBJECTS * 12)
        (chosen,) = subjects_of(corpus, found(corpus)[number - 1])
        (other,) = {"cat", "ship"} - {chosen}
        relevance = model.relevance_of(Corpus.of(new, like=corpus))
        assert relevance.names[subjects == chosen].all()
        assert not relevance.names[subjects != chosen].any()
        assert relevance.scores[subjects == chosen].min() > 10 * relevance.scores[subjects == other].max()
        again, fitted = model.relevance_of(corpus), model.relevance()
        assert np.array_equal(again.scores, fitted.scores)
        assert np.array_equal(again.names, fitted.names)
