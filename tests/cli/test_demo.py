"""`qdtm demo`: the whole job on installed articles."""

import json

from qdtm import QueryDrivenTopicModel
from qdtm.cli.demo import QUERIES


def test_demo_finds_what_the_queries_mean(run, tmp_path):
    found = json.loads(run("demo", "--json", "-o", tmp_path / "demo").stdout)
    topics = [row for row in found["topics"] if row["query"] and not row["parent"]]
    assert [topic["name"] for topic in topics] == list(QUERIES)
    marks = ("militant", "taliban", "wicket", "refugee")
    model = QueryDrivenTopicModel.load(tmp_path / "demo")
    assert (tmp_path / "demo" / "report.html").stat().st_size > 10_000
    for q, (topic, mark) in enumerate(zip(topics, marks, strict=True)):
        assert 0.01 < topic["share"] < 0.35
        assert any(row["parent"] == topic["topic"] for row in found["topics"])
        assert mark in [word for word, _ in model.topics_[q].top_words(30)]
        concept = {word.word for word in model.concepts_[q].words}
        listed = [row for row in found["documents"] if row["query"] == topic["query"]]
        assert len(listed) == 5
        for row in listed:
            assert concept & set(model.corpus_.pipeline(row["text"]))


def test_demo_prints_topics_and_documents(run):
    text = run("demo", "-q", "cricket").stdout
    assert text.startswith("350 news articles")
    assert "\ncricket\n14 of 350 documents are about it" in text
    assert "relevance  document, and the passage" in text
    assert "\x1b" not in text
    assert max(len(line) for line in text.splitlines()) <= 80


def test_demo_checks_its_place_first(run, tmp_path):
    (tmp_path / "mine.txt").write_text("x")
    assert "holds other files" in run("demo", "-o", tmp_path, code=2).stderr
