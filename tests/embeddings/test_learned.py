import numpy as np
import pytest

from qdtm.embeddings import embed_vocabulary
from qdtm.embeddings.loading import cooccurrence, factorise, learn_vectors, positive_pmi
from qdtm.errors import EmbeddingError


def naive_cooccurrence(documents, n_words, window):
    counts = np.zeros((n_words, n_words))
    for words in documents:
        for i, left in enumerate(words):
            for right in words[i + 1 : i + 1 + window]:
                if left != right:
                    counts[left, right] += 1
                    counts[right, left] += 1
    return counts


def flat(documents):
    tokens = np.array([word for words in documents for word in words], dtype=np.int32)
    return tokens, np.cumsum([0, *map(len, documents)]).astype(np.int64)


@pytest.mark.parametrize("window", [1, 3, 50])
def test_cooccurrence_equals_counting_pairs(window):
    rng = np.random.default_rng(1)
    documents = [rng.integers(0, 8, size=length).tolist() for length in [5, 0, 1, 9, 20]]

    counts = cooccurrence(*flat(documents), 8, window)

    np.testing.assert_array_equal(counts.toarray(), naive_cooccurrence(documents, 8, window))


def test_positive_pmi_by_hand():
    # Word 0 meets 1 three times and 2 once: sums 4, 3, 1.
    from scipy import sparse

    counts = sparse.csr_array(np.array([[0.0, 3, 1], [3, 0, 0], [1, 0, 0]]))
    p_context = np.array([4, 3, 1]) ** 0.75
    p_context /= p_context.sum()

    pmi = positive_pmi(counts).toarray()

    assert pmi[0, 1] == pytest.approx(np.log(3 / 4 / p_context[1]))
    assert pmi[1, 0] == pytest.approx(np.log(1 / p_context[0]))
    assert pmi[0, 2] == pytest.approx(np.log(1 / 4 / p_context[2]))
    assert pmi[1, 2] == 0
    assert (pmi >= 0).all()


def planted(rng, n_documents=300):
    """Two groups of ten words; a document holds words of one group."""
    return [(rng.integers(0, 10, size=12) + 10 * rng.integers(0, 2)).tolist() for _ in range(n_documents)]


def test_words_of_one_group_point_the_same_way_whatever_the_language():
    vocabulary = tuple(f"слово{i}" for i in range(20))
    learned = learn_vectors(*flat(planted(np.random.default_rng(2))), vocabulary, dimension=5)

    unit = embed_vocabulary(learned, vocabulary).unit
    cosine = unit @ unit.T
    same = np.kron(np.eye(2), np.ones((10, 10))).astype(bool) & ~np.eye(20, dtype=bool)
    different = np.kron(1 - np.eye(2), np.ones((10, 10))).astype(bool)

    assert cosine[same].min() > cosine[different].max() + 0.3


def test_the_same_seed_gives_the_same_bytes():
    documents = flat(planted(np.random.default_rng(3)))
    vocabulary = tuple(map(str, range(20)))
    first, second = (learn_vectors(*documents, vocabulary, random_state=7).vectors for _ in range(2))
    assert first.tobytes() == second.tobytes()


def test_a_word_without_neighbours_is_unknown():
    learned = learn_vectors(*flat([[0, 1], [1, 0], [2]]), ("a", "b", "alone"))
    assert embed_vocabulary(learned, learned.words).known.tolist() == [True, True, False]


def test_factors_give_the_matrix_back():
    from scipy import sparse

    rng = np.random.default_rng(4)
    root = rng.normal(size=(6, 3))
    matrix = root @ root.T  # symmetric, positive, rank 3: U sqrt(S) times itself is the matrix
    vectors = factorise(sparse.csr_array(matrix), 6, random_state=0)
    assert vectors.shape == (6, 3)
    np.testing.assert_allclose(vectors @ vectors.T, matrix, rtol=1e-4, atol=1e-4)


def test_documents_of_one_word_teach_nothing():
    with pytest.raises(EmbeddingError, match="no vectors can be learned"):
        learn_vectors(*flat([[0], [1, 1]]), ("a", "b"))
