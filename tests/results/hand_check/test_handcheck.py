import csv
import json
import os
from pathlib import Path

import numpy as np
import pytest

from documented import commands, run_command, run_python
from qdtm import QueryDrivenTopicModel
from qdtm.errors import ParameterError, StorageError
from qdtm.present.export import export_result
from qdtm.present.methods import methods_paragraph
from qdtm.results.hand_check import Answer, HandCheck, files
from qdtm.results.hand_check.files import begin_check, read_answers, read_checks, write_checks, write_sample
from qdtm.results.result import Result
from qdtm.storage.folders import CHECK

PAGE = (Path(__file__).parents[3] / "docs" / "check.md").read_text("utf-8")


@pytest.fixture
def result(fit, corpus):
    return Result(fit, corpus)


@pytest.fixture
def check(result):
    return begin_check(result, 0, 12)


def test_a_sample_is_drawn_once_and_gone_on_with(result, check):
    assert check.query == result.fit.concepts[0].name
    assert len(check.open) == len(check.sample) == min(12, result.corpus.n_documents)
    assert begin_check(result, 0, 12) == check
    begun = check.answer(check.open[0], True)
    kept = result.with_check(begun)
    assert begin_check(kept, 0, 12) == begun
    assert begin_check(kept, 0, 12, fresh=True) == check
    assert begin_check(kept, 1, 12).answers == ()
    with pytest.raises(ParameterError, match="A sample of 9 documents says too little; give at least 10"):
        begin_check(result, 0, 9)


def test_answers_are_given_skipped_and_taken_back(check):
    first, second, third = check.open[:3]
    said = check.answer(first, True).answer(second, "unsure", note=" a hint ").answer(third, False)
    assert check.answers == ()  # it never changes
    assert said.said == {first: True, third: False}
    assert said.verdicts[second] == "unsure"
    assert said.answer_of(second).note == "a hint"
    assert said.open == check.open[3:]
    assert said.without_last().open == check.open[2:]
    assert said.answer(first, None).open == (first, *check.open[3:])
    assert check.without_last() == check
    with pytest.raises(ParameterError, match="An answer is 'perhaps'; give 'yes', 'no' or 'unsure'"):
        check.answer(first, "perhaps")
    with pytest.raises(ParameterError, match="Document 99999 is not in the sample"):
        check.answer(99_999, True)


def test_a_check_comes_back_from_its_file(result, check, tmp_path):
    said = check.answer(check.open[0], True, by="Ann").answer(check.open[1], "unsure", note="odd")
    write_checks(tmp_path / CHECK, [said])
    n = result.corpus.n_documents
    assert read_checks(tmp_path, n) == (said,)
    assert read_checks(tmp_path / "elsewhere", n) == ()
    with pytest.raises(StorageError, match="is a check of another corpus"):
        read_checks(tmp_path, 3)


@pytest.mark.parametrize(
    "damage",
    [
        lambda value: value.update(format="other"),
        lambda value: value["checks"][0].pop("sample"),
        lambda value: value["checks"][0]["answers"].append([5, "maybe", "", "", False]),
        lambda value: value["checks"][0]["sample"]["draws"].append([0, 99, 0.5, 1, "random", 1.0]),
        lambda value: value["checks"][0]["sample"]["reached"][0].append(99_999),
        lambda value: value["checks"][0]["settled"].append([99_999, "yes"]),
    ],
)
def test_a_damaged_file_is_refused(result, check, tmp_path, damage):
    write_checks(tmp_path / CHECK, [check])
    value = json.loads((tmp_path / CHECK).read_text())
    damage(value)
    (tmp_path / CHECK).write_text(json.dumps(value))
    with pytest.raises(StorageError, match=r"is damaged .*; move it away to go on without"):
        read_checks(tmp_path, result.corpus.n_documents)


