import numpy as np
import pytest

from qdtm.errors import ParameterError
from qdtm.evaluation.metrics import c_v, count_texts, npmi_coherence
from qdtm.evaluation.metrics.coherence import npmi_matrix

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
