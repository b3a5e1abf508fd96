import numpy as np
import pytest

from experiments.baselines.forest import draw_favoured, plant_forest
from qdtm.errors import ParameterError


def test_must_links_are_transitive():
    assert plant_forest([(1, 2), (7, 5), (2, 3)], []).groups == ((1, 2, 3), (5, 7))


def test_a_component_has_the_largest_sets_that_get_along():
    forest = plant_forest([(0, 1)], [(0, 2), (2, 3), (8, 9)])
    assert forest.groups == ((0, 1), (2,), (3,), (8,), (9,))
    assert forest.components == ((0, 1, 2), (3, 4))
    assert forest.cliques == (((0, 2), (1,)), ((3,), (4,)))


def test_words_that_must_and_cannot_are_refused():
    with pytest.raises(ParameterError, match="Words 0 and 2 have a cannot-link, but must-links connect them"):
        plant_forest([(0, 1), (1, 2)], [(0, 2)])


def test_a_topic_favours_the_groups_that_it_has():
    forest, rng = plant_forest([], [(0, 1)]), np.random.default_rng(0)
    drawn = [draw_favoured(np.array([0.0, 40.0]), forest, 0, beta=0.1, eta=100.0, rng=rng) for _ in range(50)]
    assert set(drawn) == {(1,)}
    empty = [draw_favoured(np.zeros(2), forest, 0, beta=0.1, eta=100.0, rng=rng) for _ in range(50)]
    assert set(empty) == {(0,), (1,)}
