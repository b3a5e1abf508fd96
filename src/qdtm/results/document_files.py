"""The documents of a corpus that no machine holds: what became of them, in Parquet files.

In: a fit, and the documents of a part of the corpus. Out: one Parquet file for it, with a row for each of its
documents; and from all files, the table of the most relevant documents. A file is read or written by itself,
in a folder or at any URL that fsspec knows.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qdtm.errors import MissingExtraError, StorageError
from qdtm.results.distributions import BLOCK, document_topics
from qdtm.results.documents import DocumentTable, RelevantDocument, order_by, subtopic_position
from qdtm.results.elsewhere import DocumentFiles, is_url
from qdtm.results.fit import ModelFit
from qdtm.results.scores import score_documents
from qdtm.results.splits import subtopic_ids
from qdtm.results.topic import Topic
from qdtm.results.topics import topic_id

_KEY = b"qdtm"
_COLUMNS = ("file", "row", "document", "tokens")


# --- writing -----------------------------------------------------------------------------------------------


def write_document_file(path: str, fit: ModelFit, counts: Any, file: str, ids: Sequence[str]) -> None:
    """Write what became of the documents of one file of a corpus.

    A row has the document's `file`, its `row` there, its name (`document`), its known `tokens`, its share in
    each topic (`topics`, in the order of the metadata), and for each query its relevance, its main subtopic
    and the share of it.

    Parameters
    ----------
    path : str
        A name or URL that ends in .parquet.
    fit : ModelFit
    counts : scipy CSR matrix, shape (D, V)
    file : str
        Where the documents come from.
    ids : sequence of str, length D
    """
    pyarrow, parquet = _pyarrow()
    with _storage_errors(path, "write"), _opened(path, "wb") as out:
        schema = _schema(pyarrow, fit)
        with parquet.ParquetWriter(out, schema, compression="zstd") as writer:
            for start in range(0, max(len(ids), 1), BLOCK):
                rows = slice(start, start + BLOCK)
                columns = _columns(pyarrow, fit, counts[rows], file, start, ids[rows])
                writer.write_table(pyarrow.table(columns, schema=schema))


def _schema(pyarrow: Any, fit: ModelFit) -> Any:
    topics = [topic_id(k, fit.n_queries) for k in range(fit.n_topics)]
    queries = [concept.name for concept in fit.concepts]
    fields = [
        ("file", pyarrow.string()),
        ("row", pyarrow.int64()),
        ("document", pyarrow.string()),
        ("tokens", pyarrow.int64()),
        ("topics", pyarrow.list_(pyarrow.float32(), len(topics))),
    ]
    for query in queries:
        kinds = (pyarrow.float64(), pyarrow.string(), pyarrow.float64())
        fields += list(zip(query_columns(query), kinds, strict=True))
    return pyarrow.schema(fields, metadata={_KEY: json.dumps({"topics": topics, "queries": queries})})


def query_columns(query: str) -> tuple[str, str, str]:
    """Return the columns of a query: relevance, main subtopic, and the share in it."""
    return f"relevance: {query}", f"subtopic: {query}", f"subtopic share: {query}"


def _columns(
    pyarrow: Any, fit: ModelFit, counts: Any, file: str, start: int, ids: Sequence[str]
) -> dict[str, Any]:
    scores = score_documents(fit, counts)
    shares = document_topics(counts, fit.word_topic).astype(np.float32)  # (b, K)
    columns = {
        "file": pyarrow.array([file] * len(ids), pyarrow.string()),
        "row": np.arange(start, start + len(ids)),
        "document": pyarrow.array(list(ids), pyarrow.string()),
        "tokens": scores.n_tokens,
        "topics": pyarrow.FixedSizeListArray.from_arrays(shares.ravel(), fit.n_topics),
    }
    for q, concept in enumerate(fit.concepts):
        ids = subtopic_ids(fit, q)
        names = [None if s < 0 else ids[s] for s in scores.subtopic[:, q].tolist()]
        values = (scores.relevance[:, q], pyarrow.array(names, pyarrow.string()), scores.subtopic_share[:, q])
        columns |= dict(zip(query_columns(concept.name), values, strict=True))
    return columns


# --- reading -----------------------------------------------------------------------------------------------


def most_relevant(
    files: DocumentFiles, query: str, topic: Topic, n: int | None = 10, *, subtopic: str | None = None
) -> DocumentTable:
    """Find the documents that are most about a query, or whose main subtopic is one of its subtopics.

    One file is read at a time; the texts are where the corpus is, as `fields` say: the file and the row.

    Parameters
    ----------
    files : DocumentFiles
    query : str
        The query's name.
    topic : Topic
        Its parent topic.
    n, subtopic
        As in `qdtm.results.documents.rank_documents`.
    """
    wanted = None if subtopic is None else topic.below()[subtopic_position(topic, subtopic)].id
    best: list[tuple[float, int, RelevantDocument]] = []
    first = 0
    for path in files.paths:
        table = _read(path, [*_COLUMNS, *query_columns(query)])
        best = _best([*best, *_candidates(table, first, n, wanted)], n)
        first += table.num_rows
    ranked = [
        RelevantDocument(rank, *(getattr(found, name) for name in _AFTER_RANK))
        for rank, (_, _, found) in enumerate(best, start=1)
    ]
    return DocumentTable(topic.name, tuple(ranked))


_AFTER_RANK = ("index", "id", "relevance", "subtopic", "subtopic_share", "text", "fields")


def _candidates(
    table: Any, first: int, n: int | None, wanted: str | None
) -> list[tuple[float, int, RelevantDocument]]:
    """Return the best documents of one file, with what they are ranked by."""
    relevance, main, share = (table.column(len(_COLUMNS) + i) for i in range(3))
    lengths: NDArray[np.int64] = table.column("tokens").to_numpy()
    score = relevance.to_numpy() if wanted is None else share.to_numpy()
    rows = np.arange(table.num_rows)
    if wanted is not None:
        rows = np.flatnonzero(np.array(main.to_pylist(), object) == wanted)
    rows = rows[order_by(score[rows], lengths[rows], n)]
    found = []
    for j in rows.tolist():
        fields = {name: str(table.column(name)[j].as_py()) for name in ("file", "row")}
        document = RelevantDocument(
            0, first + j, table.column("document")[j].as_py(), float(relevance[j].as_py()), main[j].as_py(),
            float(share[j].as_py()), "", fields,
        )  # fmt: skip
        found.append((float(score[j]), int(lengths[j]), document))
    return found


def _best(
    found: list[tuple[float, int, RelevantDocument]], n: int | None
) -> list[tuple[float, int, RelevantDocument]]:
    scores, lengths = (np.array([each[i] for each in found]) for i in (0, 1))
    return [found[i] for i in order_by(scores.astype(np.float64), lengths.astype(np.int64), n)]


def _read(path: str, columns: Sequence[str]) -> Any:
    parquet = _pyarrow()[1]
    with _storage_errors(path, "read"), _opened(path, "rb") as file:
        return parquet.read_table(file, columns=list(columns))


# --- files -------------------------------------------------------------------------------------------------


def _pyarrow() -> tuple[Any, Any]:
    try:
        return import_module("pyarrow"), import_module("pyarrow.parquet")
    except ImportError:
        raise MissingExtraError(
            "Results in Parquet files need the extra 'ray': pip install 'qdtm[ray]'."
        ) from None


def _opened(path: str, mode: str) -> Any:
    """Open a file in a folder, which is made for writing, or at a URL."""
    if is_url(path):
        from fsspec.core import open as open_url

        return open_url(path, mode)
    place = Path(path)
    if "w" in mode:
        place.parent.mkdir(parents=True, exist_ok=True)
    return place.open(mode)


@contextmanager
def _storage_errors(path: str, what: str) -> Iterator[None]:
    """Turn what goes wrong with a file into one line."""
    try:
        yield
    except (OSError, ValueError) as error:  # ArrowInvalid is a ValueError
        reason = getattr(error, "strerror", None) or " ".join(str(error).split())
        raise StorageError(f"Cannot {what} {path!r}: {reason}.") from error
