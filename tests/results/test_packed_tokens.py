"""What is packed comes back equal, and what was tampered with is refused."""

import numpy as np
import pytest

from qdtm.results.packed_tokens import (
    pack_strength,
    pack_tokens,
    packed_specs,
    subtopic_type,
    topic_type,
    unpack_strength,
    unpack_tokens,
)


def test_tokens_come_back(fit):
    packed = pack_tokens(fit)
    n_in_queries = int((fit.token_topics < 2).sum())
    assert len(packed["token_subtopics"]) == len(packed["token_promoted"]) == n_in_queries
    assert n_in_queries < len(fit.token_topics)
    for name, array in unpack_tokens(packed, 2, fit.token_topics).items():
        np.testing.assert_array_equal(array, getattr(fit, name))
        assert array.dtype == getattr(fit, name).dtype


def test_strength_comes_back(fit):
    packed = pack_strength(fit.strength)
    assert set(packed) == {name for name in packed_specs(2, "uint8", "int8") if name.startswith("strength")}
    assert len(packed["strength.0.rows"]) == (fit.strength[:, 0] > 0).sum()
    np.testing.assert_array_equal(unpack_strength(packed, len(fit.strength), 2), fit.strength)


@pytest.mark.parametrize(
    ("n", "topics", "subtopics"),
    [
        (0, "uint8", "int8"),
        (128, "uint8", "int8"),
        (129, "uint8", "int16"),
        (256, "uint8", "int16"),
        (257, "uint16", "int16"),
        (40_000, "uint16", "int32"),
        (70_000, "uint32", "int32"),
    ],
)
def test_types_are_as_small_as_can_be(n, topics, subtopics):
    assert (topic_type(n), subtopic_type(n)) == (topics, subtopics)
    if n:
        np.testing.assert_array_equal(np.asarray([0, n - 1]).astype(topics), [0, n - 1])
        np.testing.assert_array_equal(np.asarray([-1, n - 1]).astype(subtopics), [-1, n - 1])


@pytest.mark.parametrize("name", ["token_subtopics", "token_promoted"])
def test_too_few_or_too_many_tokens(fit, name):
    packed = pack_tokens(fit)
    for wrong in (packed[name][:-1], np.append(packed[name], packed[name][:1])):
        with pytest.raises(ValueError, match=f"{name} of {len(wrong)} tokens"):
            unpack_tokens(packed | {name: wrong}, 2, fit.token_topics)


@pytest.mark.parametrize(
    "rows", [[-1, 0, 1], [0, 1, 10], [0, 2, 1], [1, 1, 2], [0, 1], [2**31 - 1] * 3, [1, 0, 9]]
)
def test_rows_that_are_not_there_or_out_of_order(rows):
    packed = {
        "strength.0.rows": np.array(rows, np.int32),
        "strength.0.values": np.full(3, 0.5, np.float32),
    }
    with pytest.raises(ValueError, match="query 0"):
        unpack_strength(packed, 10, 1)
