from math import log

import numpy as np
import pytest

from qdtm.corpus import Corpus
from qdtm.evaluation.bench import words
from qdtm.evaluation.bench.words import category_words, share_of
from qdtm.evaluation.datasets import Dataset

from .alone.planted import THEMES, planted_dataset


def naive_scores(documents, labels, query):
    inside = [
        word for words, label in zip(documents, labels, strict=True) if label == query for word in words
    ]
    whole = [word for words in documents for word in words]
    scores = {}
    for word in set(inside):
        n_documents = sum(
            word in words for words, label in zip(documents, labels, strict=True) if label == query
        )
        if n_documents >= 5:
            p, q = inside.count(word) / len(inside), whole.count(word) / len(whole)
            scores[word] = p * log(p / q)
    return scores


def test_the_words_of_a_category_are_those_of_the_formula(monkeypatch):
    monkeypatch.setattr(words, "N_OWN", 4)
    rng = np.random.default_rng(3)
    labels = np.repeat([0, 1], 30)
    documents = [
        [f"w{w}" for w in rng.binomial(12, 0.3 + 0.2 * label, 7)] + ["seldom"] * (j < 4)
        for j, label in enumerate(labels)
    ]
    dataset = Dataset("x", Corpus.from_tokens(documents), labels, ())
    for query in (0, 1):
        scores = naive_scores(documents, labels, query)
        assert category_words(dataset, query) == set(sorted(scores, key=scores.get)[-4:])
        assert "seldom" not in scores


def test_planted_words_are_found():
    own = category_words(planted_dataset(), 1)
    assert {"cricket", *THEMES["cricket"]} <= own


def test_the_share_of_words():
    assert share_of(["a", "b", "c", "d"], {"a", "c"}) == pytest.approx(0.5)
    assert share_of([], {"a"}) is None
