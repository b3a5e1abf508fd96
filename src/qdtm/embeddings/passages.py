"""A Transformer on onnxruntime: texts in, a vector of length 1 a text out.

Long texts are read by passages, whose vectors are averaged by their tokens. Each passage is computed on its
own by one thread, and threads share the passages out, so that the bytes of a vector depend on nothing but its
text.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from qdtm.cancellation import check_cancelled
from qdtm.errors import EmbeddingError

Vectors = NDArray[np.float32]
Pooling = Literal["mean", "cls"]

MOST_PASSAGES = 4
"""Passages of a text that are read, evenly spread over it. One of 256 tokens has some 190 words; the time
that a corpus takes is bounded by it."""

PASSAGES_A_TASK = 16
"""Passages that a thread takes at a time."""

KNOWN_INPUTS = ("input_ids", "attention_mask", "token_type_ids")


@dataclass(frozen=True)
class Reading:
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
        self, session: Any, tokenizer: Any, reading: Reading, fingerprint: str, n_threads: int = 1
    ) -> None:
        self._session, self._tokenizer, self._reading = session, tokenizer, reading
        self._inputs = _checked_inputs(session)
        self._n_threads = n_threads
        self.fingerprint = f"{fingerprint}-{reading}-{MOST_PASSAGES}"
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
        found = np.asarray(self._session.run(None, {name: given[name] for name in self._inputs})[0])
        if found.ndim == 3:  # (1, n, d): a vector a token
            tokens = found[0].astype(np.float64)
            return np.asarray(tokens[0] if self._reading.pooling == "cls" else tokens.mean(axis=0))
        if found.ndim != 2 or len(found) != 1:
            raise EmbeddingError(f"The encoder's model gave an array of shape {found.shape} for a text.")
        return np.asarray(found[0], np.float64)


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


def reading_of(config: Mapping[str, Any], sentence: Mapping[str, Any], pooling: Mapping[str, Any]) -> Reading:
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
    return Reading(
        max_tokens=min(claimed, positions, MOST_TOKENS),
        pooling=known[modes[0]] if modes else "mean",
        lower=sentence.get("do_lower_case") is True,
    )


USUAL_TOKENS, FEWEST_TOKENS, MOST_TOKENS = 256, 8, 512
"""Tokens of a passage where a model does not say; and what it may say. Time grows with the square."""
