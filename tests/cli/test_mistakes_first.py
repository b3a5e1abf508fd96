"""A mistake is found before a file is read: the file or result that is named is not even there."""

import pytest

CORPUS = [
    (("fit", "-o", "out"), "There is no query"),
    (("fit", "-q", '"open', "-o", "out"), "quotation mark"),
    (("fit", "-q", "a", "-o", "taken"), "taken"),
    (("fit", "-q", "a", "-o", "out", "--embeddings", "none.vec"), "Word vectors"),
    (("fit", "-q", "a", "-o", "out", "--encoding", "klingon"), "no encoding"),
    (("fit", "-q", "a", "-o", "out", "--language", "klingon"), "klingon"),
    (("fit", "-q", "a", "-o", "out", "--date-format", "%d.%m.%Y"), "--time-column"),
    (("fit", "-q", "a", "-o", "out", "--time-column", "day", "--date-format", "%d"), "with a year"),
    (("fit", "-q", "a", "-o", "out", "--no-promotion", "--promotion-weight", "0.4"), "exclude each other"),
    (("fit", "-q", "a", "-o", "out", "--no-subtopics", "--min-share", "0.1"), "exclude each other"),
    (("fit", "-q", "a", "-o", "out", "--alpha", "-1"), "alpha"),
    (("concepts", "-q", '"open'), "quotation mark"),
    (("concepts", "-q", "a", "--min-precision", "7"), "min_precision"),
    (("concepts", "-q", "a", "--embeddings", "none.vec"), "Word vectors"),
    (("index", "-o", "out", "--jobs", "0"), "number of threads"),
    (("index", "-o", "taken"), "taken"),
    (("compare", "-q", "a"), "nothing to compare with"),
    (("compare", "-q", "a", "--also", '"open'), "quotation mark"),
]
RESULT = [
    (("export", "-o", "file", "--format", "csv"), "is a file"),
    (("export", "-o", "file", "--format", "json"), "exists already"),
    (("export", "-o", "taken", "--format", "xlsx"), "is a folder"),
    (("report", "-o", "taken"), "is a folder"),
    (("drill", "abc"), "is no subtopic"),
    (("docs", "--subtopic", "abc"), "is no subtopic"),
    (("explain", "--doc", "x", "--subtopic", "abc"), "is no subtopic"),
    (("contrast", "a", "a"), "with itself"),
    (("check", "--labels", "none.csv"), "none.csv"),
    (("add", "-q", '"open'), "quotation mark"),
]


@pytest.mark.parametrize(("args", "message"), [*CORPUS, *RESULT])
def test_a_mistake_is_found_first(run, tmp_path, monkeypatch, args, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "mine.txt").touch()
    (tmp_path / "file").touch()
    command, *options = args
    said = run(command, "not-there", *options, code=2).stderr.splitlines()[-1]
    assert message in said
    assert "not-there" not in said


def test_help_begins_with_what_people_need(run):
    first = run("fit", "--help").stdout.split("\nOptions:\n")[1].split("\n\n")[0]
    names = [line.split()[0].strip(",") for line in first.splitlines() if line.lstrip().startswith("-")]
    assert names[:3] == ["-q", "-o", "--force"]
    assert len(names) <= 10
    for heading in ("The query:", "Words of the texts:", "The model:", "Other options:"):
        assert f"\n{heading}\n" in run("fit", "--help").stdout


def test_few_documents_are_not_split(run, news, fast, tmp_path, few_documents):
    shown = run("fit", news, "-q", "fire", "-o", tmp_path / "few", *fast).stdout
    assert "18 documents are too few to split into subtopics." in " ".join(shown.split())
    assert "subtopic  share" not in shown
    assert "passage that makes it relevant" in shown


def test_the_background_is_shown_where_it_is_asked_for(run, result):
    assert "the rest of the corpus" not in run("show", result).stdout
    assert "the rest of the corpus" in run("show", result, "--background").stdout


def test_the_whole_text_is_one_step_away(run, result):
    assert "Bushfire near the town" in run("docs", result, "-q", "fire", "--full").stdout
