import numpy as np
import pytest

from qdtm.evaluation.datasets import RawTexts, concepts_of, experiment_pipeline, load_dataset, loading
from qdtm.evaluation.datasets.loading import STOP_WORDS


@pytest.fixture
def stop_word_folder(tmp_path):
    (tmp_path / STOP_WORDS).parent.mkdir()
    (tmp_path / STOP_WORDS).write_text("the\nand\n")
    return tmp_path


def serve(monkeypatch, texts: list[str], labels: list[int]) -> None:
    categories = tuple(concept.category for concept in concepts_of("tagmynews"))
    raw = RawTexts(tuple(texts), np.array(labels), categories)
    monkeypatch.setattr(loading, "load_raw", lambda *_: raw)


def test_documents_too_short_or_too_long_are_left_out(monkeypatch, stop_word_folder):
    texts = [
        "the banks sell",
        "Banks sell shares",
        "banks sell " * 150,
        "banks sell " * 150 + "shares",
        "shares",
    ]
    serve(monkeypatch, texts * 3, [0, 1, 2, 3, 4] * 3)
    dataset = load_dataset("tagmynews", stop_word_folder)
    np.testing.assert_array_equal(dataset.labels, [1, 2] * 3)
    assert dataset.corpus.n_documents == 6
    assert dataset.corpus.vocabulary == ("bank", "sell", "share")
    assert dataset.concepts == concepts_of("tagmynews")


def test_words_in_fewer_than_three_documents_are_left_out(monkeypatch, stop_word_folder):
    serve(
        monkeypatch,
        ["bank sells shares", "bank sells bonds", "bank sells bonds and shares shares"],
        [0, 0, 1],
    )
    dataset = load_dataset("tagmynews", stop_word_folder)
    assert dataset.corpus.vocabulary == ("bank", "sell")
    assert dataset.corpus.n_documents == 3


def test_queries_go_through_the_same_pipeline(stop_word_folder):
    pipeline = experiment_pipeline(stop_word_folder)
    assert pipeline("The Graphics and well-known Armies of 1999") == ["graphic", "army", "of"]


def test_without_the_authors_stop_words_english_ones_stand_in(cache_folder):
    assert experiment_pipeline()("the armies of them") == ["army"]


@pytest.mark.parametrize(
    ("name", "n_documents", "tolerance", "n_words"),
    [
        pytest.param("20news", 14_269, 5, 5_000, marks=pytest.mark.slow),
        ("tagmynews", 21_565, 0, 5_000),
        ("searchsnippets", 12_276, 0, 3_827),
    ],
)
def test_real_corpora_have_the_counts_of_the_paper(data_folder, name, n_documents, tolerance, n_words):
    dataset = load_dataset(name, data_folder)
    assert dataset.corpus.n_documents == pytest.approx(n_documents, abs=tolerance)
    assert dataset.corpus.n_words == n_words
    assert len(np.unique(dataset.labels)) == len(dataset.concepts)
    for concept in dataset.concepts:
        words = dataset.corpus.pipeline(concept.query)
        assert words
        assert all(word in dataset.corpus.word_index for word in words)
