"""Near copies: who is one, whatever the order, kept with what is saved."""

import re

import numpy as np
import pytest

from qdtm import Corpus
from qdtm.corpus.document_store import MemoryDocuments
from qdtm.corpus.near_copies import COPY, choose_originals, find_originals
from qdtm.corpus.shingles import N_SHINGLE, jaccard
from qdtm.errors import StorageError

WORDS = [f"{a}{b}{c}" for a in "bdfgklmnprst" for b in "aeiou" for c in "nrst"]


def story(n=60, seed=0):
    return list(np.random.default_rng(seed).choice(WORDS, n))


def changed(words, at, by="changed"):
    return [*words[:at], by, *words[at + 1 :]]


def naive_jaccard(one, other):
    """The twin of `jaccard`, for ASCII."""

    def shingles(text):
        words = re.findall(r"[a-z0-9]+", text.lower())
        if 0 < len(words) < N_SHINGLE:
            return {tuple(words)}
        return {tuple(words[i : i + N_SHINGLE]) for i in range(len(words) - N_SHINGLE + 1)}

    a, b = shingles(one), shingles(other)
    return len(a & b) / len(a | b) if a & b else 0.0


def kernel_jaccard(one, other):
    parts = [text.lower().encode() for text in (one, other)]
    codes = np.frombuffer(b"".join(parts), np.uint8)
    offsets = np.cumsum([0, *map(len, parts)])
    return float(jaccard(codes, offsets, np.array([[0, 1]]))[0])


def originals(texts):
    return find_originals(MemoryDocuments(texts), np.arange(len(texts))).tolist()


def test_jaccard_equals_its_naive_twin():
    for seed in range(20):
        words = story(40, seed)
        other = changed(words, seed) if seed % 3 else [*words, *words[:seed]]
        one, two = " ".join(words), ", ".join(other).upper()
        assert kernel_jaccard(one, two) == naive_jaccard(one, two)
    for one, two in [
        ("", ""),
        ("...", "a"),
        ("A b.", "a, B"),
        ("a b c d", "a b c d e"),
        ("x " * 30, "x " * 9),
    ]:
        assert kernel_jaccard(one, two) == naive_jaccard(one, two)


def test_punctuation_and_scripts():
    assert kernel_jaccard("“Fire” — near Sydney", '"fire" - near sydney') == 1.0
    assert kernel_jaccard("東京で大きな火事がありました", "東京で大きな火事がありました。") > COPY
    assert kernel_jaccard("東京で大きな火事がありました", "大阪では明日の朝に雨が降る") == 0.0


def test_who_is_a_copy():
    words = story()
    text = " ".join(words)
    assert originals([text, text.upper() + "!"]) == [0, 0]
    assert originals([text, " ".join(changed(words, 30))]) == [0, 0]  # 51 of 61 shingles
    longer = " ".join([*words, *story(20, 1)])
    assert originals([text, longer]) == [0, 1]  # extended
    quoting = " ".join([*story(40, 2), *words, *story(40, 3)])
    assert originals([text, quoting]) == [0, 1]
    assert originals(["fire in Sydney", "fire in Perth", "Fire in Sydney."]) == [0, 1, 0]
    assert originals(["", "...", "?!"]) == [0, 1, 2]


def test_many_versions_are_all_found():
    words = story(100)
    versions = [" ".join(changed(words, 0, f"v{number}")) for number in range(300)]
    others = [" ".join(story(100, seed)) for seed in range(10, 210)]
    assert originals([*versions, *others]) == [0] * 300 + list(range(300, 500))


def test_a_copy_is_like_its_original_and_not_like_a_copy_of_it():
    pairs = np.array([[0, 1], [1, 2], [2, 3]])
    assert choose_originals(pairs, 5).tolist() == [1, 1, 1, 3, 4]
    assert choose_originals(pairs[:0], 2).tolist() == [0, 1]


@pytest.fixture(scope="module")
def texts():
    words = story()
    return [" ".join(story(60, 100 + k)) for k in range(30)] + [
        " ".join(words), " ".join(changed(words, 3)), " ".join(words), " ".join(changed(words, 50, "other")),
    ]  # fmt: skip


def test_the_order_of_rows_does_not_matter(texts):
    order = np.random.default_rng(1).permutation(len(texts))
    one, other = Corpus.from_texts(texts), Corpus.from_texts([texts[j] for j in order])
    np.testing.assert_array_equal(one.distinct.original, other.distinct.original)
    assert one.n_copies == other.n_copies == 3
    assert one.first_copy[30:].tolist() == [30] * 4
    assert set(order[other.first_copy[np.isin(order, [30, 31, 32, 33])]].tolist()) <= {30, 31, 32, 33}


def test_the_paper_counts_them(texts):
    corpus = Corpus.from_texts(texts)
    assert corpus.by_content.n_documents == len(texts)
    assert corpus.by_content.original.tolist() == list(range(len(texts)))


def test_they_are_saved(texts, tmp_path, monkeypatch):
    corpus = Corpus.from_texts(texts)
    corpus.save(tmp_path / "index")
    monkeypatch.setattr("qdtm.corpus.near_copies.find_originals", None)  # nobody looks for them again
    again = Corpus.load(tmp_path / "index")
    np.testing.assert_array_equal(again.first_copy, corpus.first_copy)
    np.testing.assert_array_equal(again.distinct.original, corpus.distinct.original)


@pytest.mark.parametrize("wrong", [np.full(3, 99), np.zeros(2), np.array([1, 2, 2])])
def test_a_damaged_file_is_refused(wrong, tmp_path):
    from qdtm.corpus.storage import _open_copies
    from qdtm.storage.folders import save_arrays

    rows = wrong.astype(np.int32)
    save_arrays(tmp_path / "copies", {"original": rows, "first": rows})
    with pytest.raises(StorageError, match="damaged"):
        _open_copies(tmp_path / "copies", "first", 3)
