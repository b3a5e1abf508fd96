"""Second looks judge each document by the others, and correct a verdict."""

import numpy as np

from qdtm.relevance.second_look import SHRINKAGE, Neighbours, Ridge, look_again


def without_each(vectors, said):
    """The same, by fitting as many regressions as there are documents."""
    features = np.column_stack([np.ones(len(vectors)), vectors])
    looked = np.empty(said.shape)
    for j in range(len(features)):
        others = np.arange(len(features)) != j
        gram = features[others].T @ features[others] + SHRINKAGE * np.eye(features.shape[1])
        looked[j] = features[j] @ np.linalg.solve(gram, features[others].T @ said[others])
    return looked


def test_each_document_is_judged_without_its_own_verdict():
    rng = np.random.default_rng(0)
    vectors, verdict = rng.normal(size=(30, 4)), rng.random((30, 2)) < 0.4
    np.testing.assert_allclose(
        Ridge(vectors)(verdict), without_each(vectors, verdict.astype(float)), rtol=1e-9, atol=1e-12
    )


def test_one_wrong_verdict_is_not_given_back():
    rng = np.random.default_rng(1)
    centre = np.repeat([[1.0, 0.0], [0.0, 1.0]], 50, axis=0)
    vectors = centre + 0.1 * rng.normal(size=(100, 2))
    verdict = np.zeros((100, 1), np.bool_)
    verdict[:50] = True
    verdict[7] = False
    looked = Ridge(vectors)(verdict)[:, 0]
    assert looked[7] > looked[50:].max()


def test_neighbours_are_the_nearest_others_weighed_by_their_cosine():
    angles = np.array([0.0, 0.1, 0.2, 1.5, 1.6, 1.7])
    vectors = np.column_stack([np.cos(angles), np.sin(angles)])
    verdict = np.array([[True], [False], [True], [False], [False], [False]])
    cosine = np.maximum(np.cos(angles[:, None] - angles), 0.0)
    np.fill_diagonal(cosine, 0.0)
    expected = cosine @ verdict[:, 0] / cosine.sum(axis=1)
    np.testing.assert_allclose(Neighbours(vectors)(verdict)[:, 0], expected, rtol=1e-5)


def test_only_the_nearest_few_are_asked(monkeypatch):
    monkeypatch.setattr("qdtm.relevance.second_look.N_NEIGHBOURS", 2)
    angles = np.array([0.0, 0.1, 0.2, 1.5, 1.6, 1.7])
    verdict = (angles < 1.0)[:, None]
    looked = Neighbours(np.column_stack([np.cos(angles), np.sin(angles)]))(verdict)[:, 0]
    np.testing.assert_allclose(looked, verdict[:, 0], atol=1e-9)


def test_large_corpora_compare_with_documents_evenly_spread(monkeypatch):
    monkeypatch.setattr("qdtm.relevance.second_look.MOST_COMPARED", 50)
    rng = np.random.default_rng(2)
    own = np.arange(500) % 2 == 0
    vectors = np.where(own[:, None], [1.0, 0.0], [0.0, 1.0]) + 0.1 * rng.normal(size=(500, 2))
    looked = Neighbours(vectors / np.linalg.norm(vectors, axis=1, keepdims=True))(own[:, None])[:, 0]
    assert looked[own].min() > looked[~own].max()


def test_looking_again_corrects_the_first_view():
    rng = np.random.default_rng(4)
    own = np.arange(200) < 50
    vectors = np.where(own[:, None], [1.0, 0.0], [0.0, 1.0]) + 0.1 * rng.normal(size=(200, 2))
    first = (own + rng.normal(size=200))[:, None]  # often wrong
    possible, sizes = np.ones((200, 1), np.bool_), np.array([50])
    seen = look_again(first, [(2.0, Ridge(vectors))], possible, sizes, rounds=3)
    assert (np.argsort(-first[:, 0])[:50] < 50).mean() < 0.8
    assert (np.argsort(-seen.scores[:, 0])[:50] < 50).mean() > 0.95
    assert look_again(first, [], possible, sizes, rounds=3).scores is first
