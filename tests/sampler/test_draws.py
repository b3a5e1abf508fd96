"""Single draws follow the paper's equations where tokens promote: eq. 6-10 for topics, eq. 18 for promotion.

The draw in question is not left to chance: `N_DRAWS` sweeps from one state are given random streams whose nth
number runs evenly through [0, 1), so a frequency may differ from the probability by `TOLERANCE` only.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest

from qdtm.sampler.assignment import assign
from qdtm.sampler.kernels import LANES

from .cases import Case, make_case, plain_rules, state_before

N_DRAWS = 1000
TOLERANCE = 2 / N_DRAWS
U = 0.375
ALPHA, GAMMA, BETA, N_WORDS = 2.0, 1.5, 0.5, 5

# Words 0 and 1 are concept words of parents 0 and 1, and so is word 4 of parent 0; 2 and 3 are free.
# In the first document, promoting 0 brings two related concept words along and 1 brings three.
DOCUMENTS = [[0, 1, 2], [0, 2, 2, 3], [1, 3], [2, 3, 3, 2], [2, 2]]
TOPICS = [[0, 1, -1], [0, 0, 2, 2], [1, 1], [2, 2, 3, 3], [3, 3]]
SHARES = [0.3, 0.2, 0.15, 0.1, 0.25, 0, 0, 0]  # G_0; topic 4 is empty


def promoting_case(third_word: int) -> Case:
    """The state above. Only the first document is swept: concept words 0 and 1, then a word without topic."""
    documents = [[0, 1, third_word], *DOCUMENTS[1:]]
    tokens = np.array([w for document in documents for w in document], np.int32)
    offsets = np.concatenate([[0], np.cumsum([len(document) for document in documents])])
    assignment = assign(tokens, offsets, np.array([k for ks in TOPICS for k in ks], np.int32))
    if third_word == 4:
        assignment.topics[2] = 0  # a concept word has its topic from the start
    rules = plain_rules(
        N_WORDS,
        LANES,
        n_parents=2,
        alpha=ALPHA,
        gamma=GAMMA,
        promotion_weight=U,
        fixed_topic=np.array([0, 1, -1, -1, 0], np.int32),
        n_related=np.array([[2, 0], [0, 3], [1, 0], [0, 0], [0, 0]], np.int32),
        promotion_probability=np.array([[1, 0], [0, 1], [0.3, 0], [0, 0], [0, 0]], np.float32),
    )
    return make_case(assignment, rules, seed=0, n_columns=LANES, n_swept=1, shares=np.array(SHARES))


def sweeps_through(case: Case, nth: int) -> Iterator[Case]:
    """Sweep from one state again and again while the nth draw runs evenly through [0, 1)."""
    for step in range(N_DRAWS):
        again = case.copy()
        again.stream[0] = state_before((2 * step + 1) * 2**63 // N_DRAWS, nth)
        again.sweep()
        yield again


def papers_weights(w: int) -> list[float]:
    """Eq. 6 for the document's tables of a topic and eq. 7-10 for a new one together, given G_0.

    When the third word draws, both concept words have promoted.
    """
    n_jk = [1 + 2 * U, 1 + 3 * U, 0, 0, 0]
    rest = [
        (k, v) for ks, vs in zip(TOPICS[1:], DOCUMENTS[1:], strict=True) for k, v in zip(ks, vs, strict=True)
    ]
    n_k = Counter(k for k, _ in rest)
    f = [(rest.count((k, w)) + BETA) / (n_k[k] + n_jk[k] + N_WORDS * BETA) for k in range(5)]
    return [(n_jk[k] + ALPHA * SHARES[k]) * f[k] for k in range(5)]


def test_a_free_word_draws_its_topic_as_in_equations_6_to_10() -> None:
    weights = papers_weights(w=2)
    drawn = Counter(int(case.assignment.topics[2]) for case in sweeps_through(promoting_case(2), nth=3))
    for topic in range(5):
        expected = weights[topic] / sum(weights)
        assert expected > 0.02
        assert drawn[topic] / N_DRAWS == pytest.approx(expected, abs=TOLERANCE)


def test_a_word_promotes_with_its_probability() -> None:
    """A word 2 that has drawn parent 0 draws S of eq. 18 last; lambda is 0.3."""
    tokens, offsets = np.array([2, 2], np.int32), np.array([0, 1, 2])
    rules = promoting_case(2).rules._replace(fixed_topic=np.array([0, 1, 0, -1, 0], np.int32))
    case = make_case(
        assign(tokens, offsets, np.zeros(2, np.int32)),
        rules,
        seed=0,
        n_columns=LANES,
        n_swept=1,
    )
    promoted = [again.assignment.links[0] > 0 for again in sweeps_through(case, nth=1)]
    assert np.mean(promoted) == pytest.approx(0.3, abs=TOLERANCE)


def test_what_a_promoted_token_adds() -> None:
    """u for each related concept word, to its own topic only (eq. 16)."""
    case = promoting_case(4)
    before = case.mass_k
    case.sweep()
    assert case.assignment.links[:3].tolist() == [2, 3, 0]
    assert (case.mass_k - before).tolist() == [2 * U, 3 * U, 0, 0, 0, 0, 0, 0]
    assert case.counts.promoted_wq.tolist() == [[1, 0], [0, 1], [0, 0], [0, 0], [0, 0]]
