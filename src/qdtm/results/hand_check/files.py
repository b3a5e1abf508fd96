"""Hand-checks as files: `check.json` in a result's folder, and tables for a colleague.

`check.json` is written anew with every answer, whole or not at all. A table has a row a document of the
sample, in the order in which they are to be looked at, and a column `about` for yes or no.
"""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from qdtm.corpus.document_store import DocumentStore
from qdtm.corpus.readers.encoding import find_encoding
from qdtm.errors import CorpusError, ParameterError, StorageError
from qdtm.results.hand_check.answers import Verdict
from qdtm.results.hand_check.hand_check import HandCheck, merge, of_version_1
from qdtm.results.hand_check.sample import allocate_first, draw_round, draw_sample
from qdtm.results.table_formats import safe_cell
from qdtm.storage.atomic import placed_file, write_errors
from qdtm.storage.folders import CHECK, CHECK_LOCK, load_json, require_file
from qdtm.storage.locks import LivenessLock

if TYPE_CHECKING:
    from qdtm.results.result import Result


# --- files --------------------------------------------------------------------------------------------------

FORMAT, VERSION = "qdtm check", 2
COLUMNS = ("document", "id", "about", "answers", "notes", "text")
_NEEDED = frozenset({"about", "document", "id"})
_MOST_BYTES = 2**26
_YES, _NO = frozenset({"yes", "y", "1", "true"}), frozenset({"no", "n", "0", "false"})
_UNSURE, _OPEN = frozenset({"unsure", "?", "maybe"}), frozenset({"", "skip", "na", "nan"})
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
        read = of_version_1 if values["version"] == 1 else HandCheck.from_json
        checks = tuple(read(check) for check in values["checks"])
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


def keep_check(
    folder: Path, check: HandCheck, n_documents: int, *, since: HandCheck | None = None
) -> HandCheck:
    """Write a hand-check beside those of the other queries that are in a folder by now.

    Parameters
    ----------
    folder : Path
    check : HandCheck
    n_documents : int
        Of the corpus.
    since : HandCheck, optional
        The check as it was read or kept before: what others have written since then is kept, too. Without
        it the check takes the place of whatever there is.

    Returns
    -------
    HandCheck
        As it was written.

    Raises
    ------
    StorageError
        If what is there is damaged, or the disk refuses.
    """
    with write_errors(folder / CHECK), LivenessLock(folder / CHECK_LOCK):
        checks = read_checks(folder, n_documents)
        theirs = next((each for each in checks if each.query == check.query), None)
        if since is not None and theirs is not None and theirs != since:
            check = merge(theirs, since, check)
        write_checks(folder / CHECK, [*(each for each in checks if each.query != check.query), check])
    return check


def write_sample(path: str | os.PathLike[str], check: HandCheck, documents: DocumentStore) -> None:
    """Write the sample as a .csv table; answers that there are already are filled in."""
    with (
        placed_file(path) as unfinished,
        write_errors(path),
        unfinished.open("w", encoding="utf-8-sig", errors="replace", newline="") as file,
    ):
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        for document in documents.select(check.sample.documents):
            row = document.index
            about = check.verdicts.get(row, "")
            own = [each for each in check.answers if each.row == row]
            answers = "; ".join(f"{each.by or 'no name'}: {each.about}" for each in own)
            notes = "; ".join(f"{each.by or 'no name'}: {each.note}" for each in own if each.note)
            cells = (document.id, about, answers, notes, document.text[:_LONGEST])
            writer.writerow([row, *map(safe_cell, cells)])


ANSWER_COLUMNS = (
    "query", "document", "id", "about", "reader", "answer", "first_answer", "note", "round", "drawn",
    "stratum", "probability",
)  # fmt: skip


