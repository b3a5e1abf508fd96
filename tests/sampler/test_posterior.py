"""The sampler visits topics and tables as often as the model says they are probable.

Without promotion, sweeps and the draws between are a Gibbs sampler of the Hierarchical Dirichlet Process, so
on a corpus of six or seven tokens its frequencies can be held against the posterior, summed over every
seating there is (the Chinese restaurant franchise). With promotion there is no joint distribution: see
`test_draws.py`.

Tolerance: frequencies are compared in units of their standard error from batch means; over all the states of
a corpus none may lie `MAX_Z` or more away, and the total variation distance must stay below `max_distance`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, product
from math import exp, lgamma, log

import numpy as np
import pytest
from numba import njit

from qdtm.sampler.assignment import assign, documents_with, unassigned
from qdtm.sampler.base_measure import draw_shares, draw_tables
from qdtm.sampler.kernels import LANES, sweep

from .cases import Case, make_case, plain_rules

N_BATCHES = 100
N_COLUMNS = 5 * LANES  # many, so that the end of the broken stick does not show
MIN_VISITS = 50
MAX_Z = 5.0

N_SWEEPS = [60_000, pytest.param(200_000, marks=pytest.mark.slow)]

Blocks = list[list[int]]


@dataclass(frozen=True)
class Franchise:
    """A tiny corpus and its priors; `concepts[q]` is the concept word of parent q."""

    documents: list[list[int]]
    n_words: int
    alpha: float = 1.0
    beta: float = 0.5
    gamma: float = 1.5
    concepts: tuple[int, ...] = ()
    parent_beta: float = 0.5
    parents_closed: bool = False
    standing: bool = False
    n_unused: int = 0  # words of the vocabulary beyond the n_words that smoothing runs over

    @property
    def tokens(self) -> list[int]:
        return [w for document in self.documents for w in document]

    def parent_of(self, block: list[int]) -> int | None:
        """Which parent's topic a set of tokens is: the one whose concept word it holds."""
        return next((q for q, w in enumerate(self.concepts) if w in [self.tokens[i] for i in block]), None)

    def allows(self, topics: Blocks) -> bool:
        """Whether each concept word is in one topic, which is no other's (nor anybody's, if it is closed)."""
        words = [{self.tokens[i] for i in block} for block in topics]
        held = [sum(w in block for block in words) for w in self.concepts]
        shared = any(len(block & set(self.concepts)) > 1 for block in words)
        mixed = any(block & set(self.concepts) and len(block) > 1 for block in words)
        return all(n == 1 for n in held) and not shared and not (self.parents_closed and mixed)

    def log_weight(self, tables: Blocks, topics: Blocks) -> float:
        """Log joint probability of the words and a seating, up to a constant.

        Restaurants: alpha for each table and (n_jt - 1)!. Franchise: gamma for each topic and (m_k - 1)!.
        Words: the Dirichlet-multinomial of each topic.
        """
        weight = sum(log(self.alpha) + lgamma(len(table)) for table in tables)
        weight -= lgamma(self.gamma + len(tables))
        for block in topics:
            m_k = sum(table[0] in block for table in tables)
            weight += log(self.gamma) + lgamma(m_k)
            beta = self.beta if self.parent_of(block) is None else self.parent_beta
            words = [self.tokens[i] for i in block]
            weight += lgamma(self.n_words * beta) - lgamma(self.n_words * beta + len(block))
            weight += sum(lgamma(beta + words.count(w)) - lgamma(beta) for w in set(words))
        return weight

    def case(self, seed: int) -> Case:
        """Start with everybody in a topic of their own unless fixed (or without)."""
        tokens = np.array(self.tokens, np.int32)
        offsets = np.concatenate([[0], np.cumsum([len(document) for document in self.documents])])
        n_columns = N_COLUMNS
        n_parents = len(self.concepts)
        n_vocabulary = self.n_words + self.n_unused
        fixed_topic = np.full(n_vocabulary, -1, np.int32)
        fixed_topic[list(self.concepts)] = range(n_parents)
        beta = np.full(n_columns, self.beta, np.float32)
        beta[:n_parents] = self.parent_beta
        rules = plain_rules(
            *(n_vocabulary, n_columns),
            n_parents=n_parents,
            prior_words=float(self.n_words),
            alpha=self.alpha,
            gamma=self.gamma,
            beta=beta,
            fixed_topic=fixed_topic,
        )
        alone = np.where(fixed_topic[tokens] >= 0, fixed_topic[tokens], n_parents + np.arange(len(tokens)))
        start = unassigned(tokens, offsets) if self.standing else assign(tokens, offsets, alone)
        closed = np.arange(n_parents) if self.parents_closed else None
        return make_case(start, rules, seed=seed, n_columns=n_columns, closed=closed)


