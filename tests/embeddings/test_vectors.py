import numpy as np
import pytest

from qdtm.embeddings import WordVectors, embed_vocabulary
from qdtm.errors import EmbeddingError


def vectors_of(words, rows):
    return WordVectors(tuple(words), np.array(rows, dtype=np.float32), "test")


def test_rows_follow_the_vocabulary_and_unknown_words_are_zero():
    loaded = vectors_of(["b", "a"], [[3.0, 4.0], [0.0, -2.0]])

    embedded = embed_vocabulary(loaded, ["a", "x", "b"])

    assert embedded.raw.tolist() == [[0.0, -2.0], [0.0, 0.0], [3.0, 4.0]]
    np.testing.assert_allclose(embedded.unit, [[0.0, -1.0], [0.0, 0.0], [0.6, 0.8]], rtol=1e-6)
    assert embedded.known.tolist() == [True, False, True]
    assert embedded.n_known == 2
    assert embedded.raw.dtype == embedded.unit.dtype == np.float32


def test_a_capitalised_vector_serves_a_lower_case_word_unless_its_own_is_there():
    loaded = vectors_of(["Israel", "ISRAEL", "Apple", "apple"], [[1, 0], [2, 0], [3, 0], [4, 0]])

    embedded = embed_vocabulary(loaded, ["israel", "apple"])

    assert embedded.raw[:, 0].tolist() == [1.0, 4.0]


def test_a_zero_vector_counts_as_unknown():
    assert embed_vocabulary(vectors_of(["a"], [[0.0, 0.0]]), ["a"]).known.tolist() == [False]


def test_of_a_word_that_comes_twice_the_first_counts():
    assert embed_vocabulary(vectors_of(["a", "a"], [[1.0], [2.0]]), ["a"]).raw.tolist() == [[1.0]]


def test_huge_numbers_keep_their_direction():
    embedded = embed_vocabulary(vectors_of(["a"], [[3e30, 4e30]]), ["a"])
    np.testing.assert_allclose(embedded.unit, [[0.6, 0.8]], rtol=1e-6)


def test_words_and_rows_must_match():
    with pytest.raises(EmbeddingError, match="2 words and an array of shape"):
        vectors_of(["a", "b"], [[1.0]])


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_numbers_must_be_finite_and_the_word_is_named(bad):
    with pytest.raises(EmbeddingError, match=r"NaN or infinity for the word 'b' \(row 2\)"):
        vectors_of(["a", "b"], [[1.0], [bad]])


def test_vectors_without_a_dimension_are_refused():
    with pytest.raises(EmbeddingError, match="no dimension"):
        WordVectors(("a",), np.zeros((1, 0), dtype=np.float32), "test")
