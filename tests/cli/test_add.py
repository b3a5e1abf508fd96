"""`qdtm add`: one more query for a saved result."""

import json


def test_a_query_is_added_in_another_folder(run, result, tmp_path):
    shown = run("add", result, "-q", "minister election", "--rule", "or", "-o", tmp_path / "more").stdout
    assert shown.startswith("minister election\n6 of 18 documents are about it")
    described = json.loads(run("show", tmp_path / "more", "--json").stdout)
    names = [query["query"] for query in described["queries"]]
    assert names == ["fire", "cricket match", "minister election"]
    assert (tmp_path / "more" / "report.html").is_file()
    listed = json.loads(run("docs", tmp_path / "more", "-q", "minister election", "-n", 3, "--json").stdout)
    texts = " ".join(row["text"] for row in listed["documents"])
    assert "minister" in texts or "election" in texts
    before = json.loads(run("show", result, "--json").stdout)
    assert len(before["queries"]) == 2


def test_words_can_be_given_and_the_place_is_kept(run, result, tmp_path):
    run("add", result, "--keywords", "taxes=taxes,budget", "-o", tmp_path / "more", "--quiet")
    again = run("add", tmp_path / "more", "-q", "voter", "--json")
    assert [query["query"] for query in json.loads(again.stdout)["queries"]][2:] == ["taxes", "voter"]


def test_what_cannot_be_added_is_one_line(run, result, tmp_path):
    for query, message in (("fire", "is there twice"), ("zebra", "zebra")):
        failed = run("add", result, "-q", query, "-o", tmp_path / "no", code=2)
        assert message in failed.stderr.splitlines()[-1]
        assert not (tmp_path / "no").exists()
    assert "There is no query" in run("add", result, "-o", tmp_path / "no", code=2).stderr
