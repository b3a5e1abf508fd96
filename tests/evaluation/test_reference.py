import gzip
import lzma

import numpy as np
import pytest

from qdtm.errors import CorpusError
from qdtm.evaluation import reference
from qdtm.evaluation.metrics import c_v, count_texts
from qdtm.evaluation.reference import find_reference, reference_counts

TEXT = "Two cars, one car: no geese.\nA goose!\n\nThe Car’s engine – naïve\n"


@pytest.fixture
def corpus(tmp_path, cache_folder):
    path = tmp_path / "articles.txt"
    path.write_text(TEXT, encoding="utf-8")
    return path


def test_words_of_the_text_stand_for_their_lemmas(corpus):
    counts = reference_counts(["car", "goose", "engine", "naïve", "dog"], corpus)
    texts = [["two", "car", "one", "car", "no", "goose"], ["a", "goose"], [], ["car", "s", "engine", "naïve"]]
    expected = count_texts(texts, counts.words)
    assert counts.words == ("car", "dog", "engine", "goose", "naïve")
    assert counts.n_windows == expected.n_windows == 4
    np.testing.assert_array_equal(counts.joint, expected.joint)


def test_word_form_that_is_asked_for_is_its_own(corpus):
    counts = reference_counts(["car", "cars"], corpus)
    np.testing.assert_array_equal(counts.joint, [[2, 1], [1, 1]])


@pytest.mark.parametrize(("suffix", "opener"), [(".gz", gzip.open), (".xz", lzma.open)])
def test_compressed_corpus_gives_the_same_counts(corpus, tmp_path, suffix, opener):
    with opener(tmp_path / f"articles{suffix}", "wb") as stream:
        stream.write(TEXT.encode())
    plain, packed = (
        reference_counts(["car", "goose"], path) for path in (corpus, tmp_path / f"articles{suffix}")
    )
    np.testing.assert_array_equal(plain.joint, packed.joint)


def test_counts_are_read_from_the_cache(corpus, cache_folder, monkeypatch):
    first = reference_counts(["goose", "car", "car"], corpus)
    assert len(list((cache_folder / "windows").iterdir())) == 1
    monkeypatch.setattr(reference, "count_windows", None)
    second = reference_counts(["car", "goose"], corpus)
    assert (second.words, second.n_windows) == (first.words, first.n_windows)
    np.testing.assert_array_equal(second.joint, first.joint)


def test_cache_knows_what_counts_depend_on(corpus, cache_folder):
    reference_counts(["car", "goose"], corpus)
    reference_counts(["car"], corpus)
    reference_counts(["car", "goose"], corpus, window_size=2)
    reference_counts(["car", "goose"], corpus, presence="boolean")
    corpus.write_text(TEXT + "More geese.\n", encoding="utf-8")
    assert reference_counts(["car", "goose"], corpus).n_windows == 5
    assert len(list((cache_folder / "windows").iterdir())) == 5


def test_damaged_cache_is_counted_anew(corpus, cache_folder):
    first = reference_counts(["car", "goose"], corpus)
    (file,) = (cache_folder / "windows").iterdir()
    whole = file.read_bytes()
    file.write_bytes(whole[:-3])
    np.testing.assert_array_equal(reference_counts(["car", "goose"], corpus).joint, first.joint)
    assert file.read_bytes() == whole


@pytest.mark.parametrize(("name", "content"), [("gone.txt", None), ("bad.xz", b"not xz"), ("bad.gz", b"no")])
def test_unreadable_corpus_is_one_line(tmp_path, cache_folder, name, content):
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(CorpusError, match=r"^Cannot read the reference corpus '.*" + name):
        reference_counts(["car"], tmp_path / name)


@pytest.mark.slow
def test_wikipedia_tells_sense_from_nonsense(data_folder, monkeypatch, tmp_path):
    monkeypatch.setenv("QDTM_CACHE", str(tmp_path))
    sense = ["game", "hockey", "team", "nhl", "goal", "player", "coach", "cup", "league", "season"]
    nonsense = ["hockey", "church", "algorithm", "oil", "patient", "rifle", "orbit", "bank", "guitar", "cell"]
    counts = reference_counts(sense + nonsense, find_reference(data_folder))
    assert len(counts.words) == 19
    assert counts.n_windows == 15_117_024
    assert c_v(sense, counts) > 0.6 > 0.45 > c_v(nonsense, counts)