def partitions(items: list[int]) -> Iterator[Blocks]:
    """All ways to divide items into non-empty sets."""
    if not items:
        yield []
        return
    first, rest = items[0], items[1:]
    for blocks in partitions(rest):
        yield [[first], *blocks]
        for i, block in enumerate(blocks):
            yield [*blocks[:i], [first, *block], *blocks[i + 1 :]]


def seatings(franchise: Franchise) -> Iterator[tuple[Blocks, Blocks]]:
    """All ways to divide each document into tables and all tables into topics, as sets of tokens."""
    starts = np.cumsum([0] + [len(document) for document in franchise.documents])
    of_documents = [
        list(partitions(list(range(start, start + len(document)))))
        for start, document in zip(starts, franchise.documents, strict=False)
    ]
    for chosen in product(*of_documents):
        tables = [table for document in chosen for table in document]
        for grouped in partitions(list(range(len(tables)))):
            topics = [[i for t in group for i in tables[t]] for group in grouped]
            if franchise.allows(topics):
                yield tables, topics


def together(blocks: Blocks, n_tokens: int) -> int:
    """Name a partition by the pairs of tokens that are together, one bit for each pair."""
    block_of = {i: b for b, block in enumerate(blocks) for i in block}
    pairs = combinations(range(n_tokens), 2)
    return sum((block_of[a] == block_of[b]) << bit for bit, (a, b) in enumerate(pairs))


def all_together(labels: np.ndarray) -> np.ndarray:
    """`together` for many states at once, from a label for each token, (n_states, N)."""
    pairs = combinations(range(labels.shape[1]), 2)
    return sum((labels[:, a] == labels[:, b]).astype(np.int64) << bit for bit, (a, b) in enumerate(pairs))


def posterior(franchise: Franchise) -> tuple[dict[int, float], dict[tuple[int, int], float]]:
    """The probability of each partition into topics, and of each (topics, number of tables)."""
    n_tokens = len(franchise.tokens)
    of_topics: dict[int, float] = defaultdict(float)
    with_tables: dict[tuple[int, int], float] = defaultdict(float)
    for tables, topics in seatings(franchise):
        weight = exp(franchise.log_weight(tables, topics))
        with_tables[together(topics, n_tokens), len(tables)] += weight
    total = sum(with_tables.values())
    with_tables = {name: weight / total for name, weight in with_tables.items()}
    for (topics_name, _), probability in with_tables.items():
        of_topics[topics_name] += probability
    return of_topics, with_tables


@njit
def many_sweeps(
    assignment,
    evidence,
    counts,
    tally,
    mass_k,
    rules,
    word_kind,
    stream,
    n_columns,
    m_k,
    seen,
    n_tables,
):
    """Sweep as often as the records have rows, drawing G_0 and tables between, and write the state down."""
    base_mass = mass_k - counts.n_wk.sum(axis=0)
    for s in range(len(seen)):
        shares = draw_shares(m_k, rules.gamma, n_columns, stream)
        prior_k = (rules.alpha * shares).astype(np.float32)
        tally.documents_kn[:] = 0
        mass = base_mass + counts.n_wk.sum(axis=0)
        sweep(assignment, evidence, counts, tally, mass, prior_k, rules, word_kind, stream, n_columns)
        m_k = draw_tables(tally, prior_k, stream)
        seen[s] = assignment.topics
        n_tables[s] = m_k.sum()


def max_distance(n_sweeps: int) -> float:
    """0.015 after 200,000 sweeps; chance falls with the root of their number."""
    return 0.015 * (200_000 / n_sweeps) ** 0.5


def visited(case: Case, n_sweeps: int) -> tuple[np.ndarray, np.ndarray]:
    """Sweep; return for each sweep the name of the partition into topics and the number of tables."""
    topics = np.empty((n_sweeps, len(case.assignment.tokens)), np.int32)
    n_tables = np.empty(n_sweeps, np.int64)
    assignment, evidence, counts, tally, mass_k, _, *rest = case.arguments
    m_k = documents_with(assignment, case.n_columns)
    many_sweeps(assignment, evidence, counts, tally, mass_k, *rest, m_k, topics, n_tables)
    return all_together(topics), n_tables


