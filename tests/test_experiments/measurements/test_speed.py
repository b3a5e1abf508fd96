from __future__ import annotations

import json
import sys

import numpy as np
import pytest
from click.testing import CliRunner

from experiments.datasets.authors import AuthorsBags
from experiments.datasets.concepts import concepts_of
from experiments.measurements import speed
from experiments.measurements.speed import (
    Contestant,
    Speed,
    contestants,
    lda_contestants,
    missing_peers,
    ours,
    race,
)


@pytest.fixture
def bags() -> AuthorsBags:
    """Two hundred documents of twelve words, the last two of which are concept words."""
    tokens = np.random.default_rng(0).integers(0, 12, 2000).astype(np.int32)
    return AuthorsBags(
        name="20news",
        vocabulary=(*(f"word{w}" for w in range(10)), "car", "engine"),
        tokens=tokens,
        offsets=np.arange(0, 2001, 10),
        labels=np.zeros(200, np.int64),
        categories=("cars",),
        concepts=concepts_of("20news")[:2],
        concept_words=(np.array([10], np.int32), np.array([11], np.int32)),
    )


def scripted(name: str, seconds: list[float]) -> Contestant:
    """A contestant whose sweeps take so long, one call after the other."""
    times = iter(seconds)
    return Contestant(name, 1, False, 100, lambda sweeps: next(times) * sweeps)


def test_the_best_time_of_each_counts() -> None:
    entrants = [scripted("a", [9.0, 2.0, 0.5, 1.0]), scripted("b", [9.0, 4.0, 5.0, 6.0])]
    rows = race(entrants, warm_up=1, sweeps=2, repeats=3)
    assert rows == [Speed("a", 1, False, 200.0), Speed("b", 1, False, 25.0)]


def test_they_are_timed_in_turn_after_a_warm_up() -> None:
    calls: list[tuple[str, int]] = []

    def entrant(name: str) -> Contestant:
        return Contestant(name, 1, False, 1, lambda sweeps: calls.append((name, sweeps)) or 1.0)

    race([entrant("a"), entrant("b")], warm_up=7, sweeps=3, repeats=2)
    assert calls == [("a", 7), ("b", 7), ("a", 3), ("b", 3), ("a", 3), ("b", 3)]


@pytest.mark.parametrize("promotion", [False, True])
def test_ours_sweeps_over_everything(bags: AuthorsBags, promotion: bool) -> None:
    entrant = ours(bags, 2, promotion=promotion)
    assert (entrant.name, entrant.threads, entrant.promotion) == ("qdtm", 2, promotion)
    assert entrant.n_tokens == len(bags.tokens) + 2  # and the concept words' own documents
    assert entrant.seconds(2) > 0


def test_peers_that_are_not_installed_are_left_out_and_named(
    bags: AuthorsBags, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(speed, "find_spec", lambda _: None)
    assert missing_peers() == ["tomotopy", "topica", "gensim"]
    entrants = contestants(bags)
    assert [(e.name, e.threads, e.promotion) for e in entrants] == [
        *(("qdtm", 1, False), ("qdtm", 2, False), ("qdtm", 1, True), ("qdtm", 2, True))
    ]


@pytest.mark.parametrize(("package", "make"), [("tomotopy", "tomotopy_hdp"), ("topica", "topica_hdp")])
def test_a_peer_can_be_swept(bags: AuthorsBags, package: str, make: str) -> None:
    pytest.importorskip(package, reason=f"{package} is not installed")
    arguments = (bags, 1) if package == "tomotopy" else (bags,)
    entrant = getattr(speed, make)(*arguments)
    assert entrant.n_tokens == len(bags.tokens)
    assert entrant.seconds(1) > 0
    assert package in sys.modules


def test_gensim_reads_a_part(bags: AuthorsBags) -> None:
    entrant = speed.gensim_hdp(bags)
    assert entrant.n_tokens == len(bags.tokens) // speed.GENSIM_SHARE
    once = entrant.seconds(1)
    assert entrant.seconds(3) == pytest.approx(3 * once)


def test_all_sweep_over_the_same_tokens():
    tokens = np.random.default_rng(0).integers(0, 12, 2000).astype(np.int32)
    bags = AuthorsBags(
        name="20news",
        vocabulary=(*(f"word{w}" for w in range(10)), "car", "engine"),
        tokens=tokens,
        offsets=np.arange(0, 2001, 10),
        labels=np.zeros(200, np.int64),
        categories=("cars",),
        concepts=concepts_of("20news")[:2],
        concept_words=(np.array([10], np.int32), np.array([11], np.int32)),
    )
    entrants = lda_contestants(bags)
    assert [entrant.name for entrant in entrants[:4]] == [
        "qdtm-lda",
        "qdtm-islda",
        "qdtm-sclda",
        "qdtm-dflda",
    ]
    assert {(entrant.n_tokens, entrant.kind) for entrant in entrants} == {(2000, "lda")}
    assert all(entrant.seconds(1) > 0 for entrant in entrants)


# --- command ---------------------------------------------------------------------------------------------


ROWS = [
    Speed("qdtm", 1, False, 20e6),
    Speed("qdtm", 2, True, 30e6),
    Speed("tomotopy-hdp", 1, False, 5e6),
    Speed("topica-hdp", 1, False, 4e6),
    Speed("qdtm-islda", 1, False, 30e6, "lda"),
    Speed("tomotopy-lda", 1, False, 20e6, "lda"),
]


@pytest.fixture
def raced(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody runs; one peer is missing."""
    monkeypatch.setattr(speed, "load_authors_bags", lambda name, data: (name, data))
    monkeypatch.setattr(speed, "contestants", lambda _: ["hdp"])
    monkeypatch.setattr(speed, "lda_contestants", lambda _, topics: [topics])
    monkeypatch.setattr(speed, "missing_peers", lambda: ["gensim"])
    monkeypatch.setattr(speed, "race", lambda entrants, **_: ROWS if entrants == ["hdp", None] else [])


def test_json_has_the_promised_fields(raced: None) -> None:
    result = CliRunner().invoke(speed.speed, ["--json"])
    assert result.exit_code == 0, result.output
    rows = json.loads(result.stdout)
    assert [list(row) for row in rows] == [["name", "threads", "promotion", "tokens_per_second", "kind"]] * 6
    assert list(rows[1].values()) == ["qdtm", 2, True, 30e6, "hdp"]


def test_the_number_of_topics_reaches_the_lda_samplers(raced: None) -> None:
    assert json.loads(CliRunner().invoke(speed.speed, ["--json", "--topics", "50"]).stdout) == []


def test_the_table_has_ratios_at_the_same_number_of_threads(raced: None) -> None:
    result = CliRunner().invoke(speed.speed, [])
    first, *lines = [line.split() for line in result.stdout.splitlines()]
    assert first[:3] == ["name", "threads", "promotion"]
    assert lines[0] == ["qdtm", "1", "off", "20,000,000", "50.0", "4.00"]
    assert lines[1] == ["qdtm", "2", "on", "30,000,000", "33.3"]  # tomotopy has no row with two threads
    assert lines[4] == ["qdtm-islda", "1", "off", "30,000,000", "33.3", "1.50"]  # beside its LDA, not its HDP


def test_a_missing_peer_is_named(raced: None) -> None:
    result = CliRunner().invoke(speed.speed, [])
    assert "gensim is not installed and left out: pip install gensim" in result.stderr
