"""Maps: distances are kept where a plane can, discs do not cover each other, the same input the same map."""

import numpy as np
import pytest

from qdtm.results.topic_distances import scale_to_plane, spread, topic_distances, topic_overlaps


def test_overlaps_of_equal_and_of_foreign_topics():
    topics = np.array([[0.5, 0.5, 0, 0], [0.5, 0.5, 0, 0], [0, 0, 0.5, 0.5], [0.25] * 4])
    overlaps = topic_overlaps(topics)
    assert overlaps[0] == pytest.approx([1, 1, 0, np.sqrt(0.5)])
    assert topic_distances(topics)[0] == pytest.approx([0, 0, 1, np.sqrt(1 - np.sqrt(0.5))])


def test_points_of_a_plane_come_back():
    points = np.random.default_rng(0).normal(size=(6, 2))
    distances = np.hypot(*(points[:, None] - points[None]).transpose(2, 0, 1))
    places = scale_to_plane(distances)
    again = np.hypot(*(places[:, None] - places[None]).transpose(2, 0, 1))
    np.testing.assert_allclose(again, distances, atol=1e-9)
    np.testing.assert_array_equal(places, scale_to_plane(distances))


@pytest.mark.parametrize("n", [0, 1, 2])
def test_few_topics(n):
    places = scale_to_plane(1.0 - np.eye(n))
    assert places.shape == (n, 2)
    assert np.isfinite(places).all()


def test_boxes_are_pushed_apart():
    halves = np.array([[1.0, 0.5], [2.0, 0.5], [1.5, 1.0], [1.0, 3.0]])
    places = spread(np.zeros((4, 2)), halves)
    for a in range(4):
        for b in range(a):
            overlap = halves[a] + halves[b] - np.abs(places[a] - places[b])
            assert overlap.min() < 1e-3
    far = np.array([[0.0, 0.0], [10.0, 0.0]])
    np.testing.assert_array_equal(spread(far, np.ones((2, 2))), far)
