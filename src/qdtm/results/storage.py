"""A fit and its corpus in, a folder out, and back.

The folder holds `model.safetensors` (all arrays), `topics.csv` and `documents.csv` (for people), and
`qdtm.json`, the manifest with everything that is no array. The corpus stays in the index that it was loaded
from, which the manifest names; one that was not loaded, or is wanted inside, is saved in `corpus/`. The same
fit gives the same bytes. It is whole or absent, and what is read from it is checked before it is used.
`check.json`, if a person has looked at documents, has the answers, and `journal.jsonl` what people did to it;
they change while the rest does not, but for the tables, which are written anew.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qdtm.corpus.corpus import Corpus
from qdtm.corpus.storage import describe_index, find_index, index_of, load_corpus, write_corpus
from qdtm.corpus.text import TextPipeline
from qdtm.errors import ParameterError, StorageError
from qdtm.evidence.word_evidence import WordEvidence
from qdtm.queries.concept import concept_from_json, concept_to_json
from qdtm.recorded import checked_record
from qdtm.results.fit import ModelFit, Presentation
from qdtm.results.hand_check.files import read_checks, write_checks
from qdtm.results.hand_check.hand_check import HandCheck
from qdtm.results.journal import History, Journal
from qdtm.results.packed_tokens import (
    SUBTOPIC_TYPES,
    TOPIC_TYPES,
    pack_strength,
    pack_tokens,
    packed_specs,
    subtopic_type,
    topic_type,
    unpack_strength,
    unpack_tokens,
)
from qdtm.results.promotion import RelatedWords
from qdtm.results.relevance import with_words_about
from qdtm.results.splits import Split
from qdtm.results.stability import Stability
from qdtm.results.table_formats import save_csv
from qdtm.results.tables import documents_table, topics_table
from qdtm.sampler.mixture import DocumentMixture
from qdtm.sampler.trace import Trace
from qdtm.storage.atomic import placed_file, write_errors
from qdtm.storage.folders import (
    CHECK,
    JOURNAL,
    MANIFEST,
    OPENED,
    ArraySpec,
    Manifest,
    fitting_together,
    load_arrays,
    read_manifest,
    read_whole,
    save_arrays,
    write_directory_atomically,
    write_manifest,
)

KIND = "model"
VERSION = 8
"""Since 8 with whether the queries cover the corpus; what is older has to be fitted anew."""

_ARRAYS = "model.safetensors"
_CORPUS = "corpus"
_TOPICS = "topics.csv"
_DOCUMENTS = "documents.csv"

_COUNTS = {"word_topic": ArraySpec("float32", 2), "promoted_mass": ArraySpec("float32", 2)}
_RELEVANCE = {"relevance": ArraySpec("float32", 2)}
_WORD_EVIDENCE = {"word_evidence": ArraySpec("float32", 2), "word_intercepts": ArraySpec("float32", 1)}
_MIXTURE = {"log_words": ArraySpec("float32", 2), "log_sizes": ArraySpec("float64", 1)}
_RELATED = {
    "words": ArraySpec("int32", 1),
    "concept_words": ArraySpec("int32", 1),
    "cosine": ArraySpec("float32", 1),
}
_TRACE = {
    "sweeps": ArraySpec("int64", 1),
    "log_likelihood": ArraySpec("float64", 1),
    "n_topics": ArraySpec("int64", 1),
    "n_tables": ArraySpec("int64", 1),
}


# --- writing -----------------------------------------------------------------------------------------------


def save_model(
    path: str | os.PathLike[str],
    fit: ModelFit,
    corpus: Corpus,
    *,
    force: bool = False,
    standalone: bool = False,
    all_documents: bool | None = None,
    shown: ModelFit | None = None,
    history: History | None = None,
) -> None:
    """Save a fit with its tables to a folder, whole or not at all.

    If the corpus was loaded from an index, the result refers to that; otherwise it has a copy of the corpus.

    Parameters
    ----------
    path : path
        The folder to make.
    fit : ModelFit
    corpus : Corpus
        What it was fitted on.
    force : bool
        Replace a result that was saved there before.
    standalone : bool
        Copy the corpus in any case: a result to hand on.
    all_documents : bool, optional
        Whether `documents.csv` has all documents, not only those that are about a query. It is remembered;
        by default as it was before.
    shown : ModelFit, optional
        The same after corrections by hand, which the tables show.
    history : History, optional
        What people did to it.

    Raises
    ------
    StorageError
        If the place is taken, or the disk refuses.
    """
    if corpus.fingerprint != fit.corpus_fingerprint:
        raise ParameterError("The corpus is not the one that the model was fitted on.")
    shown, history = with_words_about(shown or fit, corpus), history or History()
    if all_documents is not None:
        fit, shown = _listing(fit, all_documents), _listing(shown, all_documents)
    index = None if standalone else index_of(corpus, path)
    content = _content(fit) | {"corpus": describe_index(corpus, index, path)}
    keeps = [name for name, brought in ((CHECK, fit.checks), (JOURNAL, history.lines)) if brought]
    with write_directory_atomically(path, force=force, keeps=keeps) as folder:
        save_arrays(folder / _ARRAYS, _arrays(fit))
        if index is None:
            (folder / _CORPUS).mkdir()
            write_corpus(corpus, folder / _CORPUS)
        _write_tables(folder, shown, corpus)
        if fit.checks:
            write_checks(folder / CHECK, fit.checks)
        if history.lines:
            Journal(folder / JOURNAL).write(history)
        write_manifest(folder, kind=KIND, version=VERSION, content=content)
        _check_nothing_lost(Path(path), fit, corpus.n_documents, history)


def _check_nothing_lost(place: Path, fit: ModelFit, n_documents: int, history: History) -> None:
    """Refuse to replace a result to which people did more than is known here."""
    known = {act.number: act for act in history.lines}
    found = Journal(place).history.lines if history.lines else ()
    acts = [act for act in found if act.kind != OPENED]
    said = {(check.query, answer.row, answer.by) for check in fit.checks for answer in check.answers}
    checks = read_checks(place, n_documents) if fit.checks else ()
    answers = {(check.query, answer.row, answer.by) for check in checks for answer in check.answers}
    if answers - said or any(known.get(act.number) != act for act in acts):
        raise StorageError(
            f"{str(place)!r} has answers or corrections from after it was loaded; "
            "load it again, or give another folder."
        )


def _listing(fit: ModelFit, all_documents: bool) -> ModelFit:
    return replace(fit, presentation=replace(fit.presentation, all_documents=all_documents))


def _arrays(fit: ModelFit) -> dict[str, NDArray[Any]]:
    arrays = {name: getattr(fit, name) for name in _COUNTS}
    arrays |= {f"subtopic_counts.{q}": counts for q, counts in enumerate(fit.subtopic_counts)}
    for name, trace in _named_traces(fit).items():
        arrays |= {f"{name}.{part}": getattr(trace, part) for part in _TRACE}
    for q, pairs in enumerate(fit.related):
        arrays |= {f"related.{q}.{part}": getattr(pairs, part) for part in _RELATED}
    relevance, strength, words = fit.scored
    arrays |= {"relevance": relevance} | pack_strength(strength) | pack_tokens(fit)
    arrays |= {"word_evidence": words.weights, "word_intercepts": words.intercepts}
    for q, mixture in enumerate(fit.mixtures):
        arrays |= {f"mixture.{q}.{part}": getattr(mixture, part) for part in _MIXTURE}
    for i, split in enumerate(fit.splits):
        arrays |= {f"split.{i}.{part}": getattr(split, part) for part in ("counts", "token_children")}
    specs = _specs(
        fit.n_queries,
        _named_traces(fit),
        len(fit.related),
        _token_types(fit),
        len(fit.splits),
        len(fit.mixtures),
    )
    return {name: np.asarray(array, specs[name].dtype) for name, array in arrays.items()}


def _content(fit: ModelFit) -> dict[str, Any]:
    """Return all of a fit that is no array, but for its corpus."""
    scalars = [field.name for field in fields(Trace) if field.name not in _TRACE]
    return {
        "concepts": [concept_to_json(concept) for concept in fit.concepts],
        "subtopic_rest": [float(rest) for rest in fit.subtopic_rest],
        "traces": {
            name: {scalar: getattr(trace, scalar) for scalar in scalars}
            for name, trace in _named_traces(fit).items()
        },
        "splits": [{"of": split.of, "rest": float(split.rest)} for split in fit.splits],
        "token_types": _token_types(fit),
        "related": len(fit.related),
        "mixtures": len(fit.mixtures),
        "stability": None if fit.stability is None else fit.stability.to_json(),
        "presentation": fit.presentation.to_json(),
        "covers": bool(fit.covers),
        "beta": float(fit.beta),
        "threshold": None if fit.threshold is None else float(fit.threshold),
        "parameters": dict(fit.parameters),
        "versions": dict(fit.versions),
    }


def _token_types(fit: ModelFit) -> list[str]:
    """Return the smallest types that hold the topics and the subtopics of all tokens."""
    below = [*fit.subtopic_counts, *(split.counts for split in fit.splits)]
    return [topic_type(fit.n_topics), subtopic_type(max(counts.shape[1] for counts in below))]


def _named_traces(fit: ModelFit) -> dict[str, Trace]:
    subtopics = {f"trace.subtopics.{q}": trace for q, trace in enumerate(fit.subtopic_traces)}
    splits = {f"trace.split.{i}": split.trace for i, split in enumerate(fit.splits)}
    return {"trace.parents": fit.parent_trace, **subtopics, **splits}


def _write_tables(folder: Path, fit: ModelFit, corpus: Corpus) -> None:
    _write_topics(folder / _TOPICS, fit, corpus)
    _write_documents(folder / _DOCUMENTS, fit, corpus)


def renew_tables(path: str | os.PathLike[str], fit: ModelFit, corpus: Corpus) -> None:
    """Write the tables of a saved fit anew, after answers of a hand-check changed its relevance.

    Raises
    ------
    StorageError
        If the disk refuses.
    """
    for name, write in ((_TOPICS, _write_topics), (_DOCUMENTS, _write_documents)):
        goal = Path(path) / name
        with placed_file(goal) as unfinished, write_errors(goal):
            write(unfinished, fit, corpus)


def _write_topics(path: Path, fit: ModelFit, corpus: Corpus) -> None:
    save_csv(topics_table(fit, corpus), path)


def _write_documents(path: Path, fit: ModelFit, corpus: Corpus) -> None:
    save_csv(documents_table(fit, corpus, all_documents=fit.presentation.all_documents), path)


# --- reading -----------------------------------------------------------------------------------------------


def load_model(
    path: str | os.PathLike[str],
    *,
    corpus: Corpus | str | os.PathLike[str] | None = None,
    pipeline: TextPipeline | None = None,
) -> tuple[ModelFit, Corpus]:
    """Load what `save_model` saved.

    Parameters
    ----------
    path : path
    corpus : Corpus or path, optional
        The index that it refers to, where that is no longer found.
    pipeline : TextPipeline, optional
        See `Corpus.load`.

    Raises
    ------
    StorageError
        If it is missing, damaged, or of another version; or its index is gone, or another.
    """
    return read_whole(path, partial(_load_model, corpus=corpus, pipeline=pipeline))


def _load_model(
    folder: Path, corpus: Corpus | str | os.PathLike[str] | None, pipeline: TextPipeline | None
) -> tuple[ModelFit, Corpus]:
    manifest = read_manifest(folder, kind=KIND, max_version=VERSION)
    if manifest.version < VERSION:
        raise StorageError(f"{str(folder)!r} was saved by an older version of qdtm; fit it anew.")
    _check_files(folder, manifest, _ARRAYS)
    opened = _open_corpus(folder, manifest, corpus, pipeline)
    with fitting_together(folder):
        checks = read_checks(folder, opened.n_documents)
        return _fit(folder / _ARRAYS, manifest.content, opened, checks), opened


def _open_corpus(
    folder: Path,
    manifest: Manifest,
    given: Corpus | str | os.PathLike[str] | None,
    pipeline: TextPipeline | None,
) -> Corpus:
    """Open the corpus of a result: its copy, the index that it refers to, or what is given in its place."""
    with fitting_together(folder):
        described = {str(name): str(value) for name, value in manifest.content["corpus"].items()}
        fingerprint, is_copy = described["fingerprint"], "path" not in described
        index = find_index(folder, described) if given is None and not is_copy else given
    if is_copy or index is None:
        return _load_copy(folder, manifest, given, pipeline)
    corpus = index if isinstance(index, Corpus) else load_corpus(index, pipeline=pipeline)
    if given is not None and corpus.fingerprint != fingerprint:
        named = given if isinstance(given, Corpus) else repr(os.fspath(given))
        raise StorageError(f"{named} is not the index of {str(folder)!r}: the fingerprint differs.")
    return corpus


def _load_copy(folder: Path, manifest: Manifest, given: object, pipeline: TextPipeline | None) -> Corpus:
    if given is not None:
        raise ParameterError(f"{str(folder)!r} has its corpus inside; leave out --index (in Python, corpus).")
    _check_files(folder, manifest, f"{_CORPUS}/{MANIFEST}")
    return load_corpus(folder / _CORPUS, pipeline=pipeline)


def _check_files(folder: Path, manifest: Manifest, name: str) -> None:
    if name not in manifest.files:
        raise StorageError(f"{str(folder)!r} is damaged: {name!r} is missing.")


def _fit(
    path: Path,
    content: Mapping[str, Any],
    corpus: Corpus,
    checks: tuple[HandCheck, ...],
) -> ModelFit:
    """Put a fit together; whatever does not fit raises."""
    concepts = tuple(concept_from_json(values) for values in content["concepts"])
    splits, n_related = list(content["splits"]), int(content["related"])
    of_topics, of_subtopics = map(str, content["token_types"])
    if of_topics not in TOPIC_TYPES or of_subtopics not in SUBTOPIC_TYPES:
        raise ValueError("tokens of an unknown kind")
    n_mixtures = int(content["mixtures"])
    if {n_related, n_mixtures} - {0, len(concepts)}:
        raise ValueError("related words or groups of some queries only")
    token_types = [of_topics, of_subtopics]
    specs = _specs(len(concepts), list(content["traces"]), n_related, token_types, len(splits), n_mixtures)
    arrays = load_arrays(path, specs)
    traces = {name: _trace(name, scalars, arrays) for name, scalars in content["traces"].items()}
    n_split = len(traces) - 1 - len(splits)  # queries that were split
    tokens = unpack_tokens(arrays, len(concepts), corpus.tokens)
    counted: dict[str, Any] = {name: _frozen(arrays[name]) for name in (*_COUNTS, *_RELEVANCE)}
    counted |= {name: _frozen(array) for name, array in tokens.items()}
    fit = ModelFit(
        vocabulary=corpus.vocabulary,
        concepts=concepts,
        **counted,
        strength=_frozen(unpack_strength(arrays, corpus.by_passage.n_documents, len(concepts))),
        subtopic_counts=tuple(_frozen(arrays[f"subtopic_counts.{q}"]) for q in range(len(concepts))),
        subtopic_rest=tuple(float(rest) for rest in content["subtopic_rest"]),
        parent_trace=traces["trace.parents"],
        subtopic_traces=tuple(traces[f"trace.subtopics.{q}"] for q in range(n_split)),
        beta=float(content["beta"]),
        threshold=None if content["threshold"] is None else float(content["threshold"]),
        parameters=checked_record(content["parameters"]),
        corpus_fingerprint=str(content["corpus"]["fingerprint"]),
        versions={str(name): str(version) for name, version in content["versions"].items()},
        related=tuple(
            RelatedWords(**{part: _frozen(arrays[f"related.{q}.{part}"]) for part in _RELATED})
            for q in range(n_related)
        ),
        stability=Stability.from_json(content["stability"]) if content["stability"] else None,
        presentation=Presentation.from_json(content["presentation"]),
        checks=checks,
        covers=bool(content["covers"]),
        mixtures=tuple(
            DocumentMixture(**{part: _frozen(arrays[f"mixture.{q}.{part}"]) for part in _MIXTURE})
            for q in range(n_mixtures)
        ),
        word_evidence=WordEvidence(*(_frozen(arrays[name]) for name in _WORD_EVIDENCE)),
        splits=tuple(
            Split(
                of=str(split["of"]),
                counts=_frozen(arrays[f"split.{i}.counts"]),
                rest=float(split["rest"]),
                token_children=_frozen(arrays[f"split.{i}.token_children"].astype(np.int32)),
                trace=traces[f"trace.split.{i}"],
            )
            for i, split in enumerate(splits)
        ),
    )
    _check_corpus(fit, corpus)
    return with_words_about(fit, corpus)


def _trace(name: str, scalars: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Trace:
    return Trace(
        **{part: _frozen(arrays[f"{name}.{part}"]) for part in _TRACE},
        n_sweeps=int(scalars["n_sweeps"]),
        settled=bool(scalars["settled"]),
        interrupted=bool(scalars["interrupted"]),
        n_samples=int(scalars["n_samples"]),
    )


def _check_corpus(fit: ModelFit, corpus: Corpus) -> None:
    if fit.corpus_fingerprint != corpus.fingerprint:
        raise ValueError("the corpus is not the one it was fitted on")
    if len(fit.token_topics) != corpus.n_tokens:
        raise ValueError(f"topics of {len(fit.token_topics):,} tokens for a corpus of {corpus.n_tokens:,}")
    n_scored, n_judged = len(fit.scored.relevance), corpus.by_passage.n_documents
    if n_scored != n_judged:
        raise ValueError(f"relevance of {n_scored:,} documents, not {n_judged:,}")
    for concept in fit.concepts:
        if concept.name != concept.query.name:
            raise ValueError(f"a concept is called {concept.name!r} and its query {concept.query.name!r}")
        documents = [j for word in concept.words for j in word.documents]
        if not all(isinstance(j, int) and 0 <= j < corpus.n_documents for j in documents):
            raise ValueError("a concept word is supported by a document that does not exist")


# --- both --------------------------------------------------------------------------------------------------


def _specs(
    n_queries: int,
    traces: Iterable[str],
    n_related: int,
    token_types: Sequence[str],
    n_splits: int,
    n_mixtures: int,
) -> dict[str, ArraySpec]:
    """Name all arrays of a saved fit, with their types."""
    return (
        _COUNTS
        | _RELEVANCE
        | _WORD_EVIDENCE
        | packed_specs(n_queries, *token_types)
        | {f"related.{q}.{part}": spec for q in range(n_related) for part, spec in _RELATED.items()}
        | {f"subtopic_counts.{q}": ArraySpec("float32", 2) for q in range(n_queries)}
        | {f"mixture.{q}.{part}": spec for q in range(n_mixtures) for part, spec in _MIXTURE.items()}
        | {f"split.{i}.counts": ArraySpec("float32", 2) for i in range(n_splits)}
        | {f"split.{i}.token_children": ArraySpec(token_types[1], 1) for i in range(n_splits)}
        | {f"{name}.{part}": spec for name in traces for part, spec in _TRACE.items()}
    )


def _frozen(array: NDArray[Any]) -> NDArray[Any]:
    array.flags.writeable = False
    return array