def z_scores(indicator: np.ndarray, probability: float) -> float:
    """How many standard errors a frequency is off, by batch means; never less than for independent draws."""
    batches = indicator.reshape(N_BATCHES, -1).mean(axis=1)
    batch_error = batches.std(ddof=1) / N_BATCHES**0.5
    independent_error = (probability * (1 - probability) / len(indicator)) ** 0.5
    return float((batches.mean() - probability) / max(batch_error, independent_error))


CORPORA = {
    "the paper's priors": Franchise([[0, 1, 0], [1, 2, 2]], 3),
    "small priors": Franchise([[0, 0], [0, 1], [1, 1]], 2, alpha=0.4, beta=0.2, gamma=0.7),
    "large priors": Franchise([[0, 1, 2], [0], [1, 2]], 4, alpha=3.0, beta=2.0, gamma=5.0),
    "a concept word": Franchise([[0, 1, 1], [0, 1, 2]], 3, concepts=(0,)),
    "a concept word with a prior of its own": Franchise(
        [[0, 1, 1], [1, 2]], 3, concepts=(0,), parent_beta=0.05
    ),
    "two concept words": Franchise([[0, 1, 2], [1, 2, 2]], 3, concepts=(0, 1)),
    "a closed parent": Franchise([[0, 1, 0], [0, 1, 1]], 2, concepts=(0,), parents_closed=True),
    "the second phase": Franchise([[0, 1, 1], [0, 0]], 2, gamma=3.0, standing=True, n_unused=3),
}


@pytest.mark.parametrize("n_sweeps", N_SWEEPS)
@pytest.mark.parametrize("name", CORPORA)
def test_frequencies_match_the_enumerated_posterior(name: str, n_sweeps: int) -> None:
    franchise = CORPORA[name]
    of_topics, with_tables = posterior(franchise)
    topics, n_tables = visited(franchise.case(seed=len(name)), n_sweeps)

    seen = set(zip(topics.tolist(), n_tables.tolist(), strict=True))
    assert seen <= set(with_tables), "ruled out by the model"
    likely = {state: p for state, p in of_topics.items() if p * n_sweeps >= MIN_VISITS}
    z = {state: z_scores(topics == state, p) for state, p in likely.items()}
    assert max(map(abs, z.values())) < MAX_Z, z
    distance = sum(abs(np.mean(topics == state) - p) for state, p in of_topics.items()) / 2
    assert distance < max_distance(n_sweeps)


@pytest.mark.parametrize("n_sweeps", N_SWEEPS)
@pytest.mark.parametrize("name", ["the paper's priors", "large priors", "a concept word"])
def test_tables_match_the_enumerated_posterior(name: str, n_sweeps: int) -> None:
    franchise = CORPORA[name]
    _, with_tables = posterior(franchise)
    topics, n_tables = visited(franchise.case(seed=1), n_sweeps)
    likely = {state: p for state, p in with_tables.items() if p * n_sweeps >= MIN_VISITS}
    assert len(likely) > 30
    z = [z_scores((topics == a) & (n_tables == b), p) for (a, b), p in likely.items()]
    assert np.abs(z).max() < MAX_Z


# --- the document prior -------------------------------------------------------------------------------------
#
# Given G_0, the topics of a document's tokens are an urn with alpha G_0k e_jk balls of topic k: the posterior
# is a sum over all ways to give the tokens topics.

SHARES = np.array([0.4, 0.1, 0.3, 0.2] + [0.0] * (LANES - 4))
"""G_0: two parents, two topics of the background; the other columns are closed."""

EVIDENCE = {
    "documents for and against": [[20.0, 0.02], [0.02, 3.0]],
    "mild": [[1.5, 0.7], [0.5, 1.0]],
    "none": [[1.0, 1.0], [1.0, 1.0]],
}


def weight_given_shares(franchise: Franchise, evidence: np.ndarray, chosen: tuple[int, ...]) -> float:
    """Log probability of the words and of topics for all tokens, given G_0, up to a constant."""
    weight, begin = 0.0, 0
    for e_q, document in zip(evidence, franchise.documents, strict=True):
        e_k = np.concatenate([e_q, np.ones(2)])
        for k, of_topic in enumerate(franchise.alpha * SHARES[:4] * e_k):
            n_jk = chosen[begin : begin + len(document)].count(k)
            weight += lgamma(of_topic + n_jk) - lgamma(of_topic)
        begin += len(document)
    for k in range(4):
        words = [w for w, topic in zip(franchise.tokens, chosen, strict=True) if topic == k]
        beta = franchise.parent_beta if k < 2 else franchise.beta
        weight += lgamma(franchise.n_words * beta) - lgamma(franchise.n_words * beta + len(words))
        weight += sum(lgamma(beta + words.count(w)) - lgamma(beta) for w in set(words))
    return weight


