"""The Gibbs sweep of the model, one token at a time (numba).

In: documents with their seating, the counts that all documents share, and what the sweep may do.
Out: the same arrays, changed in place. No printing, no growing.

Tables of one document that serve the same topic are exchangeable, so a token draws its topic first,

    p(k) ~ (n_jk + alpha m_k / (m + gamma)) f_k(w),          (eq. 6-10 with the table summed out)

and then one of the document's tables of that topic in proportion to its mass n_jt, or a new table in
proportion to alpha m_k / (m + gamma). It is the same kernel as the paper's, at O(K) a token.

Weights are float32 and every sum has a fixed order (no fast-math), so the plain-Python twin in
``tests/sampler/naive.py`` reproduces each draw, and any machine gives the same bytes.
"""

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from qdtm.sampler.streams import uniform

LANES = 8
"""Topics are summed in this many interleaved lanes; count arrays have a multiple of it as columns."""

Array = np.ndarray[Any, np.dtype[Any]]

f32 = np.float32


class Seating(NamedTuple):
    """Who sits where. Document j owns the tokens and the table slots ``offsets[j]:offsets[j+1]``."""

    tokens: Array  # (N,) int32: the word w_ji
    offsets: Array  # (D + 1,) int64
    table_of: Array  # (N,) int32: t_ji, the slot of the token's table in its document; -1 not seated yet
    promoted: Array  # (N,) uint8: S_ji, whether the token promoted its related concept words
    table_topic: Array  # (N,) int32: k_jt; -1 a free slot
    table_size: Array  # (N,) int32: tokens at the table; 0 a free slot
    table_links: Array  # (N,) int32: concept words promoted from the table, each worth u
    n_slots: Array  # (D,) int32: slots in use lie below this


class Counts(NamedTuple):
    """What documents share. All are whole numbers, so that adding up differences is exact."""

    n_wk: Array  # (V, C) float32: tokens of word w in topic k
    m_k: Array  # (C,) int64: tables of topic k
    promoted_wq: Array  # (V, Q) int32: promoted tokens of word w in parent topic q


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
    weight: Array, n_jk: Array, m: Array, row: Array, beta: Array, inverse: Array, c: Any, n_columns: int
) -> None:
    """Fill ``weight = (n_jk + c * m) * (row + beta) * inverse``, that is (n_jk + c m_k) f_k(w)."""
    for k in range(n_columns):
        weight[k] = (n_jk[k] + c * m[k]) * (row[k] + beta[k]) * inverse[k]


@njit(nogil=True, cache=True, inline="always")
def running_lanes(weight: Array, n_columns: int) -> Any:
    """Running sums over lanes: entry l is the weight of all topics k with ``k % LANES <= l``.

    NumPy: ``np.cumsum(weight.reshape(-1, LANES).sum(axis=0))``, with the additions in a fixed order.
    """
    s0 = s1 = s2 = s3 = s4 = s5 = s6 = s7 = f32(0.0)
    for b in range(0, n_columns, LANES):
        s0 += weight[b]
        s1 += weight[b + 1]
        s2 += weight[b + 2]
        s3 += weight[b + 3]
        s4 += weight[b + 4]
        s5 += weight[b + 5]
        s6 += weight[b + 6]
        s7 += weight[b + 7]
    s01, s23, s45, s67 = s0 + s1, s2 + s3, s4 + s5, s6 + s7
    s03 = s01 + s23
    s05 = s03 + s45
    return s0, s01, s01 + s2, s03, s03 + s4, s05, s05 + s6, s05 + s67


@njit(nogil=True, cache=True, inline="always")
def pick_topic(weight: Array, lanes: Any, target: Any, n_columns: int) -> int:
    """The topic at ``target`` on the line of weights, read lane by lane.

    Comparisons are counted, not branched on: which topic is drawn cannot be predicted.
    Rounding can lead past the last weight of a lane; then the pick steps back along the line, so that a topic
    without weight (closed, or not open yet) is never drawn.
    """
    r0, r1, r2, r3, r4, r5, r6, _ = lanes
    lane = 0
    before = f32(0.0)
    for running in (r0, r1, r2, r3, r4, r5, r6):
        passed = running <= target
        lane += passed
        before = running if passed else before
    rest = target - before
    running = f32(0.0)
    k = lane
    for b in range(lane, n_columns - LANES + lane, LANES):
        running += weight[b]
        k += LANES * (running <= rest)
    for _ in range(n_columns):
        if weight[k] > 0.0:
            break
        k = k - LANES if k >= LANES else (k - 1) % LANES + n_columns - LANES
    return k


