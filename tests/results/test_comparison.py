"""What becomes of a topic that is asked for otherwise."""

import numpy as np
import pytest

from planted import plant_parts
from qdtm import QueryDrivenTopicModel
from qdtm.results.comparison import compare_topics, parts_of, subtopic_fates
from qdtm.results.result import Result
from qdtm.results.topic_distances import FOUND, Parts

from .synthetic import make_corpus, make_fit

WORDS = 24


def blocks(*sizes):
    """Counts of subtopics that own so many words each, in order."""
    counts = np.zeros((sum(sizes), len(sizes)), np.float32)
    at = 0
    for s, size in enumerate(sizes):
        counts[at : at + size, s] = 20
        at += size
    return counts


def fates_between(left, right):
    """The fates of subtopics with these counts, over the words of one corpus."""
    corpus = make_corpus([" ".join(f"fire word{w:02d}x" for w in range(WORDS))] * 4)
    fits = []
    for counts in (left, right):
        wide = np.zeros((corpus.n_words, counts.shape[1]), np.float32)
        rows = [corpus.word_index[f"word{w:02d}x"] for w in range(WORDS)]
        wide[rows] = counts
        changes = {"subtopic_counts": (wide,), "token_subtopics": np.full(corpus.n_tokens, -1, np.int32)}
        fits.append(make_fit(corpus, ["fire"], n_subtopics=(0,), **changes))
    return subtopic_fates(Result(fits[0], corpus), 0, Result(fits[1], corpus), 0)


def test_subtopics_stay_in_another_order():
    fates, new = fates_between(blocks(8, 8, 8), blocks(8, 8, 8)[:, [2, 0, 1]])
    assert [(each.fate, each.to) for each in fates] == [
        ("stays", ("0.2",)),
        ("stays", ("0.3",)),
        ("stays", ("0.1",)),
    ]
    assert all(each.likeness == pytest.approx(1.0) for each in fates)
    assert new == ()


def test_a_subtopic_splits():
    fates, new = fates_between(blocks(16, 8), blocks(8, 8, 8))
    assert [(each.fate, each.to) for each in fates] == [("splits", ("0.1", "0.2")), ("stays", ("0.3",))]
    assert fates[0].likeness == pytest.approx(1.0)
    assert new == ()


def test_subtopics_merge():
    fates, new = fates_between(blocks(8, 8, 8), blocks(16, 8))
    assert [(each.fate, each.to, each.beside) for each in fates] == [
        ("merges", ("0.1",), ("0.2",)),
        ("merges", ("0.1",), ("0.1",)),
        ("stays", ("0.2",), ()),
    ]
    assert new == ()


def test_a_subtopic_vanishes_and_another_is_new():
    left, right = blocks(8, 8, 8), blocks(8, 8, 8)
    left[:, 2] = [*[0] * 16, *[20] * 4, *[0] * 4]
    right[:, 2] = [*[0] * 20, *[20] * 4]
    fates, new = fates_between(left, right)
    assert [each.fate for each in fates] == ["stays", "stays", "vanishes"]
    assert fates[2].to == ()
    assert fates[2].likeness < FOUND
    assert new == ("0.3",)


def test_a_crumb_is_no_part():
    whole, cut = blocks(16, 8), np.hstack([blocks(16, 8), np.zeros((24, 1))])
    cut[0, 2] = 1
    assert parts_of(0, Parts(whole), Parts(cut)) == ()


def test_a_part_that_does_not_make_it_more_alike_is_no_part():
    """Half of the words of another subtopic, in one of its own, are nothing that the first split into."""
    whole, cut = blocks(16, 8), np.hstack([blocks(16, 8), np.zeros((24, 1))])
    cut[12:20, 2] = 20
    cut[12:20, :2] = 0
    cut[16:20, 1] = 20
    assert parts_of(0, Parts(whole), Parts(cut)) == ()


@pytest.fixture(scope="module")
def model():
    return QueryDrivenTopicModel("planet", embeddings=None, max_sweeps=60).fit(plant_parts(0, 3))


def test_a_topic_is_wholly_like_itself(model):
    result = model.result_
    same = compare_topics(result, 0, result, 0)
    assert same.overlap == pytest.approx(1.0)
    assert (same.left_words, same.right_words, same.new) == ((), (), ())
    assert [each.fate for each in same.fates] == ["stays"] * len(result.topics[0].subtopics)
    assert same.documents.n_left == same.documents.n_both > 0
    assert same.documents.gained == same.documents.lost == ()


def test_documents_gained_and_lost_are_counted_and_shown():
    corpus = make_corpus()
    result = Result(make_fit(corpus), corpus)
    other = compare_topics(result, 0, result, 1)
    left, right = ({int(row) for row in np.flatnonzero(result.relevance(q).about)} for q in (0, 1))
    changes = other.documents
    assert (changes.n_left, changes.n_right, changes.n_both) == (len(left), len(right), len(left & right))
    assert changes.n_gained == len(right - left)
    assert {each.id for each in changes.gained} <= {f"doc-{row}" for row in right - left}
    assert [each.relevance for each in changes.lost] == sorted(
        (e.relevance for e in changes.lost), reverse=True
    )
    assert other.overlap < 0.9
    assert other.left_words


def test_documents_of_other_corpora_are_not_compared():
    first, second = make_corpus(), make_corpus([*["cricket match wind fire"] * 5, "fire crews and wind"] * 2)
    other = compare_topics(Result(make_fit(first), first), 0, Result(make_fit(second), second), 0)
    assert other.documents is None
    assert 0 <= other.overlap <= 1
