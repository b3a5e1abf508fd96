"""BERT as a graph for onnxruntime, with weights of 8 bits: named arrays and a configuration in, bytes out.

Dynamic quantisation: a weight matrix is kept in 7 bits with a scale a column; what flows in is quantised as
it comes. What flows in is one passage: it needs no padding, and none changes the vector of another.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qdtm.errors import EmbeddingError

# --- the file format of ONNX --------------------------------------------------------------------------------
#
# The file format of ONNX, as far as an encoder needs it: nodes and arrays in, the bytes of a model out.
#
# ONNX is a protocol buffer; its fields have numbers, and a message is a row of tagged values. The package
# `onnx`, which writes it too, is larger than all else that an encoder needs.

IR_VERSION, OPSET, OWN_OPSET = 8, 17, 1
"""Of the format, of ONNX' operators, and of onnxruntime's own, which fuse several."""

OWN = "com.microsoft"
"""The name of onnxruntime's own operators."""

_TYPES = {"float32": 1, "uint8": 2, "int8": 3, "int32": 6, "int64": 7}
_FLOAT, _INT, _FLOAT_KIND, _INT_KIND = 2, 3, 1, 2  # fields and kinds of an attribute


@dataclass
class Graph:
    """Nodes and arrays, in the order in which they were added.

    Parameters
    ----------
    name : str
    """

    name: str
    _nodes: list[bytes] = field(default_factory=list)
    _arrays: list[bytes] = field(default_factory=list)

    def constant(self, name: str, values: NDArray[Any]) -> str:
        """Add an array, and return its name."""
        values = np.ascontiguousarray(values)
        raw = values.astype(values.dtype.newbyteorder("<"), copy=False).tobytes()
        self._arrays.append(
            b"".join(_number(1, size) for size in values.shape)
            + _number(2, _TYPES[values.dtype.name])
            + _text(8, name)
            + _part(9, raw)
        )
        return name

    def node(
        self,
        operator: str,
        inputs: Sequence[str],
        output: str,
        *,
        domain: str = "",
        attributes: Mapping[str, int | float] | None = None,
    ) -> str:
        """Add an operator, and return the name of what it makes."""
        self._nodes.append(
            b"".join(_text(1, name) for name in inputs)
            + _text(2, output)
            + _text(3, output)
            + _text(4, operator)
            + b"".join(_part(5, _attribute(name, value)) for name, value in (attributes or {}).items())
            + _text(7, domain)
        )
        return output

    def model(
        self, inputs: Mapping[str, Sequence[int | str]], outputs: Mapping[str, Sequence[int | str]]
    ) -> bytes:
        """Return the model; inputs are int64, outputs float32; sizes are known or have a name."""
        graph = (
            _parts(1, self._nodes)
            + _text(2, self.name)
            + _parts(5, self._arrays)
            + _parts(11, [_value(name, "int64", shape) for name, shape in inputs.items()])
            + _parts(12, [_value(name, "float32", shape) for name, shape in outputs.items()])
        )
        opsets = [_text(1, "") + _number(2, OPSET), _text(1, OWN) + _number(2, OWN_OPSET)]
        return _number(1, IR_VERSION) + _text(2, "qdtm") + _part(7, graph) + _parts(8, opsets)


def _attribute(name: str, value: float) -> bytes:
    if isinstance(value, int):
        return _text(1, name) + _number(_INT, value) + _number(20, _INT_KIND)
    single = np.array(value, "<f4").tobytes()
    return _text(1, name) + _varint(_FLOAT << 3 | 5) + single + _number(20, _FLOAT_KIND)


def _value(name: str, kind: str, shape: Sequence[int | str]) -> bytes:
    sizes = [_number(1, size) if isinstance(size, int) else _text(2, size) for size in shape]
    tensor = _number(1, _TYPES[kind]) + _part(2, _parts(1, sizes))
    return _text(1, name) + _part(2, _part(1, tensor))


def _parts(number: int, contents: Iterable[bytes]) -> bytes:
    return b"".join(_part(number, content) for content in contents)


def _part(number: int, content: bytes) -> bytes:
    return _varint(number << 3 | 2) + _varint(len(content)) + content


def _text(number: int, text: str) -> bytes:
    return _part(number, text.encode())


def _number(number: int, value: int) -> bytes:
    return _varint(number << 3) + _varint(value)


