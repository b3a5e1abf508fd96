"""Seeded random and planted corpora, ready to be swept.

In: a seed. Out: a `Case`, everything that `qdtm.sampler.kernels.sweep` takes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from qdtm.sampler.assignment import assign, columns_for, empty_tally, recount, unassigned
from qdtm.sampler.chain import Chain, open_chain
from qdtm.sampler.engines import Threads
from qdtm.sampler.kernels import LANES, Assignment, Counts, Rules, Tally, sweep, word_kinds


@dataclass(eq=False)
class Case:
    """A state of the sampler and what the next sweeps may do. `sweep` changes it in place."""

    assignment: Assignment
    evidence_jq: np.ndarray
    counts: Counts
    tally: Tally
    prior_k: np.ndarray
    rules: Rules
    stream: np.ndarray
    n_columns: int
    closed: np.ndarray

    @property
    def mass_k(self) -> np.ndarray:
        """The denominator of f_k; infinite for a closed topic."""
        mass = topic_mass(self.counts, self.rules)
        mass[self.closed] = np.inf
        return mass

    @property
    def arguments(self) -> tuple:
        """What `sweep` and its twin take, in order."""
        return (
            self.assignment,
            self.evidence_jq,
            self.counts,
            self.tally,
            self.mass_k,
            self.prior_k,
            self.rules,
            word_kinds(self.rules),
            self.stream,
            self.n_columns,
        )

    def sweep(self, n_sweeps: int = 1) -> None:
        for _ in range(n_sweeps):
            self.tally = empty_tally(self.n_columns)
            sweep(*self.arguments)

    def copy(self) -> Case:
        return Case(
            Assignment(*(array.copy() for array in self.assignment)),
            self.evidence_jq.copy(),
            Counts(*(array.copy() for array in self.counts)),
            Tally(*(array.copy() for array in self.tally)),
            self.prior_k.copy(),
            self.rules,
            self.stream.copy(),
            self.n_columns,
            self.closed,
        )


class Shape(NamedTuple):
    """How large a random corpus is."""

    n_words: int
    n_parents: int
    n_topics: int  # topics at the start; parents first
    n_documents: int


def topic_mass(counts: Counts, rules: Rules) -> np.ndarray:
    """n_k + u * links + V * beta, added up topic by topic (the denominator of f_k)."""
    mass = np.zeros(counts.n_wk.shape[1])
    for k in range(len(mass)):
        n_links = 0
        if k < rules.n_related.shape[1]:
            n_links = int((counts.promoted_wq[:, k] * rules.n_related[:, k]).sum())
        smoothing = rules.prior_words * float(rules.beta[k])
        mass[k] = int(counts.n_wk[:, k].sum()) + rules.promotion_weight * n_links + smoothing
    return mass


def make_case(
    assignment: Assignment,
    rules: Rules,
    *,
    seed: int,
    n_columns: int,
    closed: np.ndarray | None = None,
    n_swept: int | None = None,
    may_open_topics: bool = True,
    shares: np.ndarray | None = None,
    evidence: np.ndarray | None = None,
) -> Case:
    """Count a start, draw the state of its random stream and, unless given, shares of the topics."""
    rng = np.random.default_rng(seed)
    counts = recount(assignment, *rules.n_related.shape, len(rules.beta))
    if n_swept is not None:  # the others are counted, and keep their topics
        offsets = assignment.offsets[: n_swept + 1]
        assignment = Assignment(
            *(part[: offsets[-1]] if part is not assignment.offsets else offsets for part in assignment)
        )
    stream = rng.integers(0, 2**64, 1, np.uint64)
    prior_k = np.zeros(len(rules.beta), np.float32)
    prior_k[:n_columns] = rules.alpha * (rng.dirichlet(np.ones(n_columns)) if shares is None else shares)
    if not may_open_topics:
        prior_k[~counts.n_wk.any(axis=0)] = 0
    none = np.empty(0, np.int64)
    if evidence is None:
        evidence = np.ones((len(assignment.offsets) - 1, rules.n_related.shape[1]), np.float32)
    return Case(
        assignment,
        evidence,
        counts,
        empty_tally(n_columns),
        prior_k,
        rules,
        stream,
        n_columns,
        none if closed is None else closed,
    )


def plain_rules(n_words: int, n_columns: int, *, n_parents: int = 0, **changes: object) -> Rules:
    """The paper's priors, nothing fixed, nothing promoted."""
    rules = Rules(
        alpha=1.0,
        gamma=1.5,
        promotion_weight=0.25,
        prior_words=float(n_words),
        beta=np.full(n_columns, 0.5, np.float32),
        fixed_topic=np.full(n_words, -1, np.int32),
        n_related=np.zeros((n_words, n_parents), np.int32),
        promotion_probability=np.zeros((n_words, n_parents), np.float32),
    )
    return rules._replace(**changes)