def allowed(franchise: Franchise) -> Iterator[tuple[int, ...]]:
    """All ways to give the tokens topics: concept words have theirs."""
    choices = [
        [franchise.concepts.index(w)] if w in franchise.concepts else range(4) for w in franchise.tokens
    ]
    yield from product(*choices)


@njit
def sweeps_given_shares(
    assignment, evidence, counts, tally, mass_k, prior_k, rules, word_kind, stream, n_columns, seen
):
    """Sweep as often as there are rows, with the same G_0, and write the topics down."""
    for s in range(len(seen)):
        sweep(assignment, evidence, counts, tally, mass_k, prior_k, rules, word_kind, stream, n_columns)
        seen[s] = assignment.topics


@pytest.mark.parametrize("n_sweeps", N_SWEEPS)
@pytest.mark.parametrize("name", EVIDENCE)
def test_frequencies_with_the_document_prior_match_the_enumerated_posterior(name: str, n_sweeps: int) -> None:
    franchise = Franchise([[0, 1, 2, 2], [1, 2, 3]], 4, alpha=1.3, parent_beta=0.3, concepts=(0, 3))
    evidence = np.array(EVIDENCE[name], np.float32)
    ways = list(allowed(franchise))
    probability = np.exp([weight_given_shares(franchise, evidence, chosen) for chosen in ways])
    probability /= probability.sum()

    case = franchise.case(seed=7)
    assignment = assign(case.assignment.tokens, case.assignment.offsets, np.array(ways[0], np.int32))
    case = make_case(assignment, case.rules, seed=7, n_columns=LANES, shares=SHARES, evidence=evidence)
    seen = np.empty((n_sweeps, len(franchise.tokens)), np.int32)
    sweeps_given_shares(*case.arguments, seen)

    assert {tuple(row) for row in np.unique(seen, axis=0).tolist()} <= set(ways)
    digits = 4 ** np.arange(seen.shape[1])
    visits, names = seen @ digits, np.array(ways) @ digits
    likely = probability * n_sweeps >= MIN_VISITS
    z = [z_scores(visits == at, p) for at, p in zip(names[likely], probability[likely], strict=True)]
    assert likely.sum() > 50
    assert np.abs(z).max() < MAX_Z
    distance = sum(abs(np.mean(visits == at) - p) for at, p in zip(names, probability, strict=True)) / 2
    assert distance < 2 * max_distance(n_sweeps)  # of four times as many states


class TestEnumeration:
    """The yardstick itself."""

    def test_counts_all_partitions(self) -> None:
        assert [len(list(partitions(list(range(n))))) for n in range(6)] == [1, 1, 2, 5, 15, 52]

    def test_worked_by_hand(self) -> None:
        """One document 'a a': one table, or two tables of one topic, or two tables of two topics."""
        of_topics, with_tables = posterior(Franchise([[0, 0]], 2, alpha=2.0, beta=0.5, gamma=3.0))
        same_topic = 0.5 * 1.5 / 2  # f(a) f(a | a) with V beta = 1
        one_table = 1 / 3 * same_topic
        two_tables = 2 / 3 * 1 / 4 * same_topic
        two_topics = 2 / 3 * 3 / 4 * 0.5 * 0.5
        total = one_table + two_tables + two_topics
        assert of_topics == pytest.approx({1: (one_table + two_tables) / total, 0: two_topics / total})
        assert with_tables[1, 2] == pytest.approx(two_tables / total)

    def test_concept_words_rule_seatings_out(self) -> None:
        assert Franchise([[0, 0], [1]], 2, concepts=(0,)).allows([[0, 1, 2]])
        assert not Franchise([[0, 0], [1]], 2, concepts=(0,)).allows([[0], [1, 2]])
        assert not Franchise([[0, 0], [1]], 2, concepts=(0, 1)).allows([[0, 1, 2]])
        assert not Franchise([[0, 0], [1]], 2, concepts=(0,), parents_closed=True).allows([[0, 1, 2]])
