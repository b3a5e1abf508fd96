import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qdtm.errors import ParameterError
from qdtm.evaluation.metrics import count_texts, count_windows
from qdtm.evaluation.metrics.windows import WindowCounts

from ..naive import naive_counts

WORDS = ["a", "b", "c", "d"]
TEXTS = st.lists(st.lists(st.sampled_from([*WORDS, "x", "y"]), max_size=25), max_size=6)


@settings(deadline=None)
@given(texts=TEXTS, window_size=st.integers(1, 12))
def test_boolean_counts_equal_a_look_into_every_window(texts, window_size):
    counts = count_texts(texts, WORDS, window_size=window_size, presence="boolean")
    n_windows, single, joint = naive_counts(texts, WORDS, window_size)
    assert counts.n_windows == n_windows
    for v, left in enumerate(WORDS):
        assert counts.joint[v, v] == single[left]
        for w in range(v + 1, len(WORDS)):
            assert counts.joint[v, w] == counts.joint[w, v] == joint[left, WORDS[w]]


@settings(deadline=None)
@given(texts=TEXTS, window_size=st.integers(1, 12))
def test_gensim_counts_equal_gensims_accumulator(texts, window_size):
    from gensim.corpora import Dictionary
    from gensim.topic_coherence.text_analysis import WordOccurrenceAccumulator

    dictionary = Dictionary([WORDS])
    accumulator = WordOccurrenceAccumulator(set(dictionary.token2id.values()), dictionary)
    accumulator.accumulate(texts, window_size)
    counts = count_texts(texts, WORDS, window_size=window_size, presence="gensim")
    assert counts.n_windows == accumulator.num_docs
    expected = [[accumulator[left, right] for right in WORDS] for left in WORDS]
    np.testing.assert_array_equal(counts.joint, expected)


def test_presence_differs_only_for_a_word_met_again_inside_the_window():
    texts = [["a", "b", "a", "x", "x"]]  # windows: a b a, b a x, a x x
    boolean = count_texts(texts, ["a", "b"], window_size=3, presence="boolean")
    gensim = count_texts(texts, ["a", "b"], window_size=3, presence="gensim")
    np.testing.assert_array_equal(boolean.joint, [[3, 2], [2, 2]])
    np.testing.assert_array_equal(gensim.joint, [[1, 1], [1, 2]])


def test_short_and_empty_documents_are_one_window_each():
    counts = count_texts([["a", "b"], [], ["b"]], ["a", "b"])
    assert counts.n_windows == 3
    np.testing.assert_array_equal(counts.joint, [[1, 1], [1, 2]])


def test_words_do_not_meet_across_documents():
    counts = count_texts([["a"] * 200, ["b"] * 200], ["a", "b"])
    assert counts.joint[0, 1] == 0
    assert counts.n_windows == 2 * (200 - 110 + 1)


def test_part_follows_the_order_asked_for():
    counts = WindowCounts(("a", "b", "c"), 10, np.arange(9, dtype=np.int32).reshape(3, 3))
    np.testing.assert_array_equal(counts.of(["c", "a"]), [[8, 6], [2, 0]])


def test_word_that_was_not_counted_is_named():
    counts = count_texts([["a"]], ["a"])
    with pytest.raises(ParameterError, match="The word 'z' was not counted"):
        counts.of(["a", "z"])


def test_window_needs_a_word():
    with pytest.raises(ParameterError, match="window_size=0"):
        count_windows(np.zeros(1, dtype=np.int32), np.array([0, 1]), ["a"], window_size=0)
