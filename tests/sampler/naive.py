"""The plain twin of `qdtm.sampler.kernels.sweep`: restaurants with tables, told as in the paper.

In: the arrays that a sweep is given. Out: new arrays, as the sweep must leave them, bit for bit.

Counts are whole numbers in dictionaries and masses are summed afresh whenever one is asked for. To draw the
same it keeps the kernel's promises about numbers: the random stream is SplitMix64; weights of topics are
float32; the line of weights is read in eight lanes (topics 0, 8, 16, ... then 1, 9, 17, ...), each summed
from left to right and the lanes in pairs; everything else is float64.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import accumulate

import numpy as np

from qdtm.sampler.kernels import Counts, Rules, Seating

LANES = 8
MASK_64 = (1 << 64) - 1

f32 = np.float32


class Stream:
    """SplitMix64 (Steele, Lea and Flood 2014) in Python's whole numbers."""

    def __init__(self, state: int) -> None:
        self.state = state

    def whole(self) -> int:
        """The next 64 bits."""
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK_64
        x = self.state
        x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & MASK_64
        x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & MASK_64
        return x ^ (x >> 31)

    def uniform(self) -> float:
        """A number in [0, 1) from the upper 53 bits."""
        return (self.whole() >> 11) / 2**53


@dataclass(eq=False)
class Table:
    """A table serves one topic; a promoting guest brings links, each worth u."""

    topic: int
    n_guests: int = 0
    n_links: int = 0

    def mass(self, u: float) -> float:
        """The paper's n_jt, promoted mass included."""
        return self.n_guests + u * self.n_links


@dataclass(eq=False)
class Restaurant:
    """A document: its words, the table each sits at (None: standing), and the slots the tables stand in."""

    words: list[int]
    seats: list[Table | None]
    promoted: list[bool]
    slots: list[Table | None] = field(default_factory=list)

    def tables(self, topic: int) -> list[Table]:
        """The tables of a topic, in the order of their slots."""
        return [table for table in self.slots if table is not None and table.topic == topic]

    def mass(self, topic: int, u: float) -> float:
        """The paper's n_jt summed over the tables of a topic: n_jk."""
        return sum(table.mass(u) for table in self.tables(topic))

    def open_table(self, topic: int) -> Table:
        """Put up a table in the lowest free slot."""
        table = Table(topic)
        free = [slot for slot, other in enumerate(self.slots) if other is None]
        if free:
            self.slots[free[0]] = table
        else:
            self.slots.append(table)
        return table

    def close_gaps(self) -> None:
        """Move the tables together, in order."""
        self.slots = [table for table in self.slots if table is not None]

    def slot_of(self, table: Table | None) -> int:
        return -1 if table is None else next(s for s, other in enumerate(self.slots) if other is table)