def random_case(seed: int) -> Case:
    """Draw a small corpus of the first or (for every fourth seed) the second phase."""
    return random_subtopics(seed) if seed % 4 == 3 else random_parents(seed)


def random_parents(seed: int) -> Case:
    """Phase 1: parents (perhaps none) with concept words, promotion, closed parents, any start."""
    rng = np.random.default_rng(seed)
    n_parents = int(rng.integers(0, 4))
    shape = Shape(
        int(rng.integers(1, 13)), n_parents, n_parents + int(rng.integers(1, 15)), int(rng.integers(1, 8))
    )
    tokens, offsets = random_documents(rng, shape)
    n_columns, width = random_columns(rng, shape.n_topics)
    rules = random_rules(rng, shape, width)
    free = rng.integers(0, shape.n_topics, len(tokens)) if rng.random() < 2 / 3 else -1
    fixed = rules.fixed_topic[tokens]
    assignment = assign(tokens, offsets, np.where(fixed >= 0, fixed, free).astype(np.int32))
    closed = np.flatnonzero(rng.random(n_parents) < 0.5) if rng.random() < 0.3 else None
    may_open_topics = bool(rng.random() < 0.75) or bool((assignment.topics < 0).any())
    evidence = rng.choice([0.02, 0.5, 1.0, 3.7, 20.0], (shape.n_documents, n_parents)).astype(np.float32)
    return make_case(
        assignment,
        rules,
        seed=seed,
        n_columns=n_columns,
        closed=closed,
        may_open_topics=may_open_topics,
        evidence=evidence if rng.random() < 0.5 else None,
    )


def random_subtopics(seed: int) -> Case:
    """Phase 2: nobody has a topic, no parents, smoothing over fewer words than the vocabulary has."""
    rng = np.random.default_rng(seed)
    shape = Shape(int(rng.integers(4, 30)), 0, 0, int(rng.integers(1, 8)))
    tokens, offsets = random_documents(rng, shape)
    tokens //= 2  # at most half of the vocabulary occurs
    n_columns, width = random_columns(rng, 0)
    rules = random_rules(rng, shape, width)._replace(prior_words=float(max(1, len(np.unique(tokens)))))
    return make_case(unassigned(tokens, offsets), rules, seed=seed, n_columns=n_columns)


def random_documents(rng: np.random.Generator, shape: Shape) -> tuple[np.ndarray, np.ndarray]:
    """Tokens and offsets; some documents are empty."""
    lengths = rng.integers(0, 10, shape.n_documents) * (rng.random(shape.n_documents) < 0.85)
    tokens = rng.integers(0, shape.n_words, lengths.sum()).astype(np.int32)
    return tokens, np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)


