import numpy as np

from experiments.baselines.topic_fit import match_topics
from qdtm.embeddings import WordVectors

VECTORS = WordVectors(
    ("fire", "smoke", "bat", "wicket"),
    np.array([[5, 0], [0.6, 0.8], [0, 1], [-1, 1]], dtype=np.float32),
    "test",
)
VOCABULARY = ("bat", "fire", "smoke", "unheard", "wicket")


def test_a_concept_gets_the_topic_with_the_highest_mean_cosine():
    topics = np.zeros((2, 40))
    vocabulary = (*VOCABULARY, *(f"x{w}" for w in range(35)))
    topics[0, :10] = [0.4, 0, 0, 0.1, 0.4, 0, 0, 0, 0, 0.1]  # bat, wicket
    topics[1, :3] = [0, 0.6, 0.4]  # fire, smoke
    topics[0, 30:], topics[1, 30:] = 0.01, 0.01  # words without a vector fill the top ten
    found = match_topics(topics, vocabulary, [("smoke", "fire"), ("wicket",), ("Fire",)], VECTORS)
    assert found.tolist() == [1, 0, 1]


def test_keywords_without_vectors_get_some_topic():
    assert match_topics(np.eye(2, 5), VOCABULARY, [("nothing",)], VECTORS).shape == (1,)