def _varint(value: int) -> bytes:
    """Seven bits a byte, the lowest first; the eighth says that more follow. Never negative here."""
    found = bytearray()
    while value > 127:
        found.append(value & 127 | 128)
        value >>= 7
    found.append(value)
    return bytes(found)


# --- BERT ---------------------------------------------------------------------------------------------------

Weights = Mapping[str, NDArray[Any]]

TOP, PIECE_TOP = 63, 127
"""The largest quantised weight of a matrix, and of a piece. Processors without instructions for 8 bits add
two products in 16 bits, which 127 would overflow; the cosine to the original is 0.993, with 127 0.994."""

MOST_LAYERS, MOST_SIZE, MOST_WORDS = 48, 8192, 1_000_000
"""What a configuration may claim: the largest encoders have 24 layers, 4,096 numbers and 250,000 pieces."""

ACTIVATIONS = {"gelu": "Gelu", "gelu_new": "FastGelu", "gelu_pytorch_tanh": "FastGelu", "relu": "Relu"}


@dataclass(frozen=True)
class BertShape:
    """What a configuration says of a model of the form of BERT.

    Parameters
    ----------
    n_layers, n_heads : int
    size, inner_size : int
        Numbers a token between layers, and inside the feed-forward part of a layer.
    n_pieces, n_positions : int
        Word pieces, and the tokens of the longest passage.
    activation : str
        The operator between the two feed-forward parts.
    epsilon : float
        Of the layer normalisation.
    """

    n_layers: int
    n_heads: int
    size: int
    inner_size: int
    n_pieces: int
    n_positions: int
    activation: str
    epsilon: float

    @classmethod
    def of(cls, config: Mapping[str, Any]) -> BertShape:
        """Read the `config.json` of transformers.

        Raises
        ------
        EmbeddingError
            If it is of another kind of model, or claims what cannot be.
        """
        if config.get("model_type") != "bert":
            raise EmbeddingError(
                f"The encoder is of the kind {config.get('model_type')!r}, and from safetensors only 'bert' "
                "can be read; give a folder with model.onnx."
            )
        if config.get("position_embedding_type", "absolute") != "absolute":
            raise EmbeddingError("The encoder's positions are relative; give a folder with model.onnx.")
        found = cls(
            n_layers=_size(config, "num_hidden_layers", MOST_LAYERS),
            n_heads=_size(config, "num_attention_heads", MOST_SIZE),
            size=_size(config, "hidden_size", MOST_SIZE),
            inner_size=_size(config, "intermediate_size", 4 * MOST_SIZE),
            n_pieces=_size(config, "vocab_size", MOST_WORDS),
            n_positions=_size(config, "max_position_embeddings", 16 * MOST_SIZE),
            activation=ACTIVATIONS.get(str(config.get("hidden_act", "gelu")), ""),
            epsilon=_epsilon(config),
        )
        if not found.activation or found.size % found.n_heads:
            raise EmbeddingError("The encoder's config.json contradicts itself; fetch it again.")
        return found


def _epsilon(config: Mapping[str, Any]) -> float:
    value = config.get("layer_norm_eps", 1e-12)
    if not isinstance(value, int | float) or not 0.0 <= value < 1.0:
        said = repr(value)[:40]
        raise EmbeddingError(
            f"The encoder's config.json says layer_norm_eps = {said}; from 0 to 1 is wanted."
        )
    return float(value)


def _size(config: Mapping[str, Any], name: str, most: int) -> int:
    value = config.get(name)
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= most:
        raise EmbeddingError(
            f"The encoder's config.json says {name} = {value!r}; a number from 1 to {most:,} is wanted."
        )
    return value


def build_bert(shape: BertShape, weights: Weights) -> bytes:
    """Return a model from `input_ids` (1, n) to `last_hidden_state` (1, n, size)."""
    return _Builder(shape, weights).build()


