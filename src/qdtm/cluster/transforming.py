"""New documents in many files scored by a saved result, each file where there is room.

In: a result, files, and where to write. Out: a table a file, with the rows that one machine would write; no
machine holds more than a file. What was done before a kill is found again.
"""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from qdtm.cluster.file_steps import FileRecords
from qdtm.cluster.tasks import Tasks
from qdtm.corpus.building import of_records
from qdtm.corpus.readers.read import SourceFiles
from qdtm.corpus.readers.records import PassedOver, ReadOptions
from qdtm.errors import CorpusError
from qdtm.results.result import Result
from qdtm.results.table_formats import write_csv
from qdtm.results.tables import new_documents_table
from qdtm.storage.array_store import ArrayStore

if TYPE_CHECKING:
    from typing import Any

_REQUEST = "request.json"


@dataclass(frozen=True)
class Scoring:
    """What all files are scored with.

    Parameters
    ----------
    result : str
        Where it is saved.
    index : str, optional
        Where its index is, if it is not where it was.
    files : SourceFiles
    options : ReadOptions
    place : str
        Where tables are written.
    as_json : bool
        An object a line in place of .csv.
    """

    result: str
    index: str | None
    files: SourceFiles
    options: ReadOptions
    place: str
    as_json: bool = False

    def name(self, i: int) -> str:
        """The table of a file."""
        return f"part-{i:05d}.{'jsonl' if self.as_json else 'csv'}"


def transform_in_parts(
    result: str,
    source: Sequence[str],
    options: ReadOptions,
    place: str,
    tasks: Tasks,
    *,
    index: str | None = None,
    as_json: bool = False,
    steps: Callable[[str, int, int], None] | None = None,
) -> int:
    """Score the documents of files; return how many there were. A file that cannot be read is told of."""
    files = SourceFiles.of(source)
    unfinished = ArrayStore(f"{place.rstrip('/')}.unfinished", private=False)
    scoring = Scoring(result, index, files, options, unfinished.root, as_json)
    asked = hashlib.sha256(repr(scoring).encode()).hexdigest()
    if not unfinished.exists(_REQUEST) or unfinished.read_json(_REQUEST) != asked:
        unfinished.clear()
        unfinished.write_json(_REQUEST, asked)
    passed, total = PassedOver(), 0
    done = tasks.map(transform_file, ((scoring, i) for i in range(len(files))))
    for i, (n_documents, error) in enumerate(done):
        total += n_documents
        if error:
            file = files.files[i]
            passed.add(file.name, file.place, CorpusError(error), n_documents)
        if steps is not None:
            steps("scoring", i + 1, len(files))
    if not total:
        raise CorpusError(f"Nothing in the {len(files):,} files can be read: {passed}")
    passed.tell(f"the {len(files):,} files")
    for i in range(len(files)):
        unfinished.remove(f"{scoring.name(i)}.json")
    unfinished.remove(_REQUEST)
    unfinished.move_to(place)
    return total


def transform_file(scoring: Scoring, i: int) -> tuple[int, str]:
    """Write the table of one file; return how many documents it has, and what kept it from being read."""
    store, name = ArrayStore(scoring.place, private=False), scoring.name(i)
    if not store.exists(f"{name}.json"):
        said = _transform_file(scoring, i, store, name)
        store.write_json(f"{name}.json", said)
    n_documents, error = store.read_json(f"{name}.json")
    return int(n_documents), str(error)


def _transform_file(scoring: Scoring, i: int, store: ArrayStore, name: str) -> tuple[int, str]:
    result, records = _opened(scoring.result, scoring.index), FileRecords(scoring.files, i, scoring.options)
    new = of_records(records, None, result.corpus)
    if not len(new):
        return 0, records.error
    found = [result.relevance(q, new) for q in range(result.fit.n_queries)]
    table: Any = new_documents_table(result.fit, new, found)
    file = io.StringIO(newline="")
    if scoring.as_json:
        file.writelines(f"{json.dumps(each, allow_nan=False)}\n" for each in table.records())
    else:
        write_csv(table, file)
    store.write_bytes(name, file.getvalue().encode("utf-8", "replace"))
    return len(new), records.error


@lru_cache(maxsize=1)
def _opened(result: str, index: str | None) -> Result:
    return Result.load(result, corpus=index)
