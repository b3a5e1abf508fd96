"""Who speaks for a query: dense mentions count more, partial matches stand in only when few name it all."""

import numpy as np
import pytest

from qdtm.concepts import Query
from qdtm.concepts.search import search
from qdtm.concepts.term_index import TermIndex
from qdtm.concepts.witnesses import ENOUGH, TOKENS_PER_WORD, rarities, shares_of_query, witness_weights
from qdtm.corpus import Corpus


def weights_of(documents, query, rule="and"):
    corpus = Corpus.from_tokens(documents)
    asked = Query(query) if isinstance(query, str) else query
    return witness_weights(TermIndex.of(corpus), search(corpus, asked, rule))


def padded(word, n_tokens):
    return [word] + ["filler"] * (n_tokens - 1)


def test_a_witness_counts_by_how_dense_the_query_is_in_it():
    weights = weights_of([padded("cat", 5), padded("cat", 40), ["cat", *padded("cat", 39)], ["dog"]], "cat")
    assert weights.tolist() == [1.0, TOKENS_PER_WORD / 40, 2 * TOKENS_PER_WORD / 40, 0.0]


def test_with_enough_witnesses_nobody_stands_in():
    full = [["black", "cat"]] * int(ENOUGH)
    weights = weights_of([*full, ["black"], ["cat"]], "black cat")
    assert weights.tolist() == [1.0] * int(ENOUGH) + [0.0, 0.0]


def test_partial_matches_stand_in_for_missing_witnesses():
    weights = weights_of([["black", "cat"]] * 2 + [["black"]] * 500 + [["sea"]], "black cat")
    assert weights[:2].tolist() == [1.0, 1.0]
    assert weights[2:502].sum() == pytest.approx(ENOUGH - 2)
    assert weights[502] == 0.0


def test_a_stand_in_never_counts_more_than_its_share_of_the_query():
    weights = weights_of([["black", "cat"], ["black"], ["cat"], *[["sea"]] * 30], "black cat")
    assert 0.0 < weights[1] == weights[2] < 1.0


def test_rare_query_words_count_more():
    corpus = Corpus.from_tokens([["black", "cat"], ["black"], ["black"], ["black"], ["cat"], ["sea"]])
    searched = search(corpus, Query("black cat"), "and")
    shares = shares_of_query(TermIndex.of(corpus), searched, rarities(6, [4, 2]))
    assert shares[0] == pytest.approx(1.0)
    assert shares[4] > 0.5 > shares[1] > 0.0
    assert shares[1] + shares[4] == pytest.approx(1.0)


def test_excluded_documents_are_no_witnesses():
    weights = weights_of([["cat"], ["cat", "dog"]], Query("cat", exclude=["dog"]))
    np.testing.assert_array_equal(weights, [1.0, 0.0])
