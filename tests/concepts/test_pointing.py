"""How much a word points to some documents, against a loop over words and documents."""

import numpy as np
import pytest
from scipy import sparse

from qdtm.concepts.pointing import SHRINKAGE, pointing


def naive_pointing(counts, chosen):
    """(s - b) / (1 - b) for each word, with s shrunk towards b by a few documents of doubt."""
    n_documents, n_words = counts.shape
    b = sum(chosen) / n_documents
    weights = []
    for w in range(n_words):
        having = [j for j in range(n_documents) if counts[j, w] > 0]
        s = (sum(chosen[j] for j in having) + SHRINKAGE * b) / (len(having) + SHRINKAGE)
        weights.append(max(0.0, (s - b) / (1 - b)))
    return weights


def random_counts(seed, n_documents=30, n_words=12):
    rng = np.random.default_rng(seed)
    return rng.poisson(0.5, (n_documents, n_words)), rng.random(n_documents) < 0.3


@pytest.mark.parametrize("seed", range(10))
def test_equals_a_loop(seed):
    counts, chosen = random_counts(seed)
    found = pointing(sparse.csr_array(counts), chosen)
    np.testing.assert_allclose(found, naive_pointing(counts, chosen), rtol=1e-12)


def test_worked_by_hand():
    # Of ten documents two are chosen. Word 0 is in those two, word 1 in all, word 2 in the others, 3 nowhere.
    counts = np.zeros((10, 4), np.int32)
    counts[:2, 0] = 3
    counts[:, 1] = 1
    counts[2:, 2] = 1
    weights = pointing(sparse.csr_array(counts), np.arange(10) < 2)
    s = (2 + SHRINKAGE * 0.2) / (2 + SHRINKAGE)
    np.testing.assert_allclose(weights, [(s - 0.2) / 0.8, 0.0, 0.0, 0.0], atol=1e-15)


def test_a_word_met_more_often_says_more():
    counts = np.zeros((100, 3), np.int32)
    counts[0, 0] = counts[:3, 1] = counts[:10, 2] = 1
    once, thrice, often = pointing(sparse.csr_array(counts), np.arange(100) < 10)
    assert 0 < once < thrice < often < 1


def test_how_often_a_document_has_it_does_not_matter():
    counts, chosen = random_counts(3)
    np.testing.assert_array_equal(
        pointing(sparse.csr_array(counts), chosen), pointing(sparse.csr_array(counts * 7), chosen)
    )


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_all_documents_or_none_tell_nothing_apart(share):
    counts, chosen = random_counts(1)
    np.testing.assert_array_equal(pointing(sparse.csr_array(counts), np.full_like(chosen, share)), 0.0)


def test_no_documents():
    empty = sparse.csr_array((0, 4), dtype=np.int32)
    np.testing.assert_array_equal(pointing(empty, np.zeros(0, np.bool_)), np.zeros(4))
