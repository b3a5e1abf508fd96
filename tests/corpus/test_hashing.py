"""A hash stands for a document's words in their order."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from qdtm.corpus.indexing import hash_documents

MASK = 2**64 - 1
documents = st.lists(st.lists(st.integers(0, 2**20), max_size=12), min_size=1, max_size=8)


def naive_mix(x):
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & MASK
    return x ^ (x >> 31)


def naive_hash(words):
    total = 0
    for place, word in enumerate(words):
        each = naive_mix((word + 0xCBF29CE484222325) & MASK)
        total += naive_mix((each + place * 0x9E3779B97F4A7C15) & MASK)
    return naive_mix((total + len(words)) & MASK)


def hashes_of(lists):
    offsets = np.cumsum([0, *map(len, lists)]).astype(np.int64)
    return hash_documents(np.array([w for words in lists for w in words], np.int32), offsets)


@given(documents)
def test_equals_its_plain_twin(lists):
    assert hashes_of(lists).tolist() == [naive_hash(words) for words in lists]


@given(documents, st.randoms(use_true_random=False))
def test_the_order_of_documents_does_not_matter(lists, random):
    order = list(range(len(lists)))
    random.shuffle(order)
    np.testing.assert_array_equal(hashes_of([lists[j] for j in order]), hashes_of(lists)[order])


def test_copies_are_equal_and_nothing_else_is():
    rng = np.random.default_rng(0)
    lists = [tuple(rng.integers(0, 50, rng.integers(0, 6)).tolist()) for _ in range(3000)]
    hashes = hashes_of([*lists, *lists])
    np.testing.assert_array_equal(hashes[:3000], hashes[3000:])
    assert len(set(hashes.tolist())) == len(set(lists))


def test_the_order_of_words_matters():
    assert len(set(hashes_of([[1, 2], [2, 1], [1, 2, 0], [0, 1, 2], [1]]).tolist())) == 5


def test_empty_documents_are_alike():
    first, second, third = hashes_of([[], [3], []])
    assert first == third != second
    assert hash_documents(np.zeros(0, np.int32), np.zeros(1, np.int64)).shape == (0,)
