"""A fit that is not done yet, in a folder: what it was asked, so that it can go on without being asked again.

In: `PreparedQueries`, the estimator's parameters and the corpus. Out: a folder with `start/` (written once)
and, from `qdtm.sampler.checkpoint`, the chains as they were last written down. Nothing in it is run or
unpickled. The corpus stays where it is: who goes on brings it along, and it must be the same.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from qdtm.corpus import Corpus, TextPipeline
from qdtm.embeddings.similarity import PromotionGraph
from qdtm.errors import StorageError
from qdtm.fitting import PreparedQueries, versions
from qdtm.queries.concept import concept_from_json, concept_to_json
from qdtm.recorded import checked_record
from qdtm.sampler.checkpoint import Checkpoint
from qdtm.storage.folders import (
    ArraySpec,
    fitting_together,
    load_arrays,
    read_manifest,
    save_arrays,
    write_directory_atomically,
    write_manifest,
)

KIND = "start"
VERSION = 1

_START, _ARRAYS = "start", "start.safetensors"
_MOST_WORDS = 2**24  # more than any corpus of ours has; what a file claims beyond is damage
_UNIT = {"unit": ArraySpec("float32", 2)}


@dataclass(frozen=True, eq=False)
class Start:
    """What an unfinished fit was asked.

    Parameters
    ----------
    prepared : PreparedQueries
    parameters : mapping
        The estimator's, as they are recorded with a fit.
    corpus_fingerprint : str
    pipeline : TextPipeline
        How the corpus was made of texts.
    """

    prepared: PreparedQueries
    parameters: Mapping[str, Any]
    corpus_fingerprint: str
    pipeline: TextPipeline


def begin_checkpoint(path: str | os.PathLike[str], start: Start) -> Checkpoint:
    """Keep a fit that begins in a folder, which is made when there is something to lose.

    Raises
    ------
    StorageError
        If an unfinished fit is there already.
    """
    folder = Path(path)
    if is_unfinished(folder):
        raise StorageError(
            f"{str(path)!r} holds an unfinished fit; go on with it (resume), or remove the folder."
        )
    return Checkpoint(folder, lambda where: write_start(where, start))


def take_up(path: str | os.PathLike[str]) -> tuple[Start, Checkpoint]:
    """Take up an unfinished fit.

    Raises
    ------
    StorageError
        If there is none, it is damaged, or the program is not the one it was begun with.
    """
    folder = Path(path)
    if not is_unfinished(folder):
        raise StorageError(f"There is no unfinished fit in {str(path)!r}.")
    return read_start(folder), Checkpoint(folder)


def its_corpus(start: Start, path: str | os.PathLike[str], texts: Any) -> Corpus:
    """Return the corpus of an unfinished fit, given that or the texts that it was made of.

    Raises
    ------
    StorageError
        If it is another.
    """
    corpus = Corpus.of(texts, pipeline=start.pipeline)
    if start.corpus_fingerprint != corpus.fingerprint:
        raise StorageError(
            f"The corpus is not the one that the unfinished fit in {str(path)!r} was begun with; "
            "give that one, or remove the folder and begin again."
        )
    return corpus


def is_unfinished(path: str | os.PathLike[str]) -> bool:
    """Whether a folder holds an unfinished fit that can go on."""
    return (Path(path) / _START).is_dir()


def write_start(folder: Path, start: Start) -> None:
    """Write down what a fit was asked, whole or not at all."""
    prepared, graph = start.prepared, start.prepared.graph
    arrays: dict[str, Any] = {f"concept_words.{q}": words for q, words in enumerate(graph.concept_words)}
    arrays |= {f"related.{q}": _pairs(related) for q, related in enumerate(graph.related)}
    if prepared.unit is not None:
        arrays["unit"] = prepared.unit
    content = {
        "concepts": [concept_to_json(concept) for concept in prepared.concepts],
        "threshold": graph.threshold,
        "n_words": len(graph.n_related),
        "has_vectors": prepared.unit is not None,
        "parameters": dict(start.parameters),
        "corpus_fingerprint": start.corpus_fingerprint,
        "pipeline": start.pipeline.to_json(),
        "versions": versions(),
    }
    with write_directory_atomically(folder / _START) as temporary:
        save_arrays(temporary / _ARRAYS, arrays)
        write_manifest(temporary, kind=KIND, version=VERSION, content=content)


def read_start(folder: Path) -> Start:
    """Read what `write_start` wrote.

    Raises
    ------
    StorageError
        If it is damaged, of a newer version, or from other packages: those would not end in the same bytes.
    """
    content = read_manifest(folder / _START, kind=KIND, max_version=VERSION).content
    with fitting_together(folder):
        for package, ours in versions().items():
            if (theirs := content["versions"].get(package, "none")) != ours:
                raise StorageError(
                    f"{str(folder)!r} was begun with {package} {theirs}, and this is {ours}; "
                    "go on with that one."
                )
        concepts = tuple(concept_from_json(values) for values in content["concepts"])
        prepared = _prepared(folder / _START / _ARRAYS, content, concepts)
        pipeline = TextPipeline.from_json(content["pipeline"])
        parameters = checked_record(content["parameters"])
        return Start(prepared, parameters, str(content["corpus_fingerprint"]), pipeline)


def _prepared(path: Path, content: Mapping[str, Any], concepts: tuple[Any, ...]) -> PreparedQueries:
    n_words, queries = int(content["n_words"]), range(len(concepts))
    if n_words > _MOST_WORDS:
        raise ValueError(f"{n_words:,} words")
    specs = {f"concept_words.{q}": ArraySpec("int32", 1) for q in queries}
    specs |= {f"related.{q}": ArraySpec("int32", 2) for q in queries}
    arrays = load_arrays(path, specs | (_UNIT if content["has_vectors"] else {}))
    words = tuple(arrays[f"concept_words.{q}"] for q in queries)
    related = tuple(_from_pairs(arrays[f"related.{q}"], (n_words, len(words[q]))) for q in queries)
    n_related = np.stack([np.diff(pairs.indptr) for pairs in related], axis=1).astype(np.int32)  # (V, Q)
    graph = PromotionGraph(float(content["threshold"]), words, related, np.ascontiguousarray(n_related))
    return PreparedQueries(concepts, graph, arrays.get("unit"))


def _pairs(related: Any) -> Any:
    """Rows and columns of the pairs, (2, P)."""
    return np.stack([part.astype(np.int32) for part in related.nonzero()])


def _from_pairs(pairs: Any, shape: tuple[int, int]) -> Any:
    rows, columns = pairs
    return sparse.csr_array((np.ones(len(rows), np.bool_), (rows, columns)), shape=shape)
