"""The Gibbs sweep of the model, one token at a time (numba).

In: documents with the topics of their tokens, the counts that all documents share, and what the sweep may do.
Out: the same arrays, changed in place. No printing, no growing.

The tables of eq. 6-10 are summed out. Given the weights of the topics in the corpus, G_0, a token draws

    p(k) ~ (n_jk + alpha G_0k) f_k(w),

which is the direct assignment scheme of the Hierarchical Dirichlet Process (Teh et al. 2006): the same
posterior, at O(K) a token over contiguous arrays and without any table to look after. G_0 itself is drawn
between sweeps (`qdtm.sampler.base_measure`), with a share for each empty column, so that a new topic is a
column like any other.

Weights are float32 and every sum has a fixed order (no fast-math), so the plain-Python twin in
``tests/sampler/naive.py`` reproduces each draw.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from qdtm.jit import njit

# --- random streams -----------------------------------------------------------------------------------------
#
# SplitMix64, one stream for each (seed, sweep, shard).
#
# In: whole numbers that say which stream. Out: its state, and numbers in [0, 1) from inside a kernel. A
# stream depends on nothing but those numbers, so a sweep can be repeated, moved to another thread or resumed
# and draws the same.

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
MIX_2 = np.uint64(0x94D049BB133111EB)
UNIT = 2.0**-53

PAPER_START, SUBTOPICS, DEEPER, JOINING, BACKGROUND = 1, 2, 3, 4, 5
"""First number of a stream's path: phase 1 as in the paper, phase 2 of a parent, and of a subtopic that is
opened, queries that join (then how many were there before), the background."""

FURTHER_CHAINS = 3
"""The same for the seeds of further chains; their paths are shorter than those of `DEEPER`."""


@njit(nogil=True, cache=True, inline="always")
def uniform(stream: Any) -> Any:
    """Advance a stream; return its new state and a number in [0, 1) with 53 random bits."""
    stream = stream + GOLDEN
    x = (stream ^ (stream >> np.uint64(30))) * MIX_1
    x = (x ^ (x >> np.uint64(27))) * MIX_2
    x = x ^ (x >> np.uint64(31))
    return stream, np.float64(x >> np.uint64(11)) * UNIT


def open_stream(seed: int, *path: int) -> np.ndarray[Any, np.dtype[np.uint64]]:
    """Start the stream named by a seed and a path of whole numbers, such as (phase, sweep, shard).

    Returns
    -------
    ndarray of shape (1,)
        The state; a kernel advances it in place.
    """
    state = np.random.SeedSequence(seed, spawn_key=path).generate_state(1, np.uint64)
    return state.astype(np.uint64)


# --- the sweep ----------------------------------------------------------------------------------------------

LANES = 8
"""Topics are summed in this many interleaved lanes; count arrays have a multiple of it as columns."""

TALLIED = 256
"""Documents are tallied by their tokens of a topic up to so many; beyond, tables are drawn one by one."""

PLAIN, PROMOTING, FIXED, FIXED_PROMOTING = 0, 1, 2, 3
"""Kinds of words: whether their topic is given, and whether they promote any concept word."""

Array = np.ndarray[Any, np.dtype[Any]]

f32, u64 = np.float32, np.uint64
ZERO, ONE = np.float32(0.0), np.float32(1.0)
STEP = np.uint64(LANES)


class Assignment(NamedTuple):
    """Which topic each token has. Document j owns the tokens ``offsets[j]:offsets[j+1]``."""

    tokens: Array  # (N,) int32: the word w_ji
    offsets: Array  # (D + 1,) int64
    topics: Array  # (N,) int32: z_ji; -1 none yet
    links: Array  # (N,) uint16: concept words that the token promotes; 0 unless S_ji = 1


class Counts(NamedTuple):
    """What documents share. All are whole numbers, so that differences add up the same in any order."""

    n_wk: Array  # (V, C) float32: tokens of word w in topic k
    promoted_wq: Array  # (V, Q) int32: promoted tokens of word w in parent topic q


class Tally(NamedTuple):
    """How many tokens of each topic documents have: all that the number of tables depends on."""

    documents_kn: Array  # (C, TALLIED + 1) int64: documents with n tokens of topic k; the last: or more
    further_tables: Array  # (C,) int64: tables opened by the tokens beyond


class Rules(NamedTuple):
    """What a sweep may do: the priors, the fixed words, and who promotes whom."""

    alpha: float
    gamma: float
    promotion_weight: float  # u of eq. 16, a multiple of 2**-10 so that sums of it are exact
    prior_words: float  # |V|, or |W_q| in the second phase
    beta: Array  # (C,) float32: smoothing of topic k
    fixed_topic: Array  # (V,) int32: the parent topic of a concept word, else -1
    n_related: Array  # (V, Q) int32: concept words of q related to word w (M of the paper)
    promotion_probability: Array  # (V, Q) float32: lambda of eq. 18


@njit(nogil=True, cache=True, inline="always")
def weigh_topics(
    running: Array,
    factor: Array,
    n_wk: Array,
    w: Any,
    beta: Array,
    left: Any,
    own: Any,
    n_columns: int,
) -> None:
    """Sum the weights (n_jk + alpha G_0k) f_k(w) down each lane; topic k ends at ``running[k + LANES]``.

    ``factor`` is what of it does not depend on the word: (n_jk + alpha G_0k) / (n_k + V beta).

    The topic that the token leaves weighs `own` instead. Its counts are not changed before the draw: most
    tokens return, and a vector load would have to wait for the small store.

    NumPy: ``weight = factor * (n_wk[w] + beta); weight[left] = own;
    running[LANES:] = np.cumsum(weight.reshape(-1, LANES), axis=0).ravel()``
    """
    for k in range(n_columns):
        weight = factor[k] * (n_wk[w, k] + beta[k])
        weight = own if np.uint32(k) == left else weight
        running[k + LANES] = running[k] + weight


@njit(nogil=True, cache=True, inline="always")
def lane_ends(running: Array, n_columns: int) -> Any:
    """Where each lane ends on the line of weights; the last one is the total.

    NumPy: ``np.cumsum(running[-LANES:])``, with the additions in a fixed order.
    """
    at = u64(n_columns)
    s0, s1, s2, s3 = running[at], running[at + u64(1)], running[at + u64(2)], running[at + u64(3)]
    s4, s5, s6 = running[at + u64(4)], running[at + u64(5)], running[at + u64(6)]
    s01, s23, s45, s67 = s0 + s1, s2 + s3, s4 + s5, s6 + running[at + u64(7)]
    s03 = s01 + s23
    s05 = s03 + s45
    return s0, s01, s01 + s2, s03, s03 + s4, s05, s05 + s6, s05 + s67


@njit(nogil=True, cache=True, inline="always")
def pick_topic(running: Array, ends: Any, starts: Array, target: Any, n_columns: int) -> Any:
    """The topic at ``target`` on the line of weights, read lane by lane; ``starts`` is scratch, (LANES,).

    Comparisons are counted and starts looked up, not branched on: which topic is drawn cannot be predicted.
    Rounding can lead past the last weight of a lane; then the pick steps back along the line, so that a topic
    without weight (closed, or not open) is never drawn.
    """
    lane = u64(0)
    for end in ends[:7]:
        lane += u64(end <= target)
    starts[1], starts[2], starts[3], starts[4], starts[5], starts[6], starts[7] = ends[:7]
    rest = target - starts[lane]
    k = at = lane
    for _ in range(n_columns // LANES - 1):
        at += STEP
        k += STEP * u64(running[at] <= rest)
    steps = n_columns
    while steps > 0 and not running[k + STEP] > running[k]:
        k = k - STEP if k >= STEP else (k + STEP - u64(1)) % STEP + u64(n_columns) - STEP
        steps -= 1
    return np.uint32(k)


@njit(nogil=True, cache=True, inline="always")
def change_mass(mass: Array, inverse: Array, inverse_less: Array, k: Any, by: float) -> None:
    """Change the mass of a topic, and what is divided by it: with all its tokens, and with one less."""
    mass[k] += by
    inverse[k] = f32(1.0 / mass[k])
    inverse_less[k] = f32(1.0 / (mass[k] - 1.0))


@njit(nogil=True, cache=True, inline="always")
def tally_document(tally: Tally, tokens_jk: Array, prior_k: Array, stream: Any, n_columns: int) -> Any:
    """Count the document in, topic by topic; return the stream. Beyond `TALLIED` tokens, draw the tables."""
    for k in range(n_columns):
        n = tokens_jk[k]
        if n > 0:
            tally.documents_kn[k, min(n, TALLIED)] += 1
            for i in range(TALLIED, n):
                stream, draw = uniform(stream)
                tally.further_tables[k] += draw * (prior_k[k] + i) < prior_k[k]
    return stream


@njit(nogil=True, cache=True, error_model="numpy")
def sweep(
    assignment: Assignment,
    evidence_jq: Array,
    counts: Counts,
    tally: Tally,
    mass_k: Array,
    prior_k: Array,
    rules: Rules,
    word_kind: Array,
    stream_state: Array,
    n_columns: int,
) -> None:
    """Draw the topic of every token of some documents once, in order: an iteration of Algorithm 1.

    Mutates ``assignment``, ``counts``, ``tally``, ``mass_k`` and ``stream_state``.

    Parameters
    ----------
    evidence_jq
        (D, Q) float32: what the prior of each parent topic is multiplied with in each document.
    tally
        Zero before; every document is counted in as it is after the sweep.
    mass_k
        (C,) float64: n_k + promoted mass + V beta, the denominator of f_k;
        infinity closes a topic to all but its concept words. It is kept up to date.
    prior_k
        (C,) float32: alpha G_0k; 0 closes an empty column, in which a topic could be born.
    word_kind
        (V,) uint8: see `word_kinds`.
    stream_state
        (1,) uint64: the random stream.
    n_columns
        Topics in use lie below it; a multiple of `LANES`.
    """
    k: Any  # a column, or an unsigned topic: those index fastest
    tokens, offsets, topics, links = assignment
    n_wk, promoted_wq = counts
    beta, n_related, probability = rules.beta, rules.n_related, rules.promotion_probability
    n_parents = n_related.shape[1]
    u = f32(rules.promotion_weight)
    stream = stream_state[0]
    mass = mass_k
    inverse = (1.0 / mass).astype(f32)
    inverse_less = (1.0 / (mass - 1.0)).astype(f32)
    n_jk = np.zeros(n_columns, f32)
    tokens_jk = np.zeros(n_columns, np.int64)
    factor = np.zeros(n_columns, f32)
    running = np.zeros(n_columns + LANES, f32)
    starts = np.zeros(LANES, f32)
    prior_jk = prior_k[:n_columns].copy()

    for j in range(offsets.size - 1):
        start, stop = u64(offsets[j]), u64(offsets[j + 1])
        n_jk[:] = ZERO
        tokens_jk[:] = 0
        for i in range(start, stop):
            if topics[i] >= 0:
                k = np.uint32(topics[i])
                n_jk[k] += ONE + u * f32(links[i])
                tokens_jk[k] += 1
        for q in range(n_parents):
            prior_jk[q] = prior_k[q] * evidence_jq[j, q]
        for k in range(n_columns):
            factor[k] = (n_jk[k] + prior_jk[k]) * inverse[k]

        for i in range(start, stop):
            w = np.uint32(tokens[i])
            kind = word_kind[w]
            if kind == FIXED:
                continue

            # What its topic would be without it.
            left = np.uint32(topics[i])
            seated = topics[i] >= 0
            links_left = links[i]
            own, n_left, n_w_left = ZERO, ZERO, ZERO
            given = ONE + u * f32(links_left)
            if seated:
                n_left, n_w_left = n_jk[left] - given, n_wk[w, left] - ONE
                less = inverse_less[left] if links_left == 0 else f32(1.0 / (mass[left] - given))
                own = (n_left + prior_jk[left]) * less * (n_w_left + beta[left])

            # Draw its topic, unless it is given.
            k = np.uint32(rules.fixed_topic[w])
            if kind <= PROMOTING:
                weigh_topics(running, factor, n_wk, w, beta, left, own, n_columns)
                ends = lane_ends(running, n_columns)
                stream, draw = uniform(stream)
                k = pick_topic(running, ends, starts, f32(draw * ends[7]), n_columns)
                if seated and not ends[7] > ZERO:
                    k = left  # every topic is closed to it

            # Let it promote its related concept words.
            promoted = np.uint16(0)
            if kind & PROMOTING:
                if links_left > 0:
                    promoted_wq[w, left] -= 1
                if k < n_parents and n_related[w, k] > 0:
                    stream, draw = uniform(stream)
                    if draw < probability[w, k]:
                        promoted = np.uint16(n_related[w, k])
                        promoted_wq[w, k] += 1
                links[i] = promoted

            # Move it; most stay.
            if k != left or promoted != links_left:
                if seated:
                    n_jk[left], n_wk[w, left] = n_left, n_w_left
                    tokens_jk[left] -= 1
                    change_mass(mass, inverse, inverse_less, left, -np.float64(given))
                    factor[left] = (n_left + prior_jk[left]) * inverse[left]
                given = ONE + u * f32(promoted)
                topics[i] = k
                n_jk[k] += given
                n_wk[w, k] += ONE
                tokens_jk[k] += 1
                change_mass(mass, inverse, inverse_less, k, np.float64(given))
                factor[k] = (n_jk[k] + prior_jk[k]) * inverse[k]

        stream = tally_document(tally, tokens_jk, prior_k, stream, n_columns)
    stream_state[0] = stream


@njit(nogil=True, cache=True)
def count_words(tokens: Array, topics: Array, n_wk: Array) -> None:
    """Count the tokens of each word in each topic into ``n_wk``, (V, K); a topic below 0 is none."""
    for i in range(tokens.size):
        if topics[i] >= 0:
            n_wk[tokens[i], topics[i]] += ONE


@njit(nogil=True, cache=True)
def weights_in_topics(topics: Array, offsets: Array, weights: Array, n_topics: int) -> Any:
    """Add up the weights of the documents that the tokens of each topic stand in, (K,) float64.

    NumPy: ``np.bincount(topics, np.repeat(weights, np.diff(offsets)), minlength=n_topics)``
    """
    total = np.zeros(n_topics, np.float64)
    for j in range(weights.size):
        for i in range(offsets[j], offsets[j + 1]):
            total[topics[i]] += weights[j]
    return total


@njit(nogil=True, cache=True)
def topic_sizes(n_wk: Array) -> Any:
    """Add up the tokens of each topic, (C,) float64: ``n_wk.sum(axis=0, dtype=np.float64)``."""
    n_k = np.zeros(n_wk.shape[1], np.float64)
    for w in range(n_wk.shape[0]):
        for k in range(n_wk.shape[1]):
            n_k[k] += n_wk[w, k]
    return n_k


@njit(nogil=True, cache=True)
def add_difference(total: Array, after: Array, before: Array) -> None:
    """Add what a shard changed: ``total += after - before``."""
    for i in range(total.shape[0]):
        for k in range(total.shape[1]):
            total[i, k] += after[i, k] - before[i, k]


def word_kinds(rules: Rules) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """Sort the words into `PLAIN`, `PROMOTING`, `FIXED` and `FIXED_PROMOTING`, (V,)."""
    promotes = rules.n_related.any(axis=1)
    return (PROMOTING * promotes + FIXED * (rules.fixed_topic >= 0)).astype(np.uint8)
