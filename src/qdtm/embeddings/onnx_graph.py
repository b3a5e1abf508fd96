"""The file format of ONNX, as far as an encoder needs it: nodes and arrays in, the bytes of a model out.

ONNX is a protocol buffer; its fields have numbers, and a message is a row of tagged values. The package
`onnx`, which writes it too, is larger than all else that an encoder needs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

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
