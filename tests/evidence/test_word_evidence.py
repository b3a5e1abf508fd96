"""What was learned of a query in one weight a word, for documents that nobody has seen."""

import numpy as np
import pytest

from qdtm.evidence.breadth import named_probability
from qdtm.evidence.word_evidence import _line, distil

from .worlds import plant_names


@pytest.fixture(scope="module")
def world():
    corpus, themes = plant_names(0, {"cat": 120, "ship": 240}, {"cat": 0.4})
    named = corpus.document_term_matrix[:, [corpus.word_index["named"]]].toarray().ravel() > 0
    rng = np.random.default_rng(1)
    relevance = np.where(themes == "cat", rng.uniform(0.6, 0.9, 360), rng.uniform(0.001, 0.05, 360))
    return corpus, themes, relevance[:, None], 0.8 * named[:, None]


def new_documents(corpus, *texts):
    import scipy.sparse as sp

    counts = np.zeros((len(texts), corpus.n_words), np.int32)
    for j, text in enumerate(texts):
        for word in text.split():
            counts[j, corpus.word_index[word]] += 1
    return sp.csr_array(counts)


def score(world, counts, strength=None, possible=None):
    corpus, _, relevance, strengths = world
    found = distil(corpus.document_term_matrix, relevance, strengths)
    n = counts.shape[0]
    return found.score(
        counts,
        0,
        np.zeros(n) if strength is None else np.array(strength),
        [corpus.word_index["named"]],
        np.ones(n, bool) if possible is None else np.array(possible),
        named_probability,
    )


def test_it_separates_what_was_planted(world):
    corpus, themes, relevance, _ = world
    p = score(world, corpus.document_term_matrix)
    assert p[themes == "cat"].min() > p[themes == "ship"].max()
    assert abs(p[themes == "cat"].mean() - relevance[themes == "cat"].mean()) < 0.2
    assert p[themes == "ship"].mean() < 0.1


def test_more_of_its_words_never_make_a_document_less_relevant(world):
    corpus = world[0]
    texts = [" ".join(["cat00"] * n + ["ship00"] * (6 - n)) for n in range(7)]
    p = score(world, new_documents(corpus, *texts))
    assert (np.diff(p) >= 0).all()
    assert p[-1] > p[0] + 0.3


def test_a_name_is_judged_as_in_the_corpus(world):
    corpus = world[0]
    counts = new_documents(corpus, "ship00 ship01 named", "ship00 ship01 named")
    named, unnamed = score(world, counts, strength=[0.9, 0.0])
    bare = score(world, new_documents(corpus, "ship00 ship01 ship01"))
    assert named > unnamed
    assert named >= named_probability(np.array([0.01]), np.array([0.9]))[0]
    assert bare[0] < 0.2


def test_the_names_of_the_corpus_have_their_relevance_on_average(world):
    corpus, _, relevance, strengths = world
    found, counts = distil(corpus.document_term_matrix, relevance, strengths), corpus.document_term_matrix
    named = np.flatnonzero(strengths[:, 0] > 0)
    words, given = [corpus.word_index["named"]], strengths[named, 0].astype(np.float64)
    for mean in (0.7, 0.75, 0.8):
        shift = found.shift_of_names(counts[named], 0, given, words, mean, named_probability)
        scores = found.score(
            counts[named], 0, given, words, np.ones(len(named), bool), named_probability, shift
        )
        assert scores.mean() == pytest.approx(mean, abs=0.02)


def test_its_own_words_do_not_count_where_a_document_names_it(world):
    corpus = world[0]
    p = score(world, new_documents(corpus, "ship00 named", "ship00 named"), strength=[0.5, 0.5])
    more = score(world, new_documents(corpus, "ship00 named"), strength=[0.5])
    assert p[0] == p[1] == more[0]


def test_what_cannot_be_about_it_has_0_and_an_empty_document_is_no_trouble(world):
    counts = new_documents(world[0], "cat00", "")
    p = score(world, counts, possible=[False, True])
    assert p[0] == 0.0
    assert 0 < p[1] < 1


def test_arrays_are_small(world):
    corpus, _, relevance, strength = world
    found = distil(
        corpus.document_term_matrix, np.repeat(relevance, 2, axis=1), np.repeat(strength, 2, axis=1)
    )
    assert (found.weights.shape, found.weights.dtype) == ((corpus.n_words, 2), np.float32)
    assert (found.intercepts.shape, found.intercepts.dtype) == ((2,), np.float32)
    np.testing.assert_array_equal(found.weights[:, 0], found.weights[:, 1])


class TestLine:
    """Log odds as a line that does not fall."""

    def test_a_line_is_found_again(self):
        x = np.linspace(-2, 2, 50)
        slope, height = _line(x, 1 / (1 + np.exp(-(1.5 * x - 1.0))))
        assert (slope, height) == (pytest.approx(1.5), pytest.approx(-1.0))

    def test_it_never_falls(self):
        x = np.linspace(-2, 2, 50)
        slope, _ = _line(x, 1 / (1 + np.exp(3 * x)))
        assert slope == 0.0

    def test_too_little_to_draw_a_line_through(self):
        assert _line(np.zeros(0), np.zeros(0))[0] == 0.0
        slope, height = _line(np.full(3, 0.7), np.array([0.2, 0.2, 0.2]))
        assert (slope, height) == (0.0, pytest.approx(np.log(0.25)))
        assert np.isfinite(_line(np.zeros(0), np.zeros(0))[1])
