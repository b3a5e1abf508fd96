"""The estimator's parameters, checked and completed.

In: what the user passed to `QueryDrivenTopicModel`. Out: `Settings`, in which every value makes sense and
nothing is left open but what the corpus decides.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import Any, Literal

import numpy as np

from qdtm.corpus.text import TextPipeline
from qdtm.errors import ParameterError
from qdtm.recorded import NotSaved
from qdtm.sampler.convergence import Schedule
from qdtm.sampler.problem import Priors

Preset = Literal["default", "paper"]
EngineName = Literal["threads", "ray"]

ENGINES: tuple[EngineName, ...] = ("threads", "ray")

SCHEDULES: Mapping[str, tuple[int, int]] = {"default": (100, 300), "paper": (2000, 2000)}
"""Fewest and most sweeps of a phase, by preset."""

JOINING = (30, 60)
"""Fewest and most sweeps of queries that join a background, which has settled before."""

KEEP_OF_PARENT: Mapping[str, float] = {"default": 0.01, "paper": 1.0}
"""Subtopics with this share of their parent are kept however rare they are in the corpus, by preset."""

SMALLEST_PRIOR, LARGEST_PRIOR = 1e-6, 1e6
"""The sampler's weights are single precision; beyond these they would vanish or overflow."""


@dataclass(frozen=True)
class Settings:
    """Parameters that are known to be sound.

    Parameters
    ----------
    n_background_topics : int or None
        None goes by the size of the corpus.
    similarity_threshold : float or None
        None picks it from the vectors.
    min_precision : float or None
        None decides by whether the queries cover the corpus.
    min_prevalence : float
        Subtopics below this share of the corpus are dropped...
    keep_of_parent : float
        ... unless they have this share of their parent: all subtopics of a rare concept are rare.
    n_jobs : int or None
        Threads, or workers of the cluster; None, which only a cluster has, is all of them.
    address, worker_dir : str or None
        Of the cluster.
    refuse : bool
        Whether queries that the corpus does not answer are refused.
    expansion, rule, n_concept_words, n_candidates
        Of queries that say nothing else; checked where queries are expanded.
    embeddings, encoder
        As the user named them.
    """

    preset: Preset
    priors: Priors
    schedule: Schedule
    joining_schedule: Schedule
    promotion_weight: float
    word_filtering: bool
    similarity_threshold: float | None
    n_background_topics: int | None
    subtopics: bool
    min_prevalence: float
    keep_of_parent: float
    min_precision: float | None
    seed: int
    n_jobs: int | None
    engine: EngineName
    address: str | None
    worker_dir: str | None
    n_chains: int = 1
    refuse: bool = True
    expansion: str | None = "kld"
    rule: str | Sequence[str] = "and"
    n_concept_words: int = 10
    n_candidates: int = 100
    embeddings: Any = None
    encoder: Any = None

    @property
    def start_as_paper(self) -> bool:
        """Whether phase 1 starts as Initialize in Appendix C."""
        return self.preset == "paper"

    # DEVIATION(5): the paper drops by the share of the corpus alone.
    def fewest_tokens(self, n_corpus: int, n_parent: int) -> float:
        """How many tokens a subtopic must have to be kept, given those of the corpus and of its parent."""
        return min(self.min_prevalence * n_corpus, self.keep_of_parent * n_parent)


def check_settings(parameters: Mapping[str, Any]) -> Settings:
    """Check the estimator's parameters and fill in what the preset says.

    Raises
    ------
    ParameterError
        One line: the parameter, its value, what it may be.
    """
    preset: Preset = parameters["preset"]
    if not isinstance(preset, str) or preset not in SCHEDULES:
        raise ParameterError(f"preset is {preset!r}; give 'default' or 'paper'.")
    _check_objects(parameters)
    schedule = _schedule(parameters, *SCHEDULES[preset])
    hurries = preset == "default" and parameters["min_sweeps"] is None and parameters["max_sweeps"] is None
    return Settings(
        preset=preset,
        priors=Priors(*(_prior(parameters, name) for name in ("alpha", "beta", "gamma"))),
        schedule=schedule,
        joining_schedule=replace(_schedule(parameters, *JOINING), window=3, hurries=hurries),
        promotion_weight=_share(parameters, "promotion_weight"),
        word_filtering=_flag(parameters, "word_filtering"),
        similarity_threshold=_auto(parameters, "similarity_threshold", _cosine),
        n_background_topics=_auto(parameters, "n_background_topics", _count),
        subtopics=_flag(parameters, "subtopics"),
        min_prevalence=_share(parameters, "min_prevalence"),
        keep_of_parent=KEEP_OF_PARENT[preset],
        min_precision=_min_precision(parameters, preset),
        seed=_seed(parameters["random_state"]),
        n_jobs=_n_jobs(parameters),
        engine=_engine(parameters),
        address=_of_a_cluster(parameters, "address"),
        worker_dir=_of_a_cluster(parameters, "worker_dir"),
        n_chains=_count(parameters, "n_chains"),
        refuse=_flag(parameters, "refuse"),
        expansion=parameters["expansion"],
        rule=parameters["rule"],
        n_concept_words=parameters["n_concept_words"],
        n_candidates=parameters["n_candidates"],
        embeddings=parameters["embeddings"],
        encoder=parameters["encoder"],
    )


