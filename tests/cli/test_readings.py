"""`--reading`: where documents mean several things by a query, they are listed and one can be chosen."""

import json

import numpy as np
import pytest

from .conftest import write_csv

SUBJECTS = ["cat", "ship", "bread", "chess", "opera", "mine", "glacier", "loom"]
SUBJECTS += ["piano", "bridge", "vine", "comet", "judge", "tram", "saddle", "pottery"]
TEXT = ("--text-column", "body", "--language", "none", "--min-df", 1, "--no-phrases")


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """Documents about sixteen subjects; for two of them, "blick" is a word."""
    rng = np.random.default_rng(0)
    texts = []
    for j in range(30):
        for subject in SUBJECTS:
            words = [f"{subject}{letter}" for letter in rng.choice(list("abcdefghijklmnopqrst"), 20)]
            texts.append(
                " ".join([*words, "blick", "blick"] if subject in SUBJECTS[:2] and j < 12 else words)
            )
    return write_csv(tmp_path_factory.mktemp("readings") / "table.csv", texts)


def concept_of(run, *args):
    found = json.loads(run("concepts", *args, *TEXT, "--json").stdout)
    (query,) = found["queries"]
    return query | {"words": found["concept_words"]}


def test_concepts_list_the_readings(run, table):
    text = run("concepts", table, "-q", "blick", *TEXT).stdout
    assert "choose one with --reading" in text
    assert max(len(line) for line in text.splitlines()) <= 80
    found = concept_of(run, table, "-q", "blick")
    assert found["reading"] is None
    assert [(each["number"], each["n_documents"]) for each in found["readings"]] == [(1, 12), (2, 12)]
    assert all(len(each["words"]) == 5 and len(each["documents"]) == 3 for each in found["readings"])


def test_a_query_of_one_meaning_shows_nothing(run, table):
    text = run("concepts", table, "-q", "cata", *TEXT).stdout
    assert "reading" not in text
    assert concept_of(run, table, "-q", "cata")["readings"] == []


@pytest.mark.parametrize("number", [1, 2])
@pytest.mark.parametrize("named", [False, True])
def test_one_is_chosen(run, table, number, named):
    concept = concept_of(run, table, "-q", "blick", "--reading", f"blick={number}" if named else number)
    assert concept["reading"] == number
    assert concept["check"]["n_named"] == 12
    subject = concept["readings"][number - 1]["words"][0][:-1]
    assert {w["word"][:-1] for w in concept["words"] if w["origin"] == "expansion"} <= {subject}


def test_what_is_no_reading_is_one_line(run, table):
    ask = ("concepts", table, "-q", "blick", *TEXT, "--reading")
    assert "no reading 7; choose from 1 " in " ".join(run(*ask, 7, code=2).stderr.split())
    assert "give its number" in run(*ask, "two", code=2).stderr
    assert "give its number" in run(*ask, "blick=1,2", code=2).stderr
    assert "say for which query" in " ".join(run(*ask, "other=1", code=2).stderr.split())
    assert "one group" in " ".join(
        run("concepts", table, "-q", "cata", *TEXT, "--reading", 1, code=2).stderr.split()
    )


def test_fit_and_show_say_the_split(run, table, fast, tmp_path):
    whole, one = tmp_path / "whole", tmp_path / "one"
    fit = ("fit", table, "-q", "blick", *TEXT, "--no-report", *fast)
    text = " ".join(run(*fit, "-o", whole).stdout.split())
    assert "The documents that name it fall into 2 groups: 1 " in text
    assert "; choose one with --reading." in text
    assert "fall into 2 groups" in " ".join(run("show", whole).stdout.split())

    text = run(*fit, "-o", one, "--reading", 2).stdout
    assert "2 of 2: " in text
    assert "fall into" not in text
    (query,) = json.loads(run("show", one, "--json").stdout)["queries"]
    assert query["reading"] == 2
