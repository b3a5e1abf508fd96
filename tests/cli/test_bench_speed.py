"""`qdtm bench speed`: what is printed."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from qdtm.cli.bench import bench
from qdtm.evaluation import speed
from qdtm.evaluation.baselines import speed as lda_speed
from qdtm.evaluation.datasets import authors
from qdtm.evaluation.speed import Speed

ROWS = [
    Speed("qdtm", 1, False, 20e6),
    Speed("qdtm", 2, True, 30e6),
    Speed("tomotopy-hdp", 1, False, 5e6),
    Speed("topica-hdp", 1, False, 4e6),
    Speed("qdtm-islda", 1, False, 30e6, "lda"),
    Speed("tomotopy-lda", 1, False, 20e6, "lda"),
]


@pytest.fixture(autouse=True)
def raced(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody runs; one peer is missing."""
    monkeypatch.setattr(authors, "load_authors_bags", lambda name, data: (name, data))
    monkeypatch.setattr(speed, "contestants", lambda _: ["hdp"])
    monkeypatch.setattr(lda_speed, "lda_contestants", lambda _, topics: [topics])
    monkeypatch.setattr(speed, "missing_peers", lambda: ["gensim"])
    monkeypatch.setattr(speed, "race", lambda entrants, **_: ROWS if entrants == ["hdp", None] else [])


def test_json_has_the_promised_fields() -> None:
    result = CliRunner().invoke(bench, ["speed", "--json"])
    assert result.exit_code == 0, result.output
    rows = json.loads(result.stdout)
    assert [list(row) for row in rows] == [["name", "threads", "promotion", "tokens_per_second", "kind"]] * 6
    assert list(rows[1].values()) == ["qdtm", 2, True, 30e6, "hdp"]


def test_the_number_of_topics_reaches_the_lda_samplers() -> None:
    assert json.loads(CliRunner().invoke(bench, ["speed", "--json", "--topics", "50"]).stdout) == []


def test_the_table_has_ratios_at_the_same_number_of_threads() -> None:
    result = CliRunner().invoke(bench, ["speed"])
    first, *lines = [line.split() for line in result.stdout.splitlines()]
    assert first[:3] == ["name", "threads", "promotion"]
    assert lines[0] == ["qdtm", "1", "off", "20,000,000", "50.0", "4.00"]
    assert lines[1] == ["qdtm", "2", "on", "30,000,000", "33.3"]  # tomotopy has no row with two threads
    assert lines[4] == ["qdtm-islda", "1", "off", "30,000,000", "33.3", "1.50"]  # beside its LDA, not its HDP


def test_a_missing_peer_is_named() -> None:
    result = CliRunner().invoke(bench, ["speed"])
    assert "gensim is not installed and left out: pip install gensim" in result.stderr
