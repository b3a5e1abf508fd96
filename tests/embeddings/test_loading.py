import socket
from urllib.error import URLError

import numpy as np
import pytest
from gensim import downloader
from gensim.models import KeyedVectors, Word2Vec

from qdtm.embeddings import WordVectors, embed_vocabulary, load_vectors
from qdtm.errors import EmbeddingError


@pytest.fixture
def no_network(monkeypatch):
    def refuse(*args, **kwargs):
        raise URLError("no route to host")

    monkeypatch.setattr(downloader, "urlopen", refuse)
    monkeypatch.setattr(downloader, "BASE_DIR", "/nonexistent/gensim-data")
    monkeypatch.setattr(socket, "create_connection", refuse)


def test_none_means_no_vectors():
    assert load_vectors(None) is None


def test_bundled_glove_knows_what_words_mean():
    glove = load_vectors("glove")

    unit = embed_vocabulary(glove, ["israel", "palestinian", "cricket", "wicket"]).unit
    cosine = unit @ unit.T

    assert (len(glove), glove.dimension, glove.name) == (50_478, 100, "glove")
    assert cosine[0, 1] > 0.7 > 0.3 > cosine[0, 2]
    assert cosine[2, 3] > 0.4 > cosine[1, 3]


def test_bundled_glove_is_read_once():
    assert load_vectors("glove") is load_vectors("glove")


def test_with_a_corpus_only_its_words_are_kept(tokens_of):
    corpus = tokens_of(["israel", "qwxzzz"], ["cricket"])
    assert set(load_vectors("glove", corpus).words) == {"israel", "cricket"}


def test_further_words_can_be_kept_too(tokens_of):
    corpus = tokens_of(["football"])
    assert set(load_vectors("glove", corpus, also=["Soccer"]).words) == {"football", "soccer"}


def test_a_file_by_str_or_path(tmp_path, tokens_of):
    path = tmp_path / "my.vec"
    path.write_text("2 2\na 1 2\nb 3 4\n")
    assert load_vectors(path).words == load_vectors(str(path)).words == ("a", "b")
    assert load_vectors(path, tokens_of(["b"])).words == ("b",)


@pytest.mark.parametrize("spec", ["missing.txt", "folder/missing", "missing.vec.gz"])
def test_a_missing_file(spec, no_network):
    with pytest.raises(EmbeddingError, match=f"'{spec}' are not there"):
        load_vectors(spec)


def test_keyed_vectors_and_a_model_that_carries_them():
    keyed = KeyedVectors(2)
    keyed.add_vectors(["a", "b"], np.array([[1, 2], [3, 4]], dtype=np.float32))
    model = Word2Vec([["x", "y"]] * 5, vector_size=3, min_count=1, workers=1, seed=1)

    assert load_vectors(keyed).vectors.tolist() == [[1, 2], [3, 4]]
    assert set(load_vectors(model).words) == {"x", "y"}


def test_a_dict_and_ready_vectors():
    assert load_vectors({"a": [1, 2], "b": (3, 4)}).vectors.tolist() == [[1, 2], [3, 4]]
    ready = WordVectors(("a",), np.ones((1, 2), dtype=np.float32), "mine")
    assert load_vectors(ready) is ready


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ({}, "empty"),
        ({"a": [1, 2], "b": [1]}, r"The vector of 'b' has the shape \(1,\); all must be \(2,\)"),
        ({"a": [[1, 2]]}, "all must be"),
        ({"a": "word"}, "not a list of numbers"),
        ({"a": [1, float("nan")]}, "NaN or infinity for the word 'a'"),
        (7, "cannot be a int"),
    ],
)
def test_wrong_vectors_in_memory(spec, message):
    with pytest.raises(EmbeddingError, match=message):
        load_vectors(spec)


def test_corpus_vectors_need_a_corpus():
    with pytest.raises(EmbeddingError, match="learned from a corpus"):
        load_vectors("corpus")


def test_corpus_vectors_are_learned(tokens_of):
    corpus = tokens_of(["a", "b", "a"], ["c", "d"])
    learned = load_vectors("corpus", corpus)
    assert learned.words == corpus.vocabulary
    assert learned.name == "corpus"


def test_a_download_without_network_is_one_line(no_network):
    with pytest.raises(
        EmbeddingError, match="'glove-twitter-25' is no file, and gensim-data cannot be reached"
    ) as caught:
        load_vectors("glove-twitter-25")
    assert "\n" not in str(caught.value)


def test_a_name_that_gensim_does_not_know(monkeypatch):
    monkeypatch.setattr(
        downloader, "info", lambda: {"models": {"glove-twitter-25": {}}, "corpora": {"text8": {}}}
    )
    with pytest.raises(EmbeddingError, match=r"'text8' is no file and no gensim-data model.*glove-twitter"):
        load_vectors("text8")


def test_a_download_is_read_from_gensims_file(monkeypatch, tmp_path, capsys):
    path = tmp_path / "tiny.gz"
    path.write_text("1 2\na 1 2\n")

    def load(name, return_path):
        print("progress of", name)
        return str(path) if return_path else None

    monkeypatch.setattr(downloader, "info", lambda: {"models": {"tiny": {}}})
    monkeypatch.setattr(downloader, "load", load)

    assert load_vectors("tiny").words == ("a",)
    assert capsys.readouterr().out == ""
