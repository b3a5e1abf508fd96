"""A `Result` and a format in, files out: whole, or not at all; and what other topic-model tools read."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np

from qdtm.errors import ParameterError, StorageError
from qdtm.present.methods import CITATION, methods_paragraph, settings_table
from qdtm.results.distributions import document_topics, topic_word_probabilities
from qdtm.results.result import Result
from qdtm.results.table_formats import save_csv
from qdtm.results.tables import Table, result_tables
from qdtm.storage.atomic import placed_file, placed_folder, write_errors

# --- files --------------------------------------------------------------------------------------------------

Format = Literal["csv", "xlsx", "json"]
FORMATS: tuple[str, ...] = get_args(Format)
_FILES = ("concept_words.csv", "documents.csv", "topics.csv", "words.csv")


def export_result(
    result: Result,
    path: str | os.PathLike[str],
    format: Format = "csv",
    *,
    force: bool = False,
    all_documents: bool = False,
) -> Path:
    """Write all tables of a result.

    Parameters
    ----------
    result : Result
    path : path
        A folder for "csv", a file for the others.
    format : {"csv", "xlsx", "json"}
        "csv" writes a file for each table, "xlsx" one workbook with a sheet each, "json" one object.
    force : bool
        Replace what is there. A folder is never replaced, only the files in it that have our names.
    all_documents : bool
        Whether the table of documents has all of them, not only those that are about a query.

    Raises
    ------
    StorageError
        If something is there already, or the disk refuses.
    MissingExtraError
        If the format needs a package that is not installed.
    """
    if format not in FORMATS:
        raise ParameterError(f"The format is {format!r}; give one of {', '.join(map(repr, FORMATS))}.")
    target = Path(path)
    check_target(target, format, force=force)
    with write_errors(path):
        if format == "csv":
            tables = result_tables(result.fit, result.corpus, all_documents=all_documents)
            _write_folder(tables, target)
        else:
            from qdtm.present.workbook import write_workbook

            write = partial(write_workbook if format == "xlsx" else write_json, all_documents=all_documents)
            with placed_file(target) as file:
                write(result, file)
    return target


def check_target(target: Path, format: Format, *, force: bool) -> None:
    """Refuse to write where something is already, before anything is worked out.

    Raises
    ------
    StorageError
    """
    is_right = target.is_dir() if format == "csv" else not target.is_dir()
    if target.exists() and not is_right:
        is_now, wanted = ("a file", "a folder") if format == "csv" else ("a folder", "a file")
        raise StorageError(f"{str(target)!r} is {is_now}; give the name of {wanted}.")
    places = [target / name for name in _FILES] if format == "csv" else [target]
    taken = [place for place in places if place.exists()]
    if taken and not force:
        raise StorageError(f"{str(taken[0])!r} exists already; use force (--force) to replace it.")


def _write_folder(written: Sequence[Table], folder: Path) -> None:
    """Write each table to a file of its own; none is put in place before all are written."""
    tables = {f"{table.name.replace(' ', '_')}.csv": table for table in written}
    there = sorted(path.name for path in folder.iterdir()) if folder.exists() else []
    taken = [name for name in there if name in tables]
    with ExitStack() as places:
        if len(taken) == len(there) and not folder.is_symlink():  # all ours: one step replaces all
            whole = places.enter_context(placed_folder(folder))
            paths = [whole / name for name in tables]
        else:
            paths = [places.enter_context(placed_file(folder / name)) for name in tables]
        for path, table in zip(paths, tables.values(), strict=True):
            save_csv(table, path)


def write_json(result: Result, path: Path, *, all_documents: bool = False) -> None:
    """Write all tables as one JSON object: `about`, then each table as a list of objects, a row a line."""
    with path.open("w", encoding="utf-8", newline="") as file:
        settings = dict(settings_table(result))
        about = {"methods": methods_paragraph(result), "citation": CITATION, "settings": settings}
        file.write('{"about": ' + _json(about))
        for table in result_tables(result.fit, result.corpus, all_documents=all_documents):
            file.write(f',\n"{table.name.replace(" ", "_")}": [')
            for number, record in enumerate(table.records()):
                file.write((",\n" if number else "\n") + _json(record))
            file.write("\n]")
        file.write("}\n")


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=True, allow_nan=False)


# --- other tools --------------------------------------------------------------------------------------------
#
# A `Result` in, the plain data that other topic-model tools read out.


def to_topicwizard(result: Result) -> dict[str, Any]:
    """Return what topicwizard calls topic data: ``topicwizard.visualize(topic_data=...)``.

    Returns
    -------
    dict
        `corpus` (list of str), `vocab` (V,), `document_term_matrix` (D, V) sparse, `document_topic_matrix`
        (D, K), `topic_term_matrix` (K, V), `document_representation` (the topic shares, (D, K)), `transform`
        (None) and `topic_names` (K): the parents, then the background.
    """
    fit, corpus = result.fit, result.corpus
    shares = document_topics(corpus.document_term_matrix, fit.word_topic)  # (D, K)
    return {
        "corpus": [document.text for document in corpus.documents],
        "vocab": np.array(fit.vocabulary),
        "document_term_matrix": corpus.document_term_matrix,
        "document_topic_matrix": shares,
        "topic_term_matrix": topic_word_probabilities(fit.word_topic, fit.promoted_mass, fit.beta),
        "document_representation": shares,
        "transform": None,
        "topic_names": [topic.name for topic in (*result.topics, *result.background)],
    }


def to_octis(result: Result, n_words: int = 10) -> dict[str, Any]:
    """Return what OCTIS calls a model's output, for its metrics.

    Returns
    -------
    dict
        `topics` (list of K lists of words), `topic-word-matrix` (K, V), `topic-document-matrix` (K, D).
    """
    fit = result.fit
    topics = (*result.topics, *result.background)
    return {
        "topics": [[word for word, _ in topic.top_words(n_words)] for topic in topics],
        "topic-word-matrix": topic_word_probabilities(fit.word_topic, fit.promoted_mass, fit.beta),
        "topic-document-matrix": document_topics(result.corpus.document_term_matrix, fit.word_topic).T,
    }
