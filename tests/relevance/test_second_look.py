"""The second look equals a ridge regression that is fitted anew without each document."""

import numpy as np

from qdtm.relevance.second_look import SHRINKAGE, second_look


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
        second_look(vectors, verdict), without_each(vectors, verdict.astype(float)), rtol=1e-9, atol=1e-12
    )


def test_one_wrong_verdict_is_not_given_back():
    rng = np.random.default_rng(1)
    centre = np.repeat([[1.0, 0.0], [0.0, 1.0]], 50, axis=0)
    vectors = centre + 0.1 * rng.normal(size=(100, 2))
    verdict = np.zeros((100, 1), np.bool_)
    verdict[:50] = True
    verdict[7] = False
    looked = second_look(vectors, verdict)[:, 0]
    assert looked[7] > looked[50:].max()
