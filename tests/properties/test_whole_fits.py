"""Whole fits of tiny random corpora: they end in an error of ours, or in numbers that add up."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from qdtm import Corpus, QueryDrivenTopicModel
from qdtm.corpus import TextPipeline, VocabularyLimits
from qdtm.errors import QdtmError
from qdtm.present.report import render_report

WORDS = ("fire", "wind", "rain", "cricket", "match", "İstanbul", "ß", "the", "3rd", "中文", "a" * 101)
MARKS = ("<script>alert(1)</script>", "\ud800", "\0", "=1+1", "\u202e", "{{ 7*7 }}", "&amp;", "🔥")

words = st.sampled_from(WORDS)
texts = st.lists(st.one_of(words, words, words, st.sampled_from(MARKS), st.text(max_size=8)), max_size=12)
corpora = st.lists(texts.map(" ".join), max_size=8)
queries = st.one_of(
    words, st.text(max_size=20), st.lists(words, min_size=1, max_size=3, unique=True),
    st.dictionaries(st.text(min_size=1, max_size=5), st.lists(words, max_size=3), max_size=2),
)  # fmt: skip
numbers = st.one_of(st.floats(), st.integers(-3, 12), st.sampled_from(["auto", None, "x", True, [], 2**70]))
PARAMETERS = (
    "expansion", "rule", "n_concept_words", "n_candidates", "min_precision", "similarity_threshold", "alpha",
    "promotion_weight", "word_filtering", "beta", "gamma", "n_background_topics", "preset", "min_sweeps",
    "subtopics", "min_prevalence", "random_state", "n_jobs",
)  # fmt: skip
often = settings(
    max_examples=25, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
PIPELINE = TextPipeline(limits=VocabularyLimits(min_df=1))


def fitted(documents: list[str], asked: Any, **parameters: Any) -> QueryDrivenTopicModel | None:
    """Fit a model, or return None if that is refused in one line."""
    given_ = {"embeddings": None, "max_sweeps": 4, "min_sweeps": 2, "n_jobs": 1} | parameters
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        try:
            corpus = Corpus.from_texts(documents, pipeline=PIPELINE)
            return QueryDrivenTopicModel(asked, **given_).fit(corpus)
        except QdtmError as error:
            lines = str(error).splitlines()
    assert len(lines) == 1
    return None


def check(model: QueryDrivenTopicModel) -> None:
    """Shares are shares, and every token is counted once."""
    fit, corpus = model.fit_, model.corpus_
    n_w = corpus.distinct.word_counts  # copies do not count
    np.testing.assert_allclose(model.doc_topic_.sum(axis=1), 1.0, atol=1e-9)
    np.testing.assert_allclose(model.components_.sum(axis=1), 1.0, atol=1e-9)
    assert fit.word_topic.sum(axis=1, dtype=np.float64) == pytest.approx(
        n_w + [sum(w in c.word_indices for c in fit.concepts) for w in range(corpus.n_words)],
        abs=1e-3,
    ) or fit.word_topic.sum(axis=1, dtype=np.float64) == pytest.approx(n_w, abs=1e-3)
    assert len(fit.token_topics) == corpus.n_tokens
    np.testing.assert_allclose(model.transform(["fire", ""]).sum(axis=1), 1.0, atol=1e-9)


@often
@given(documents=corpora, asked=queries)
def test_any_texts_and_queries(documents: list[str], asked: Any) -> None:
    model = fitted(documents, asked)
    if model is not None:
        check(model)
        assert "<script>alert(1)" not in render_report(model.result_)


@often
@given(name=st.sampled_from(PARAMETERS), value=numbers)
def test_any_value_of_a_parameter(name: str, value: Any) -> None:
    documents = ["fire and wind in the match", "fire and rain", "wind and rain and fire", "cricket match"] * 2
    if name == "n_jobs" and isinstance(value, int):
        value = max(value, -1) % 3
    model = fitted(documents, ["fire", "match"], **{name: value})
    if model is not None:
        check(model)


@settings(max_examples=5, deadline=None, derandomize=True)
@given(documents=st.lists(texts.map(" ".join), min_size=3, max_size=8), seed=st.integers(0, 2**32))
def test_the_same_seed_gives_the_same_bytes(documents: list[str], seed: int) -> None:
    models = [fitted([*documents, "fire wind"], "fire", random_state=seed, n_jobs=n) for n in (1, 2)]
    if models[0] is not None and models[1] is not None:
        for name in (
            "word_topic",
            "promoted_mass",
            "token_topics",
            "token_subtopics",
            "relevance",
            "strength",
        ):
            first, second = (getattr(model.fit_, name) for model in models)
            assert first.tobytes() == second.tobytes()
    else:
        assert models == [None, None]
