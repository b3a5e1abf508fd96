"""The paper's Table 1 on the authors' own bags of words, with their own concept words."""

from pathlib import Path

import numpy as np
import pytest

from experiments.datasets.authors import AuthorsBags, load_authors_bags
from experiments.metrics.labels import classification_accuracy, mean_precision_at_k
from experiments.paper import published
from qdtm import Corpus, QueryDrivenTopicModel
from qdtm.corpus.indexing import count_matrix

SEEDS = (0, 1, 2)
ALLOWANCE = 0.01


def corpus_of(bags: AuthorsBags) -> Corpus:
    return Corpus.from_counts(count_matrix(bags.tokens, bags.offsets, len(bags.vocabulary)), bags.vocabulary)


def queries_of(bags: AuthorsBags) -> dict[str, list[str]]:
    """The authors' KLD concept words as the user's own keywords, which nothing expands."""
    return {
        concept.phrase: [bags.vocabulary[w] for w in words]
        for concept, words in zip(bags.concepts, bags.concept_words, strict=True)
    }


def fitted(bags: AuthorsBags, corpus: Corpus, seed: int) -> QueryDrivenTopicModel:
    model = QueryDrivenTopicModel(queries_of(bags), expansion=None, subtopics=False, random_state=seed)
    model.fit(corpus)
    for concept, words in zip(model.concepts_, bags.concept_words, strict=True):
        assert set(concept.word_indices) == set(words.tolist())
    return model


@pytest.mark.slow
@pytest.mark.parametrize("name", ["20news", "tagmynews", "searchsnippets"])
def test_as_good_as_the_paper(data_folder: Path, name: str, record_property) -> None:
    bags = load_authors_bags(name, data_folder)
    corpus = corpus_of(bags)
    shares = [fitted(bags, corpus, seed).doc_topic_ for seed in SEEDS]
    accuracy = float(np.mean([classification_accuracy(theta, bags.labels) for theta in shares]))
    precision = float(np.mean([mean_precision_at_k(theta, bags.labels) for theta in shares]))
    record_property("accuracy", accuracy)
    record_property("precision_at_k", precision)
    print(f"\n{name}: accuracy {accuracy:.3f}, P@K {precision:.3f}")
    assert accuracy >= published("qdtm-kld", name, "accuracy") - ALLOWANCE
    assert precision >= published("qdtm-kld", name, "precision_at_k") - ALLOWANCE