class NaiveSampler:
    """The state of all restaurants, and Algorithm 1's loop over it."""

    def __init__(
        self,
        restaurants: list[Restaurant],
        rules: Rules,
        mass_k: list[float],
        stream: Stream,
        n_columns: int,
        may_open_topics: bool,
    ) -> None:
        self.restaurants, self.rules, self.mass_k, self.stream = restaurants, rules, mass_k, stream
        self.n_columns, self.may_open_topics = n_columns, may_open_topics
        self.n_parents = rules.n_related.shape[1]
        self.n_kw: Counter[tuple[int, int]] = Counter()
        self.promoted_kw: Counter[tuple[int, int]] = Counter()
        self.m_k: Counter[int] = Counter()
        self.events: Counter[str] = Counter()
        for restaurant in restaurants:
            self.m_k.update(table.topic for table in restaurant.slots if table is not None)
            for w, table, promoted in zip(
                restaurant.words, restaurant.seats, restaurant.promoted, strict=True
            ):
                if table is not None:
                    self.n_kw[table.topic, w] += 1
                    self.promoted_kw[table.topic, w] += promoted

    def sweep(self, documents: Iterable[int]) -> None:
        """One iteration of Algorithm 1 over some documents."""
        for j in documents:
            restaurant = self.restaurants[j]
            for i, w in enumerate(restaurant.words):
                self.unseat(restaurant, i)
                topic = self.draw_topic(restaurant, w)
                table = self.draw_table(restaurant, topic)
                self.seat(restaurant, i, table, self.draw_promotion(w, topic))
            self.events["gap closed"] += None in restaurant.slots
            restaurant.close_gaps()

    def unseat(self, restaurant: Restaurant, i: int) -> None:
        """UpdateCounter(False) of Appendix C: take back exactly what the token added."""
        table = restaurant.seats[i]
        if table is not None:
            self.update(restaurant, i, table, -1)
            restaurant.seats[i], restaurant.promoted[i] = None, False
            if table.n_guests == 0:
                restaurant.slots[restaurant.slot_of(table)] = None
                self.m_k[table.topic] -= 1
                self.events["table closed"] += 1

    def seat(self, restaurant: Restaurant, i: int, table: Table, promotes: bool) -> None:
        """UpdateCounter(True) of Appendix C."""
        restaurant.seats[i], restaurant.promoted[i] = table, promotes
        self.update(restaurant, i, table, +1)

    def update(self, restaurant: Restaurant, i: int, table: Table, sign: int) -> None:
        """Add (or take back) 1 for the token and, if promoted, u for each related concept word (eq. 16)."""
        w, k = restaurant.words[i], table.topic
        n_links = int(self.rules.n_related[w, k]) if restaurant.promoted[i] else 0
        table.n_guests += sign
        table.n_links += sign * n_links
        self.n_kw[k, w] += sign
        self.promoted_kw[k, w] += sign * restaurant.promoted[i]
        self.mass_k[k] += sign * (1.0 + self.rules.promotion_weight * n_links)

    def new_table_share(self) -> float:
        """The weight of a new table for each table that a topic has: alpha / (m + gamma) of eq. 7 and 8."""
        return self.rules.alpha / (self.m_k.total() + self.rules.gamma)

    def topic_weight(self, restaurant: Restaurant, w: int, k: int) -> f32:
        """Eq. 6 and 8, a topic's tables and a new one together: (n_jk + alpha m_k / (m + gamma)) f_k(w)."""
        share = f32(self.new_table_share())
        seats = f32(restaurant.mass(k, self.rules.promotion_weight)) + share * f32(self.m_k[k])
        smoothed = f32(self.n_kw[k, w]) + f32(self.rules.beta[k])
        return seats * smoothed * f32(1.0 / self.mass_k[k])

    def draw_topic(self, restaurant: Restaurant, w: int) -> int:
        """Draw a topic; a concept word has no choice. A new topic lies before the line of weights."""
        if self.rules.fixed_topic[w] >= 0:
            self.events["concept word"] += 1
            return int(self.rules.fixed_topic[w])
        weights = [self.topic_weight(restaurant, w, k) for k in range(self.n_columns)]
        total = float(lane_ends(weights)[-1])
        new = self.new_table_share() * (self.rules.gamma / self.rules.prior_words)  # eq. 10
        new = new if self.may_open_topics else 0.0
        target = self.stream.uniform() * (total + new) - new
        if target < 0:
            empty = [k for k in range(self.n_parents, self.n_columns) if self.m_k[k] == 0]
            self.events["birth" if empty else "refused birth"] += 1
            if empty:
                return empty[0]
            target = (1.0 + target / new) * total
        return topic_at(weights, f32(target))

    def draw_table(self, restaurant: Restaurant, k: int) -> Table:
        """Draw a table of the topic by its mass, or a new one (eq. 6 and 7 given the topic)."""
        tables = restaurant.tables(k)
        if tables:
            masses = [table.mass(self.rules.promotion_weight) for table in tables]
            target = self.stream.uniform() * (sum(masses) + self.new_table_share() * self.m_k[k])
            if target < sum(masses):
                self.events["table chosen" if len(tables) > 1 else "only table"] += 1
                passed = [
                    table for table, end in zip(tables, accumulate(masses), strict=True) if end > f32(target)
                ]
                return passed[0] if passed else tables[-1]
            self.events["second table"] += 1
        self.m_k[k] += 1
        return restaurant.open_table(k)

    def draw_promotion(self, w: int, k: int) -> bool:
        """Draw S of eq. 18; only a parent topic with a related concept word draws at all."""
        if k >= self.n_parents or self.rules.n_related[w, k] == 0:
            return False
        promotes = self.stream.uniform() < float(self.rules.promotion_probability[w, k])
        self.events["promotion" if promotes else "filtered"] += 1
        return promotes


