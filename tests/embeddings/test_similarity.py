import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qdtm.embeddings import WordVectors, embed_vocabulary, promotion_graph, similarity, similarity_threshold
from qdtm.errors import ParameterError


def random_vectors(n, d=6, seed=0, unknown=()):
    vectors = np.random.default_rng(seed).normal(size=(n, d)).astype(np.float32)
    vectors[list(unknown)] = 0.0
    words = tuple(f"w{i}" for i in range(n))
    return embed_vocabulary(WordVectors(words, vectors, "test"), words)


def mean_neighbours(vectors, threshold):
    unit = vectors.unit[vectors.known]
    cosine = unit @ unit.T
    np.fill_diagonal(cosine, -1)
    return (cosine > threshold).sum() / len(unit)


@pytest.mark.parametrize("n_neighbours", [1, 5, 7.5])
def test_the_threshold_gives_the_asked_number_of_neighbours(n_neighbours):
    vectors = random_vectors(200, unknown=range(40))
    threshold = similarity_threshold(vectors, n_neighbours)
    assert mean_neighbours(vectors, threshold) == pytest.approx(n_neighbours, abs=0.02)


def test_blocks_do_not_change_the_threshold(monkeypatch):
    vectors = random_vectors(150)
    whole = similarity_threshold(vectors)
    monkeypatch.setattr(similarity, "BLOCK_CELLS", 1000)
    assert similarity_threshold(vectors) == whole


def test_a_sample_of_words_comes_close(monkeypatch):
    vectors = random_vectors(1000)
    monkeypatch.setattr(similarity, "SAMPLE_SIZE", 200)
    assert mean_neighbours(vectors, similarity_threshold(vectors)) == pytest.approx(5, abs=0.7)


@pytest.mark.parametrize(("n", "unknown", "expected"), [(1, (), 1.0), (5, range(4), 1.0), (3, (), 0.0)])
def test_a_tiny_vocabulary(n, unknown, expected):
    assert similarity_threshold(random_vectors(n, unknown=unknown)) == expected


@pytest.mark.parametrize("bad", [0, -1, float("nan"), float("inf")])
def test_the_number_of_neighbours_must_be_positive(bad):
    with pytest.raises(ParameterError, match="n_neighbours"):
        similarity_threshold(random_vectors(5), bad)


@given(st.integers(0, 10_000), st.floats(-0.9, 0.9), st.integers(1, 30))
def test_the_graph_equals_comparing_every_pair(seed, threshold, block):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, 15))
    vectors = random_vectors(n, d=3, seed=seed, unknown=[0])
    queries = [rng.choice(n, size=size, replace=False) for size in (1, 3)]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(similarity, "BLOCK_CELLS", block)
        graph = promotion_graph(vectors, queries, threshold, n_words=n)

    for q, concept in enumerate(queries):
        expected = np.zeros((n, len(concept)), dtype=bool)
        for w in range(n):
            for c, other in enumerate(concept):
                known = vectors.known[w] and vectors.known[other]
                cosine = np.float32(vectors.unit[w] @ vectors.unit[other])
                if abs(cosine - threshold) < 1e-6:  # rounding may fall either way
                    return
                expected[w, c] = known and w != other and cosine > threshold
        np.testing.assert_array_equal(graph.related[q].toarray(), expected)
        np.testing.assert_array_equal(graph.n_related[:, q], expected.sum(axis=1))
    assert graph.n_related.dtype == np.int32
    assert graph.n_pairs == graph.n_related.sum()


def test_a_concept_word_promotes_its_sisters_and_not_itself():
    vectors = {"gun": [1, 0], "rifle": [1, 0.1], "pistol": [1, 0.2], "flower": [0, 1]}
    words = tuple(vectors)
    embedded = embed_vocabulary(WordVectors(words, np.array(list(vectors.values()), np.float32), "t"), words)

    graph = promotion_graph(embedded, [[0, 1]], 0.9, n_words=4)

    assert graph.n_related[:, 0].tolist() == [1, 1, 2, 0]
    assert graph.related[0].toarray().tolist() == [[False, True], [True, False], [True, True], [False, False]]


def test_without_vectors_nothing_is_related():
    graph = promotion_graph(None, [[0], [1, 2]], 0.5, n_words=4)
    assert graph.n_related.shape == (4, 2)
    assert graph.n_pairs == 0
    assert [pairs.shape for pairs in graph.related] == [(4, 1), (4, 2)]


@pytest.mark.parametrize("bad", [1.5, -2, float("nan")])
def test_the_threshold_must_be_a_cosine(bad):
    with pytest.raises(ParameterError, match="similarity_threshold"):
        promotion_graph(None, [[0]], bad, n_words=2)
