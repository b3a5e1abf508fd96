"""What people add to a result, kept beside it: corrections, answers, tags and notes. It never changes."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from qdtm.app.jobs import REQUEST
from qdtm.app.requests import FitRequest, request_from_json
from qdtm.app.workspace import Workspace, read_json
from qdtm.errors import QdtmError, StorageError
from qdtm.queries import Query
from qdtm.results.codes import Codes
from qdtm.results.corrections import corrections_of
from qdtm.results.hand_check.files import keep_check, read_checks
from qdtm.results.hand_check.hand_check import HandCheck, carried, judge
from qdtm.results.journal import Journal
from qdtm.results.result import Result
from qdtm.storage.folders import CHECK

# --- corrections --------------------------------------------------------------------------------------------
#
# What people did to a result, in its journal: names, subtopics that were merged, hidden or split.


class StalePageError(QdtmError):
    """A page shows a result otherwise than it is by now."""


def keep_correction(folder: Path, result: Result, make: Callable[[Result], Result]) -> Result:
    """Correct a result as it is shown, and keep the act in the journal of its folder.

    Parameters
    ----------
    folder : Path
        Of the job.
    result : Result
        As the page shows it.
    make : callable
        Corrects it: `lambda result: result.hide("0.2")`.

    Raises
    ------
    StalePageError
        If somebody has corrected it since it was shown; nothing is done then.
    QdtmError
        If it cannot be done.
    """
    journal = Journal(folder)
    while True:
        now = journal.history
        if corrections_of(now) != corrections_of(result.history):
            raise StalePageError("It was corrected elsewhere meanwhile; here is how it is now.")
        corrected = make(result.with_history(now))
        if journal.follow(now, corrected.history):
            return corrected


# --- hand-checks --------------------------------------------------------------------------------------------
#
# What people said about documents, beside a result: it grows with every answer, the result never changes.


def check_stamp(folder: Path) -> int:
    """Return what changes with every answer; 0 if nobody has answered."""
    try:
        return (folder / CHECK).stat().st_mtime_ns
    except FileNotFoundError:
        return 0


def with_checks(folder: Path, result: Result) -> Result:
    """Return a result with what was said about its documents.

    Raises
    ------
    StorageError
        If the file is damaged, or of another result.
    """
    for check in read_checks(folder, result.corpus.n_documents):
        result = result.with_check(check)
    return result


def keep_judgement(
    folder: Path,
    result: Result,
    q: int,
    row: int,
    answer: str | None,
    note: str = "",
    by: str = "",
) -> HandCheck:
    """Keep what a person says of any document: "yes", "no" or "unsure"; None takes it back.

    Parameters
    ----------
    folder : Path
        Of the result, with what was said before.
    result : Result
    q : int
    row : int
    answer : str or None
    note, by : str

    Raises
    ------
    QdtmError
        If there is no such document or answer, or the disk refuses.
    """
    now = with_checks(folder, result)
    said = judge(now, q, row, answer, note=note, by=by)
    before = now.fit.check_of(q) or replace(said, answers=(), settled={})
    return keep_check(folder, said, result.corpus.n_documents, since=before)


def earlier_answers(workspace: Workspace, corpus: str, query: Query, n_documents: int) -> HandCheck | None:
    """Return what was last said of the documents of a query, in whatever result of the same corpus.

    Parameters
    ----------
    corpus : str
        Its id.
    query : Query
        One with the same text, keywords and reading asks the same, whatever its concept words are.
    n_documents : int
        Of the corpus.
    """
    folders = [workspace.root / "jobs" / id for id in workspace.ids("jobs")]
    for folder in sorted(folders, key=check_stamp, reverse=True):
        if not check_stamp(folder):
            break  # nobody has answered to this one, nor to those that follow
        with suppress(StorageError):
            request = request_from_json(read_json(folder / REQUEST) or {})
            if isinstance(request, FitRequest) and request.corpus == corpus:
                names = {each.name for each in request.queries if _asked(each) == _asked(query)}
                checks = read_checks(folder, n_documents)
                found = next((each for each in checks if each.query in names and each.answers), None)
                if found is not None:
                    return found
    return None


def _asked(query: Query) -> tuple[object, ...]:
    return query.text.casefold(), query.keywords, query.reading


def carry_answers(workspace: Workspace, request: FitRequest, folder: Path, result: Result) -> Result:
    """Keep what people said of the documents of a new result's queries before, and return it with that."""
    n = result.corpus.n_documents
    for q, query in enumerate(request.queries):
        earlier = earlier_answers(workspace, request.corpus, query, n)
        if earlier is not None:
            check = carried(earlier, result.fit.concepts[q].name, *result.unchecked_relevance(q))
            result = result.with_check(keep_check(folder, check, n))
    return result


# --- codes --------------------------------------------------------------------------------------------------
#
# Tags and notes, beside a result: acts of its journal. They change nothing in the result, so it stays open.


def read_codes(folder: Path, n_documents: int) -> Codes:
    """Return the tags and notes of a result that are in force now.

    Raises
    ------
    StorageError
        If the journal cannot be read.
    """
    path = Journal(folder).path
    known = path.stat() if path.is_file() else None
    return Codes() if known is None else _codes(path, known.st_mtime_ns, known.st_size, n_documents)


@lru_cache(maxsize=16)
def _codes(path: Path, _stamp: int, _size: int, n_documents: int) -> Codes:
    return Codes.of(Journal(path).acts, n_documents)
