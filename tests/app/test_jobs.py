from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from threading import Event

import pytest

from qdtm.app.corpora import (
    DEMO,
    Upload,
    place_for,
    read_about,
    read_upload,
    write_upload,
)
from qdtm.app.jobs import CANCEL, LOCK, OUTCOME, STARTED, Job, JobLimits, Jobs
from qdtm.app.requests import (
    Columns,
    FitRequest,
    IndexRequest,
    PreviewRequest,
    request_from_json,
    request_to_json,
)
from qdtm.app.templating import render
from qdtm.app.upload import index_corpus, preview_files
from qdtm.app.worker import run
from qdtm.app.workspace import NotFoundError, Workspace, read_json, write_json
from qdtm.corpus import Corpus, CorpusWarning, load_demo_corpus
from qdtm.errors import CorpusError, StorageError
from qdtm.queries import Query
from qdtm.results.result import Result
from qdtm.sampler.background import background_of
from qdtm.storage.locks import LivenessLock, is_held

from .texts import uploaded, write_table

FIT = FitRequest("demo", "Demo", (Query("cricket", drop=("test",)),), seed=3, columns=Columns(text="body"))


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace.open(tmp_path / "workspace")


def wait_for(jobs: Jobs, id: str, condition: Callable[[Job], object], seconds: float = 300) -> Job:
    """Tend the jobs until one is as wanted."""
    pause = Event()
    for _ in range(int(seconds / 0.05)):
        jobs.pump()
        job = jobs.get(id)
        if condition(job):
            return job
        pause.wait(0.05)
    raise AssertionError(f"job {id} is still {job.state}: {job.progress}")


def ended(job: Job) -> bool:
    return job.has_ended


@pytest.mark.parametrize(
    "request_",
    [
        FIT,
        replace(FIT, base="before", n_added=1),
        PreviewRequest("demo"),
        IndexRequest("demo", "x", Columns("a", "b")),
    ],
)
def test_requests_come_back_as_they_were(request_: object) -> None:
    assert request_from_json(request_to_json(request_)) == request_  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "values",
    [
        {},
        {"kind": "fit"},
        {"kind": "preview", "evil": 1},
        {"kind": "rm", "corpus": "demo"},
        request_to_json(FIT) | {"queries": "fire"},
    ],
)
def test_a_damaged_request_is_one_line(values: dict[str, object]) -> None:
    with pytest.raises(StorageError, match="makes no sense"):
        request_from_json(values)


