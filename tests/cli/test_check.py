"""`qdtm check`: keys in, answers kept, what they say; tables to and from a colleague."""

import csv
import json
import re
import shutil

import pytest
from click.testing import CliRunner

from qdtm.cli.main import cli

from .conftest import TEXTS


@pytest.fixture
def folder(result, tmp_path):
    return shutil.copytree(result, tmp_path / "result")


@pytest.fixture
def answer(folder):
    """Return a function that runs `qdtm check` with keys, a line each."""

    def run_check(keys, *args, code=0):
        typed = "".join(f"{key}\n" for key in keys)
        done = CliRunner().invoke(cli, ["check", str(folder), "-n", "12", *map(str, args)], input=typed)
        assert done.exit_code == code, f"{done.output}\n{done.exception!r}"
        return done

    return run_check


def kept(folder):
    return json.loads((folder / "check.json").read_text())["checks"]


def test_answers_are_kept_as_they_are_given_and_gone_on_with(folder, answer):
    answer(["y", "no", "x", "s", "b", "?"])  # back takes the no back, and its document comes again
    [check] = kept(folder)
    assert [about for _, about, *_ in check["answers"]] == ["yes", "unsure"]
    shown = answer(["y"] * 20, "--query", "FIRE")
    [check] = kept(folder)
    assert len(check["answers"]) == 12
    assert "3 of 12:" in shown.stderr
    assert "12 of 12 answered" in shown.stdout
    for word in ("precision", "recall", "documents about it", "by the model", "95% intervals"):
        assert word in shown.stdout


def test_the_outcome_is_shown_wherever_the_result_is(folder, answer, run):
    assert "checked" not in run("show", folder).stdout
    assert json.loads(run("show", folder, "--json").stdout)["queries"][0]["hand_check"] is None
    answer([])  # a sample without an answer says nothing
    assert "checked" not in run("show", folder).stdout
    answer(["y"] * 5)
    shown = " ".join(run("show", folder).stdout.split())
    assert "checked 5 documents by hand, 7 of 12 still open; " in shown
    assert "precision" not in shown  # five answers are no estimate
    answer(["n"] * 8)
    shown = " ".join(run("show", folder).stdout.split())
    assert "checked 12 documents by hand; the " in shown
    assert "most relevant documents have a precision of" in shown
    assert "Checked: 12 documents by hand; the" in (folder / "report.html").read_text("utf-8")
    said = json.loads(run("show", folder, "--json").stdout)["queries"]
    assert (said[0]["hand_check"]["n_answered"], said[1]["hand_check"]) == (12, None)


def test_the_table_of_documents_agrees_with_the_answers(folder, answer, run, tmp_path):
    def relevance(path):
        with path.open(encoding="utf-8-sig", newline="") as file:
            return [float(row["relevance"]) for row in csv.DictReader(file) if row["query"] == "fire"]

    def n_about():
        with (folder / "topics.csv").open(encoding="utf-8-sig", newline="") as file:
            return next(csv.DictReader(file))["n_about"]

    before, known = relevance(folder / "documents.csv"), n_about()
    answer(["n"] * 9)
    few = relevance(folder / "documents.csv")
    assert set(few) < set(before)  # what was answered has its answer; nothing else changes
    assert n_about() == known
    answer(["n"] * 3)
    after = relevance(folder / "documents.csv")
    assert len(after) < len(before)  # fewer are about the query now
    assert sum(after) < sum(before)
    assert float(n_about()) < float(known)
    run("export", folder, "-o", tmp_path / "tables")
    assert relevance(tmp_path / "tables" / "documents.csv") == pytest.approx(after, abs=2e-6)
    answer([], "--fresh")
    assert relevance(folder / "documents.csv") == before
    assert n_about() == known


def test_the_table_has_all_documents_again_if_it_had_all(folder, answer, run):
    run("add", folder, "-q", "election", "--all-documents", "--quiet")
    assert len((folder / "documents.csv").read_text("utf-8").splitlines()) == 1 + 3 * len(TEXTS)
    before = (folder / "documents.csv").read_bytes()
    answer(["n"] * 12)
    assert len((folder / "documents.csv").read_text("utf-8").splitlines()) == 1 + 3 * len(TEXTS)
    assert (folder / "documents.csv").read_bytes() != before


def test_a_slip_at_the_last_document_can_be_mended(folder, answer):
    shown = answer([*["y"] * 12, "b", "n", "q"])
    assert "That was the last one" in shown.stderr
    [check] = kept(folder)
    assert [about for _, about, *_ in check["answers"]] == [*["yes"] * 11, "no"]


def test_ctrl_c_ends_the_questions_and_keeps_the_answers(folder, answer, monkeypatch):
    typed = iter(["y\n", "n\n"])

    def type_or_interrupt():
        try:
            return next(typed)
        except StopIteration:
            raise KeyboardInterrupt from None

    with monkeypatch.context() as patch:
        patch.setattr("qdtm.cli.check._typed", type_or_interrupt)
        stopped = answer([])
    assert "10 documents are open; the same command goes on" in stopped.stderr
    assert "2 of 12 answered" in stopped.stdout
    assert len(kept(folder)[0]["answers"]) == 2
    assert "Going on: 2 of 12 documents are done" in answer(["y"]).stderr


