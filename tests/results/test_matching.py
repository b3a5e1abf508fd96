"""Which subtopics of two splits are the same."""

import numpy as np
import pytest

from qdtm.results.topic_distances import FOUND, Match, Parts, match


def likeness(left, right):
    return Parts(left).likeness(Parts(right))


def naive_likeness(left, right):
    """The formula, a pair and a word at a time."""
    whole_left, whole_right = left.sum(axis=1) / left.sum(), right.sum(axis=1) / right.sum()
    alike = np.zeros((left.shape[1], right.shape[1]))
    for s in range(left.shape[1]):
        for r in range(right.shape[1]):
            a, b = left[:, s] / left[:, s].sum(), right[:, r] / right[:, r].sum()
            apart = sum(abs(x - y) for x, y in zip(a, b, strict=True)) / 2
            to_left = sum(abs(x - y) for x, y in zip(a, whole_left, strict=True)) / 2
            to_right = sum(abs(x - y) for x, y in zip(b, whole_right, strict=True)) / 2
            alike[s, r] = max(0.0, 1 - apart / max((to_left + to_right) / 2, 0.1))
    return alike


def test_likeness_is_its_formula():
    rng = np.random.default_rng(0)
    left, right = rng.integers(0, 9, (20, 3)).astype(float), rng.integers(0, 9, (20, 4)).astype(float)
    assert likeness(left, right) == pytest.approx(naive_likeness(left, right))


def test_the_same_split_in_another_order_is_matched_wholly():
    counts = np.eye(3).repeat(4, axis=0) * [30, 20, 10]
    pairs = match(likeness(counts, counts[:, [2, 0, 1]]))
    assert [(pair.left, pair.right) for pair in pairs] == [(0, 1), (1, 2), (2, 0)]
    assert [pair.likeness for pair in pairs] == pytest.approx([1.0, 1.0, 1.0])


def test_parts_of_an_arbitrary_split_are_not_alike():
    """Two ways to deal the same tokens out at random: nothing is found, though all parts share all words."""
    rng = np.random.default_rng(1)
    tokens = rng.integers(0, 100, 6_000)
    splits = []
    for _ in range(2):
        counts = np.zeros((100, 3))
        np.add.at(counts, (tokens, rng.integers(0, 3, len(tokens))), 1)
        splits.append(counts)
    assert likeness(*splits).max() < FOUND / 2


def test_a_whole_topic_is_like_itself_though_no_part_stands_out():
    rng = np.random.default_rng(2)
    whole = rng.integers(10, 90, (50, 1)).astype(float)
    assert likeness(whole, whole + rng.integers(0, 3, (50, 1)))[0, 0] > 0.8


def test_the_best_assignment_is_not_the_greedy_one():
    alike = np.array([[0.9, 0.8], [0.8, 0.1]])
    assert match(alike) == (Match(0, 1, 0.8), Match(1, 0, 0.8))


def test_pairs_below_the_least_are_left_out():
    alike = np.array([[0.9, 0.0, 0.0], [0.0, 0.4, 0.0]])
    assert match(alike, 0.5) == (Match(0, 0, 0.9),)
    assert match(np.zeros((2, 2))) == ()
    assert match(np.zeros((0, 2))) == ()


def test_parts_together_are_the_whole():
    whole = np.kron(np.eye(2), np.ones((6, 1))) * 30
    cut = np.kron(np.eye(4), np.ones((3, 1))) * 30
    assert likeness(whole, cut).max() < FOUND
    assert Parts(whole).likeness_of(Parts(cut), [1], [2, 3]) == pytest.approx(1.0)
