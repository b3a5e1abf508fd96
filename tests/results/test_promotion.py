"""Which words pull on which concept words, and that nonsense is refused."""

from dataclasses import replace

import numpy as np
import pytest

from qdtm.embeddings.similarity import promotion_graph
from qdtm.embeddings.vectors import VocabularyVectors
from qdtm.results.promotion import RelatedWords, promoting_words

UNIT = np.array([[1, 0], [0.8, 0.6], [0.6, 0.8], [0, 1]], np.float32)


def test_pairs_of_a_graph_with_their_cosines():
    vectors = VocabularyVectors(UNIT, UNIT, np.ones(4, bool), "own")
    graph = promotion_graph(vectors, [[0, 2]], 0.7, n_words=4)
    (pairs,) = promoting_words(graph, UNIT)
    keys = zip(pairs.words.tolist(), pairs.concept_words.tolist(), strict=True)
    found = dict(zip(keys, pairs.cosine.round(3).tolist(), strict=True))
    assert found == pytest.approx({(1, 0): 0.8, (1, 2): 0.96, (3, 2): 0.8})
    assert pairs.nearest() == {1: (2, pytest.approx(0.96)), 3: (2, pytest.approx(0.8))}


def test_without_vectors_nothing_is_related():
    graph = promotion_graph(None, [[0], [1]], 0.7, n_words=4)
    assert [len(pairs) for pairs in promoting_words(graph, None)] == [0, 0]


def test_a_fit_refuses_pairs_that_make_no_sense(fit):
    first = fit.related[0]
    for wrong in (
        replace(first, words=np.full_like(first.words, len(fit.vocabulary))),
        replace(first, concept_words=np.full_like(first.concept_words, fit.concepts[1].word_indices[0])),
    ):
        with pytest.raises(ValueError):
            replace(fit, related=(wrong, fit.related[1]))
    with pytest.raises(ValueError, match="queries"):
        replace(fit, related=(first,))
    with pytest.raises(ValueError, match="length"):
        RelatedWords(first.words, first.concept_words[:1], first.cosine)
