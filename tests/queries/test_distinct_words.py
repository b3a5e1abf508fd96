"""The choice of distinct words, by hand and against a plain reading of the authors' rule."""

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from qdtm.queries.extractors import select_distinct


def authors_rule(proposals, own_words, n_words):
    """Words that one query alone proposes, the first n, and the query words that no other query has."""
    proposed = Counter(word for words in proposals for word in words)
    owned = Counter(word for words in own_words for word in words)
    return [
        set([w for w in words if proposed[w] == 1][:n_words]) | {w for w in own if owned[w] == 1}
        for words, own in zip(proposals, own_words, strict=True)
    ]


def test_a_word_proposed_twice_is_dropped_and_the_next_takes_its_place():
    first, second = select_distinct([[1, 2, 3, 4], [2, 5, 6, 7]], [[], []], 2)
    assert (first.proposed, second.proposed) == ((1, 3), (5, 6))
    assert first.shared == {2: (1,)}
    assert second.shared == {2: (0,)}


def test_a_given_word_stays_though_another_query_proposes_it():
    first, second = select_distinct([[1, 2], [1, 3]], [[1], []], 5)
    assert (first.given, first.proposed, first.shared) == ((1,), (2,), {})
    assert (second.proposed, second.shared) == ((3,), {1: (0,)})


def test_a_word_that_two_are_given_belongs_to_neither():
    first, second, third = select_distinct([[1], [2], [9]], [[8, 1], [8, 2], []], 5)
    assert first.given == (1,)
    assert second.given == (2,)
    assert first.shared == {8: (1,)}
    assert third.proposed == (9,)


def test_a_word_that_another_is_given_without_proposing_it_is_lost():
    first, second = select_distinct([[1, 2], [3]], [[], [1]], 5)
    assert first.proposed == (2,)
    assert second.given == (1,)


def test_a_lone_query_keeps_its_best():
    (only,) = select_distinct([[4, 3, 2, 1]], [[9, 4]], 3)
    assert (only.given, only.proposed, only.shared) == ((9, 4), (4, 3, 2), {})


def test_losses_beyond_the_last_kept_word_are_not_told():
    first, _ = select_distinct([[1, 2, 3], [3]], [[], []], 2)
    assert first.shared == {}


@given(st.integers(0, 100_000))
def test_queries_that_propose_their_own_words_follow_the_authors_rule(seed):
    rng = np.random.default_rng(seed)
    proposals = [rng.permutation(20)[: rng.integers(1, 15)].tolist() for _ in range(4)]
    given = [
        rng.choice(words, size=rng.integers(0, len(words)), replace=False).tolist() for words in proposals
    ]

    selections = select_distinct(proposals, given, 3)

    kept = [set(selection.given) | set(selection.proposed) for selection in selections]
    assert kept == authors_rule(proposals, given, 3)
    assert sum(map(len, kept)) == len(set().union(*kept))
