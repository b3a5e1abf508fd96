"""What was done to a result: in order, undone, done again, by several at once, from a damaged file."""

import json
import multiprocessing
import os
from pathlib import Path

import pytest

from qdtm.errors import ParameterError, StorageError
from qdtm.results import journal as module
from qdtm.results.corrections import said
from qdtm.results.journal import Act, History, Journal


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    journal = Journal(tmp_path)
    for number in range(1, 4):
        journal.append("tag", {"row": number}, by="Ada")
    return journal


def rows(journal: Journal) -> list[int]:
    return [act.values["row"] for act in journal.acts]


def test_acts_are_kept_in_order(journal: Journal, tmp_path: Path) -> None:
    again = Journal(tmp_path / "journal.jsonl")
    assert rows(again) == [1, 2, 3]
    assert [act.number for act in again.acts] == [1, 2, 3]
    assert {(act.kind, act.by) for act in again.acts} == {("tag", "Ada")}
    assert all(act.at.endswith("+00:00") for act in again.acts)
    assert Journal(tmp_path / "nothing.jsonl").acts == ()
    assert [path.name for path in tmp_path.iterdir()] == ["journal.jsonl"]  # no lock is left


def test_undo_takes_the_last_back_and_redo_brings_it_again(journal: Journal) -> None:
    assert journal.undo().values == {"row": 3}
    assert journal.undo().values == {"row": 2}
    assert rows(journal) == [1]
    assert journal.redo().values == {"row": 2}
    assert rows(journal) == [1, 2]
    assert journal.redo().values == {"row": 3}
    with pytest.raises(ParameterError, match="nothing to do again"):
        journal.redo()


def test_any_act_can_be_undone_and_comes_back_to_its_place(journal: Journal) -> None:
    journal.undo(1)
    assert rows(journal) == [2, 3]
    with pytest.raises(ParameterError, match="no act 1 to undo"):
        journal.undo(1)
    with pytest.raises(ParameterError, match="no act 99"):
        journal.undo(99)
    journal.append("tag", {"row": 4})
    journal.redo()
    assert rows(journal) == [1, 2, 3, 4]


def test_what_was_undone_can_be_undone_again(journal: Journal) -> None:
    journal.undo(2)
    journal.redo()
    journal.undo(2)
    assert rows(journal) == [1, 3]
    assert len(journal.path.read_text().splitlines()) == 6  # the file only grows


def test_nothing_to_undo(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="nothing to undo"):
        Journal(tmp_path).undo()


def test_a_history_is_written_whole(journal: Journal, tmp_path: Path) -> None:
    journal.undo(2)
    copy = Journal(tmp_path / "copy.jsonl")
    copy.write(journal.history)
    assert copy.path.read_bytes() == journal.path.read_bytes()
    assert journal.history.append("note", {"text": "x"}).last == 5


def test_a_half_written_line_is_passed_over_and_said(journal: Journal) -> None:
    whole = journal.path.read_bytes()
    journal.path.write_bytes(whole[:-20])
    assert rows(journal) == [1, 2]
    assert journal.history.damage == "1 line of journal.jsonl cannot be read and is passed over."
    journal.append("tag", {"row": 4})
    assert rows(journal) == [1, 2, 4]
    assert journal.history.damage  # it stays where it is


def test_a_last_line_without_its_end_counts(journal: Journal) -> None:
    journal.path.write_bytes(journal.path.read_bytes().rstrip(b"\n"))
    assert not journal.history.damage
    journal.append("tag", {"row": 4})
    assert rows(journal) == [1, 2, 3, 4]


@pytest.mark.parametrize(
    "line",
    [
        b"[1, 2]",
        b"null",
        b"[" * 100_000,
        b'{"number": "1", "at": "2026-01-01", "by": "", "kind": "tag", "values": {}}',
        b'{"number": 9, "at": "yesterday", "by": "", "kind": "tag", "values": {}}',
        b'{"number": 9, "at": "2026-01-01", "by": "", "kind": "tag", "values": [1]}',
        b'{"number": 2, "at": "2026-01-01", "by": "", "kind": "tag", "values": {}}',
        b"\xff\xfe\x00",
    ],
)
def test_lines_that_are_no_acts_are_passed_over(journal: Journal, line: bytes) -> None:
    with journal.path.open("ab") as file:
        file.write(line + b"\n")
    assert rows(journal) == [1, 2, 3]
    assert journal.history.damage


def test_what_is_no_file_is_not_waited_for(tmp_path: Path) -> None:
    (tmp_path / "journal.jsonl").symlink_to(os.devnull)
    with pytest.raises(StorageError, match="is not a file"):
        Journal(tmp_path).acts  # noqa: B018


def test_an_undo_of_nothing_changes_nothing() -> None:
    line = Act(1, "2026-01-01", "", "undo", {"number": [1]})
    assert History((line, Act(2, "2026-01-01", "", "redo", {"number": 7}))).acts == ()


def test_sizes_are_bounded(journal: Journal, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ParameterError, match="too long to be kept"):
        journal.append("note", {"text": "x" * module.MAX_LINE})
    with pytest.raises(ParameterError, match="cannot be kept"):
        journal.append("note", {"text": {1, 2}})
    assert rows(journal) == [1, 2, 3]
    monkeypatch.setattr(module, "MAX_FILE", journal.path.stat().st_size)
    with pytest.raises(StorageError, match="is full"):
        journal.append("tag", {"row": 4})
    monkeypatch.setattr(module, "MAX_FILE", 10)
    with pytest.raises(StorageError, match="is damaged: larger"):
        assert journal.acts


def _write(path: Path, who: str) -> None:
    for number in range(25):
        Journal(path).append("tag", {"row": number}, by=who)


def test_two_writers_lose_nothing(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    writers = [context.Process(target=_write, args=(tmp_path, who)) for who in ("a", "b")]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    acts = Journal(tmp_path).acts
    assert [act.number for act in acts] == list(range(1, 51))
    for who in ("a", "b"):
        assert [act.values["row"] for act in acts if act.by == who] == list(range(25))
    assert all(json.loads(line) for line in (tmp_path / "journal.jsonl").read_text().splitlines())


@pytest.mark.parametrize("subtopics", [[], ["0.1"], "0.1", 3, None, [None, 1, {}], ["0.1", "0.2", "0.3"]])
def test_whatever_a_journal_says_of_a_merge_is_said_in_a_clause(subtopics: object) -> None:
    act = Act(1, "2026-01-01T00:00:00+00:00", "", "merge", {"subtopics": subtopics})
    assert " merged into " in said(act)
