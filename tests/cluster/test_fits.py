"""Whole fits on a cluster: the bytes of one process, also if the driver is killed on the way."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from planted import own_words, plant
from qdtm import Corpus, QueryDrivenTopicModel
from qdtm.cluster.engine import RayEngine
from qdtm.progress import Progress
from qdtm.sampler import checkpoint as keeping
from qdtm.sampler import engines
from qdtm.sampler.engines import Engine, Threads

pytestmark = pytest.mark.cluster

WORDS = own_words(4, 15)
NOISE = np.random.default_rng(0).normal(0, 0.2, (4, 15, 4))
VECTORS = {word: np.eye(4)[k] + NOISE[k, w] for k, words in enumerate(WORDS) for w, word in enumerate(words)}
ASKED: dict = {"embeddings": VECTORS, "min_sweeps": 8, "max_sweeps": 8, "n_background_topics": 3}
QUERIES = [{"a": ["a00", "a01"]}, {"b": ["b00"]}]


class KilledError(Exception):
    """As good as a kill."""


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return plant(0, WORDS, [60] * 4).corpus


@pytest.fixture(autouse=True)
def _small_shards(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engines, "TOKENS_A_SHARD", 1_000)
    monkeypatch.setattr(engines, "TOKENS_A_WORD", 1)


def saved(model: QueryDrivenTopicModel, path: Path) -> dict[str, bytes]:
    model.save(path)
    return {p.relative_to(path).as_posix(): p.read_bytes() for p in path.rglob("*") if p.is_file()}


def test_every_engine_ends_in_the_same_bytes(cluster: None, corpus: Corpus, tmp_path: Path) -> None:
    """Serial, threads and Ray; and Ray with a driver that is killed in each phase."""
    serial = QueryDrivenTopicModel(QUERIES, **ASKED, n_jobs=1).fit(corpus)
    expected = saved(serial, tmp_path / "serial")
    assert serial.fit_.token_promoted.any()
    assert (serial.fit_.token_subtopics >= 0).any()
    assert serial.fit_.relevance.any()
    for name, how in {"threads": {"n_jobs": 2}, "ray": {"n_jobs": 2, "engine": "ray"}}.items():
        model = QueryDrivenTopicModel(QUERIES, **ASKED, **how).fit(corpus)
        assert saved(model, tmp_path / name) == expected, name


def test_a_driver_that_is_killed_in_each_phase(
    cluster: None, corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keeping, "EVERY", 0.0)
    monkeypatch.setattr(keeping, "MOST_SHARE", float("inf"))

    def killed_at(stage: str):
        def kill(progress: Progress) -> None:
            if (progress.stage, progress.sweep) == (stage, 5):
                raise KilledError

        return kill

    how = {"engine": "ray", "n_jobs": 2}
    model = QueryDrivenTopicModel(QUERIES, progress=killed_at("parents"), **ASKED, **how)
    with pytest.raises(KilledError):
        model.fit(corpus, checkpoint=tmp_path / "kept")
    with pytest.raises(KilledError):
        QueryDrivenTopicModel.resume(tmp_path / "kept", corpus, progress=killed_at("subtopics"), **how)
    resumed = QueryDrivenTopicModel.resume(tmp_path / "kept", corpus, **how)
    undisturbed = QueryDrivenTopicModel(QUERIES, **ASKED).fit(corpus)
    assert saved(resumed, tmp_path / "a") == saved(undisturbed, tmp_path / "b")


def test_20_newsgroups(engine: RayEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    """The authors' bags, in the shards that they get; promotion and filtering on, both phases."""
    if not os.environ.get("QDTM_DATA"):
        pytest.skip("set QDTM_DATA to the folder with the experiments' corpora")
    from experiments.datasets.authors import load_authors_bags
    from experiments.measurements.speed import speed_problem
    from qdtm.sampler.convergence import Schedule
    from qdtm.sampler.initialise import start_as_paper
    from qdtm.sampler.parents import fit_parents
    from qdtm.sampler.subtopics import cut_out, fit_subtopics

    monkeypatch.setattr(engines, "TOKENS_A_SHARD", 65_536)
    monkeypatch.setattr(engines, "TOKENS_A_WORD", 16)
    problem = speed_problem(load_authors_bags("20news", None), promotion=True)

    def fit(where: Engine) -> list[bytes]:
        chain = start_as_paper(problem, 0, where)
        assert chain.shards.n_shards == 4
        parents = fit_parents(problem, chain, Schedule(4, 4))
        chain.shards.release()
        of_parent = np.flatnonzero(parents.token_topics == 0)
        tokens, offsets = cut_out(problem.tokens, problem.offsets, of_parent)
        priors, schedule = problem.priors, Schedule(4, 4)
        below = fit_subtopics(tokens, offsets, problem.n_words, priors, schedule, 0.0, 0, (0,), engine=where)
        assert parents.token_promoted.any()
        found = (parents.word_topic, parents.promoted_mass, parents.token_topics, parents.token_promoted)
        return [array.tobytes() for array in (*found, below.counts, below.token_subtopics)]

    serial = fit(Threads())
    assert fit(Threads(2)) == serial
    assert fit(engine) == serial