def test_documents_are_shown_without_their_relevance_and_without_escapes(answer):
    shown = answer(["q"]).stderr
    assert "Is this about 'fire'?  1 of 12" in " ".join(shown.split("\n"))
    assert "\x1b" not in shown
    assert "relevance" not in shown


def test_a_document_is_shown_with_its_title_and_its_id_once(answer):
    shown = answer(["q"]).stderr
    [number] = re.findall(r"1 of 12: n(\d+)\n", shown)
    assert f"\n[bold]No. {number}[/bold]\n" in shown
    assert shown.count(f"n{number}") == 1
    assert "  year  200" in shown


def test_each_query_has_its_own_check(folder, answer):
    answer(["y"])
    answer(["n"], "-q", "cricket match")
    assert [check["query"] for check in kept(folder)] == ["fire", "cricket match"]
    answer([], "--fresh")
    assert [len(check["answers"]) for check in kept(folder)] == [1, 0]


def test_a_table_goes_out_and_comes_back(folder, answer, tmp_path):
    table = tmp_path / "sample.csv"
    exported = answer([], "--export", table)
    assert "12 documents; fill in the column 'about'" in exported.stderr
    assert "precision" not in exported.stdout  # nobody has said anything
    with table.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 12
    assert all(row["text"] and not row["about"] for row in rows)
    with table.open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        fire = ("fire", "smoke")
        writer.writerows(
            row | {"about": "yes" if any(w in row["text"].lower() for w in fire) else "no"} for row in rows
        )
    found = json.loads(answer([], "--labels", table, "--json").stdout)
    assert (found["query"], found["n_answered"], found["n_open"]) == ("fire", 12, 0)
    assert found["precision"]["low"] <= found["precision"]["estimate"] <= found["precision"]["high"]
    assert found["certificate"]["n_read"] == 12
    assert kept(folder)


def test_what_makes_no_sense_is_refused_in_one_line(answer, tmp_path):
    for args, words in [
        (("--query", "hockey"), "There is no query 'hockey'"),
        (("--labels", tmp_path / "none.csv"), "does not exist"),
        (("-n", "3"), "-n"),
    ]:
        refused = answer([], *args, code=2)
        assert words in refused.stderr
        assert len(refused.stderr.strip().splitlines()) == 1


def test_a_new_fit_does_not_take_the_answers_away(run, folder, answer, news, fast):
    answer(["y"])
    refused = run("fit", news, "-q", "fire", "-o", folder, "--force", *fast, code=2)
    assert "holds answers of a hand-check ('check.json'), which would be lost" in refused.stderr
    assert run("show", folder)


def test_two_people_answer_and_what_they_see_differently_is_settled(folder, answer):
    answer(["y"] * 12, "--as", "Ann")
    shown = answer(["c", "not so sure", "n", *["y"] * 11], "--as", " Bo ")
    assert "agreement" in shown.stdout
    assert "1 to settle" in " ".join(shown.stdout.split())
    [check] = kept(folder)
    assert {by for _, _, by, *_ in check["answers"]} == {"Ann", "Bo"}
    assert [note for _, _, _, note, _ in check["answers"] if note] == ["not so sure"]
    settled = answer(["n"], "--settle")
    assert "Ann: yes; Bo: no" in " ".join(settled.stderr.split())
    assert [about for _, about in kept(folder)[0]["settled"]] == ["no"]
    assert "Nobody disagrees" in answer([], "--settle").stderr
    found = json.loads(answer(["q"], "--json").stdout)
    assert found["agreement"]["people"] == ["Ann", "Bo"]


def test_a_recall_is_certified_once_enough_was_read(folder, answer):
    shown = " ".join(answer(["n"] * 60, "--recall", "0.9").stdout.split())
    assert "to find 90%" in shown
    assert "none is left, so 100% or more are found; you can stop" in shown
    assert len({row for row, *_ in kept(folder)[0]["answers"]}) == len(TEXTS)  # few documents: all are read
    refused = answer([], "--recall", "1.2", code=2)
    assert "--recall" in refused.stderr


def test_another_round_is_drawn_when_it_is_asked_for(folder, answer):
    answer(["y"] * 12)
    shown = answer(["n"] * 3, "--more")
    assert "13 of 18:" in shown.stderr
    assert {draw[3] for draw in kept(folder)[0]["sample"]["draws"]} == {1, 2}


def test_topics_are_fitted_anew_with_the_answers(folder, answer, run, tmp_path):
    refused = answer([], "--refit", tmp_path / "early", code=2)
    assert "There are no answers to fit with" in refused.stderr
    answer(["y", "y", *["n"] * 10])
    answer([], "--refit", tmp_path / "anew")
    [carried] = kept(tmp_path / "anew")
    assert [about for _, about, *_ in carried["answers"]] == ["yes", "yes", *["no"] * 10]
    assert {how for *_, how, _ in carried["sample"]["draws"]} == {"own"}
    after = json.loads(run("show", tmp_path / "anew", "--json").stdout)["queries"][0]
    assert not after["hand_check"]["can_be_quoted"]  # what chance drew was of another list
    tables = [(path / "topics.csv").read_text("utf-8") for path in (folder, tmp_path / "anew")]
    assert tables[0] != tables[1]
    shown = answer(["n"] * 12)  # the first result is as it was
    assert "12 of 12 answered" in shown.stdout
