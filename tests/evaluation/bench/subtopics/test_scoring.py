from dataclasses import replace

import numpy as np
import pytest

from qdtm import QueryDrivenTopicModel
from qdtm.evaluation.bench.subtopics import score_split, score_subtopics, share_found_again

from .planted import planted_dataset, planted_rows


@pytest.fixture(scope="module")
def fitted():
    dataset = planted_dataset()
    return dataset, QueryDrivenTopicModel("sports", random_state=0).fit(dataset.corpus)


def test_the_main_subtopic_shown_is_held_against_the_lower_category(fitted):
    dataset, model = fitted
    upper = [row[1] for row in planted_rows()]
    score = score_subtopics(model, "sports", upper, dataset.lower)
    about = model.relevance("sports").about
    assert (score.n_about, score.n_right) == (about.sum(), (about & (np.array(upper) == "sports")).sum())
    assert score.n_found == len(model.topics_[0].subtopics) == len(score.words)
    shown = {row.index: row.subtopic for row in model.documents("sports", n=len(upper))}
    again = score_split(
        "sports",
        [int(shown[j].split(".")[1]) if shown[j] else -1 for j in np.flatnonzero(about)],
        np.array(upper)[about] == "sports",
        np.array(dataset.lower)[about],
        n_found=score.n_found,
        words=score.words,
    )
    assert again.right.ami == pytest.approx(score.right.ami)
    assert again.everything.ami == pytest.approx(score.everything.ami)
    assert replace(again, right=None, everything=None) == replace(score, right=None, everything=None)


def test_a_result_is_as_good_as_its_model_and_the_category_may_have_another_name(fitted):
    dataset, model = fitted
    upper = ["games" if row[1] == "sports" else "" for row in planted_rows()]
    wrong = score_subtopics(model, 0, upper, dataset.lower)
    assert (wrong.n_right, wrong.right) == (0, None)
    right = score_subtopics(model.result_, 0, upper, dataset.lower, category="games")
    assert right.n_right > 0
    assert right.everything == wrong.everything


def test_documents_of_another_upper_category_count_in_everything_only():
    lower = np.array(["a"] * 10 + ["b"] * 10 + ["x"] * 10)
    right = np.array([True] * 20 + [False] * 10)
    apart = score_split("q", [0] * 10 + [1] * 10 + [2] * 10, right, lower)
    mixed = score_split("q", [0] * 10 + [1] * 20, right, lower)
    assert apart.right.ami == mixed.right.ami == pytest.approx(1.0)
    assert apart.everything.ami == pytest.approx(1.0)
    assert mixed.everything.ami < 0.9
    assert (apart.n_found, mixed.n_found, apart.n_about, apart.n_right) == (3, 2, 30, 20)


def test_a_fit_finds_its_own_subtopics_again(fitted):
    _, model = fitted
    n = model.fit_.subtopic_counts[0].shape[1]
    assert share_found_again(model, model) == 1.0
    nothing = replace(model.fit_, subtopic_counts=(model.fit_.subtopic_counts[0][:, :0],), stability=None,
                      token_subtopics=np.full_like(model.fit_.token_subtopics, -1))  # fmt: skip
    other = replace(model.result_, fit=nothing)
    assert n > 0
    assert share_found_again(model, other) == 0.0
    assert share_found_again(other, model) is None
