"""BM25 and query likelihood against their formulas, written out for one document at a time."""

from math import log

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from qdtm.errors import ParameterError
from qdtm.relevance.retrieval import bm25_scores, query_likelihood_scores

COUNTS = np.array([[3, 0, 1, 0], [1, 1, 0, 0], [0, 0, 2, 0], [0, 0, 0, 0], [1, 0, 0, 6]])


def bm25_of(row, words, k1=1.2, b=0.75):
    score = 0.0
    for w in words:
        n = (COUNTS[:, w] > 0).sum()
        idf = log(1 + (len(COUNTS) - n + 0.5) / (n + 0.5))
        damping = k1 * (1 - b + b * row.sum() / COUNTS.sum(axis=1).mean())
        score += idf * row[w] * (k1 + 1) / (row[w] + damping)
    return score


def likelihood_of(row, words, mu):
    p = COUNTS.sum(axis=0) / COUNTS.sum()
    return sum(log((row[w] + mu * p[w]) / (row.sum() + mu) / p[w]) for w in words)


@pytest.mark.parametrize("words", [[0], [0, 2], [1, 3, 3], []])
def test_scores_are_those_of_the_formulas(words):
    counts = csr_matrix(COUNTS)
    ids = np.array(words, dtype=np.int64)
    assert bm25_scores(counts, ids) == pytest.approx([bm25_of(row, words) for row in COUNTS])
    assert query_likelihood_scores(counts, ids, mu=7.0) == pytest.approx(
        [likelihood_of(row, words, 7.0) for row in COUNTS]
    )


@pytest.mark.parametrize("scores", [bm25_scores, query_likelihood_scores])
def test_weights_are_numbers_of_times(scores):
    counts = csr_matrix(COUNTS)
    assert scores(counts, [0, 2, 2]) == pytest.approx(scores(counts, [1.0, 0.0, 2.0, 0.0]))


@pytest.mark.parametrize("scores", [bm25_scores, query_likelihood_scores])
def test_a_word_that_no_document_has_changes_no_score(scores):
    counts = csr_matrix(np.hstack([COUNTS, np.zeros((len(COUNTS), 1), dtype=int)]))
    assert scores(counts, [0, 4]) == pytest.approx(scores(counts, [0]))


@pytest.mark.parametrize(
    ("words", "message"), [([4], "numbered 0 to 3, got 4"), ([-1], "got -1"), ([0.5, 0.5], "each of 4 words")]
)
def test_words_that_are_not_there_are_refused(words, message):
    with pytest.raises(ParameterError, match=message):
        bm25_scores(csr_matrix(COUNTS), words)
