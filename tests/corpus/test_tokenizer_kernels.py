"""The compiled scanner finds exactly the tokens of `unicode_tokens`; indexing is the same with either."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qdtm.corpus import TextPipeline, indexing, tokenizer_kernels
from qdtm.corpus.indexing import index_documents, index_texts
from qdtm.corpus.tokenizer import unicode_tokens
from qdtm.corpus.tokenizer_kernels import scan_texts

# Letters, digits, marks, joiners and everything that stands around them; surrogate halves too.
CHARACTERS = st.one_of(
    st.sampled_from("abAB19_.,'’-\0 \n\u00ad\u200c\u200d\u0301éßİ日हि्ﷺ٣²\U0001d54f\U000e0100\ud800"),
    st.characters(),
)
TEXTS = st.lists(st.text(CHARACTERS, max_size=20), min_size=1, max_size=6)


def assert_scanned_as_split(texts):
    scanned = scan_texts(texts)
    split = [unicode_tokens(text) for text in texts]
    starts = [0, *scanned.ends.tolist()]
    found = [[scanned.distinct[w] for w in scanned.tokens[a:b]] for a, b in itertools.pairwise(starts)]
    assert found == split
    assert scanned.distinct == list(dict.fromkeys(token for tokens in split for token in tokens))


@settings(deadline=None)  # the first call may compile
@given(TEXTS)
def test_tokens_are_those_of_the_expression(texts):
    assert_scanned_as_split(texts)


@pytest.mark.parametrize(
    "texts",
    [
        [""],
        ["", "", "a", ""],
        ["U.S. and e.g. U.S.A", "A.", ".b", "A", "B.C"],  # no dot is taken between two texts
        ["a\0b", "c\0"],
        ["it's 'quoted' o'clock'"],
        ["ends in a word", "begins with one"],
    ],
)
def test_edges(texts):
    assert_scanned_as_split(texts)


def test_every_character_of_unicode():
    for first in range(1, 0x110000, 0x10000):
        characters = map(chr, range(first, min(first + 0x10000, 0x110000)))
        assert_scanned_as_split([" ".join(f"a{character}b {character}c" for character in characters)])


def test_the_table_grows(monkeypatch):
    monkeypatch.setattr(tokenizer_kernels, "_FIRST_ROOM", 4)
    assert_scanned_as_split([" ".join(f"w{n}" for n in range(1000)), "w1 w999 new"])


@settings(deadline=None)
@given(
    TEXTS, st.sampled_from([TextPipeline(), TextPipeline.plain(), TextPipeline(language="fr")]), st.booleans()
)
def test_indexing_is_the_same_in_any_pieces(texts, pipeline, is_fixed):
    fixed = ["a", "b", "ab"] if is_fixed else None
    expected = index_documents(map(pipeline.split, texts), pipeline.word, fixed_words=fixed)
    for n_characters in (1, 7, 1000):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(indexing, "SCANNED_AT_ONCE", n_characters)
            indexed = index_texts(iter(texts), pipeline, fixed_words=fixed)
        assert indexed.words == expected.words
        assert indexed.n_read == expected.n_read
        np.testing.assert_array_equal(indexed.tokens, expected.tokens)
        np.testing.assert_array_equal(indexed.offsets, expected.offsets)


def test_a_large_stream_is_scanned_and_a_tokenizer_of_ones_own_is_obeyed(monkeypatch):
    monkeypatch.setattr(indexing, "SCANNED_AT_ONCE", 10)
    calls = []
    scan = tokenizer_kernels.scan_texts
    monkeypatch.setattr(
        tokenizer_kernels, "scan_texts", lambda texts: calls.append(len(texts)) or scan(texts)
    )
    texts = ["fire and wind", "wind", "<b>fire</b>"]
    assert index_texts(texts, TextPipeline()).words == ["fire", "wind"]
    assert calls == [1, 2]
    own = TextPipeline.plain(tokenizer=lambda text: text.split(" "))
    assert index_texts(texts, own).words == ["fire", "and", "wind", "<b>fire</b>"]
    assert calls == [1, 2]
