import gzip
import io
import lzma
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from experiments.metrics import reference
from experiments.metrics import reference as wordstream
from experiments.metrics.coherence import c_v, count_texts
from experiments.metrics.reference import find_reference, read_words, reference_counts
from qdtm.errors import CorpusError


def documents(content: bytes) -> list[list[str]]:
    stream = read_words(io.BytesIO(content))
    words = [stream.words[w] for w in stream.tokens]
    return [words[a:b] for a, b in zip(stream.offsets, stream.offsets[1:], strict=False)]


def naive_documents(text: str) -> list[list[str]]:
    lines = text.removesuffix("\n").split("\n") if text else []
    return [[word.lower() for word in re.findall(r"\w+", line)] for line in lines]


@settings(deadline=None)
@given(
    text=st.text(
        st.one_of(st.characters(exclude_categories=["Cs"]), st.sampled_from("aB1_ \n-é–")), max_size=60
    )
)
def test_words_equal_those_of_a_regular_expression(text):
    assert documents(text.encode("utf-8")) == naive_documents(text)


@settings(deadline=None)
@given(text=st.text(st.sampled_from("abAB \n"), max_size=200), piece=st.integers(1, 20))
def test_size_of_the_pieces_does_not_matter(text, piece):
    original = wordstream._PIECE
    wordstream._PIECE = piece
    try:
        assert documents(text.encode("utf-8")) == naive_documents(text)
    finally:
        wordstream._PIECE = original


def test_table_grows_with_the_words():
    words = [f"word{w}" for w in range(5_000)]
    stream = read_words(io.BytesIO("\n".join(words + words).encode()))
    assert stream.words == tuple(words)
    np.testing.assert_array_equal(stream.tokens, [*range(5_000), *range(5_000)])


def test_other_encodings_are_refused():
    with pytest.raises(CorpusError, match="not UTF-8"):
        read_words(io.BytesIO("naïve".encode("latin-1")))


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
