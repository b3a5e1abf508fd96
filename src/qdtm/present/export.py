"""A `Result` and a format in, files out: whole, or not at all; and what other topic-model tools read."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from qdtm.errors import ParameterError, StorageError
from qdtm.present.formats import NAMES, ExportFormat, Format, format_of
from qdtm.present.methods import CITATION, methods_paragraph, settings_table
from qdtm.results.distributions import document_topics, topic_word_probabilities
from qdtm.results.result import Result
from qdtm.results.table_formats import save_csv, save_parquet
from qdtm.results.tables import Table, result_tables
from qdtm.storage.archive import zip_folder
from qdtm.storage.atomic import placed_file, placed_files, write_errors

# --- files --------------------------------------------------------------------------------------------------

_WRITERS: Mapping[Format, str] = {
    "csv": "qdtm.present.export:write_csv_tables",
    "xlsx": "qdtm.present.workbook:write_workbook",
    "json": "qdtm.present.export:write_json",
    "parquet": "qdtm.present.export:write_parquet_tables",
    "ris": "qdtm.present.bibliography_export:write_ris",
    "bibtex": "qdtm.present.bibliography_export:write_bibtex",
    "refi-qda": "qdtm.present.refi_qda:write_project",
    "codebook": "qdtm.present.refi_qda:write_codebook",
    "notes": "qdtm.present.notes_export:write_notes",
    "gexf": "qdtm.present.graph_export:write_gexf",
    "label-studio": "qdtm.present.annotation_export:write_label_studio",
    "argilla": "qdtm.present.annotation_export:write_argilla",
    "bundle": "qdtm.present.bundle:write_bundle",
}
"""Which function writes a format, given a result and a file, or an empty folder to fill."""


def export_result(
    result: Result,
    path: str | os.PathLike[str],
    format: Format = "csv",
    *,
    force: bool = False,
    all_documents: bool = False,
) -> Path:
    """Write a result in a format that other programs read; see `qdtm.present.formats`.

    Parameters
    ----------
    result : Result
    path : path
        A folder for "csv", "parquet", "notes" and "bundle", or a .zip of it if its name ends so; a file for
        the others.
    format : str
        Tables: "csv", "xlsx", "json", "parquet". The documents as references: "ris", "bibtex". Coded passages
        for qualitative analysis: "refi-qda", its "codebook" alone. "notes" in Markdown, a network as "gexf",
        passages to judge for "label-studio" or "argilla", and a "bundle" to publish with a paper.
    force : bool
        Replace what is there. A folder is never replaced, only the files in it that have our names.
    all_documents : bool
        Whether all documents are written, not only those that are about a query.

    Raises
    ------
    StorageError
        If something is there already, or the disk refuses.
    MissingExtraError
        If the format needs a package that is not installed.
    """
    wanted, target = check_target(path, format, force=force), Path(path)
    module, _, name = _WRITERS[wanted.name].partition(":")
    write = partial(getattr(import_module(module), name), result, all_documents=all_documents)
    with write_errors(path):
        if wanted.is_folder and not _is_zip(target):
            with placed_files(target, force=force) as place:
                write(place)
        else:
            with placed_file(target) as place:
                _write_zip(target.stem, write, place) if wanted.is_folder else write(place)
    return target


def check_target(path: str | os.PathLike[str], format: Format, *, force: bool) -> ExportFormat:
    """Refuse to write where something is already, before anything is worked out; return what is written.

    Raises
    ------
    ParameterError
        If there is no such format.
    StorageError
        If something is there.
    """
    wanted, target = format_of(format), Path(path)
    if wanted is None:
        raise ParameterError(f"The format is {format!r}; give one of {', '.join(map(repr, NAMES))}.")
    fills = wanted.is_folder and not _is_zip(target)
    if target.exists() and target.is_dir() != fills:
        is_now, asked = ("a file", "a folder") if fills else ("a folder", "a file")
        raise StorageError(f"{str(target)!r} is {is_now}; give the name of {asked}.")
    place = target / wanted.first_file if fills else target
    if place.exists() and not force:
        raise StorageError(f"{str(place)!r} exists already; use force (--force) to replace it.")
    return wanted


def _is_zip(target: Path) -> bool:
    return target.suffix.lower() == ".zip"


def _write_zip(name: str, write: Callable[[Path], None], path: Path) -> None:
    """Fill a folder of this name, and put its files into one."""
    with TemporaryDirectory(prefix="qdtm-") as scratch:
        folder = Path(scratch) / name
        folder.mkdir()
        write(folder)
        zip_folder(folder, path)


# --- tables -------------------------------------------------------------------------------------------------


def write_csv_tables(result: Result, folder: Path, *, all_documents: bool = False) -> None:
    """Write each table to a .csv file of its own."""
    for table in result_tables(result.fit, result.corpus, result.codes, all_documents=all_documents):
        save_csv(table, folder / f"{_file_stem(table)}.csv")


def write_parquet_tables(result: Result, folder: Path, *, all_documents: bool = False) -> None:
    """Write each table to a .parquet file of its own."""
    for table in result_tables(result.fit, result.corpus, result.codes, all_documents=all_documents):
        save_parquet(table, folder / f"{_file_stem(table)}.parquet")


def _file_stem(table: Table) -> str:
    return table.name.replace(" ", "_")


def write_json(result: Result, path: Path, *, all_documents: bool = False) -> None:
    """Write all tables as one JSON object: `about`, then each table as a list of objects, a row a line."""
    with path.open("w", encoding="utf-8", newline="") as file:
        settings = dict(settings_table(result))
        about = {"methods": methods_paragraph(result), "citation": CITATION, "settings": settings}
        file.write('{"about": ' + _json(about))
        for table in result_tables(result.fit, result.corpus, result.codes, all_documents=all_documents):
            file.write(f',\n"{_file_stem(table)}": [')
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
