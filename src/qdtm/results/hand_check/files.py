"""Hand-checks as files: `check.json` in a result's folder, and tables for a colleague.

`check.json` is written anew with every answer, whole or not at all. A table has a row a document of the
sample, in the order in which they are to be looked at, and a column `about` for yes or no.
"""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from qdtm.corpus.document_store import DocumentStore
from qdtm.errors import ParameterError, StorageError
from qdtm.results.hand_check.hand_check import HandCheck
from qdtm.results.hand_check.sample import draw_sample
from qdtm.results.table_formats import safe_cell
from qdtm.storage.atomic import placed_file, write_errors
from qdtm.storage.folders import CHECK, load_json

if TYPE_CHECKING:
    from qdtm.results.result import Result


# --- files --------------------------------------------------------------------------------------------------

FORMAT, VERSION = "qdtm check", 1
COLUMNS = ("document", "id", "about", "text")
_YES, _NO = frozenset({"yes", "y", "1", "true"}), frozenset({"no", "n", "0", "false"})
_SKIPPED = frozenset({"", "skip", "?", "na", "nan"})
_LONGEST = 30_000  # characters of a text in a table; a spreadsheet's cell holds little more


def read_checks(folder: Path, n_documents: int) -> tuple[HandCheck, ...]:
    """Read the hand-checks in a folder; none if there is no file.

    Raises
    ------
    StorageError
        If the file is damaged, or of another result.
    """
    path = folder / CHECK
    if not path.is_file():
        return ()
    values = load_json(path)
    try:
        if values["format"] != FORMAT or values["version"] > VERSION:
            raise ValueError("a file of another program or version")
        checks = tuple(HandCheck.from_json(check) for check in values["checks"])
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError, ParameterError) as error:
        raise StorageError(f"{str(path)!r} is damaged ({error}); move it away to go on without.") from error
    if not all(0 <= document < n_documents for check in checks for document in check.sample.documents):
        raise StorageError(f"{str(path)!r} is a check of another corpus; move it away to go on without.")
    return checks


def write_checks(path: Path, checks: Sequence[HandCheck]) -> None:
    """Write hand-checks to a file, whole or not at all."""
    value = {"format": FORMAT, "version": VERSION, "checks": [check.to_json() for check in checks]}
    with placed_file(path) as unfinished, write_errors(path):
        unfinished.write_text(json.dumps(value, allow_nan=False) + "\n", encoding="utf-8")


def keep_check(folder: Path, check: HandCheck, n_documents: int) -> None:
    """Write a hand-check beside those of the other queries that are in a folder by now.

    Raises
    ------
    StorageError
        If what is there is damaged, or the disk refuses.
    """
    others = [each for each in read_checks(folder, n_documents) if each.query != check.query]
    write_checks(folder / CHECK, [*others, check])


def write_sample(path: str | os.PathLike[str], check: HandCheck, documents: DocumentStore) -> None:
    """Write the sample as a .csv table; answers that there are already are filled in."""
    names = {True: "yes", False: "no", None: "skip"}
    with (
        placed_file(path) as unfinished,
        write_errors(path),
        unfinished.open("w", encoding="utf-8-sig", errors="replace", newline="") as file,
    ):
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        for document in documents.select(check.sample.documents):
            row = document.index
            about = names[check.answers[row]] if row in check.answers else ""
            writer.writerow([row, safe_cell(document.id), about, safe_cell(document.text[:_LONGEST])])


def read_answers(path: str | os.PathLike[str], check: HandCheck, documents: DocumentStore) -> HandCheck:
    """Return a check with the answers of a .csv table: columns `about` and `document` (or `id`).

    Raises
    ------
    ParameterError
        If a column is missing, an answer is neither yes nor no nor empty, or no document is in the sample.
    StorageError
        If the file cannot be read.
    """
    rows = _read_rows(path)
    row_of = _documents_of(rows, check, documents, str(path))
    answers: dict[int, bool | None] = {}
    for number, row in enumerate(rows, start=2):
        document = row_of(row)
        said = (row.get("about") or "").strip().casefold()
        if said not in _YES | _NO | _SKIPPED:
            raise ParameterError(f"Line {number} of {str(path)!r} says {said!r}; give yes, no, or nothing.")
        if document is not None and said:
            answers[document] = True if said in _YES else False if said in _NO else None
    if not answers:
        raise ParameterError(f"{str(path)!r} has no answer to a document of the sample of {check.query!r}.")
    return check.with_answers(answers)


def _read_rows(path: str | os.PathLike[str]) -> list[dict[str, Any]]:
    try:
        with Path(path).open(encoding="utf-8-sig", errors="replace", newline="") as file:
            return list(csv.DictReader(file))
    except (OSError, csv.Error) as error:
        raise StorageError(f"Cannot read {str(path)!r}: {error}.") from error


def _documents_of(rows: list[dict[str, Any]], check: HandCheck, documents: DocumentStore, path: str) -> Any:
    """Return how a row of a table names a document of the sample: by its number, else by its id."""
    names = set(rows[0]) if rows else set()
    if "about" not in names or not names & {"document", "id"}:
        raise ParameterError(f"{path!r} needs the columns 'about' and 'document' (or 'id').")
    sampled = {str(row): row for row in check.sample.documents}
    if "document" in names:
        return lambda row: sampled.get((row["document"] or "").strip())
    by_id = {safe_cell(each.id): each.index for each in documents.select(check.sample.documents)}
    return lambda row: by_id.get((row["id"] or "").strip())


# --- begun, or new ------------------------------------------------------------------------------------------
#
# A result and a query in, the hand-check of the query out: the one that was begun, or a new one.


def begin_check(
    result: Result, query: str | int = 0, n: int = 50, *, seed: int = 0, fresh: bool = False
) -> HandCheck:
    """Return the hand-check of a query: the one that was begun before, else a new sample.

    Parameters
    ----------
    result : Result
    query : str or int
    n : int
        Documents of a new sample.
    seed : int
        Of a new sample.
    fresh : bool
        Draw a new sample in any case.

    Raises
    ------
    ParameterError
        If `n` is below 10: too few to say anything.
    """
    q = result.query_index(query)
    begun = result.fit.check_of(q)
    if begun is not None and not fresh:
        return begun
    if n < LEAST:
        raise ParameterError(f"A sample of {n} documents says too little; give at least {LEAST}.")
    relevance, cutoff = result.unchecked_relevance(q)
    return HandCheck(result.fit.concepts[q].name, draw_sample(relevance, cutoff, n, seed))


LEAST = 10
"""Documents that have to be looked at."""
