"""Long texts by passages; the same bytes whatever stands beside a text, and at any number of threads."""

import threading

import numpy as np
import pytest

pytest.importorskip("onnxruntime", reason="needs the extra 'encoder'")
pytest.importorskip("tokenizers", reason="needs the extra 'encoder'")

from tests.embeddings.tiny_bert import WORDS, naive_bert, random_weights, write_folder

from qdtm.embeddings import onnx_encoder
from qdtm.embeddings.onnx_encoder import open_folder
from qdtm.progress import Cancelled, cancel_when

TEXTS = [" ".join(WORDS[4 + (i + j) % 8] for j in range(1 + i % 25)) for i in range(60)]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("QDTM_CACHE", str(tmp_path / "cache"))
    return write_folder(tmp_path / "model")


def test_threads_and_neighbours_do_not_matter(folder):
    one, four = open_folder(folder, 1), open_folder(folder, 4)
    vectors = one(TEXTS)
    np.testing.assert_array_equal(four(TEXTS), vectors)
    np.testing.assert_array_equal(one(TEXTS[::-1])[::-1], vectors)
    np.testing.assert_array_equal(np.concatenate([four([text]) for text in TEXTS]), vectors)


def test_passages_are_averaged_by_their_tokens(folder):
    words = [WORDS[4 + i % 8] for i in range(14)]  # windows of 12 with both ends: 10 words and 4
    ids = [[2, *map(WORDS.index, part), 3] for part in (words[:10], words[10:])]
    parts = [naive_bert(random_weights(), each).mean(axis=0) for each in ids]
    wanted = 12 * parts[0] / np.linalg.norm(parts[0]) + 6 * parts[1] / np.linalg.norm(parts[1])
    found = open_folder(folder)([" ".join(words)])[0]
    assert found @ wanted / np.linalg.norm(wanted) > 0.995
    assert np.linalg.norm(found) == pytest.approx(1.0)


def test_a_long_text_is_read_in_evenly_spread_passages():
    assert onnx_encoder._spread([[n] for n in range(10)]) == [[0], [3], [6], [9]]
    assert onnx_encoder._spread([[n] for n in range(4)]) == [[0], [1], [2], [3]]


def test_an_empty_text_has_a_vector(folder):
    assert np.linalg.norm(open_folder(folder)(["", "fire"]), axis=1) == pytest.approx([1.0, 1.0])


@pytest.mark.parametrize("n_threads", [1, 3])
def test_what_nobody_waits_for_ends(folder, n_threads):
    encoder, before = open_folder(folder, n_threads), threading.active_count()
    with cancel_when(lambda: True), pytest.raises(Cancelled):
        encoder(TEXTS)
    assert threading.active_count() == before


def test_ctrl_c_leaves_no_thread_behind(folder, monkeypatch):
    encoder, before = open_folder(folder, 3), threading.active_count()

    def interrupt():
        raise KeyboardInterrupt

    monkeypatch.setattr(onnx_encoder, "check_cancelled", interrupt)
    with pytest.raises(KeyboardInterrupt):
        encoder(TEXTS)
    assert threading.active_count() == before
