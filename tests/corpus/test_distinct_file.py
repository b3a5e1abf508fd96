"""An index keeps the distinct documents and their counts; they come back, or are refused."""

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from qdtm.corpus import Corpus
from qdtm.corpus import corpus as corpus_module
from qdtm.corpus.storage import load_distinct, save_distinct, write_corpus
from qdtm.errors import StorageError

TEXTS = ["fire fire wind", "", "wind town", "town fire town town"]


@pytest.fixture
def corpus():
    return Corpus.from_texts(TEXTS)


def test_a_loaded_corpus_counts_nothing_again(corpus, tmp_path, monkeypatch):
    corpus.save(tmp_path / "index")
    monkeypatch.setattr(corpus_module, "count_matrix", lambda *_: pytest.fail("counted again"))
    again = Corpus.load(tmp_path / "index")
    for name in ("document_term_matrix", "counts_by_word"):
        loaded, made = getattr(again, name), getattr(corpus, name)
        assert loaded.format == made.format
        for part in ("data", "indices", "indptr"):
            np.testing.assert_array_equal(getattr(loaded, part), getattr(made, part))
            assert getattr(loaded, part).dtype == getattr(made, part).dtype
    np.testing.assert_array_equal(again.document_frequency, corpus.document_frequency)


def test_counts_by_word_are_the_same_counts(corpus):
    assert corpus.counts_by_word.format == "csc"
    np.testing.assert_array_equal(corpus.counts_by_word.toarray(), corpus.document_term_matrix.toarray())
    assert corpus.document_frequency.tolist() == [2, 2, 2]


def test_a_corpus_inside_a_result_has_no_counts_file_and_loads(corpus, tmp_path):
    write_corpus(corpus, tmp_path)
    assert not (tmp_path / "distinct.safetensors").exists()
    assert Corpus.load(tmp_path).document_term_matrix.sum() == corpus.n_tokens


def test_a_count_that_is_too_large_is_made_again(tmp_path):
    corpus = Corpus.from_counts([[70_000, 1]], ["a", "b"])
    corpus.save(tmp_path / "index")
    assert Corpus.load(tmp_path / "index").document_term_matrix.toarray().tolist() == [[70_000, 1]]


@pytest.mark.parametrize(
    ("name", "at", "value"),
    [
        ("documents.places", 0, 3),
        ("documents.places", 0, -1),
        ("words.places", 0, 4),
        ("documents.offsets", 0, 1),
        ("documents.offsets", 1, 100),
        ("words.offsets", -1, 100),
        ("documents.counts", 0, 9),
        ("rows", 0, 4),
        ("rows", 0, -1),
        ("place", 0, 4),
        ("place", 0, -1),
        ("place", 0, 1),
    ],
)
def test_counts_that_do_not_fit_are_refused(corpus, tmp_path, name, at, value):
    path = tmp_path / "distinct.safetensors"
    save_distinct(path, corpus.distinct)
    arrays = load_file(path)
    arrays[name][at] = value
    save_file(arrays, path)
    with pytest.raises(StorageError, match=r"do not fit the corpus|not those of the corpus"):
        load_distinct(path, Corpus.from_texts(TEXTS))


def test_counts_of_another_corpus_are_refused(corpus, tmp_path):
    path = tmp_path / "distinct.safetensors"
    save_distinct(path, corpus.distinct)
    with pytest.raises(StorageError, match="not those of the corpus"):
        load_distinct(path, Corpus.from_texts([*TEXTS, "fire"]))
