"""Parameters that are objects of the user's own: a loaded model says what it needs again."""

from __future__ import annotations

import json
import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from planted import own_words, plant
from qdtm import Corpus, QueryDrivenTopicModel
from qdtm.cli.main import cli
from qdtm.errors import ParameterError
from qdtm.present.methods import methods_paragraph, settings_table
from qdtm.recorded import NotSaved, as_json, check_at_hand, from_json
from qdtm.sampler import checkpoint as keeping

WORDS = own_words(4, 15)
NOISE = np.random.default_rng(0).normal(0, 0.2, (4, 15, 4))
VECTORS = {word: np.eye(4)[k] + NOISE[k, w] for k, words in enumerate(WORDS) for w, word in enumerate(words)}
KEYED = SimpleNamespace(index_to_key=list(VECTORS), vectors=np.stack(list(VECTORS.values())))
SHORT: dict[str, Any] = {"min_sweeps": 6, "max_sweeps": 6}


def encode(texts: list[str]) -> np.ndarray:
    """Count the words of each subject."""
    rows = [[sum(word in subject for word in text.split()) for subject in WORDS] for text in texts]
    return np.array(rows, np.float32) + 0.01


OWN = {
    "dict": ({"embeddings": VECTORS}, "word vectors of your own (dict)"),
    "keyed vectors": ({"embeddings": KEYED}, "word vectors of your own (SimpleNamespace)"),
    "function": ({"embeddings": None, "encoder": encode}, "an encoder of your own (function)"),
}


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return plant(0, WORDS, [60] * 4).corpus


@pytest.fixture(scope="module", params=list(OWN))
def asked(request: pytest.FixtureRequest, corpus: Corpus, tmp_path_factory: pytest.TempPathFactory):
    """A fitted model, where it is saved, its objects, and what they are called."""
    objects, called = OWN[request.param]
    model = QueryDrivenTopicModel("a00", **SHORT, **objects).fit(corpus)
    path = tmp_path_factory.mktemp("own") / "saved"
    model.save(path)
    given = {name: value for name, value in objects.items() if value is not None}
    return model, path, given, called


def test_what_is_no_object_comes_back_as_it_was() -> None:
    for value in ("glove", 3, 0.5, True, None, ["and", "or"]):
        assert from_json(json.loads(json.dumps(as_json(value)))) == value
    assert as_json(Path("vectors.txt")) == "vectors.txt"
    assert as_json(np.float64(0.5)) == 0.5
    assert from_json(as_json("dict")) == "dict"  # a file may have that name


def test_an_object_comes_back_as_not_saved_however_often() -> None:
    for value, kind in ((VECTORS, "dict"), (encode, "function"), (KEYED, "SimpleNamespace")):
        once = from_json(json.loads(json.dumps(as_json(value))))
        assert once == NotSaved(kind)
        assert from_json(as_json(once)) == once
    check_at_hand({"embeddings": NotSaved("dict"), "encoder": None}, ["encoder"], "{}")


def test_a_loaded_model_says_in_one_line_what_it_needs_again(asked) -> None:
    _, path, given, called = asked
    loaded = QueryDrivenTopicModel.load(path)
    swept: list[object] = []
    loaded.set_params(progress=swept.append)
    before = loaded.fit_
    for work in (
        lambda: loaded.add_query("b00"),
        lambda: loaded.compare(seeds=1),
        lambda: loaded.fit(loaded.corpus_),
    ):
        with pytest.raises(ParameterError) as caught:
            work()
        (name,) = given
        assert str(caught.value) == (
            f"This model was fitted with {called}, not saved with it; give the same again: "
            f"model.set_params({name}=...)."
        )
    assert swept == []
    assert loaded.fit_ is before


def test_what_needs_no_object_works_without(asked, corpus, tmp_path) -> None:
    model, path, _, called = asked
    loaded = QueryDrivenTopicModel.load(path)
    np.testing.assert_array_equal(loaded.transform(corpus), model.transform(corpus))
    assert loaded.compare(model).variants
    assert [t.id for t in loaded.drill_down("0.1")] == [t.id for t in model.drill_down("0.1")]
    loaded.save(tmp_path / "again")
    again = QueryDrivenTopicModel.load(tmp_path / "again")
    assert again.get_params() == loaded.get_params()
    assert called.split(" of ")[1] in dict(settings_table(loaded.result_)).values()
    assert "not_saved" not in methods_paragraph(loaded.result_)


def test_given_again_it_goes_on_as_if_it_had_never_been_saved(asked, corpus, tmp_path) -> None:
    _, path, given, _ = asked
    loaded = QueryDrivenTopicModel.load(path).set_params(**given)
    kept = QueryDrivenTopicModel("a00", **SHORT, **{"embeddings": None, **given}).fit(corpus)
    assert loaded.add_query("b00").top_words(10) == kept.add_query("b00").top_words(10)
    np.testing.assert_array_equal(loaded.fit_.scored.relevance, kept.fit_.scored.relevance)
    found, expected = (model.compare(seeds=1).variants for model in (loaded, kept))
    assert [str(each) for each in found] == [str(each) for each in expected]


def test_the_command_line_says_it_too(asked) -> None:
    _, path, _, called = asked
    done = CliRunner().invoke(cli, ["add", str(path), "-q", "b00", "-o", f"{path}-more"])
    assert done.exit_code == 2
    assert called in done.output


class KilledError(Exception):
    """As good as a kill."""


@pytest.mark.parametrize("kind", list(OWN))
def test_an_unfinished_fit_goes_on(kind, corpus, tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(os, "fsync", lambda _: None)
    monkeypatch.setattr(keeping, "EVERY", 0.0)
    monkeypatch.setattr(keeping, "MOST_SHARE", float("inf"))
    objects, called = OWN[kind]

    def kill(progress) -> None:
        if progress.stage == "parents" and progress.sweep == 3:
            raise KilledError

    with pytest.raises(KilledError):
        QueryDrivenTopicModel("a00", **SHORT, **objects, progress=kill).fit(
            corpus, checkpoint=tmp_path / "kept"
        )
    with pytest.raises(ParameterError, match="alpha cannot change on the way"):
        QueryDrivenTopicModel.resume(tmp_path / "kept", corpus, alpha=2.0)
    if "encoder" in objects:
        with pytest.raises(
            ParameterError, match=r"give the same again: resume\(\.\.\., encoder=\.\.\.\)\.$"
        ) as told:
            QueryDrivenTopicModel.resume(tmp_path / "kept", ["another corpus, which nobody reads"])
        assert called in str(told.value)
        with pytest.raises(ParameterError, match="embeddings cannot change on the way"):
            QueryDrivenTopicModel.resume(tmp_path / "kept", corpus, embeddings="glove", encoder=encode)
    needed = {name: value for name, value in objects.items() if name == "encoder"}
    resumed = QueryDrivenTopicModel.resume(tmp_path / "kept", corpus, **needed)
    undisturbed = QueryDrivenTopicModel("a00", **SHORT, **objects).fit(corpus)
    np.testing.assert_array_equal(resumed.fit_.token_topics, undisturbed.fit_.token_topics)
    np.testing.assert_array_equal(resumed.fit_.scored.relevance, undisturbed.fit_.scored.relevance)
    assert resumed.fit_.parameters == undisturbed.fit_.parameters
    if "encoder" not in objects:
        with pytest.raises(ParameterError, match=r"set_params\(embeddings=\.\.\.\)"):
            resumed.add_query("b00")
        assert resumed.set_params(**objects).add_query("b00").name == "b00"
