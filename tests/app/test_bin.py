"""What was removed: it comes back as it was, goes after thirty days, and results outlive their corpus."""

from __future__ import annotations

import zipfile
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from qdtm.app.bin import KEPT, Binned, delete, discard, empty_bin, find_binned, in_bin, restore
from qdtm.app.context import Opened
from qdtm.app.corpora import (
    DEMO,
    CorpusGoneError,
    list_corpora,
    read_about,
    remove_corpus,
    where_is,
)
from qdtm.app.downloads import KINDS, make_file
from qdtm.app.findings import kept_documents, read_findings
from qdtm.app.jobs import OUTCOME, RESULT, JobLimits, Jobs
from qdtm.app.requests import Columns, FitRequest, IndexRequest
from qdtm.app.upload import index_corpus
from qdtm.app.worker import run
from qdtm.app.workspace import InBinError, NotFoundError, Workspace, read_json, write_json
from qdtm.errors import ParameterError, StorageError
from qdtm.queries import Query
from qdtm.results.result import Result

from .texts import uploaded, write_table

NOW = datetime(2126, 5, 1, 12, tzinfo=UTC)  # later than any id that is made now
DAY = timedelta(days=1)


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace.open(tmp_path / "workspace")


@pytest.fixture
def job(workspace: Workspace) -> str:
    """A folder as a result has it."""
    id = workspace.new("jobs")
    (workspace.folder("jobs", id) / "labels.json").write_text('{"0.1": "Teaching"}')
    return id


def test_what_is_removed_comes_back_as_it_was(workspace: Workspace, job: str) -> None:
    before = {path.name: path.read_bytes() for path in workspace.folder("jobs", job).iterdir()}
    discard(workspace, "jobs", job, "school", NOW)
    assert workspace.ids("jobs") == []
    assert in_bin(workspace) == [Binned("jobs", job, "school", NOW)]
    with pytest.raises(InBinError, match="This result is in the bin"):
        workspace.existing("jobs", job)
    restore(Workspace.open(workspace.root), "jobs", job)  # after the server was started anew
    assert in_bin(workspace) == []
    assert {path.name: path.read_bytes() for path in workspace.folder("jobs", job).iterdir()} == before


def test_it_goes_after_thirty_days_and_not_before(workspace: Workspace, job: str) -> None:
    discard(workspace, "jobs", job, "school", NOW)
    empty_bin(workspace, NOW + KEPT)
    assert find_binned(workspace, "jobs", job) is not None
    empty_bin(workspace, NOW + KEPT + timedelta(seconds=1))
    assert in_bin(workspace) == []
    with pytest.raises(NotFoundError, match="not in the bin any more"):
        restore(workspace, "jobs", job)


def test_a_clock_that_was_set_back_never_shortens_the_thirty_days(workspace: Workspace, job: str) -> None:
    discard(workspace, "jobs", job, "school", NOW)
    for now in (NOW - 400 * DAY, NOW + DAY, NOW + 29 * DAY):
        empty_bin(workspace, now)
        assert find_binned(workspace, "jobs", job) is not None
    other = workspace.new("jobs")
    discard(workspace, "jobs", other, "tax", datetime(1970, 1, 1, tzinfo=UTC))  # while the clock was wrong
    empty_bin(workspace, datetime.now(UTC) + DAY)
    assert find_binned(workspace, "jobs", other) is not None


def test_a_note_that_is_damaged_begins_the_thirty_days_anew(workspace: Workspace, job: str) -> None:
    discard(workspace, "jobs", job, "school", datetime.now(UTC))
    (workspace.binned("jobs", job) / "binned.json").write_text("{")
    empty_bin(workspace, datetime.now(UTC) + 29 * DAY)
    (found,) = in_bin(workspace)
    assert (found.id, found.what) == (job, job)
    empty_bin(workspace, datetime.now(UTC) + 31 * DAY)
    assert in_bin(workspace) == []


def test_two_tabs_that_remove_the_same(workspace: Workspace, job: str) -> None:
    discard(workspace, "jobs", job, "school")
    with pytest.raises(InBinError):
        discard(workspace, "jobs", job, "school")
    restore(workspace, "jobs", job)
    with pytest.raises(StorageError, match="there already"):
        restore(workspace, "jobs", job)
    discard(workspace, "jobs", job, "school")
    delete(workspace, "jobs", job)
    with pytest.raises(NotFoundError):
        delete(workspace, "jobs", job)
    with pytest.raises(NotFoundError):
        discard(workspace, "jobs", job, "school")


