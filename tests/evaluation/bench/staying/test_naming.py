import numpy as np
import pytest

from qdtm.errors import ParameterError
from qdtm.evaluation.bench.staying.naming import query_words, word_counts

TEXTS = [
    "Student loans, and a loan to a STUDENT.",
    "A loaner for studentship; students' affairs.",
    "",
    "The student-loan bill",
]


def test_whole_words_count_with_or_without_a_plural_s():
    counts = word_counts(TEXTS, "student loans")
    np.testing.assert_array_equal(counts, [[2, 2], [1, 0], [0, 0], [1, 1]])
    np.testing.assert_array_equal(word_counts(TEXTS, "students loan"), counts)


def test_function_words_and_marks_are_ignored():
    assert query_words('"Asthma in the Children" of asthma') == ("asthma", "children")
    assert query_words("women's rights") == ("women's", "rights")
    np.testing.assert_array_equal(word_counts(["no women's right"], "women's rights"), [[1, 1]])


def test_a_query_without_words_cannot_be_judged():
    with pytest.raises(ParameterError, match="'of the' has no word"):
        word_counts(TEXTS, "of the")
