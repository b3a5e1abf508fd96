"""`qdtm show` and `qdtm docs`: looking at a saved result."""

import json

import pytest

from qdtm import QueryDrivenTopicModel
from qdtm.results.one_group import one_group
from qdtm.results.storage import save_model
from qdtm.results.tables import CONCEPT_WORDS, TOPICS, WORDS
from results.synthetic import make_corpus, make_fit

from .conftest import TEXTS


@pytest.fixture(scope="module")
def model(result):
    return QueryDrivenTopicModel.load(result)


@pytest.mark.parametrize("width", [80, 120])
def test_show_fits_the_width(run, result, model, monkeypatch, width):
    monkeypatch.setenv("COLUMNS", str(width))
    text = run("show", result, "--background").stdout
    lines = text.splitlines()
    assert max(len(line) for line in lines[1:]) <= width
    assert not any(line.endswith(" ") for line in lines)
    assert "\x1b" not in text
    for topic in (*model.topics_, *model.background_topics_):
        assert topic.top_words(1)[0][0] in text
    for topic in model.topics_:
        split = [subtopic.id for subtopic in topic.subtopics if not one_group(model.result_, topic)]
        assert all(f"  {id} " in text for id in split)
    convergence = " ".join(text.partition("\nconvergence\n")[2].split())
    assert convergence.startswith("parent topics ")
    assert convergence.count("from groups that runs agree on") == len(model.topics_)
    assert convergence.count("settled") == 1  # of the parent topics alone


def test_show_json(run, result, model):
    found = json.loads(run("show", result, "-n", 3, "--json").stdout)
    assert [query["query"] for query in found["queries"]] == ["fire", "cricket match"]
    assert [row["topic"] for row in found["topics"]] == [topic.id for topic in model.result_.all_topics()]
    assert found["topics"][0]["words"] == [word for word, _ in model.topics_[0].top_words(3)]
    words = [(word["word"], word["probability"]) for word in found["words"] if word["topic"] == "0"]
    assert words == model.topics_[0].top_words(3)
    for name, columns in (("topics", TOPICS), ("words", WORDS), ("concept_words", CONCEPT_WORDS)):
        assert list(found[name][0]) == [column.name for column in columns]
    assert found["threshold"] == model.fit_.threshold


def test_docs_of_every_query(run, result, model):
    text = run("docs", result, "-n", 2).stdout
    assert "fire\n" in text
    assert "cricket match\n" in text
    best = model.documents("fire", 1)[0]
    assert f"{best.relevance:.3f}" in text
    assert best.id in text


def test_docs_of_one_query(run, result, model):
    found = json.loads(run("docs", result, "-q", " FIRE", "-n", 3, "--json").stdout)
    rows, expected = found["documents"], model.documents("fire", 3)
    assert {row["query"] for row in rows} == {"fire"}
    assert [row["nr"] for row in rows] == [row.id for row in expected]
    assert rows[0]["relevance"] == expected[0].relevance
    assert rows[0]["passage"]
    assert list(rows[0])[:2] == ["nr", "title"]
    assert [*rows[0]][-2:] == ["passage", "text"]


def test_docs_of_a_subtopic(run, result, model):
    everything = model.documents("cricket match", 100)
    subtopic = next(row.subtopic for row in everything if row.subtopic)
    found = json.loads(run("docs", result, "--subtopic", subtopic, "-n", 100, "--json").stdout)
    assert {row["query"] for row in found["documents"]} == {"cricket match"}
    assert {row["nr"] for row in found["documents"]} == {
        row.id for row in everything if row.subtopic == subtopic
    }


def test_docs_names_what_there_is(run, result):
    assert "cricket match" in run("docs", result, "-q", "tennis", code=2).stderr
    assert "no subtopic '0.99'" in run("docs", result, "--subtopic", "0.99", code=2).stderr
    assert "'x' is no subtopic" in run("docs", result, "--subtopic", "x", code=2).stderr


def test_texts_show_literally_and_without_control_characters(run, tmp_path):
    lines = [
        "fire [bold red]alarm[/bold red] \x1b[31mfire\x1b[0m wind :smile: \x07",
        "fire and wind [/x]",
    ] * 3
    (tmp_path / "texts.txt").write_text("\n".join(lines), encoding="utf-8")
    run("fit", tmp_path / "texts.txt", "-q", "fire", "-o", tmp_path / "out", "--max-sweeps", 5, "--quiet")
    text = run("docs", tmp_path / "out").stdout
    assert "[bold red]alarm[/bold red]" in text
    assert ":smile:" in text
    assert "[/x]" in text
    assert "\x1b" not in text
    assert "\x07" not in text


def test_show_says_how_many_documents_are_about_a_query(run, result, model):
    relevance, check = model.relevance(0), model.concepts_[0].check
    text = " ".join(run("show", result).stdout.split())
    for said in (f"fire {relevance.summary()}.", relevance.near_summary()):
        assert said in text
    found = json.loads(run("show", result, "--json").stdout)["queries"][0]
    assert found["check"]["shown"] == check.shown
    for name in ("cutoff", "n_listed", "n_about", "n_named", "n_meant", "n_near"):
        assert found["relevance"][name] == getattr(relevance, name)
    interval = found["relevance"]["n_about_low"], found["relevance"]["n_about_high"]
    assert interval == relevance.n_about_interval


def test_docs_from_the_cutoff_up(run, result, model):
    found = json.loads(run("docs", result, "-q", "fire", "--view", "about", "--json").stdout)
    assert len(found["documents"]) == model.relevance("fire").n_listed
    assert min(row["relevance"] for row in found["documents"]) >= model.relevance("fire").cutoff


def test_a_name_that_is_the_title_too_is_shown_once(run, tmp_path, fast):
    files, saved = tmp_path / "files", tmp_path / "saved"
    files.mkdir()
    for number, text in enumerate(TEXTS):  # long first lines, which are no titles
        (files / f"file-{number:02}.txt").write_text(f"{text}. " * 3)
    printed = run("fit", files, "-q", "fire", "-o", saved, *fast[2:]).output
    assert max(printed.count(f"file-{number:02}") for number in range(len(TEXTS))) == 1
    for asked in (("docs", "-n", 18), ("docs", "--like", "file-03"), ("explain", "--doc", "file-00")):
        assert run(asked[0], saved, *asked[1:]).output.count("file-00") == 1


def test_a_topic_that_is_one_group_has_no_table(run, tmp_path):
    corpus = make_corpus()
    save_model(tmp_path / "saved", make_fit(corpus, n_subtopics=(1, 2)), corpus)
    cricket, fire = run("show", tmp_path / "saved").output.split("\nfire")
    assert "subtopics  none: the documents about it are one group\n" in cricket
    assert "100.0%" not in cricket
    assert "  1.1 " in fire
    assert "subtopic 0.1" not in run("docs", tmp_path / "saved", "-q", "cricket").output
    assert "subtopic 1." in run("docs", tmp_path / "saved", "-q", "fire").output
    for document in json.loads(run("docs", tmp_path / "saved", "-q", "cricket", "--json").stdout)[
        "documents"
    ]:
        explained = run("explain", tmp_path / "saved", "--doc", document["document"], "-q", "cricket").output
        assert ", subtopic 0.1" not in explained
        assert "in 0.1 " not in explained
    shares = json.loads(run("show", tmp_path / "saved", "--json").stdout)["topics"]
    assert "0.1" in [row["topic"] for row in shares]