def random_columns(rng: np.random.Generator, n_topics: int) -> tuple[int, int]:
    """How many columns to sweep over (spare ones, or none to spare) and how many there are."""
    tight = max(LANES, -(-n_topics // LANES) * LANES)
    n_columns = int(rng.choice([tight, columns_for(n_topics)]))
    return n_columns, n_columns + LANES * int(rng.integers(0, 2))


def random_rules(rng: np.random.Generator, shape: Shape, width: int) -> Rules:
    """Priors, concept words and promotion; a third of the cases promote nothing."""
    table = (shape.n_words, shape.n_parents)
    fixed_topic = np.full(shape.n_words, -1, np.int32)
    if shape.n_parents:
        concept = rng.random(shape.n_words) < 0.25
        fixed_topic[concept] = rng.integers(0, shape.n_parents, concept.sum())
    promotes = rng.random() < 2 / 3
    beta = rng.choice([0.01, 0.1, 0.5, 2.0], width if rng.random() < 0.3 else 1)
    return Rules(
        alpha=float(rng.choice([0.1, 1.0, 4.0])),
        gamma=float(rng.choice([0.1, 1.5, 20.0])),
        promotion_weight=int(rng.integers(1, 1024)) / 1024,
        prior_words=float(shape.n_words),
        beta=np.broadcast_to(beta, width).astype(np.float32),
        fixed_topic=fixed_topic,
        n_related=(rng.integers(1, 5, table) * (rng.random(table) < 0.6) * promotes).astype(np.int32),
        promotion_probability=rng.choice([0.0, 0.3, 0.5, 0.9, 1.0], table).astype(np.float32),
    )


@dataclass(frozen=True, eq=False)
class Planted:
    """A corpus whose documents are each about one topic, and which words and documents those are."""

    case: Case
    word_topic: np.ndarray  # (V,): the topic that a word was planted in
    document_topic: np.ndarray  # (D,)


def planted_case(seed: int, *, n_topics: int = 3, words_each: int = 8, promotes: bool = True) -> Planted:
    """Plant topics with words of their own; the first word of each is the concept word of a parent.

    Each free word is related to its topic's concept word. All free tokens start in one background topic.
    """
    rng = np.random.default_rng(seed)
    n_words, n_documents = n_topics * words_each, 20 * n_topics
    word_topic = np.repeat(np.arange(n_topics, dtype=np.int32), words_each)
    document_topic = np.arange(n_documents) % n_topics
    lengths = rng.integers(6, 15, n_documents)
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    topic_of = np.repeat(document_topic, lengths)
    tokens = (topic_of * words_each + rng.integers(0, words_each, lengths.sum())).astype(np.int32)

    is_concept = np.arange(n_words) % words_each == 0
    related = ((word_topic[:, None] == np.arange(n_topics)) & ~is_concept[:, None]) * promotes
    n_columns = columns_for(n_topics + 1)
    rules = plain_rules(
        n_words,
        n_columns,
        n_parents=n_topics,
        beta=np.full(n_columns, 0.125, np.float32),
        fixed_topic=np.where(is_concept, word_topic, -1).astype(np.int32),
        n_related=related.astype(np.int32),
        promotion_probability=np.full(related.shape, 0.75, np.float32),
    )
    topics = np.where(is_concept[tokens], word_topic[tokens], n_topics).astype(np.int32)
    assignment = assign(tokens, offsets, topics)
    return Planted(make_case(assignment, rules, seed=seed, n_columns=n_columns), word_topic, document_topic)


def state_before(whole: int, nth: int = 1) -> int:
    """The state of a stream whose nth draw will be the given 64 bits: the steps of SplitMix64 undone."""
    x = _undo_shift(whole, 31) * pow(0x94D049BB133111EB, -1, 2**64) % 2**64
    x = _undo_shift(x, 27) * pow(0xBF58476D1CE4E5B9, -1, 2**64) % 2**64
    return (_undo_shift(x, 30) - nth * 0x9E3779B97F4A7C15) % 2**64


def _undo_shift(y: int, by: int) -> int:
    """The x with ``x ^ (x >> by) == y``."""
    x = y
    for _ in range(64 // by):
        x = y ^ (x >> by)
    return x


def chain_of(
    assignment: Assignment, rules: Rules, seed: int, path: tuple[int, ...], *, n_jobs: int = 1, **options
) -> Chain:
    """A chain on this process' threads."""
    return open_chain(Threads(n_jobs), assignment, rules, seed, path, **options)
