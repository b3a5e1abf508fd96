"""The encoder: what comes back is checked, kept, and used for relevance; nothing is fetched."""

from importlib.util import find_spec

import numpy as np
import pytest

from qdtm import Corpus, QueryDrivenTopicModel
from qdtm.embeddings import encoder as encoder_module
from qdtm.embeddings import onnx_encoder
from qdtm.embeddings.encoder import encode_corpus, encode_documents, without_words
from qdtm.errors import EmbeddingError, MissingExtraError, ParameterError

SAID = ["a fire in the forest", "rain and more rain", "fire again", "cricket in the rain", "fire"]
TEXTS = [f"{text} {place}" for place in ["bath", "cork", "derby", "exeter", "fife", "goole"] for text in SAID]


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("QDTM_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


class Counting:
    """An encoder that knows two words, and counts what it was given."""

    def __init__(self):
        self.n_texts = 0

    def __call__(self, texts):
        self.n_texts += len(texts)
        return [[text.count("fire") + 0.1, text.count("rain"), 1.0] for text in texts]


def test_rows_follow_the_documents_whatever_their_length():
    corpus = Corpus.from_texts(TEXTS)
    vectors = encode_documents(Counting(), corpus)
    np.testing.assert_allclose(vectors[:5, :2], [[1.1, 0], [0.1, 2], [1.1, 0], [0.1, 1], [1.1, 0]], rtol=1e-6)


def test_progress_counts_documents():
    seen = []
    encode_documents(Counting(), Corpus.from_texts(TEXTS), seen.append)
    assert [(each.stage, each.sweep, each.max_sweeps) for each in seen] == [("encoding", 30, 30)]
    assert seen[0].note == "document 30 of 30"


def test_what_was_encoded_is_kept_and_not_encoded_again():
    encoder, corpus = Counting(), Corpus.from_texts(TEXTS)
    first = encode_documents(encoder, corpus)
    before = encoder.n_texts
    np.testing.assert_array_equal(encode_documents(encoder, corpus), first)
    assert encoder.n_texts == before + 1  # the sentence that tells encoders apart


def test_another_encoder_or_other_texts_are_encoded_anew():
    corpus = Corpus.from_texts(TEXTS)
    first = encode_documents(Counting(), corpus)
    other = encode_documents(lambda texts: [[len(text), 1.0] for text in texts], corpus)
    assert other.shape != first.shape
    changed = encode_documents(Counting(), Corpus.from_texts(["rain in the fire", *TEXTS[1:]]))
    assert changed[0, 1] == 1.0


def test_a_damaged_file_is_made_again(own_cache):
    corpus = Corpus.from_texts(TEXTS)
    first = encode_documents(Counting(), corpus)
    (path,) = (own_cache / "encodings").iterdir()
    path.write_bytes(b"\xff" * 100)
    np.testing.assert_array_equal(encode_documents(Counting(), corpus), first)


def test_ready_tokens_without_texts_are_encoded_by_their_words():
    corpus = Corpus.from_tokens([["fire", "forest"], ["rain"], ["fire"]] * 5)
    assert encode_documents(Counting(), corpus)[:3, 0].tolist() == pytest.approx([1.1, 0.1, 1.1])


@pytest.mark.parametrize(
    ("encoder", "why"),
    [
        (lambda texts: np.zeros(len(texts)), "one vector a text"),
        (lambda _: np.zeros((1, 3)), "one vector a text"),
        (lambda texts: np.full((len(texts), 2), np.nan), "NaN"),
    ],
)
def test_an_encoder_that_makes_no_sense_is_refused_in_one_line(encoder, why):
    with pytest.raises(EmbeddingError, match=why) as refused:
        encode_documents(encoder, Corpus.from_texts(TEXTS))
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("package", ["onnxruntime", "tokenizers"])
def test_a_missing_extra_is_named(monkeypatch, package):
    monkeypatch.setattr(onnx_encoder, "find_spec", lambda name: None if name == package else find_spec(name))
    with pytest.raises(MissingExtraError, match=rf"{package}.*qdtm\[encoder\]"):
        encode_documents("minilm", Corpus.from_texts(TEXTS))


def test_a_name_without_sentence_transformers_is_refused_with_a_way_out(monkeypatch):
    monkeypatch.setattr(encoder_module, "find_spec", lambda _: None)
    with pytest.raises(EmbeddingError, match="give 'minilm' or a folder"):
        encode_documents("some-model", Corpus.from_texts(TEXTS))


def test_a_model_that_is_not_there_is_refused(monkeypatch, tmp_path):
    pytest.importorskip("sentence_transformers", reason="names need sentence-transformers")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(EmbeddingError, match="name another one"):
        encode_documents(str(tmp_path / "nothing"), Corpus.from_texts(TEXTS))


def test_words_are_hidden_in_every_form():
    corpus = Corpus.from_texts(TEXTS + ["Fires and fire, in forests"] * 3)
    text = "The FIRES: a fire's end, in forests of firewood"
    (left,) = without_words(corpus, [text], ["fire", "forest"])
    assert left.split() == ["The", ":", "a", "'s", "end,", "in", "of", "firewood"]


def test_documents_that_name_a_query_are_read_again_without_it():
    corpus = Corpus.from_texts(TEXTS)
    encoded = encode_corpus(Counting(), corpus, ["fire"])
    rows = np.array([0, 2])
    assert encoded.documents[rows, 0].tolist() == pytest.approx([1.1, 1.1])
    assert encoded.reread(rows, ["fire"])[:, 0].tolist() == pytest.approx([0.1, 0.1])


@pytest.mark.parametrize("encoder", [3, "", ["a"]])
def test_a_model_refuses_what_is_no_encoder(encoder):
    with pytest.raises(ParameterError, match="encoder is"):
        QueryDrivenTopicModel("fire", encoder=encoder).fit(TEXTS)


def test_a_model_judges_with_the_encoder():
    plain = QueryDrivenTopicModel("fire", max_sweeps=5, subtopics=False).fit(TEXTS)
    helped = QueryDrivenTopicModel("fire", max_sweeps=5, subtopics=False, encoder=Counting()).fit(TEXTS)
    scores = helped.relevance().scores
    assert (scores != plain.relevance().scores).any()
    named = np.array(["fire" in text for text in TEXTS])
    assert scores[named].min() > scores[~named].max()
