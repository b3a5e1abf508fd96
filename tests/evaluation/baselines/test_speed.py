"""The LDA samplers take part in the race with the same work."""

import numpy as np

from qdtm.evaluation.baselines.speed import lda_contestants
from qdtm.evaluation.datasets import concepts_of
from qdtm.evaluation.datasets.authors import AuthorsBags


def test_all_sweep_over_the_same_tokens():
    tokens = np.random.default_rng(0).integers(0, 12, 2000).astype(np.int32)
    bags = AuthorsBags(
        name="20news",
        vocabulary=(*(f"word{w}" for w in range(10)), "car", "engine"),
        tokens=tokens,
        offsets=np.arange(0, 2001, 10),
        labels=np.zeros(200, np.int64),
        categories=("cars",),
        concepts=concepts_of("20news")[:2],
        concept_words=(np.array([10], np.int32), np.array([11], np.int32)),
    )
    entrants = lda_contestants(bags)
    assert [entrant.name for entrant in entrants[:4]] == [
        "qdtm-lda",
        "qdtm-islda",
        "qdtm-sclda",
        "qdtm-dflda",
    ]
    assert {(entrant.n_tokens, entrant.kind) for entrant in entrants} == {(2000, "lda")}
    assert all(entrant.seconds(1) > 0 for entrant in entrants)