def test_answers_are_saved_with_a_result_and_not_lost_when_it_is_replaced(result, check, tmp_path):
    said = check.answer(check.open[0], True)
    path = tmp_path / "saved"
    result.with_check(said).save(path)
    loaded = Result.load(path)
    assert loaded.fit.checks == (said,)
    more = said.answer(said.open[0], False)
    write_checks(path / CHECK, [more])  # they grow after it was saved
    again = Result.load(path)
    assert again.fit.checks == (more,)
    again.save(path, force=True)
    assert Result.load(path).fit.checks == (more,)
    with pytest.raises(StorageError, match="holds answers of a hand-check"):
        result.save(path, force=True)


def test_a_table_goes_to_a_colleague_and_comes_back(result, check, tmp_path):
    path, documents = tmp_path / "sample.csv", result.corpus.documents
    write_sample(path, check.answer(check.open[0], "unsure", by="Ann", note="odd"), documents)
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [int(row["document"]) for row in rows] == list(check.sample.documents)
    assert [(row["about"], row["answers"], row["notes"]) for row in rows[:2]] == [
        ("unsure", "Ann: unsure", "Ann: odd"),
        ("", "", ""),
    ]
    for row, about in zip(rows, ["Yes", "n", "", "0"], strict=False):
        row["about"] = about
    for names in (("document", "about"), ("about", "id")):
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, names, extrasaction="ignore")
            writer.writeheader()
            writer.writerows(rows[:4])
        first, second, _, fourth = check.sample.documents[:4]
        found = read_answers(path, check, documents)
        assert found.said == {first: True, second: False, fourth: False}
        assert read_answers(path, found, documents) == found  # the same table again is no second look


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_a_table_comes_back_as_spreadsheets_save_it(result, check, tmp_path, delimiter, encoding):
    first, second = check.sample.documents[:2]
    rows = [("document", "about", "text"), (first, "yes", "Gefühl; a, b"), (second, "no", "ein\tWort – über")]
    with (tmp_path / "sample.csv").open("w", encoding=encoding, newline="") as file:
        csv.writer(file, delimiter=delimiter).writerows(rows)
    found = read_answers(tmp_path / "sample.csv", check, result.corpus.documents)
    assert found.said == {first: True, second: False}


def test_answers_are_published_with_how_documents_were_drawn_and_without_names(result, check, tmp_path):
    first, second = check.open[:2]
    said = check.answer(first, "yes", by="Ann").answer(first, "no", by="Bo", note="=odd").answer(second, "no")
    folder = export_result(result.with_check(said), tmp_path / "paper", "bundle")
    with (folder / "tables" / "answers.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["reader"], row["answer"], row["about"]) for row in rows] == [
        ("reader 1", "yes", "unsure"),
        ("reader 2", "no", "unsure"),
        ("reader 3", "no", "no"),
    ]
    assert rows[1]["note"] == "'=odd"  # no formula
    assert {row["drawn"] for row in rows} == {"random"}
    assert all(0 < float(row["probability"]) <= 1 for row in rows)
    assert "Ann" not in (folder / "tables" / "answers.csv").read_text("utf-8")
    assert "answers.csv" in (folder / "SHA256SUMS").read_text("utf-8")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("document,said\n1,yes\n", "needs the columns 'about' and 'document'"),
        ("document,about\n{0},perhaps\n", "Line 2 of .* says 'perhaps'; give yes, no, unsure, or nothing"),
        ("document,about\n", "has no answer to a document of the sample"),
        ("document,about\n77777,yes\n", "has no answer to a document of the sample"),
    ],
)
def test_a_table_that_makes_no_sense_is_refused(result, check, tmp_path, text, words):
    path = tmp_path / "labels.csv"
    path.write_text(text.format(check.open[0]))
    with pytest.raises(ParameterError, match=words):
        read_answers(path, check, result.corpus.documents)
    with pytest.raises(StorageError, match="Cannot read"):
        read_answers(tmp_path / "missing.csv", check, result.corpus.documents)


