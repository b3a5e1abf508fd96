"""Numbering documents: what comes out does not depend on how it was cut into blocks."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qdtm.corpus import indexing
from qdtm.corpus.indexing import IndexedTokens, apply_limits, index_documents, renumber, word_frequencies
from qdtm.corpus.vocabulary import VocabularyLimits

seeded = settings(deadline=None, derandomize=True)

DOCUMENTS = st.lists(st.lists(st.sampled_from(["a", "b", "c", "the", "42", "12345"]), max_size=6), max_size=8)


def word_of(token: str) -> str | None:
    return None if token in ("the", "42", "12345") else token


def naive(documents: list[list[str]]) -> IndexedTokens:
    """Number words one by one."""
    words: list[str] = []
    tokens: list[int] = []
    offsets = [0]
    for document in documents:
        for word in filter(None, map(word_of, document)):
            if word not in words:
                words.append(word)
            tokens.append(words.index(word))
        offsets.append(len(tokens))
    return IndexedTokens(words, np.array(tokens, "int32"), np.array(offsets), sum(map(len, documents)))


def assert_equal(first: IndexedTokens, second: IndexedTokens) -> None:
    assert first.words == second.words
    assert first.n_read == second.n_read
    assert first.tokens.tolist() == second.tokens.tolist()
    assert first.offsets.tolist() == second.offsets.tolist()
    assert first.tokens.dtype == np.int32
    assert first.offsets.dtype == np.int64


@pytest.fixture(params=[1, 3, 2**20], scope="module", autouse=True)
def block(request):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(indexing, "BLOCK", request.param)
        patch.setattr(indexing, "BLOCK", request.param)
        yield request.param


@seeded
@given(DOCUMENTS)
def test_numbering_equals_the_naive_one(documents):
    assert_equal(index_documents(documents, word_of), naive(documents))


@seeded
@given(DOCUMENTS)
def test_fixed_words_are_all_there_is(documents):
    fixed = index_documents(documents, word_of, fixed_words=["c", "x", "a"])
    assert fixed.words == ["c", "x", "a"]
    assert_equal(fixed, renumber(naive(documents), ["c", "x", "a"]))
    kept = [[word for word in document if word in ("a", "c")] for document in documents]
    assert [fixed.words[w] for w in fixed.tokens] == [word for document in kept for word in document]
    assert np.diff(fixed.offsets).tolist() == [len(document) for document in kept]


@seeded
@given(DOCUMENTS)
def test_word_frequencies(documents):
    indexed = naive(documents)
    counted = np.arange(len(documents)) % 3 > 0
    in_documents, occurrences = word_frequencies(indexed, counted)
    documents = [document for document, counts in zip(documents, counted, strict=True) if counts]
    assert in_documents.tolist() == [
        sum(word in document for document in documents) for word in indexed.words
    ]
    assert occurrences.tolist() == [
        sum(document.count(word) for document in documents) for word in indexed.words
    ]


@seeded
@given(DOCUMENTS, st.integers(1, 3))
def test_limits_are_applied(documents, min_df):
    limited = apply_limits(naive(documents), VocabularyLimits(min_df=min_df))
    once = {tuple(filter(word_of, document)) for document in documents}  # copies count once
    expected = {word for word in "abc" if sum(word in document for document in once) >= min_df}
    assert limited.words == sorted(expected)
    words = [[word for word in document if word in expected] for document in documents]
    assert [limited.words[w] for w in limited.tokens] == [word for document in words for word in document]
    assert np.diff(limited.offsets).tolist() == [len(document) for document in words]


def test_each_distinct_token_is_worked_out_once():
    calls: list[str] = []

    def counted(token: str) -> str | None:
        calls.append(token)
        return word_of(token)

    index_documents([["a", "the", "a", "2001"], ["the", "a", "2001"]], counted)
    assert sorted(calls) == ["2001", "a", "the"]


def test_long_numbers_are_not_remembered():
    numbers = indexing._WordNumbers(lambda _: None, None)
    assert [numbers[token] for token in ("12345678", "1999", "the")] == [-1, -1, -1]
    assert set(numbers) == {"1999", "the"}