@njit(nogil=True, cache=True, inline="always")
def pick_table(table_topic: Array, table_mass: Array, n_slots: int, k: int, target: Any) -> int:
    """The table of topic ``k`` at which the running mass passes ``target`` (else the last one)."""
    running = f32(0.0)
    found = 0
    for slot in range(n_slots):
        if table_topic[slot] == k:
            running += table_mass[slot]
            found = slot
            if running > target:
                break
    return found


@njit(nogil=True, cache=True, inline="always")
def first_slot(table_topic: Array, n_slots: int, k: int) -> int:
    """The lowest slot that serves topic ``k`` (-1: is free), or ``n_slots`` if there is none."""
    for slot in range(n_slots):
        if table_topic[slot] == k:
            return slot
    return n_slots


@njit(nogil=True, cache=True, inline="always")
def close_gaps(
    table_of: Array, table_topic: Array, table_size: Array, table_links: Array, moved: Array, n_slots: int
) -> int:
    """Move a document's tables to its lowest slots, in order; return how many tables it has."""
    n_tables = 0
    for slot in range(n_slots):
        if table_size[slot] == 0:
            continue
        moved[slot] = n_tables
        if n_tables < slot:
            table_topic[n_tables], table_topic[slot] = table_topic[slot], -1
            table_size[n_tables], table_size[slot] = table_size[slot], 0
            table_links[n_tables], table_links[slot] = table_links[slot], 0
        n_tables += 1
    if n_tables < n_slots:
        for i in range(table_of.size):
            table_of[i] = moved[table_of[i]]
    return n_tables


