"""The estimator's parameters: what is left open is filled in, and what makes no sense gets one clear line."""

from __future__ import annotations

import os
import re
from typing import Any

import numpy as np
import pytest

from qdtm import QueryDrivenTopicModel, TextPipeline
from qdtm.errors import ParameterError
from qdtm.sampler.problem import Priors
from qdtm.settings import LARGEST_PRIOR, SMALLEST_PRIOR, Settings, check_settings

NAN, INF = float("nan"), float("inf")

BAD: dict[str, list[Any]] = {
    "alpha": [0, -1.0, NAN, INF, "1", None, True, [1.0], 1e-9, 1e9],
    "beta": [0, -0.5, NAN, -INF, "0.5", None, 1e-60],
    "gamma": [0.0, -1.5, NAN, "x", None],
    "promotion_weight": [-0.1, 1, 1.5, NAN, "0.3", None, True],
    "min_prevalence": [-0.001, 1.0, NAN, "0.5%", None],
    "similarity_threshold": [-1.01, 1.5, NAN, "high", None, np.array([0.5, 0.6])],
    "refuse": ["yes", 0, None],
    "min_precision": [-0.1, 1.0, NAN, "some", None],
    "engine": ["spark", "", None, 1, True],
    "address": ["localhost:6379", 6379, ""],
    "worker_dir": ["/shared", 1, ""],
    "n_background_topics": [0, -3, 2.5, NAN, "many", None, True],
    "min_sweeps": [0, -5, 1.5, NAN, "ten", True],
    "max_sweeps": [0, -5, 1.5, NAN, "ten", True],
    "preset": ["fast", None, 1, [], NAN],
    "random_state": [-1, 1.5, NAN, "seed", None, True, 2**63, np.random.default_rng(0)],
    "n_chains": [0, -1, 1.5, NAN, "many", None, True],
    "n_jobs": [0, -2, 1.5, NAN, "two", True],
    "word_filtering": ["no", 1, None, NAN],
    "subtopics": ["yes", 0, None],
    "pipeline": ["english", 5, str.split],
    "progress": [5, "tqdm"],
    "encoder": [5, "", ["a"]],
}


def cores() -> int | None:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()


def settings_of(**parameters: Any) -> Settings:
    return check_settings(QueryDrivenTopicModel("fire", **parameters).get_params(deep=False))


@pytest.mark.parametrize(("name", "value"), [(name, value) for name in BAD for value in BAD[name]])
def test_a_bad_value_gets_one_line_that_names_it(name: str, value: Any) -> None:
    with pytest.raises(ParameterError) as error:
        settings_of(**{name: value})
    message = str(error.value)
    shown = f"{value:g}" if type(value) in (int, float) and f"{value!r}" not in message else f"{value!r}"
    assert message.startswith(f"{name} is {shown}")
    assert re.search(r"; (give|lower) .+\.$", message)
    assert "\n" not in message


def test_every_parameter_that_is_checked_here_has_bad_values() -> None:
    elsewhere = {"queries", "expansion", "rule", "n_concept_words", "n_candidates", "embeddings"}
    assert set(QueryDrivenTopicModel("fire").get_params()) == set(BAD) | elsewhere


def test_defaults() -> None:
    settings = settings_of()
    assert settings.priors == Priors(1.0, 0.5, 1.5)
    assert (settings.schedule.min_sweeps, settings.schedule.max_sweeps) == (100, 300)
    assert settings.n_background_topics is None
    assert settings.similarity_threshold is None
    assert settings.min_precision is None
    assert settings.subtopics
    assert not settings.start_as_paper
    assert (settings.seed, settings.n_jobs) == (0, cores())
    joining = settings.joining_schedule
    assert (joining.min_sweeps, joining.max_sweeps) == (30, 60)


def test_the_papers_preset() -> None:
    settings = settings_of(preset="paper")
    assert settings.start_as_paper
    assert (settings.schedule.min_sweeps, settings.schedule.max_sweeps) == (2000, 2000)
    assert settings.min_precision == 0.0
    assert settings.keep_of_parent == 1.0


def test_what_is_given_beats_the_preset() -> None:
    settings = settings_of(preset="paper", min_sweeps=5, max_sweeps=10, min_precision=0.2)
    assert (settings.schedule.min_sweeps, settings.schedule.max_sweeps) == (5, 10)
    assert settings.min_precision == 0.2


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"min_sweeps": 500}, (500, 500)),
        ({"max_sweeps": 50}, (50, 50)),
        ({"min_sweeps": 50}, (50, 300)),
        ({"max_sweeps": 500}, (100, 500)),
        ({"min_sweeps": 7, "max_sweeps": 7}, (7, 7)),
        ({"max_sweeps": 1}, (1, 1)),
    ],
)
def test_one_bound_moves_the_other_out_of_its_way(given: dict[str, int], expected: tuple[int, int]) -> None:
    schedule = settings_of(**given).schedule
    assert (schedule.min_sweeps, schedule.max_sweeps) == expected


def test_bounds_that_cross_are_refused() -> None:
    with pytest.raises(ParameterError, match=r"^min_sweeps is 20, above max_sweeps, 10; lower it\.$"):
        settings_of(min_sweeps=20, max_sweeps=10)


def test_numbers_of_numpy_are_numbers() -> None:
    settings = settings_of(
        alpha=np.float32(2), random_state=np.int64(7), max_sweeps=np.int32(9), word_filtering=np.bool_(False)
    )
    assert settings.priors.alpha == 2.0
    assert (settings.seed, type(settings.seed)) == (7, int)
    assert settings.schedule.max_sweeps == 9
    assert settings.word_filtering is False


@pytest.mark.parametrize("value", [SMALLEST_PRIOR, LARGEST_PRIOR, 1])
def test_priors_may_be_as_small_and_as_large_as_weights_can_hold(value: float) -> None:
    assert settings_of(beta=value).priors.beta == value


@pytest.mark.parametrize("weight", [0, 0.0, 0.999])
def test_promotion_may_be_nothing_and_nearly_a_whole(weight: float) -> None:
    assert settings_of(promotion_weight=weight).promotion_weight == weight


def test_threads() -> None:
    assert settings_of(n_jobs=3).n_jobs == 3
    assert settings_of(n_jobs=-1).n_jobs == settings_of(n_jobs=None).n_jobs == cores()
    assert settings_of(n_jobs=None, engine="ray").n_jobs is None


@pytest.mark.parametrize(
    ("given", "expected"),
    [({"max_sweeps": 20}, (20, 20)), ({"min_sweeps": 90}, (90, 90)), ({"max_sweeps": 200}, (30, 200))],
)
def test_sweeps_that_are_given_hold_for_queries_that_join_too(
    given: dict[str, int], expected: tuple[int, int]
) -> None:
    joining = settings_of(**given).joining_schedule
    assert (joining.min_sweeps, joining.max_sweeps) == expected


def test_objects_of_the_right_kind_pass() -> None:
    assert settings_of(pipeline=TextPipeline(), progress=print)