@pytest.mark.parametrize("act", ["discard", "restore"])
@pytest.mark.parametrize("step", ["rename", "write_text", "replace", "unlink"])
def test_a_kill_between_two_steps_leaves_it_in_one_place_or_the_other(
    workspace: Workspace, job: str, act: str, step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if act == "restore":
        discard(workspace, "jobs", job, "school", NOW)

    acts = {
        "discard": lambda: discard(workspace, "jobs", job, "school", NOW),
        "restore": lambda: restore(workspace, "jobs", job),
    }

    def killed(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Path, step, killed)
        with suppress(KeyboardInterrupt):
            acts[act]()
    again = Workspace.open(workspace.root)
    places = [again.folder("jobs", job), again.binned("jobs", job)]
    (there,) = [place for place in places if place.is_dir()]
    assert (there / "labels.json").read_text() == '{"0.1": "Teaching"}'
    if there == places[0]:  # it can be removed all the same
        discard(again, "jobs", job, "school", NOW)
    assert in_bin(again) == [Binned("jobs", job, "school", NOW)]
    restore(again, "jobs", job)


@pytest.mark.parametrize("id", ["..", "../../jobs", "", "a/b"])
def test_nothing_but_ids_of_ours_is_looked_for(workspace: Workspace, id: str) -> None:
    for act in (restore, delete, find_binned):
        with pytest.raises(NotFoundError):
            act(workspace, "jobs", id)


# --- corpora and their results ------------------------------------------------------------------------------


def test_a_result_is_read_while_its_corpus_is_in_the_bin_and_its_tables_after(workspace: Workspace) -> None:
    jobs = Jobs(workspace, JobLimits(running=0))
    upload = uploaded(workspace, "reports.csv", write_table)
    index_corpus(workspace, IndexRequest(upload.id, "Reports", Columns("body", "key")))
    request = FitRequest(upload.id, "Reports", (Query("school"),))
    fitted, waiting = jobs.submit(request), jobs.submit(request)
    folder = workspace.folder("jobs", fitted)
    write_json(folder / OUTCOME, run(request, folder, lambda: False))
    assert not (folder / RESULT / "corpus").exists()
    (finding,) = read_findings(folder)
    assert finding.summary.startswith("30 of 90 documents are about it")
    found = read_json(folder / "found.json") or {}
    write_json(folder / "found.json", found | {"queries": [found["queries"][0] | {"words": None}]})
    assert read_findings(folder) == ()
    subtopic = {"id": "0.1", "name": "x", "share": 10**400}
    write_json(folder / "found.json", found | {"queries": [found["queries"][0] | {"subtopics": [subtopic]}]})
    assert read_findings(folder) == ()
    write_json(folder / "found.json", found)

    with pytest.raises(ParameterError, match="under way"):
        remove_corpus(workspace, jobs, upload.id)
    jobs.cancel(waiting)
    opened = Opened(workspace, jobs)
    before = opened.result(fitted).result  # somebody reads it
    remove_corpus(workspace, jobs, upload.id)
    assert list(list_corpora(workspace)) == []
    with pytest.raises(InBinError):
        read_about(workspace, upload.id)
    assert where_is(workspace, upload.id) == "bin"
    assert len(before.documents("school", n=3)) == 3
    result = Opened(workspace, jobs).result(fitted).result
    assert len(result.documents("school", n=3)) == 3
    taken = make_file(next(kind for kind in KINDS if kind.name == "model"), result, request, workspace.root)
    with zipfile.ZipFile(taken) as archive:
        archive.extractall(workspace.root / "taken")
    assert Result.load(workspace.root / "taken" / taken.stem).corpus.n_documents == 90

    restore(workspace, "corpora", upload.id)
    assert opened.result(fitted).result.corpus.n_documents == 90
    remove_corpus(workspace, jobs, upload.id)
    empty_bin(workspace, datetime.now(UTC) + 31 * DAY)
    assert where_is(workspace, upload.id) == "gone"
    with pytest.raises(CorpusGoneError, match="tables are left"):
        opened.result(fitted)
    documents, n_documents = kept_documents(folder / RESULT, "school", 5)
    assert len(documents) == 5
    assert n_documents == int(result.relevance("school").about.sum())
    assert documents[0].relevance == max(document.relevance for document in documents)
    assert all(document.passage and document.title for document in documents)
    assert kept_documents(folder / RESULT, "tax", 5) == ((), 0)


def test_the_demo_stays_and_a_fit_under_way_too(workspace: Workspace) -> None:
    jobs = Jobs(workspace, JobLimits(running=0))
    with pytest.raises(ParameterError, match="demo"):
        remove_corpus(workspace, jobs, DEMO)
    id = jobs.submit(FitRequest(DEMO, "Demo", (Query("school"),)))
    with pytest.raises(ParameterError, match="under way"):
        jobs.remove(id)
    jobs.cancel(id)
    jobs.remove(id)
    assert [(each.kind, each.what) for each in in_bin(workspace)] == [("jobs", "school")]
