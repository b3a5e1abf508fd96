"""Fits that are killed go on, and end in the same bytes."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from planted import own_words, plant
from qdtm import Corpus, QueryDrivenTopicModel
from qdtm.errors import ParameterError, StorageError
from qdtm.progress import Progress
from qdtm.sampler import checkpoint as keeping
from qdtm.sampler import engines
from qdtm.storage.folders import seal

WORDS = own_words(4, 15)
NOISE = np.random.default_rng(0).normal(0, 0.2, (4, 15, 4))
VECTORS = {word: np.eye(4)[k] + NOISE[k, w] for k, words in enumerate(WORDS) for w, word in enumerate(words)}
ASKED: dict = {"embeddings": VECTORS, "min_sweeps": 12, "max_sweeps": 12}
QUERIES = [{"a": ["a00", "a01"]}, {"b": ["b00"]}]


class KilledError(Exception):
    """As good as a kill: nothing is tidied up between the sampler and the test."""


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return plant(0, WORDS, [60] * 4).corpus


@pytest.fixture(autouse=True)
def _often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Write down every sweep, and cut this small corpus into several shards."""
    monkeypatch.setattr(keeping, "EVERY", 0.0)
    monkeypatch.setattr(keeping, "MOST_SHARE", float("inf"))
    monkeypatch.setattr(engines, "TOKENS_A_SHARD", 2_000)
    monkeypatch.setattr(engines, "TOKENS_A_WORD", 1)


def killed_at(stage: str, sweep: int, query: str | None = None):
    def kill(progress: Progress) -> None:
        if (progress.stage, progress.sweep) == (stage, sweep) and query in (None, progress.query):
            raise KilledError

    return kill


def saved(model: QueryDrivenTopicModel, path: Path) -> dict[str, bytes]:
    model.save(path, force=True)
    return {p.relative_to(path).as_posix(): p.read_bytes() for p in path.rglob("*") if p.is_file()}


def kill_a_fit(
    corpus: Corpus, path: Path, stage: str, sweep: int, query: str | None = None, **options
) -> None:
    model = QueryDrivenTopicModel(QUERIES, progress=killed_at(stage, sweep, query), **ASKED, **options)
    with pytest.raises(KilledError):
        model.fit(corpus, checkpoint=path)


@pytest.mark.parametrize(
    ("n_background", "stage", "sweep", "query"),
    [
        (3, "parents", 11, None),
        ("auto", "parents", 3, None),  # these queries cover the corpus: they start as in the paper
        ("auto", "subtopics", 7, "b"),
    ],
)
def test_a_killed_fit_goes_on(
    corpus: Corpus, tmp_path: Path, n_background: int | str, stage: str, sweep: int, query: str | None
) -> None:
    options = {"n_background_topics": n_background}
    kill_a_fit(corpus, tmp_path / "kept", stage, sweep, query, **options)
    seen: list[Progress] = []
    resumed = QueryDrivenTopicModel.resume(tmp_path / "kept", corpus, progress=seen.append, n_jobs=2)
    undisturbed = QueryDrivenTopicModel(QUERIES, **ASKED, **options, n_jobs=1).fit(corpus)
    assert saved(resumed, tmp_path / "a") == saved(undisturbed, tmp_path / "b")
    assert undisturbed.fit_.token_promoted.any()
    done = sweep if stage == "parents" else 1  # the few sweeps of a split are made again
    assert (seen[0].stage, seen[0].sweep) == (stage, done)  # it did not begin again
    assert not (tmp_path / "kept").exists()


def test_a_parameter_of_no_known_form_is_refused(corpus: Corpus, tmp_path: Path) -> None:
    kill_a_fit(corpus, tmp_path / "kept", "parents", 2, n_background_topics=3)
    manifest = tmp_path / "kept" / "start" / "qdtm.json"
    values = json.loads(manifest.read_text("utf-8"))
    values["content"]["parameters"]["alpha"] = {}
    manifest.write_bytes(seal(values))
    with pytest.raises(StorageError, match="the parameter 'alpha'"):
        QueryDrivenTopicModel.resume(tmp_path / "kept", corpus)


def test_killed_in_the_background_it_is_learned_on(tmp_path: Path, cold_cache: Path) -> None:
    """It is learned before a fit begins; whoever asks next goes on with it, and needs no checkpoint."""
    fresh = plant(3, WORDS, [60] * 4).corpus
    kill_a_fit(fresh, tmp_path / "kept", "background", 5)
    assert not (tmp_path / "kept").exists()
    seen: list[Progress] = []
    resumed = QueryDrivenTopicModel(QUERIES, **ASKED, progress=seen.append).fit(fresh)
    assert (seen[0].stage, seen[0].sweep) == ("background", 5)
    shutil.rmtree(cold_cache)
    again = plant(3, WORDS, [60] * 4).corpus
    undisturbed = QueryDrivenTopicModel(QUERIES, **ASKED).fit(again)
    assert saved(resumed, tmp_path / "a") == saved(undisturbed, tmp_path / "b")


def test_killed_again_and_again(corpus: Corpus, tmp_path: Path) -> None:
    kill_a_fit(corpus, tmp_path / "kept", "parents", 4)
    for stage, sweep in [("parents", 9), ("subtopics", 3), ("subtopics", 11)]:
        with pytest.raises(KilledError):
            QueryDrivenTopicModel.resume(tmp_path / "kept", corpus, progress=killed_at(stage, sweep))
    resumed = QueryDrivenTopicModel.resume(tmp_path / "kept", corpus)
    undisturbed = QueryDrivenTopicModel(QUERIES, **ASKED).fit(corpus)
    assert saved(resumed, tmp_path / "a") == saved(undisturbed, tmp_path / "b")