@njit(nogil=True, cache=True, error_model="numpy")
def sweep(
    seating: Seating,
    counts: Counts,
    rules: Rules,
    mass_k: Array,
    stream_state: Array,
    documents: Array,
    n_columns: int,
    may_open_topics: bool,
) -> None:
    """Reseat every token of some documents once, in order: an iteration of Algorithm 1.

    Mutates ``seating``, ``counts``, ``mass_k`` and ``stream_state``.

    Parameters
    ----------
    mass_k
        (C,) float64: n_k + promoted mass + V beta, the denominator of f_k;
        infinity closes a topic to all but its concept words.
    stream_state
        (1,) uint64: the random stream.
    documents
        (n,) int64: which documents to sweep.
    n_columns
        Topics in use lie below it; a multiple of `LANES`.
    may_open_topics
        Whether new topics may be opened; each takes the lowest empty column. If there is none left, the token
        goes to a topic that is open, in proportion to their weights.
    """
    w: Any
    k: Any  # drawn topics and slots change between signed (-1: none) and unsigned (fast indexing)
    kk: Any
    slot: Any
    stream = stream_state[0]
    u, one = f32(rules.promotion_weight), f32(1.0)
    n_wk, beta, fixed_topic = counts.n_wk, rules.beta, rules.fixed_topic
    n_related, probability, promoted_wq = rules.n_related, rules.promotion_probability, counts.promoted_wq
    n_parents = n_related.shape[1]
    promotes = np.zeros(n_wk.shape[0], np.bool_)  # most words promote nothing: one small look-up for them
    for w in range(n_wk.shape[0]):
        for q in range(n_parents):
            promotes[w] |= n_related[w, q] > 0

    longest = 1
    for j in documents:
        longest = max(longest, seating.offsets[j + 1] - seating.offsets[j])
    table_mass = np.zeros(longest, f32)  # n_jt
    moved = np.zeros(longest, np.int32)
    weight = np.zeros(n_columns, f32)
    n_jk = np.zeros(n_columns, f32)
    tables_jk = np.zeros(n_columns, np.int32)  # tables of topic k in document j
    slot_of = np.zeros(n_columns, np.int32)  # the slot of topic k, where it has one table in document j
    m = np.zeros(n_columns, f32)
    inverse = np.zeros(n_columns, f32)
    m_total = 0
    for k in range(n_columns):
        m[k] = f32(counts.m_k[k])
        m_total += counts.m_k[k]
        inverse[k] = f32(1.0 / mass_k[k])
    c = rules.alpha / (m_total + rules.gamma)
    birth_over_c = rules.gamma / rules.prior_words if may_open_topics else 0.0

    for j in documents:
        start, stop = seating.offsets[j], seating.offsets[j + 1]
        tokens, table_of = seating.tokens[start:stop], seating.table_of[start:stop]
        promoted, table_topic = seating.promoted[start:stop], seating.table_topic[start:stop]
        table_size, table_links = seating.table_size[start:stop], seating.table_links[start:stop]
        n_slots = np.int64(seating.n_slots[j])
        for k in range(n_columns):
            n_jk[k] = 0.0
            tables_jk[k] = 0
        for slot in range(n_slots):
            k = table_topic[slot]
            if k >= 0:
                table_mass[slot] = f32(table_size[slot]) + u * f32(table_links[slot])
                n_jk[k] += table_mass[slot]
                tables_jk[k] += 1
                slot_of[k] = slot

        for i in range(tokens.size):
            w = np.uint32(tokens[i])
            row = n_wk[w]

            # Take the token off its table, and take back exactly what it added.
            if table_of[i] >= 0:
                slot = np.uint32(table_of[i])
                kk = np.uint32(table_topic[slot])
                mass = one
                if promoted[i]:
                    links = n_related[w, kk]
                    promoted_wq[w, kk] -= 1
                    table_links[slot] -= links
                    mass += u * f32(links)
                table_size[slot] -= 1
                table_mass[slot] -= mass
                n_jk[kk] -= mass
                row[kk] -= one
                mass_k[kk] -= mass
                inverse[kk] = f32(1.0 / mass_k[kk])
                if table_size[slot] == 0:
                    table_topic[slot] = -1
                    tables_jk[kk] -= 1
                    m[kk] -= one
                    m_total -= 1
                    c = rules.alpha / (m_total + rules.gamma)
                    if tables_jk[kk] == 1:
                        slot_of[kk] = first_slot(table_topic, n_slots, np.int32(kk))

            # Draw its topic.
            k = np.int64(fixed_topic[w])
            if k < 0:
                weigh_topics(weight, n_jk, m, row, beta, inverse, f32(c), n_columns)
                lanes = running_lanes(weight, n_columns)
                birth = c * birth_over_c
                stream, draw = uniform(stream)
                target = draw * (lanes[7] + birth) - birth
                if target < 0.0:
                    for column in range(n_parents, n_columns):
                        if m[column] == 0.0:
                            k = np.int64(column)
                            break
                    # DEVIATION(7): no column left, so the birth waits for the next sweep.
                    target = (1.0 + target / birth) * lanes[7]
                if k < 0:
                    k = pick_topic(weight, lanes, f32(target), n_columns)
            kk = np.uint32(k)

            # Draw its table: one of the topic's, by mass, or a new one.
            slot = np.uint32(n_slots)
            new_table = True
            if tables_jk[kk] > 0:
                stream, draw = uniform(stream)
                target = draw * (n_jk[kk] + c * m[kk])
                if target < n_jk[kk]:
                    new_table = False
                    if tables_jk[kk] == 1:
                        slot = np.uint32(slot_of[kk])
                    else:
                        slot = np.uint32(
                            pick_table(table_topic, table_mass, n_slots, np.int32(kk), f32(target))
                        )
            if new_table:
                slot = np.uint32(first_slot(table_topic, n_slots, -1))
                n_slots = max(n_slots, np.int64(slot) + 1)
                table_topic[slot] = k
                table_mass[slot] = 0.0
                tables_jk[kk] += 1
                slot_of[kk] = slot
                m[kk] += one
                m_total += 1
                c = rules.alpha / (m_total + rules.gamma)

            # Seat it, and let it promote its related concept words.
            mass = one
            promoted[i] = 0
            if promotes[w] and k < n_parents and n_related[w, kk] > 0:
                stream, draw = uniform(stream)
                if draw < probability[w, kk]:
                    links = n_related[w, kk]
                    promoted[i] = 1
                    promoted_wq[w, kk] += 1
                    table_links[slot] += links
                    mass += u * f32(links)
            table_of[i] = slot
            table_size[slot] += 1
            table_mass[slot] += mass
            n_jk[kk] += mass
            row[kk] += one
            mass_k[kk] += mass
            inverse[kk] = f32(1.0 / mass_k[kk])

        seating.n_slots[j] = close_gaps(table_of, table_topic, table_size, table_links, moved, n_slots)

    for k in range(n_columns):
        counts.m_k[k] = np.int64(m[k])
    stream_state[0] = stream
