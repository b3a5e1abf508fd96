"""A small BERT of random weights in a folder, and the same in plain NumPy."""

import json

import numpy as np
from safetensors.numpy import save_file
from scipy.special import erf

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "fire", "rain", "forest", "cricket", "the", "in", "bath", "cork"]
CONFIG = {
    "model_type": "bert",
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "hidden_size": 16,
    "intermediate_size": 32,
    "vocab_size": len(WORDS),
    "max_position_embeddings": 12,
    "hidden_act": "gelu",
    "layer_norm_eps": 1e-12,
}
TOKENIZER = {
    "version": "1.0",
    "truncation": None,
    "padding": None,
    "added_tokens": [],
    "normalizer": {"type": "Lowercase"},
    "pre_tokenizer": {"type": "Whitespace"},
    "post_processor": {
        "type": "TemplateProcessing",
        "single": [
            {"SpecialToken": {"id": "[CLS]", "type_id": 0}},
            {"Sequence": {"id": "A", "type_id": 0}},
            {"SpecialToken": {"id": "[SEP]", "type_id": 0}},
        ],
        "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
        "special_tokens": {
            "[CLS]": {"id": "[CLS]", "ids": [2], "tokens": ["[CLS]"]},
            "[SEP]": {"id": "[SEP]", "ids": [3], "tokens": ["[SEP]"]},
        },
    },
    "decoder": None,
    "model": {"type": "WordLevel", "vocab": {w: i for i, w in enumerate(WORDS)}, "unk_token": "[UNK]"},
}


def random_weights(seed=0):
    rng, size, inner = np.random.default_rng(seed), CONFIG["hidden_size"], CONFIG["intermediate_size"]
    shapes = {
        "embeddings.word_embeddings.weight": (len(WORDS), size),
        "embeddings.position_embeddings.weight": (CONFIG["max_position_embeddings"], size),
        "embeddings.token_type_embeddings.weight": (2, size),
        "embeddings.LayerNorm.weight": (size,),
        "embeddings.LayerNorm.bias": (size,),
    }
    for layer in range(CONFIG["num_hidden_layers"]):
        name = f"encoder.layer.{layer}."
        for part in ("self.query", "self.key", "self.value", "output.dense"):
            shapes |= {
                f"{name}attention.{part}.weight": (size, size),
                f"{name}attention.{part}.bias": (size,),
            }
        shapes |= {f"{name}intermediate.dense.weight": (inner, size)}
        shapes |= {f"{name}intermediate.dense.bias": (inner,)}
        shapes |= {f"{name}output.dense.weight": (size, inner), f"{name}output.dense.bias": (size,)}
        for part in ("attention.output.LayerNorm", "output.LayerNorm"):
            shapes |= {f"{name}{part}.weight": (size,), f"{name}{part}.bias": (size,)}
    return {
        name: (rng.normal(1.0 if "LayerNorm.weight" in name else 0.0, 0.3, shape)).astype(np.float32)
        for name, shape in shapes.items()
    }


def write_folder(folder, weights=None, config=None, **files):
    """Write a model as transformers does, and other files of JSON beside it."""
    folder.mkdir(parents=True, exist_ok=True)
    save_file(random_weights() if weights is None else weights, folder / "model.safetensors")
    (folder / "config.json").write_text(json.dumps(CONFIG if config is None else config), "utf-8")
    (folder / "tokenizer.json").write_text(json.dumps(TOKENIZER), "utf-8")
    for name, content in files.items():
        path = folder / f"{name}.json"
        path.write_text(json.dumps(content), "utf-8")
    return folder


def naive_bert(weights, ids):
    """The last layer of BERT for a passage, (n, size), one formula a line."""
    size, n_heads = CONFIG["hidden_size"], CONFIG["num_attention_heads"]

    def dense(x, name):
        return x @ weights[f"{name}.weight"].astype(np.float64).T + weights[f"{name}.bias"]

    def normalised(x, name):
        centred = x - x.mean(axis=-1, keepdims=True)
        unit = centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + 1e-12)
        return unit * weights[f"{name}.weight"] + weights[f"{name}.bias"]

    x = weights["embeddings.word_embeddings.weight"][ids].astype(np.float64)
    x = x + weights["embeddings.position_embeddings.weight"][: len(ids)]
    x = normalised(x + weights["embeddings.token_type_embeddings.weight"][0], "embeddings.LayerNorm")
    for layer in range(CONFIG["num_hidden_layers"]):
        name, heads = f"encoder.layer.{layer}.", []
        q, k, v = (dense(x, f"{name}attention.self.{part}") for part in ("query", "key", "value"))
        for head in np.split(np.arange(size), n_heads):
            score = q[:, head] @ k[:, head].T / np.sqrt(len(head))
            weight = np.exp(score - score.max(axis=1, keepdims=True))
            heads.append(weight / weight.sum(axis=1, keepdims=True) @ v[:, head])
        attended = dense(np.concatenate(heads, axis=1), f"{name}attention.output.dense")
        x = normalised(x + attended, f"{name}attention.output.LayerNorm")
        inner = dense(x, f"{name}intermediate.dense")
        inner = inner * 0.5 * (1.0 + erf(inner / np.sqrt(2.0)))
        x = normalised(x + dense(inner, f"{name}output.dense"), f"{name}output.LayerNorm")
    return x
