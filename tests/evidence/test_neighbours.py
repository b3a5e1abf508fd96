"""Neighbours against a loop; a document is never its own."""

import numpy as np
import pytest

from qdtm.evidence import corpus_views
from qdtm.evidence.corpus_views import NeighbourView
from qdtm.evidence.meaning_view import unit_rows
from qdtm.progress import Cancelled, cancel_when


def world(seed, n=50):
    rng = np.random.default_rng(seed)
    vectors = unit_rows(rng.normal(size=(n, 5))).astype(np.float32)
    return vectors, rng.permutation(n).astype(np.uint64), rng.random(n)


def naive(vectors, labels, compared, k):
    scores = []
    for j in range(len(vectors)):
        others = [i for i in compared if i != j]
        others.sort(key=lambda i: -float(vectors[j] @ vectors[i]))
        weights = np.maximum([vectors[j] @ vectors[i] for i in others[:k]], 0.0)
        scores.append(weights @ labels[others[:k]] / weights.sum())
    return scores


@pytest.mark.parametrize("seed", range(3))
def test_equals_a_loop(seed, monkeypatch):
    monkeypatch.setattr(corpus_views, "N_NEIGHBOURS", 7)
    monkeypatch.setattr(corpus_views, "_ROWS_AT_ONCE", 9)
    vectors, hashes, labels = world(seed)
    expected = naive(vectors, labels, range(50), 7)
    np.testing.assert_allclose(NeighbourView(vectors, hashes)(labels), expected, rtol=1e-5)


def test_a_large_corpus_is_compared_with_some(monkeypatch):
    monkeypatch.setattr(corpus_views, "MOST_COMPARED", 20)
    monkeypatch.setattr(corpus_views, "N_NEIGHBOURS", 5)
    vectors, hashes, labels = world(0)
    expected = naive(vectors, labels, np.argsort(hashes)[:20], 5)
    np.testing.assert_allclose(NeighbourView(vectors, hashes)(labels), expected, rtol=1e-5)


def test_its_own_label_is_not_heard():
    vectors, hashes, labels = world(1)
    view, other = NeighbourView(vectors, hashes), labels.copy()
    other[3] = 5.0
    assert view(labels)[3] == view(other)[3]
    assert not np.array_equal(view(labels), view(other))


def test_one_document_has_no_neighbours():
    vectors, hashes, labels = world(2, 1)
    assert NeighbourView(vectors, hashes)(labels).tolist() == [0.0]


def test_it_can_be_stopped():
    with cancel_when(lambda: True), pytest.raises(Cancelled):
        NeighbourView(*world(0)[:2])