def lane_ends(weights: list[f32]) -> list[f32]:
    """Where each lane ends on the line of weights; the last one is the total. Lanes are added in pairs."""
    sums = [list(accumulate(weights[lane::LANES]))[-1] for lane in range(LANES)]
    ends: list[f32] = []
    for left in range(0, LANES, 2):
        before = ends[-1] if ends else f32(0)
        ends.append(before + sums[left])
        ends.append(before + (sums[left] + sums[left + 1]))
    return ends


def topic_at(weights: list[f32], target: f32) -> int:
    """The topic at a point of the line; where rounding leads past the last weight, the nearest one before."""
    ends = lane_ends(weights)
    lane = next((lane for lane in range(LANES - 1) if ends[lane] > target), LANES - 1)
    rest = target - (ends[lane - 1] if lane else f32(0))
    in_lane = list(accumulate(weights[lane::LANES]))
    block = next((b for b, end in enumerate(in_lane) if end > rest), len(in_lane) - 1)
    line = [k for start in range(LANES) for k in range(start, len(weights), LANES)]
    here = line.index(lane + LANES * block)
    return next((k for k in reversed(line[: here + 1]) if weights[k] > 0), line[-1])


def open_restaurants(seating: Seating) -> list[Restaurant]:
    """Read the documents out of the arrays."""
    restaurants = []
    for j, n_slots in enumerate(seating.n_slots):
        here = slice(seating.offsets[j], seating.offsets[j + 1])
        columns = (seating.table_topic[here], seating.table_size[here], seating.table_links[here])
        slots = [Table(*(int(column[s]) for column in columns)) for s in range(n_slots)]
        restaurants.append(
            Restaurant(
                words=seating.tokens[here].tolist(),
                seats=[slots[s] if s >= 0 else None for s in seating.table_of[here]],
                promoted=seating.promoted[here].astype(bool).tolist(),
                slots=list(slots),
            )
        )
    return restaurants


def seating_of(restaurants: list[Restaurant], like: Seating) -> Seating:
    """Write the documents into new arrays."""
    new = Seating(*(array.copy() for array in like))
    for j, restaurant in enumerate(restaurants):
        here = slice(like.offsets[j], like.offsets[j + 1])
        spare = [None] * (len(restaurant.words) - len(restaurant.slots))
        slots = restaurant.slots + spare
        new.table_of[here] = [restaurant.slot_of(table) for table in restaurant.seats]
        new.promoted[here] = restaurant.promoted
        new.table_topic[here] = [-1 if table is None else table.topic for table in slots]
        new.table_size[here] = [0 if table is None else table.n_guests for table in slots]
        new.table_links[here] = [0 if table is None else table.n_links for table in slots]
        new.n_slots[j] = len(restaurant.slots)
    return new


def counts_of(sampler: NaiveSampler, like: Counts) -> Counts:
    """Write the dictionaries into new arrays."""
    new = Counts(*(np.zeros_like(array) for array in like))
    for (k, w), n in sampler.n_kw.items():
        new.n_wk[w, k] = n
    for k, m in sampler.m_k.items():
        new.m_k[k] = m
    for (k, w), n in sampler.promoted_kw.items():
        if k < sampler.n_parents:
            new.promoted_wq[w, k] = n
    return new


@dataclass(frozen=True, eq=False)
class NaiveSweep:
    """What a sweep must leave behind, and what happened in it."""

    seating: Seating
    counts: Counts
    mass_k: np.ndarray
    stream_state: int
    events: Counter[str]


def naive_sweep(
    seating: Seating,
    counts: Counts,
    rules: Rules,
    mass_k: np.ndarray,
    stream_state: np.ndarray,
    documents: np.ndarray,
    n_columns: int,
    may_open_topics: bool,
) -> NaiveSweep:
    """Sweep as `qdtm.sampler.kernels.sweep` does, on copies."""
    sampler = NaiveSampler(
        open_restaurants(seating),
        rules,
        mass_k.tolist(),
        Stream(int(stream_state[0])),
        n_columns,
        may_open_topics,
    )
    sampler.sweep(documents.tolist())
    return NaiveSweep(
        seating_of(sampler.restaurants, seating),
        counts_of(sampler, counts),
        np.array(sampler.mass_k),
        sampler.stream.state,
        sampler.events,
    )