def write_answers(
    path: str | os.PathLike[str], checks: Sequence[HandCheck], documents: DocumentStore
) -> None:
    """Write every answer as a .csv table to publish: readers by number, and how documents were drawn.

    `probability` is that of being in the random sample of a stratum, for those that are: what an estimate by
    another hand needs.
    """
    with (
        placed_file(path) as unfinished,
        write_errors(path),
        unfinished.open("w", encoding="utf-8", newline="") as file,
    ):
        writer = csv.writer(file)
        writer.writerow(ANSWER_COLUMNS)
        for check in checks:
            readers = {name: f"reader {i}" for i, name in enumerate(check.people, start=1)}
            for answer in check.answers:
                draw = check.sample.places[answer.row]
                random = check.sample.random_in(draw.stratum)
                share = len(random) / check.sample.strata[draw.stratum].size
                probability = f"{share:.6g}" if answer.row in random else ""
                cells = (check.query, answer.row, documents[answer.row].id, check.verdicts[answer.row])
                said = (readers[answer.by], answer.about, answer.before or "", answer.note)
                drawn = (draw.round, draw.how, draw.stratum + 1, probability)
                writer.writerow([safe_cell(str(cell)) for cell in (*cells, *said, *drawn)])


def read_answers(
    path: str | os.PathLike[str], check: HandCheck, documents: DocumentStore, *, by: str = ""
) -> HandCheck:
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
    answers: dict[int, Verdict] = {}
    for number, row in enumerate(rows, start=2):
        document = row_of(row)
        said = (row.get("about") or "").strip().casefold()
        if said not in _YES | _NO | _UNSURE | _OPEN:
            given = f"Line {number} of {str(path)!r} says {said!r}"
            raise ParameterError(f"{given}; give yes, no, unsure, or nothing.")
        if document is not None and said not in _OPEN:
            answers[document] = "yes" if said in _YES else "no" if said in _NO else "unsure"
    if not answers:
        raise ParameterError(f"{str(path)!r} has no answer to a document of the sample of {check.query!r}.")
    known = {answer.row: answer.about for answer in check.answers if answer.by == by}
    new = {row: about for row, about in answers.items() if known.get(row) != about}  # no second look
    return check.with_answers(new, by=by)


def _read_rows(path: str | os.PathLike[str]) -> list[dict[str, Any]]:
    try:
        require_file(Path(path))
        if Path(path).stat().st_size > _MOST_BYTES:
            reason = f"is larger than {_MOST_BYTES >> 20} MB; that is no table of answers"
            raise StorageError(f"{str(path)!r} {reason}.")
        encoding = find_encoding(Path(path)).name  # spreadsheets have others, and other delimiters
        with Path(path).open(encoding=encoding, errors="replace", newline="") as file:
            delimiter = _delimiter_of(file.readline())
            file.seek(0)
            return list(csv.DictReader(file, delimiter=delimiter))
    except CorpusError as error:
        raise StorageError(str(error)) from error
    except (OSError, csv.Error) as error:
        raise StorageError(f"Cannot read {str(path)!r}: {error}.") from error


def _delimiter_of(header: str) -> str:
    """Return what stands between the names of columns."""

    def n_known(delimiter: str) -> int:
        return len({name.strip('"') for name in header.strip().split(delimiter)} & _NEEDED)

    return max(",;\t", key=n_known)


def _documents_of(rows: list[dict[str, Any]], check: HandCheck, documents: DocumentStore, path: str) -> Any:
    """Return how a row of a table names a document of the sample: by its number, else by its id."""
    if not rows:
        return lambda _: None
    names = set(rows[0])
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
    if begun is not None and begun.sample.n_rounds and not fresh:
        return begun
    if n < LEAST:
        raise ParameterError(f"A sample of {n} documents says too little; give at least {LEAST}.")
    relevance, cutoff = result.unchecked_relevance(q)
    if begun is None or fresh:
        return HandCheck(result.fit.concepts[q].name, draw_sample(relevance, cutoff, n, seed))
    wanted = allocate_first(begun.sample.strata, n)
    return replace(begun, sample=draw_round(begun.sample, relevance, random=wanted))


LEAST = 10
"""Documents that have to be looked at."""