class _Builder:
    def __init__(self, shape: BertShape, weights: Weights) -> None:
        self._shape, self._weights, self._graph = shape, weights, Graph("bert")

    def build(self) -> bytes:
        x = self._embeddings()
        for layer in range(self._shape.n_layers):
            x = self._layer(f"encoder.layer.{layer}.", x)
        self._graph.node("Identity", [x], "last_hidden_state")
        size = self._shape.size
        return self._graph.model({"input_ids": (1, "n")}, {"last_hidden_state": (1, "n", size)})

    def _embeddings(self) -> str:
        """Add up the vectors of each piece and of its place, with that of the first sentence."""
        g, shape = self._graph, self._shape
        pieces = self._take("embeddings.word_embeddings.weight", shape.n_pieces, shape.size)
        small, scale = quantise(pieces, axis=1, top=PIECE_TOP)
        g.constant("pieces", small)
        g.constant("pieces.scale", scale[:, None])
        g.node("Gather", ["pieces", "input_ids"], "piece.small")  # (1, n, size)
        g.node("Cast", ["piece.small"], "piece.whole", attributes={"to": 1})
        g.node("Gather", ["pieces.scale", "input_ids"], "piece.scale")  # (1, n, 1)
        g.node("Mul", ["piece.whole", "piece.scale"], "piece")
        places = self._take("embeddings.position_embeddings.weight", shape.n_positions, shape.size)
        places = places + self._first_kind()
        g.constant("places", places.astype(np.float32))
        g.node("Shape", ["input_ids"], "length", attributes={"start": 1, "end": 2})  # (1,)
        g.constant("zero", np.zeros(1, np.int64))
        g.node("Slice", ["places", "zero", "length", "zero"], "place")  # (n, size)
        g.node("Add", ["piece", "place"], "embedded")
        return self._normalised("embeddings.LayerNorm", "embedded")

    def _first_kind(self) -> NDArray[Any]:
        """What every token has of the first kind of token, (size,); a model may have no kinds."""
        name = "embeddings.token_type_embeddings.weight"
        found = self._weights.get(name)
        if found is None:
            return np.zeros(self._shape.size)
        n_kinds = max(found.shape[:1], default=1) or 1
        return np.asarray(self._take(name, n_kinds, self._shape.size)[0])

    def _layer(self, name: str, x: str) -> str:
        g, own = self._graph, name + "attention."
        parts = [self._dense(f"{own}self.{part}", x) for part in ("query", "key", "value")]
        heads = {"num_heads": self._shape.n_heads}
        attended = g.node("MultiHeadAttention", parts, own + "heads", domain=OWN, attributes=heads)
        out = self._dense(own + "output.dense", attended)
        x = self._normalised(own + "output.LayerNorm", g.node("Add", [x, out], own + "sum"))
        inner = self._dense(name + "intermediate.dense", x, rows=self._shape.inner_size)
        activation = self._shape.activation
        inner = g.node(activation, [inner], name + "active", domain="" if activation == "Relu" else OWN)
        out = self._dense(name + "output.dense", inner, columns=self._shape.inner_size)
        return self._normalised(name + "output.LayerNorm", g.node("Add", [x, out], name + "sum"))

    def _dense(self, name: str, x: str, rows: int = 0, columns: int = 0) -> str:
        """Multiply by a matrix of 8 bits, and add what stands beside it."""
        rows, columns = rows or self._shape.size, columns or self._shape.size
        matrix = self._take(f"{name}.weight", rows, columns).T  # (columns, rows)
        small, scale = quantise(matrix, axis=0, top=TOP)
        g = self._graph
        names = [g.constant(f"{name}.small", small), g.constant(f"{name}.scale", scale)]
        bias = g.constant(f"{name}.bias", self._take(f"{name}.bias", rows).astype(np.float32))
        return g.node("DynamicQuantizeMatMul", [x, *names, "", bias], name, domain=OWN)

    def _normalised(self, name: str, x: str) -> str:
        g = self._graph
        parts = [
            g.constant(f"{name}.{part}", self._take(f"{name}.{part}", self._shape.size).astype(np.float32))
            for part in ("weight", "bias")
        ]
        epsilon = {"epsilon": self._shape.epsilon}
        return g.node("LayerNormalization", [x, *parts], name, attributes=epsilon)

    def _take(self, name: str, *wanted: int) -> NDArray[Any]:
        found = self._weights.get(name)
        if found is None or found.shape != wanted or not np.isfinite(found).all():
            what = "is not there" if found is None else f"has the shape {found.shape}, or no finite numbers"
            raise EmbeddingError(f"The encoder's array {name!r} {what}; {wanted} is wanted. Fetch it again.")
        return found


def quantise(values: NDArray[Any], axis: int, top: int) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Return values in 8 bits and the scale of each slice: what 1 stands for there.

    Parameters
    ----------
    axis : int
        Along which the numbers share a scale.
    top : int
        The largest number that comes out.
    """
    scale = np.maximum(np.abs(values).max(axis=axis), 1e-12) / top
    small = np.rint(values / np.expand_dims(scale, axis)).astype(np.int8)
    return small, scale.astype(np.float32)
