"""Opened subtopics: the tree they make, and what documents and tokens have to do with it."""

import csv
from dataclasses import replace

import numpy as np
import pytest

from qdtm.errors import QueryError
from qdtm.results.explain import explain_document
from qdtm.results.query_scores import main_subtopics
from qdtm.results.result import Result
from qdtm.results.splits import branches, deepest_subtopics, path_of, subtopic_ids, tokens_in
from qdtm.results.storage import load_model, save_model

from .synthetic import make_corpus, make_fit, opened

IDS = ("1.1", "1.2", "1.3", "1.2.1", "1.2.2", "1.3.1", "1.3.2", "1.2.2.1", "1.2.2.2")


@pytest.fixture(scope="module")
def deep():
    """A result whose second query is opened in two places, and once more below one of them."""
    corpus = make_corpus()
    return Result(opened(make_fit(corpus), corpus, "1.3", "1.2", "1.2.2"), corpus)


def test_subtopics_are_in_level_order(deep):
    assert subtopic_ids(deep.fit, 1) == IDS
    assert subtopic_ids(deep.fit, 0) == ("0.1", "0.2")
    assert [topic.id for topic in deep.topics[1].below()] == list(IDS)
    walked = [topic.id for topic in deep.topics[1].walk()]
    assert walked == ["1", "1.1", "1.2", "1.2.1", "1.2.2", "1.2.2.1", "1.2.2.2", "1.3", "1.3.1", "1.3.2"]
    assert branches(IDS) == [(-1, slice(0, 3)), (1, slice(3, 5)), (2, slice(5, 7)), (4, slice(7, 9))]
    assert branches(()) == []


def test_an_opened_subtopic_has_what_those_below_it_have(deep):
    for topic in deep.topics[1].walk():
        if topic.subtopics:
            assert sum(each.n_tokens for each in topic.subtopics) <= topic.n_tokens + 1e-6
    for topic in deep.topics[1].below():
        assert topic.probabilities.sum() == pytest.approx(1.0)


def test_names_do_not_repeat_what_the_names_above_say(deep):
    for topic in deep.topics[1].below():
        for below in topic.subtopics:
            assert set(below.label_words).isdisjoint(topic.label_words)


def test_what_was_there_stays_as_it_is(deep):
    before = Result(make_fit(deep.corpus), deep.corpus).topics[1]
    for old, new in zip(before.subtopics, deep.topics[1].subtopics, strict=True):
        assert (old.id, old.name, old.n_tokens) == (new.id, new.name, new.n_tokens)
        np.testing.assert_array_equal(old.probabilities, new.probabilities)


def test_weights_are_shared_out_level_by_level(deep):
    weights = deep.subtopic_weights(1)  # (V, B)
    position = {id: s for s, id in enumerate(IDS)}
    assert weights.shape[1] == len(IDS)
    for split in deep.fit.splits:
        below = [position[id] for id in IDS if id.rpartition(".")[0] == split.of]
        has_any = split.counts.sum(axis=1) > 0
        whole = np.where(has_any, weights[:, position[split.of]], 0.0)
        np.testing.assert_allclose(weights[:, below].sum(axis=1), whole)


def test_the_deepest_subtopic_of_a_token_equals_a_loop(deep):
    fit, deepest = deep.fit, deepest_subtopics(deep.fit)
    taken = {split.of: iter(split.token_children.tolist()) for split in fit.splits}
    for topic, subtopic, found in zip(fit.token_topics, fit.token_subtopics, deepest, strict=True):
        id = f"{topic}.{subtopic + 1}" if subtopic >= 0 else None
        while id in taken:
            child = next(taken[id])
            if child < 0:
                break
            id = f"{id}.{child + 1}"
        expected = -1 if id is None else subtopic_ids(fit, int(topic)).index(id)
        assert found == expected


def test_tokens_of_a_subtopic_are_those_above_that_were_put_there(deep):
    above = tokens_in(deep.fit, "1.2")
    split = next(split for split in deep.fit.splits if split.of == "1.2")
    np.testing.assert_array_equal(tokens_in(deep.fit, "1.2.2"), above[split.token_children == 1])


def test_main_subtopics_descend():
    tree = branches(("0.1", "0.2", "0.2.1", "0.2.2"))
    shares = np.array(
        [[0.5, 0.3, 0.2, 0.1], [0.1, 0.4, 0.1, 0.3], [0.1, 0.4, 0.0, 0.0], [0.0, 0.5, 0.3, 0.2]]
    )
    main, share = main_subtopics(shares, np.array([True, True, True, False]), tree)
    assert main.tolist() == [0, 3, 1, -1]
    assert share.tolist() == [0.5, 0.3, 0.4, 0.0]