def test_texts_are_read_as_they_were(tmp_path: Path) -> None:
    from qdtm import TextPipeline

    texts = ["Fire burns the forest", "Cricket match won", "Forest fire again", "A cricket match"] * 20
    pipeline = TextPipeline(language=None)
    asked = {"pipeline": pipeline, "min_sweeps": 6, "max_sweeps": 6}
    model = QueryDrivenTopicModel("fire", progress=killed_at("parents", 3), **asked)
    with pytest.raises(KilledError):
        model.fit(texts, checkpoint=tmp_path / "kept")
    resumed = QueryDrivenTopicModel.resume(tmp_path / "kept", texts)
    assert "the" in resumed.corpus_.vocabulary
    undisturbed = QueryDrivenTopicModel("fire", **asked).fit(texts)
    assert saved(resumed, tmp_path / "a") == saved(undisturbed, tmp_path / "b")


def test_a_fit_that_was_not_killed_leaves_nothing(corpus: Corpus, tmp_path: Path) -> None:
    QueryDrivenTopicModel(QUERIES, **ASKED).fit(corpus, checkpoint=tmp_path / "kept")
    assert list(tmp_path.iterdir()) == []


class TestRefusals:
    """One line each."""

    def test_another_corpus(self, corpus: Corpus, tmp_path: Path) -> None:
        kill_a_fit(corpus, tmp_path / "kept", "parents", 3)
        other = plant(1, WORDS, [60] * 4).corpus
        with pytest.raises(StorageError, match=r"^The corpus is not the one .* begin again\.$"):
            QueryDrivenTopicModel.resume(tmp_path / "kept", other)

    def test_nothing_to_go_on_from(self, corpus: Corpus, tmp_path: Path) -> None:
        with pytest.raises(StorageError, match="There is no unfinished fit"):
            QueryDrivenTopicModel.resume(tmp_path / "kept", corpus)

    def test_a_place_that_is_taken(self, corpus: Corpus, tmp_path: Path) -> None:
        kill_a_fit(corpus, tmp_path / "kept", "parents", 3)
        with pytest.raises(StorageError, match="holds an unfinished fit; go on with it"):
            QueryDrivenTopicModel(QUERIES, **ASKED).fit(corpus, checkpoint=tmp_path / "kept")

    def test_other_versions(self, corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        kill_a_fit(corpus, tmp_path / "kept", "parents", 3)
        monkeypatch.setattr("qdtm.fitting.version", lambda _: "99.0")
        with pytest.raises(StorageError, match=r"was begun with qdtm .*, and this is 99\.0"):
            QueryDrivenTopicModel.resume(tmp_path / "kept", corpus)

    def test_other_parameters(self, corpus: Corpus, tmp_path: Path) -> None:
        kill_a_fit(corpus, tmp_path / "kept", "parents", 3)
        with pytest.raises(ParameterError, match="alpha cannot change on the way"):
            QueryDrivenTopicModel.resume(tmp_path / "kept", corpus, alpha=2.0)


SCRIPT = """
import os, signal, sys
from qdtm.cli.main import main
from qdtm.cli.progress_display import FitDisplay
from qdtm.sampler import checkpoint, consensus

consensus.FEWEST_TO_SPLIT = 1
os.fsync = lambda descriptor: None
checkpoint.EVERY, checkpoint.MOST_SHARE = 0.0, float("inf")
stage, sweep = sys.argv.pop(1), int(sys.argv.pop(1))

def kill(self, progress):
    if (progress.stage, progress.sweep) == (stage, sweep):
        os.kill(os.getpid(), signal.SIGKILL)

FitDisplay.__call__ = kill
main()
"""


@pytest.mark.faults
def test_the_command_line_goes_on_after_kills(tmp_path: Path) -> None:
    """A process that is really killed, in each phase."""
    texts = ["Fire burns the forest", "Cricket match won", "Forest fire again", "A cricket match"] * 20
    (tmp_path / "texts.txt").write_text("\n".join(texts), encoding="utf-8")

    def fit(*arguments: str, kill: tuple[str, str] = ("", "0")) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-c", SCRIPT, *kill, "fit", *arguments]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        return subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )

    asked = ("texts.txt", "-q", "fire", "--no-report", "--max-sweeps", "8", "--min-sweeps", "8")
    assert fit(*asked, "-o", "out", kill=("parents", "5")).returncode == -signal.SIGKILL
    refused = fit(*asked, "-o", "out")
    assert refused.returncode == 2
    assert refused.stderr.strip().splitlines()[-1] == (
        "qdtm: 'out' has an unfinished fit; go on with qdtm fit --resume out, or use --force to begin again."
    )
    assert fit("--resume", "out", kill=("subtopics", "5")).returncode == -signal.SIGKILL
    assert not (tmp_path / "out").exists()
    resumed = fit("--resume", "out", "--jobs", "2")
    assert resumed.returncode == 0, resumed.stderr
    assert not (tmp_path / "out.unfinished").exists()
    assert fit(*asked, "-o", "undisturbed").returncode == 0
    for name in ("qdtm.json", "model.safetensors", "topics.csv", "documents.csv"):
        assert (tmp_path / "out" / name).read_bytes() == (tmp_path / "undisturbed" / name).read_bytes()
