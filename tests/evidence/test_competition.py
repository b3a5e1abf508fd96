"""Queries that cover a corpus compete for its documents."""

import numpy as np
import pytest

from qdtm.evidence.breadth import at_least_context
from qdtm.evidence.posterior import _compete, competing_posteriors

from .worlds import bare_views, plant_names, random_counts


def everywhere(strength: np.ndarray) -> np.ndarray:
    """No query excludes a document."""
    return np.ones(strength.shape, bool)


@pytest.mark.parametrize("seed", range(3))
def test_rows_without_names_sum_to_one_at_most(seed):
    rng = np.random.default_rng(seed)
    views = bare_views(random_counts(seed))
    shares = rng.dirichlet(np.ones(4), 40)[:, :3]
    found = competing_posteriors(views, shares, np.zeros((40, 3)), np.ones((40, 3), bool))
    assert found.shape == (40, 3)
    assert ((found >= 0) & (found <= 1)).all()
    assert (found.sum(axis=1) <= 1 + 1e-12).all()


@pytest.mark.parametrize("seed", range(3))
def test_a_document_that_names_a_query_is_judged_as_it_would_be_alone(seed):
    rng = np.random.default_rng(seed)
    views, shares = bare_views(random_counts(seed)), rng.dirichlet(np.ones(4), 40)[:, :3]
    strength = np.where(rng.random((40, 3)) < 0.2, 0.7, 0.0)
    bare, found = (
        competing_posteriors(views, shares, names, everywhere(names))
        for names in (np.zeros((40, 3)), strength)
    )
    named = strength > 0
    np.testing.assert_array_equal(found[~named], bare[~named])
    np.testing.assert_array_equal(found[named], at_least_context(bare[named], strength[named]))
    assert ((found >= 0) & (found <= 1)).all()


def test_a_document_goes_where_its_theme_is():
    corpus, themes = plant_names(0, {"cat": 80, "ship": 80, "tree": 80}, {})
    views = bare_views(corpus.document_term_matrix)
    of_theme = np.column_stack([themes == name for name in ("cat", "ship")])
    shares = 0.35 + 0.2 * of_theme + np.random.default_rng(0).normal(0, 0.05, (240, 2))  # a vague topic
    found = competing_posteriors(views, np.clip(shares, 0, 1), np.zeros((240, 2)), np.ones((240, 2), bool))
    assert (found.argmax(axis=1)[themes == "cat"] == 0).mean() > 0.95
    assert (found.argmax(axis=1)[themes == "ship"] == 1).mean() > 0.95
    assert found[themes == "tree"].sum(axis=1).mean() < found[themes != "tree"].sum(axis=1).mean()


def test_equal_queries_share_and_the_rest_is_a_rival_too():
    np.testing.assert_allclose(_compete(np.zeros((1, 3))), 0.25)
    np.testing.assert_allclose(_compete(np.array([[800.0, 800.0]])), 0.5)
    np.testing.assert_allclose(_compete(np.array([[-800.0, -900.0]])), 0.0, atol=1e-300)


def test_shares_of_0_and_1_are_no_trouble():
    shares = np.zeros((40, 2))
    shares[:20, 0] = shares[20:, 1] = 1.0
    found = competing_posteriors(
        bare_views(random_counts(0)), shares, np.zeros((40, 2)), np.ones((40, 2), bool)
    )
    assert np.isfinite(found).all()


def test_documents_near_a_query_are_likelier_to_be_about_it():
    counts = random_counts(0, 60)
    rng = np.random.default_rng(0)
    vectors = rng.normal(size=(60, 4)).astype(np.float32)
    views = bare_views(counts, document_vectors=vectors)
    shares, strength = rng.dirichlet(np.ones(3), 60)[:, :2], np.zeros((60, 2))
    plain = competing_posteriors(views, shares, strength, everywhere(strength))
    towards = np.stack([vectors[7], -vectors[7]])
    asked = competing_posteriors(views, shares, strength, everywhere(strength), towards)
    assert asked[7, 0] > plain[7, 0]
    assert asked[7, 1] < plain[7, 1]


@pytest.mark.parametrize("seed", range(3))
def test_a_document_that_a_query_excludes_is_left_to_the_others(seed):
    rng = np.random.default_rng(seed)
    views, strength = bare_views(random_counts(seed)), np.zeros((40, 2))
    shares = np.column_stack([rng.uniform(0.4, 0.7, 40), rng.uniform(0.2, 0.3, 40)])
    possible = everywhere(strength)
    possible[:10, 0] = False
    contested = competing_posteriors(views, shares, strength, everywhere(strength))
    found = competing_posteriors(views, shares, strength, possible)
    assert (found[:10, 0] == 0).all()
    assert found[:10, 1].mean() > contested[:10, 1].mean() + 0.1  # what others say of them moves too


def test_a_document_that_no_query_may_have_is_nobodys():
    strength, possible = np.zeros((40, 2)), np.ones((40, 2), bool)
    possible[7] = False
    found = competing_posteriors(bare_views(random_counts(0)), np.full((40, 2), 0.4), strength, possible)
    assert (found[7] == 0).all()
    assert np.isfinite(found).all()
