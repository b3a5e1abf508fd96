import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from experiments.metrics.coherence import (
    WindowCounts,
    c_v,
    count_texts,
    count_windows,
    npmi_coherence,
    npmi_matrix,
)
from qdtm.errors import ParameterError

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


WORDS = [f"w{w}" for w in range(60)]


def zipf_texts(seed: int, n_texts: int, longest: int) -> list[list[str]]:
    """Texts with frequent and rare words, some longer than a window, each with favourites of its own."""
    rng = np.random.default_rng(seed)
    shares = 1 / np.arange(1, len(WORDS) + 1)
    shares /= shares.sum()
    lengths = rng.integers(1, longest, size=n_texts)
    return [rng.choice(WORDS, size=n, p=rng.permutation(shares)).tolist() for n in lengths]


def some_topics(seed: int) -> list[list[str]]:
    rng = np.random.default_rng(seed)
    return [rng.choice(WORDS, size=10, replace=False).tolist() for _ in range(4)]


def gensim_coherence(measure: str, topics, texts, window_size=None) -> list[float]:
    from gensim.corpora import Dictionary
    from gensim.models.coherencemodel import CoherenceModel

    model = CoherenceModel(
        topics=topics,
        texts=texts,
        dictionary=Dictionary(texts),
        coherence=measure,
        window_size=window_size,
        processes=1,
    )
    return model.get_coherence_per_topic()


@pytest.mark.parametrize("longest", [80, 300])
@pytest.mark.parametrize("seed", range(3))
def test_c_v_equals_gensim(seed, longest):
    texts, topics = zipf_texts(seed, 40, longest), some_topics(seed)
    counts = count_texts(texts, WORDS)
    expected = gensim_coherence("c_v", topics, texts)
    np.testing.assert_allclose([c_v(topic, counts) for topic in topics], expected, rtol=1e-10)


@pytest.mark.parametrize("window_size", [5, 110])
def test_npmi_equals_gensim(window_size):
    texts, topics = zipf_texts(7, 40, 250), some_topics(7)
    counts = count_texts(texts, WORDS, window_size=window_size)
    expected = gensim_coherence("c_npmi", topics, texts, window_size)
    np.testing.assert_allclose([npmi_coherence(topic, counts) for topic in topics], expected, rtol=1e-10)


def test_words_that_are_always_together_cohere_and_words_that_never_are_do_not():
    counts = count_texts([["a", "b"], ["c"], ["d"], ["x"]], ["a", "b", "c", "d"])
    assert c_v(["a", "b"], counts) == pytest.approx(1)
    assert npmi_coherence(["a", "b"], counts) == pytest.approx(1)
    assert npmi_coherence(["c", "d"], counts) < -0.85
    assert c_v(["a", "b"], counts) > c_v(["c", "d"], counts)


def test_npmi_of_a_hand_worked_pair():
    counts = np.array([[4, 2], [2, 4]], dtype=np.int32)  # p(v) = p(w) = 1/2, together 1/4: independent
    np.testing.assert_allclose(npmi_matrix(counts, 8)[0, 1], 0, atol=1e-10)
    counts = np.array([[2, 2], [2, 4]], dtype=np.int32)  # log(1/4 / (1/4 * 1/2)) / -log(1/4) = 1/2
    np.testing.assert_allclose(npmi_matrix(counts, 8)[0, 1], 0.5, atol=1e-10)


def test_unseen_word_lowers_coherence_without_a_warning():
    counts = count_texts([["a", "b"], ["a", "b"], ["x"]], ["a", "b", "never"])
    assert c_v(["a", "b", "never"], counts) == pytest.approx(2 / 3)
    assert npmi_coherence(["a", "never"], counts) == 0


def test_one_word_has_no_coherence():
    counts = count_texts([["a"]], ["a"])
    with pytest.raises(ParameterError, match="at least 2 words, got 1"):
        c_v(["a"], counts)