def _check_objects(parameters: Mapping[str, Any]) -> None:
    """Refuse what is neither None nor of the kind that is needed."""
    pipeline, progress, encoder = (parameters[name] for name in ("pipeline", "progress", "encoder"))
    if pipeline is not None and not isinstance(pipeline, TextPipeline):
        raise ParameterError(f"pipeline is {pipeline!r}; give a TextPipeline, or None.")
    if not (progress is None or callable(progress) or (isinstance(progress, str) and progress == "auto")):
        raise ParameterError(f"progress is {progress!r}; give 'auto', a function, or None.")
    named = isinstance(encoder, str | os.PathLike) and str(encoder)
    if not (encoder is None or callable(encoder) or isinstance(encoder, NotSaved) or named):
        raise ParameterError(f"encoder is {encoder!r}; give a model's name, a folder, a function, or None.")


def _schedule(parameters: Mapping[str, Any], fewest: int, most: int) -> Schedule:
    """Fill in the sweeps; one bound given alone moves the other out of its way."""
    given_min = None if parameters["min_sweeps"] is None else _count(parameters, "min_sweeps")
    given_max = None if parameters["max_sweeps"] is None else _count(parameters, "max_sweeps")
    max_sweeps = max(most, given_min or 0) if given_max is None else given_max
    min_sweeps = min(fewest, max_sweeps) if given_min is None else given_min
    if min_sweeps > max_sweeps:
        raise ParameterError(f"min_sweeps is {min_sweeps}, above max_sweeps, {max_sweeps}; lower it.")
    return Schedule(min_sweeps, max_sweeps)


def _number(parameters: Mapping[str, Any], name: str) -> float:
    value = parameters[name]
    if isinstance(value, bool) or not isinstance(value, Real) or not math.isfinite(value):
        raise ParameterError(f"{name} is {value!r}; give a number.")
    return float(value)


def _prior(parameters: Mapping[str, Any], name: str) -> float:
    value = _number(parameters, name)
    if value <= 0:
        raise ParameterError(f"{name} is {value:g}; give a number above 0.")
    if not SMALLEST_PRIOR <= value <= LARGEST_PRIOR:
        raise ParameterError(f"{name} is {value:g}; give {SMALLEST_PRIOR:g} to {LARGEST_PRIOR:g}.")
    return value


def _flag(parameters: Mapping[str, Any], name: str) -> bool:
    value = parameters[name]
    if not isinstance(value, (bool, np.bool_)):
        raise ParameterError(f"{name} is {value!r}; give True or False.")
    return bool(value)


def _share(parameters: Mapping[str, Any], name: str) -> float:
    value = _number(parameters, name)
    if not 0 <= value < 1:
        raise ParameterError(f"{name} is {value:g}; give a number from 0 to below 1.")
    return value


def _cosine(parameters: Mapping[str, Any], name: str) -> float:
    value = _number(parameters, name)
    if not -1 <= value <= 1:
        raise ParameterError(f"{name} is {value:g}; give 'auto' or a cosine from -1 to 1.")
    return value


def _min_precision(parameters: Mapping[str, Any], preset: Preset) -> float | None:
    """None leaves it to the corpus; the paper takes every proposal."""
    if _is_auto(parameters["min_precision"]):
        return 0.0 if preset == "paper" else None
    return _share(parameters, "min_precision")


def _count(parameters: Mapping[str, Any], name: str) -> int:
    value = parameters[name]
    if isinstance(value, bool) or not isinstance(value, Integral) or value < 1:
        raise ParameterError(f"{name} is {value!r}; give a whole number from 1 up.")
    return int(value)


def _auto(parameters: Mapping[str, Any], name: str, check: Any) -> Any:
    return None if _is_auto(parameters[name]) else check(parameters, name)


def _is_auto(value: Any) -> bool:
    return isinstance(value, str) and value == "auto"


def _seed(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, Integral) or not 0 <= int(value) < 2**63:
        raise ParameterError(f"random_state is {value!r}; give a whole number from 0 up.")
    return int(value)


def n_threads(n_jobs: Any) -> int:
    """Threads to use: None and -1 are all cores.

    Raises
    ------
    ParameterError
        If it is no number of threads.
    """
    if n_jobs is None or n_jobs == -1:
        return _n_cores()
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, Integral) or n_jobs < 1:
        raise ParameterError(f"n_jobs is {n_jobs!r}; give a number of threads, -1 for all cores, or None.")
    return int(n_jobs)


def _n_jobs(parameters: Mapping[str, Any]) -> int | None:
    """Threads to use, or workers of a cluster, of which None and -1 are all."""
    value = parameters["n_jobs"]
    if parameters["engine"] == "ray" and (value is None or value == -1):
        return None
    return n_threads(value)


def _n_cores() -> int:
    """Return the cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _engine(parameters: Mapping[str, Any]) -> EngineName:
    value: EngineName = parameters["engine"]
    if not isinstance(value, str) or value not in ENGINES:
        raise ParameterError(f"engine is {value!r}; give 'threads' or 'ray'.")
    return value


def _of_a_cluster(parameters: Mapping[str, Any], name: str) -> str | None:
    value = parameters[name]
    if value is None:
        return None
    if not isinstance(value, (str, os.PathLike)) or not os.fspath(value):
        raise ParameterError(f"{name} is {value!r}; give a text, or None.")
    if parameters["engine"] != "ray":
        raise ParameterError(
            f"{name} is {value!r}, which only engine='ray' uses; give that, or leave it out."
        )
    return str(os.fspath(value))
