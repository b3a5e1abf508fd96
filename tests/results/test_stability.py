"""How firm a finding is: planted parts come out firm, arbitrary ones weak."""

import json
from dataclasses import replace

import numpy as np
import pytest

from planted import plant_parts
from qdtm import QueryDrivenTopicModel
from qdtm.results.result import Result
from qdtm.results.stability import Stability, SubtopicStability, measure_stability, says_rhat, split_rhat
from qdtm.sampler.two_phases import ChainSummary

QUICK = {"embeddings": None, "random_state": 1, "min_sweeps": 40, "max_sweeps": 80, "n_chains": 4}


@pytest.fixture(scope="module")
def planted():
    return QueryDrivenTopicModel("planet", **QUICK).fit(plant_parts(3, n_parts=3))


@pytest.fixture(scope="module")
def without_parts():
    return QueryDrivenTopicModel("planet", **QUICK).fit(plant_parts(1, n_parts=1))


def test_planted_parts_are_firm(planted):
    found = planted.stability_.queries[0].subtopics
    assert len(found) == 3
    assert [each.firmness for each in found] == ["firm"] * 3
    assert min(each.score for each in found) > 0.8
    own = [{word[0] for word in each.always} & set("abc") for each in found]
    assert sorted(map(len, own)) == [1, 1, 1]  # the words that always belong are of one part each


def test_what_has_no_parts_is_not_split(without_parts):
    assert len(without_parts.topics_[0].subtopics) == 1
    assert without_parts.stability_.queries[0].n_subtopics == (1,) * len(without_parts.stability_.seeds)


def test_an_arbitrary_split_is_weak():
    """Columns that differ by chance alone are not found again."""
    rng = np.random.default_rng(0)
    split = [rng.multinomial(100, np.full(50, 0.02), size=4).T.astype(np.float32) for _ in range(4)]
    chains = [ChainSummary(c, (each,), np.zeros(1), np.ones((1, 1))) for c, each in enumerate(split)]
    found = measure_stability(chains, ["any"], [f"w{w}" for w in range(50)], 4)
    assert [each.firmness for each in found.queries[0].subtopics] == ["weak"] * 4


def test_the_first_chain_is_the_fit_with_one(planted):
    alone = QueryDrivenTopicModel("planet", **QUICK | {"n_chains": 1}).fit(planted.corpus_)
    assert alone.stability_.n_chains == 1  # the chains of its splits agree by themselves
    assert all(each.firmness == "firm" for each in alone.stability_.queries[0].subtopics)
    np.testing.assert_array_equal(alone.fit_.word_topic, planted.fit_.word_topic)
    np.testing.assert_array_equal(alone.fit_.token_subtopics, planted.fit_.token_subtopics)


def test_threads_do_not_change_it(planted):
    threads = QueryDrivenTopicModel("planet", n_jobs=3, **QUICK).fit(planted.corpus_)
    assert threads.stability_ == planted.stability_


def test_runs_are_reported(planted):
    stability = planted.stability_
    query = stability.queries[0]
    assert stability.n_chains == stability.n_asked == len(set(stability.seeds)) == 4
    assert len(query.n_subtopics) == len(query.prevalence) == len(stability.log_likelihood) == 4
    assert query.interval == (min(query.n_subtopics), max(query.n_subtopics))
    assert query.n_subtopics[0] == len(planted.topics_[0].subtopics)
    assert query.prevalence[0] == pytest.approx(planted.topics_[0].prevalence, abs=0.02)
    assert stability.log_likelihood[0] == pytest.approx(planted.fit_.parent_trace.log_likelihood[-1], abs=0.1)


def test_it_is_saved_with_the_model(planted, tmp_path):
    planted.save(tmp_path / "model")
    assert Result.load(tmp_path / "model").stability == planted.stability_
    assert Stability.from_json(json.loads(json.dumps(planted.stability_.to_json()))) == planted.stability_


def test_a_fit_refuses_the_stability_of_other_subtopics(planted):
    query = planted.stability_.queries[0]
    fewer = replace(planted.stability_, queries=(replace(query, subtopics=query.subtopics[:1]),))
    with pytest.raises(ValueError, match="stability of 1 subtopics for 3"):
        replace(planted.fit_, stability=fewer)


def test_a_frame_has_a_row_for_each_subtopic(planted):
    frame = planted.stability_.to_frame()
    assert list(frame["subtopic"]) == ["0.1", "0.2", "0.3"]
    assert list(frame["n_found"]) == [3, 3, 3]


# --- the parts ---------------------------------------------------------------------------------------------


def summary(counts, seed=0, draws=10):
    rng = np.random.default_rng(seed)
    return ChainSummary(seed, (counts.astype(np.float32),), rng.normal(size=draws), np.full((draws, 1), 0.25))


def test_words_that_always_belong_and_words_that_do_not():
    vocabulary = [f"w{i:02d}" for i in range(24)]
    first, second = np.zeros((24, 2)), np.zeros((24, 2))
    first[:10, 0] = second[:9, 0] = 50
    second[20, 0] = 40
    first[11:18, 1] = second[11:18, 1] = 50
    found = measure_stability([summary(first), summary(second, 1)], ["q"], vocabulary, 2).queries[0]
    assert found.subtopics[0].always == tuple(vocabulary[:9])
    assert found.subtopics[0].sometimes == ("w09", "w20")
    assert found.subtopics[1].sometimes == ()
    assert found.subtopics[1].score == pytest.approx(1.0)


def test_a_subtopic_found_nowhere_has_no_word_that_always_belongs():
    first = np.kron(np.eye(2), np.ones((6, 1))) * 30
    found = measure_stability([summary(first), summary(first[:, :1], 1)], ["q"], list("abcdefghijkl"), 2)
    lost = found.queries[0].subtopics[1]
    assert (lost.n_found, lost.always, lost.firmness) == (0, (), "weak")
    assert set(lost.sometimes) == set("ghijkl")
    assert found.of("0.2") is lost
    assert found.of("7") is None


def test_one_complete_run_of_several_says_nothing_but_that():
    stability = measure_stability([summary(np.eye(4))], ["q"], list("abcd"), 3)
    assert stability.interrupted
    assert stability.queries[0].subtopics == ()
    assert measure_stability([summary(np.eye(4))], ["q"], list("abcd"), 1) is None
    assert measure_stability([], ["q"], list("abcd"), 3) is None


def test_rhat_of_chains_that_agree_and_of_chains_that_do_not():
    rng = np.random.default_rng(0)
    together = [rng.normal(size=400) for _ in range(4)]
    assert split_rhat(together) == pytest.approx(1.0, abs=0.02)
    assert split_rhat([*together[:3], together[3] + 3]) > 1.3
    drifting = [np.linspace(0, 1, 50) + 0.01 * rng.normal(size=50) for _ in range(3)]
    assert split_rhat(drifting) > 1.5  # the halves of one chain disagree
    assert split_rhat([draws[:5] for draws in together]) is None
    assert split_rhat([np.ones(8), np.ones(8)]) == 1.0
    assert split_rhat([np.ones(8), np.zeros(8)]) is None


def test_plain_words():
    each = SubtopicStability("0.1", 0.5, (0.9, 0.2, 0.6), (), ())
    assert each.sentence == "found in 2 of 3 runs"
    assert each.firmness == "fair"
    assert "agree" in says_rhat(1.01)
    assert "apart" in says_rhat(1.5)
    assert "too few" in says_rhat(None)