def test_what_is_mainly_in_a_subtopic_may_be_below_it(deep):
    scores = deep.scores(1)
    inside = scores.mainly_in(IDS.index("1.2"))
    assert inside.tolist() == [m >= 0 and IDS[m].startswith("1.2") for m in scores.main]


def test_documents_of_a_deeper_subtopic(deep):
    found = {id: {row.index for row in deep.documents(1, None, subtopic=id)} for id in IDS}
    assert found["1.2.1"] | found["1.2.2"] <= found["1.2"]
    assert found["1.2.1"].isdisjoint(found["1.2.2"])
    for row in deep.documents(1, None, subtopic="1.2"):
        assert row.subtopic.startswith("1.2")
    shares = [row.subtopic_share for row in deep.documents(1, None, subtopic="1.2")]
    assert shares == sorted(shares, reverse=True)
    with pytest.raises(QueryError, match=r"1\.1 has not been opened"):
        deep.documents(1, subtopic="1.1.1")
    with pytest.raises(QueryError, match=r"no subtopic '1\.2\.7'; it has 1\.1 to 1\.3"):
        deep.documents(1, subtopic="1.2.7")


def test_a_document_is_explained_by_its_share_in_a_subtopic(deep):
    s = IDS.index("1.2.2")
    shares = deep.scores(1).shares[:, s]
    for j in (int(shares.argmax()), int(shares.argmin())):
        explained = explain_document(deep, j, subtopic="1.2.2")
        assert (explained.query, explained.subtopic) == ("fire", "1.2.2")
        assert explained.share == pytest.approx(shares[j])
        assert sum(token.share for token in explained.tokens) == pytest.approx(float(shares[j] > 0))
        tokens = slice(*deep.corpus.offsets[j : j + 2])
        for token, topic, at in zip(
            explained.tokens, deep.fit.token_topics[tokens], deep.token_subtopics[tokens], strict=True
        ):
            assert token.subtopic == (None if at < 0 else subtopic_ids(deep.fit, int(topic))[at])
    with pytest.raises(QueryError, match="no subtopic 'x'"):
        explain_document(deep, 3, subtopic="x")


def test_saved_and_loaded_with_the_same_bytes(deep, tmp_path):
    save_model(tmp_path / "a", deep.fit, deep.corpus)
    loaded, corpus = load_model(tmp_path / "a")
    save_model(tmp_path / "b", loaded, corpus)
    for name in ("model.safetensors", "qdtm.json", "topics.csv", "documents.csv"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()
    assert [split.of for split in loaded.splits] == ["1.2", "1.3", "1.2.2"]
    with (tmp_path / "a" / "topics.csv").open(encoding="utf-8-sig", newline="") as file:
        ids = [[row[name].partition(" ")[0] for name in ("topic", "parent")] for row in csv.DictReader(file)]
    assert [each for each in ids if each[0].startswith("1.2.2")] == [
        ["1.2.2", "1.2"],
        ["1.2.2.1", "1.2.2"],
        ["1.2.2.2", "1.2.2"],
    ]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda splits: splits[::-1], "not in order"),
        (lambda splits: (splits[0], *splits), "opened twice"),
        (lambda splits: splits[1:], "does not exist is opened: '1.2.2'"),
        (lambda splits: (replace(splits[0], counts=splits[0].counts[:-1]), *splits[1:]), "have shape"),
        (lambda splits: (replace(splits[0], counts=-splits[0].counts), *splits[1:]), "negative"),
        (lambda splits: (replace(splits[0], rest=1.5), *splits[1:]), "between 0 and 1"),
        (lambda splits: (splits[0], replace(splits[1], token_children=np.zeros(1)), splits[2]), "below it"),
        (
            lambda splits: (
                splits[0],
                replace(splits[1], token_children=splits[1].token_children + 5),
                splits[2],
            ),
            "subtopic below '1.3' does not exist",
        ),
    ],
)
def test_refuses_splits_that_do_not_fit(deep, change, message):
    with pytest.raises(ValueError, match=message):
        replace(deep.fit, splits=change(deep.fit.splits))


def test_paths():
    assert path_of("10.2.11") == (10, 2, 11)
