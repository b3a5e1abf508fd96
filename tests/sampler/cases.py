"""Seeded random and planted corpora, ready to be swept.

In: a seed. Out: a `Case`, everything that `qdtm.sampler.kernels.sweep` takes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from qdtm.sampler.kernels import LANES, Counts, Rules, Seating, sweep
from qdtm.sampler.seating import columns_for, recount, seat_apart, seat_by_topic, unseated

STARTS = {"together": seat_by_topic, "apart": seat_apart}


@dataclass(eq=False)
class Case:
    """A state of the sampler and what the next sweeps may do. `sweep` changes it in place."""

    seating: Seating
    counts: Counts
    rules: Rules
    mass_k: np.ndarray
    stream: np.ndarray
    documents: np.ndarray
    n_columns: int
    may_open_topics: bool

    @property
    def arguments(self) -> tuple:
        """What `sweep` and its twin take, in order."""
        return (
            self.seating,
            self.counts,
            self.rules,
            self.mass_k,
            self.stream,
            self.documents,
            self.n_columns,
            self.may_open_topics,
        )

    def sweep(self, n_sweeps: int = 1) -> None:
        for _ in range(n_sweeps):
            sweep(*self.arguments)

    def copy(self) -> Case:
        return Case(
            Seating(*(array.copy() for array in self.seating)),
            Counts(*(array.copy() for array in self.counts)),
            self.rules,
            self.mass_k.copy(),
            self.stream.copy(),
            self.documents,
            self.n_columns,
            self.may_open_topics,
        )


class Shape(NamedTuple):
    """How large a random corpus is."""

    n_words: int
    n_parents: int
    n_topics: int  # topics at the start; parents first
    n_documents: int


def topic_mass(counts: Counts, rules: Rules) -> np.ndarray:
    """n_k + u * links + V * beta, added up topic by topic (the denominator of f_k)."""
    mass = np.zeros(len(counts.m_k))
    for k in range(len(mass)):
        n_links = 0
        if k < rules.n_related.shape[1]:
            n_links = int((counts.promoted_wq[:, k] * rules.n_related[:, k]).sum())
        smoothing = rules.prior_words * float(rules.beta[k])
        mass[k] = int(counts.n_wk[:, k].sum()) + rules.promotion_weight * n_links + smoothing
    return mass


def make_case(
    seating: Seating,
    rules: Rules,
    *,
    seed: int,
    n_columns: int,
    closed: np.ndarray | None = None,
    documents: np.ndarray | None = None,
    may_open_topics: bool = True,
) -> Case:
    """Count a start and draw the state of its random stream."""
    n_words, n_parents = rules.n_related.shape
    counts = recount(seating, n_words, n_parents, len(rules.beta))
    mass_k = topic_mass(counts, rules)
    if closed is not None:
        mass_k[closed] = np.inf
    if documents is None:
        documents = np.arange(len(seating.offsets) - 1)
    stream = np.random.default_rng(seed).integers(0, 2**64, 1, np.uint64)
    return Case(seating, counts, rules, mass_k, stream, documents, n_columns, may_open_topics)


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
    start = rng.choice(["together", "apart", "standing"])
    if start == "standing":
        seating = unseated(tokens, offsets)
    else:
        free = rng.integers(0, shape.n_topics, len(tokens))
        fixed = rules.fixed_topic[tokens]
        seating = STARTS[start](tokens, offsets, np.where(fixed >= 0, fixed, free).astype(np.int32))
    closed = np.flatnonzero(rng.random(n_parents) < 0.5) if rng.random() < 0.3 else None
    documents = np.arange(shape.n_documents)
    if rng.random() < 0.25:
        documents = rng.permutation(documents)[: rng.integers(0, shape.n_documents + 1)]
    return make_case(
        seating,
        rules,
        seed=seed,
        n_columns=n_columns,
        closed=closed,
        documents=documents,
        may_open_topics=bool(rng.random() < 0.75),
    )


def random_subtopics(seed: int) -> Case:
    """Phase 2: everybody stands, no parents, smoothing over fewer words than the vocabulary has."""
    rng = np.random.default_rng(seed)
    shape = Shape(int(rng.integers(4, 30)), 0, 0, int(rng.integers(1, 8)))
    tokens, offsets = random_documents(rng, shape)
    tokens //= 2  # at most half of the vocabulary occurs
    n_columns, width = random_columns(rng, 0)
    rules = random_rules(rng, shape, width)._replace(prior_words=float(max(1, len(np.unique(tokens)))))
    return make_case(unseated(tokens, offsets), rules, seed=seed, n_columns=n_columns)


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
    seating = seat_by_topic(tokens, offsets, topics)
    return Planted(make_case(seating, rules, seed=seed, n_columns=n_columns), word_topic, document_topic)


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