def test_a_lock_is_held_while_its_holder_lives(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    assert not is_held(path)
    with LivenessLock(path):
        assert is_held(path)
    assert not is_held(path)


def test_a_job_waits_until_there_is_room(workspace: Workspace) -> None:
    jobs = Jobs(workspace, JobLimits(running=0))
    id = jobs.submit(FIT)
    assert jobs.get(id).state == "waiting"
    jobs.cancel(id)
    assert jobs.get(id).state == "stopped"
    assert not jobs.get(id).has_result


def test_a_job_whose_process_is_gone_is_interrupted(workspace: Workspace) -> None:
    """As it is found after the server and its workers were killed."""
    jobs = Jobs(workspace, JobLimits(running=0))
    id = jobs.submit(FIT)
    folder = workspace.folder("jobs", id)
    (folder / STARTED).touch()
    assert jobs.get(id).state == "interrupted"
    with LivenessLock(folder / LOCK):
        assert jobs.get(id).state == "running"
    write_json(folder / OUTCOME, {"state": "done"})
    assert jobs.get(id).state == "done"


def test_an_outcome_of_unknown_state_is_a_failure(workspace: Workspace) -> None:
    jobs = Jobs(workspace, JobLimits(running=0))
    id = jobs.submit(FIT)
    write_json(workspace.folder("jobs", id) / OUTCOME, {"state": "odd"})
    assert jobs.get(id).state == "failed"


def test_damaged_jobs_are_passed_over(workspace: Workspace) -> None:
    jobs = Jobs(workspace, JobLimits(running=0))
    good, bad = jobs.submit(FIT), jobs.submit(FIT)
    (workspace.folder("jobs", bad) / "request.json").write_text("{}")
    assert [job.id for job in jobs.fits()] == [good]
    with pytest.raises(NotFoundError):
        jobs.get("../jobs")


def test_a_fit_is_stopped_and_keeps_what_there_is_and_another_outlives_its_server(
    workspace: Workspace,
) -> None:
    jobs = Jobs(workspace)
    (workspace.root / "corpora" / DEMO).mkdir()
    index_corpus(workspace, IndexRequest(DEMO, "Demo", demo=True), lambda *_: None)
    assert read_about(workspace, DEMO).n_documents == 350
    background_of(load_demo_corpus())  # a fit that is stopped while this is learned has found nothing yet

    stopped = jobs.submit(FitRequest(DEMO, "Demo", (Query("cricket"),)))
    jobs.cancel(stopped)  # before its first sweep: on a busy machine, a fit that runs may be done too soon
    job = wait_for(jobs, stopped, ended)
    assert job.progress
    assert (job.state, job.has_result) == ("stopped", True)
    assert (job.folder / CANCEL).exists()
    assert Result.load(job.folder / "result").fit.interrupted

    queries = ("afghanistan", "cricket", "asylum seekers", "israel palestinian")  # a fit that takes a while
    orphan = jobs.submit(FitRequest(DEMO, "Demo", tuple(map(Query, queries))))
    wait_for(jobs, orphan, lambda job: is_held(job.folder / LOCK))
    jobs.close()  # what happens to a worker when its server goes away
    after = Jobs(workspace)
    job = wait_for(after, orphan, ended)
    assert (job.state, job.has_result) == ("interrupted", True)
    assert "server went away" in job.message
    after.close()


def test_a_fit_that_meets_a_query_in_passing_ends_with_the_documents_that_mention_it(
    workspace: Workspace,
) -> None:
    (workspace.root / "corpora" / DEMO).mkdir()
    index_corpus(workspace, IndexRequest(DEMO, "Demo", demo=True), lambda *_: None)
    folder = workspace.existing("jobs", workspace.new("jobs"))
    outcome = run(FitRequest(DEMO, "Demo", (Query("cricket"), Query("penguin"))), folder, lambda: False)
    assert outcome["state"] == "failed"
    assert "'penguin' in passing" in outcome["message"]
    [mention] = outcome["mentions"]
    assert "fairy penguins" in mention["passage"]
    assert "fairy penguins" in render("mentions.html", mentions=outcome["mentions"])


@pytest.mark.parametrize(
    "values",
    [
        {"files": [["a.csv", "x" * 5_000, 3]]},
        {"files": [["a.csv", "a.csv", "three"]]},
        {"files": [["a.csv", "a.csv", 3]], "refused": None},
    ],
)
def test_a_damaged_upload_is_none(workspace: Workspace, values: dict[str, object]) -> None:
    upload = Upload(workspace.new("corpora"))
    (workspace.existing("corpora", upload.id) / "a.csv").write_bytes(b"abc")
    write_upload(workspace, upload)
    (file,) = workspace.existing("corpora", upload.id).glob("*.json")
    write_json(file, values)
    with pytest.raises(NotFoundError, match="There is no such upload"):
        read_upload(workspace, upload.id)


def test_files_of_several_kinds_are_one_corpus(workspace: Workspace, tmp_path: Path) -> None:
    upload = Upload(workspace.new("corpora"), refused=("'x.exe': no",))
    given = {
        "a.md": b"# On fires\n\nFires near Sydney.",
        "table.csv": b"key,body,year\nk1,A flood in the north,2001\nk2,A fire in the south,2002\n",
        "broken.docx": b"nothing",
        "../a.md": b"# Another\n\nFires again.",
    }
    for name, data in given.items():
        file = place_for(workspace, upload, name)
        Path(file.place).write_bytes(data)
        upload = replace(upload, files=(*upload.files, replace(file, size=len(data))))
    write_upload(workspace, upload)
    assert read_upload(workspace, upload.id) == upload
    assert [file.name for file in upload.files] == ["a.md", "table.csv", "broken.docx", "a (2).md"]
    assert {Path(file.place).parent for file in upload.files} == {workspace.folder("corpora", upload.id)}

    with pytest.warns(CorpusWarning, match="1 file of the 4 files passed over"):
        preview = preview_files(upload.files)
    assert (preview.n_files, preview.n_documents, preview.has_more) == (4, 4, False)
    assert preview.passed == ("'broken.docx' is not a .docx file, or is damaged",)
    assert (preview.guess.text, preview.guess.time, preview.has_tables) == ("body", "year", True)
    with pytest.warns(CorpusWarning):
        index_corpus(workspace, IndexRequest(upload.id, "All", Columns("body")), notes=lambda: ["a note"])
    documents = Corpus.load(workspace.folder("corpora", upload.id) / "corpus").documents
    assert [document.id for document in documents] == ["a.md", "table.csv:1", "table.csv:2", "a (2).md"]
    assert [document.title for document in documents][::3] == ["On fires", "Another"]
    assert read_about(workspace, upload.id).notes == ("a note",)
    about = workspace.folder("corpora", upload.id) / "about.json"
    about.write_text(json.dumps((read_json(about) or {}) | {"top_words": [["fire", float("inf")]]}), "utf-8")
    with pytest.raises(NotFoundError, match="is damaged"):
        read_about(workspace, upload.id)
    with pytest.raises(CorpusError, match="cannot be read"):
        place_for(workspace, upload, "x.exe")


def test_one_document_keeps_its_name(workspace: Workspace) -> None:
    upload = uploaded(workspace, "On fires.md", lambda path: path.write_text("Fires near Sydney."))
    preview = preview_files(upload.files)
    assert (preview.n_documents, preview.has_tables, preview.guess.text) == (1, False, None)
    index_corpus(workspace, IndexRequest(upload.id, "One"))
    assert Corpus.load(workspace.folder("corpora", upload.id) / "corpus").documents[0].id == "On fires"


def test_a_file_is_looked_at_and_read_in_another_process(workspace: Workspace, tmp_path: Path) -> None:
    jobs = Jobs(workspace)
    upload = uploaded(workspace, "../../reports.csv", write_table)
    preview = wait_for(jobs, jobs.submit(PreviewRequest(upload.id)), ended)
    assert preview.outcome["preview"]["guess"] == {
        "text": "body",
        "id": None,
        "time": "published",
        "group": None,
        "title": None,
    }
    assert upload.name == "reports.csv"

    columns = Columns("body", "key", "published", "party")
    job = wait_for(jobs, jobs.submit(IndexRequest(upload.id, "Reports", columns)), ended)
    about = read_about(workspace, upload.id)
    assert (job.state, about.n_documents, about.columns) == ("done", 90, columns)
    assert "said" in dict(about.dropped.stop_words)
    assert not Path(upload.files[0].place).exists()
    jobs.close()


def test_notes_call_a_file_as_the_user_does(workspace: Workspace, tmp_path: Path) -> None:
    text = "text\n" + "Le café était fermé près du marché.\n" * 20
    upload = uploaded(workspace, "letters.csv", lambda path: path.write_bytes(text.encode("cp1252")))
    for request in (PreviewRequest(upload.id), IndexRequest(upload.id, "Letters", Columns("text"))):
        folder = workspace.folder("jobs", workspace.new("jobs"))
        notes = run(request, folder, lambda: False)["notes"]
        assert any("'letters.csv' is not UTF-8" in note for note in notes), notes


def test_a_bad_file_is_one_line_and_a_slow_one_is_ended(workspace: Workspace) -> None:
    jobs = Jobs(workspace, JobLimits(preview_seconds=60))
    upload = uploaded(workspace, "bad.jsonl", lambda path: path.write_text("{]\n"))
    job = wait_for(jobs, jobs.submit(PreviewRequest(upload.id)), ended)
    assert job.state == "failed"
    assert "Line 1 of 'bad.jsonl' is not JSON" in job.message
    hasty = Jobs(workspace, JobLimits(preview_seconds=0.0))
    job = wait_for(hasty, hasty.submit(PreviewRequest(upload.id)), ended)
    assert (job.state, job.message) == ("failed", "This took longer than 0 seconds and was ended.")
    jobs.close()
    hasty.close()


def test_jobs_are_served_in_the_order_they_were_asked_for(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    jobs = Jobs(workspace, JobLimits(running=0))
    asked = [jobs.submit(FIT) for _ in range(12)]  # within a second or so: their names say nothing
    started: list[str] = []
    monkeypatch.setattr(Jobs, "_start", lambda _, id: started.append(id))
    jobs.limits = JobLimits(running=12)
    jobs.pump()
    assert started == asked


def test_readings_of_uploads_go_some_time_after_their_end(workspace: Workspace) -> None:
    jobs = Jobs(workspace, JobLimits(running=0))
    fit, preview, waiting = (
        jobs.submit(FIT),
        jobs.submit(PreviewRequest("x")),
        jobs.submit(PreviewRequest("x")),
    )
    for id in (fit, preview):
        write_json(workspace.folder("jobs", id) / OUTCOME, {"state": "done"})
    jobs.tidy()
    assert set(workspace.ids("jobs")) == {fit, preview, waiting}
    jobs.limits = JobLimits(running=0, kept_seconds=-1.0)
    jobs.tidy()
    assert set(workspace.ids("jobs")) == {fit, waiting}


def test_what_a_killed_server_left_goes_when_the_next_one_starts(workspace: Workspace) -> None:
    id = workspace.new("jobs")
    (workspace.root / "jobs" / f".{id}.0123abcd.gone").mkdir()
    (workspace.folder("jobs", id) / ".progress.json.0123abcd.tmp").touch()
    (workspace.folder("jobs", id) / "progress.json").touch()
    Workspace.open(workspace.root)
    assert [path.name for path in (workspace.root / "jobs").iterdir()] == [id]
    assert [path.name for path in workspace.folder("jobs", id).iterdir()] == ["progress.json"]