def test_what_is_no_table_of_answers_is_not_read(result, check, monkeypatch):
    monkeypatch.setattr(files, "_MOST_BYTES", 10)
    for name, reason in ((os.devnull, "is not a file"), (__file__, "is larger than")):
        with pytest.raises(StorageError, match=reason):
            read_answers(name, check, result.corpus.documents)


def test_an_answer_outside_the_sample_is_no_check(check):
    with pytest.raises(ParameterError):
        HandCheck(check.query, check.sample, (Answer(99_999, "yes"),))


def test_relevance_agrees_with_the_answers_and_nothing_else_changes(result, check):
    few = result.with_check(check.with_answers(dict.fromkeys(check.open[:9], False)))
    assert set(few.scores(0).relevance[list(check.open[9:])]) <= set(result.scores(0).relevance)
    checked = result.with_check(check.with_answers(dict.fromkeys(check.open, False)))
    before, after = result.scores(0), checked.scores(0)
    assert after.relevance.mean() < before.relevance.mean()
    np.testing.assert_array_equal(after.main, np.where(after.about, before.main, -1))
    shown = checked.documents(0, None)
    assert all(row.about or row.subtopic is None for row in shown)
    assert [row.relevance for row in shown] == sorted(after.relevance, reverse=True)
    few_about, about = result.relevance(0), checked.relevance(0)
    assert (few_about.counted, about.counted) == (None, checked.fit.checks[0].estimate().n_about)
    assert about.n_about_interval[0] <= about.n_about <= about.n_about_interval[1]
    assert about.by_model == result.relevance(0).by_model  # the model's word stays beside the hand's
    assert checked.scores(1).relevance.tolist() == result.scores(1).relevance.tolist()
    assert begin_check(checked, 0, 12, fresh=True) == check  # a sample is drawn from relevance as it was


def test_tables_have_the_relevance_that_agrees(result, check, tmp_path):
    checked = result.with_check(check.with_answers(dict.fromkeys(check.open, False)))
    checked.save(tmp_path / "saved", all_documents=True)
    with (tmp_path / "saved" / "documents.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    written = [float(row["relevance"]) for row in rows if row["query"] == rows[0]["query"]]
    assert written == pytest.approx(checked.scores(0).relevance.tolist(), abs=1e-5)


def test_a_check_is_summed_up_in_a_sentence(result, check):
    assert check.summary().startswith("0 documents by hand, 10 of 10 still open; ")
    some = check.answer(check.open[0], True)
    assert some.summary().startswith("1 document by hand, 9 of 10 still open; ")
    found = some.with_answers(dict.fromkeys(check.open, True)).estimate()
    assert some.estimate().n_answered == 1  # the estimate of one check is not that of another
    assert found.n_answered == 10
    assert found.precision.as_percent() in some.with_answers(dict.fromkeys(check.open, True)).summary()
    assert found.n_about.as_count().count(" to ") == 1
    methods = methods_paragraph(result.with_check(check.with_answers(dict.fromkeys(check.open, True))))
    assert "By hand we looked at 10 documents" in methods
    few = methods_paragraph(result.with_check(some))  # too few answers to quote an estimate
    assert "By hand one document was said to be about" in few
    assert "By hand we looked at" not in few


@pytest.mark.docs
def test_the_examples_of_the_page_run():
    failed, attempted, report = run_python(PAGE, "check.md")
    assert attempted > 5
    assert failed == 0, report


def test_the_commands_of_the_page_print_what_it_says(tmp_path):
    (fit, no_output), (ask, outcome) = commands(PAGE)
    assert run_command(fit, tmp_path) == no_output
    model = QueryDrivenTopicModel.load(tmp_path / "cricket")
    texts = [model.corpus_.documents[j].text.lower() for j in model.check("cricket").open]
    typed = "".join("y\n" if "cricket" in text or "wicket" in text else "n\n" for text in texts)
    assert outcome == run_command(ask, tmp_path, typed)
