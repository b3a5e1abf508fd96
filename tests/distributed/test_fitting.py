"""A fit over files on a cluster is the fit of the same documents on one machine, byte for byte."""

import pytest
from tests.distributed.conftest import assert_same

from qdtm import QueryDrivenTopicModel
from qdtm.sampler import shards

pytestmark = pytest.mark.ray


@pytest.fixture
def many_shards(monkeypatch):
    monkeypatch.setattr(shards, "TOKENS_A_SHARD", 1_000)
    monkeypatch.setattr(shards, "TOKENS_A_WORD", 1)


def model(queries, **options):
    return QueryDrivenTopicModel(queries, **{"max_sweeps": 12, "random_state": 3} | options)


def assert_same_fit(ours, theirs):
    for name in ("word_topic", "promoted_mass"):
        assert_same(getattr(ours, name), getattr(theirs, name))
    for mine, their in zip(ours.subtopic_counts, theirs.subtopic_counts, strict=True):
        assert_same(mine, their)
    assert ours.subtopic_rest == theirs.subtopic_rest
    assert_same(ours.parent_trace.log_likelihood, theirs.parent_trace.log_likelihood)
    assert_same(ours.parent_trace.n_tables, theirs.parent_trace.n_tables)
    assert ours.vocabulary == theirs.vocabulary
    assert ours.threshold == theirs.threshold


@pytest.mark.parametrize(
    ("queries", "options"),
    [
        ("israel palestinian", {}),
        (["cricket", "afghanistan", "fire*"], {"n_background_topics": 4}),
        (["israel", "australia"], {"preset": "paper", "min_sweeps": 2}),
    ],
)
def test_the_same_bytes_as_one_machine(cluster, many_shards, files, whole, queries, options):
    ours = model(queries, engine="ray", n_jobs=2, **options).fit(files)
    theirs = model(queries, **options).fit(whole)
    assert_same_fit(ours.fit_, theirs.fit_)
    assert [c.word_indices for c in ours.concepts_] == [c.word_indices for c in theirs.concepts_]
