"""Counts are exact: up to a stated size of corpus, and after any number of sweeps."""

from __future__ import annotations

import numpy as np
import pytest

from qdtm import Corpus, QueryDrivenTopicModel
from qdtm.errors import CorpusError
from qdtm.sampler.background import background_of
from qdtm.sampler.problem import MAX_OCCURRENCES, check_countable

from .cases import topic_mass
from .test_invariants import check_counts, planted_case


def test_float32_holds_every_count_up_to_the_limit_and_not_far_beyond() -> None:
    assert np.float32(MAX_OCCURRENCES) + np.float32(1) == MAX_OCCURRENCES + 1
    assert np.float32(MAX_OCCURRENCES + 1) + np.float32(1) == MAX_OCCURRENCES + 1  # stands still


def test_a_word_that_is_there_too_often_is_named() -> None:
    check_countable(np.array([3, MAX_OCCURRENCES]), ["fire", "wind"])
    check_countable(np.array([], np.int64), [])
    with pytest.raises(CorpusError, match="'wind' occurs 16,777,216 times") as caught:
        check_countable(np.array([3, MAX_OCCURRENCES + 1]), ["fire", "wind"])
    assert "\n" not in str(caught.value)


def test_it_is_refused_before_anything_is_fitted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("qdtm.sampler.problem.MAX_OCCURRENCES", 5)
    corpus = Corpus.from_texts(["fire and wind", "fire and rain", "fire fire", "fire crews fight fire"])
    swept: list[object] = []
    model = QueryDrivenTopicModel("rain", embeddings=None, progress=swept.append)
    with pytest.raises(CorpusError, match="'fire' occurs 6 times"):
        model.fit(corpus)
    assert swept == []


def test_it_is_refused_before_a_corpus_is_learned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("qdtm.sampler.problem.MAX_OCCURRENCES", 3)
    corpus = Corpus.from_texts(["hail and wind", "hail and rain", "hail hail"])
    swept: list[object] = []
    with pytest.raises(CorpusError, match="'hail' occurs 4 times"):
        background_of(corpus, progress=swept.append)
    assert swept == []


def watch_the_books(n_sweeps: int, every: int) -> None:
    """Sweep a corpus that promotes, recounting everything every so often."""
    case = planted_case(3, promotes=True).case
    seen = set()
    for sweep in range(n_sweeps):
        case.sweep()
        if sweep % every == 0:
            check_counts(case)
            mass = topic_mass(case.counts, case.rules) / 2.0**-10
            rest = (case.rules.prior_words * case.rules.beta).astype(np.float64) / 2.0**-10
            np.testing.assert_array_equal(mass - rest, np.round(mass - rest))  # whole units, to the last bit
            seen.add(mass.tobytes())
    assert len(seen) > 1  # mass moved all the while


def test_promoted_mass_does_not_drift() -> None:
    watch_the_books(200, every=10)


@pytest.mark.slow
def test_promoted_mass_does_not_drift_in_ten_thousand_sweeps() -> None:
    watch_the_books(10_000, every=50)
