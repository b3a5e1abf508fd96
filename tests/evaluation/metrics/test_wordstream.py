import io
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qdtm.errors import CorpusError
from qdtm.evaluation.metrics import wordstream
from qdtm.evaluation.metrics.wordstream import read_words


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
