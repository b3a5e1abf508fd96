"""The plain twin of `qdtm.sampler.kernels.sweep`: documents and counters, told as in the paper.

In: the arrays that a sweep is given. Out: new arrays, as the sweep must leave them, bit for bit.

Counts are whole numbers in dictionaries and masses are summed afresh whenever one is asked for. To draw the
same it keeps the kernel's promises about numbers: the random stream is SplitMix64; weights of topics are
float32; the line of weights is read in eight lanes (topics 0, 8, 16, ... then 1, 9, 17, ...), each summed
from left to right and the lanes in pairs; everything else is float64.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import accumulate, pairwise

import numpy as np

from qdtm.sampler.kernels import TALLIED, Assignment, Counts, Rules, Tally

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
class Document:
    """Its words, the topic of each token (None: not drawn yet), and how many concept words each promotes."""

    words: list[int]
    topics: list[int | None]
    links: list[int]

    def mass(self, topic: int, u: float) -> float:
        """The paper's n_jt summed over the tables of a topic, promoted mass included: n_jk."""
        return sum(1 + u * n for k, n in zip(self.topics, self.links, strict=True) if k == topic)


class NaiveSampler:
    """The state of all documents, and Algorithm 1's loop over it."""

    def __init__(
        self,
        documents: list[Document],
        rules: Rules,
        mass_k: list[float],
        prior_k: np.ndarray,
        stream: Stream,
        n_columns: int,
    ) -> None:
        self.documents, self.rules, self.mass_k, self.stream = documents, rules, mass_k, stream
        self.prior_k, self.n_columns = prior_k, n_columns
        self.prior_jk: list[f32] = list(prior_k)  # of the document that is swept
        self.n_parents = rules.n_related.shape[1]
        self.n_kw: Counter[tuple[int, int]] = Counter()
        self.promoted_kw: Counter[tuple[int, int]] = Counter()
        self.documents_kn: Counter[tuple[int, int]] = Counter()
        self.further_tables: Counter[int] = Counter()
        self.events: Counter[str] = Counter()
        for document in documents:
            for w, k, links in zip(document.words, document.topics, document.links, strict=True):
                if k is not None:
                    self.n_kw[k, w] += 1
                    self.promoted_kw[k, w] += links > 0

    def sweep(self, evidence_jq: np.ndarray) -> None:
        """One iteration of Algorithm 1."""
        for document, evidence in zip(self.documents, evidence_jq, strict=True):
            self.prior_jk = list(self.prior_k)
            for q in range(self.n_parents):
                self.prior_jk[q] = f32(self.prior_k[q]) * f32(evidence[q])
            for i in range(len(document.words)):
                self.redraw(document, i)
            self.tally(document)

    def redraw(self, document: Document, i: int) -> None:
        """Take a token out, draw its topic and whether it promotes, and put it back."""
        w, before = document.words[i], document.topics[i]
        fixed = int(self.rules.fixed_topic[w])
        if fixed >= 0 and not self.rules.n_related[w].any():
            self.events["concept word"] += 1
            return
        self.remove(document, i)
        k = fixed if fixed >= 0 else self.draw_topic(document, w)
        if k is None:
            k = before
        self.events["return" if k == before else "move"] += before is not None
        self.events["first topic"] += before is None
        self.add(document, i, k, self.draw_promotion(w, k))

    def remove(self, document: Document, i: int) -> None:
        """UpdateCounter(False) of Appendix C: take back exactly what the token added."""
        if document.topics[i] is not None:
            self.update(document, i, -1)
            document.topics[i], document.links[i] = None, 0

    def add(self, document: Document, i: int, k: int, links: int) -> None:
        """UpdateCounter(True) of Appendix C."""
        document.topics[i], document.links[i] = k, links
        self.update(document, i, +1)

    def update(self, document: Document, i: int, sign: int) -> None:
        """Add (or take back) 1 for the token and, if promoted, u for each related concept word (eq. 16)."""
        w, k, links = document.words[i], document.topics[i], document.links[i]
        assert k is not None
        self.n_kw[k, w] += sign
        self.promoted_kw[k, w] += sign * (links > 0)
        self.mass_k[k] += sign * (1.0 + self.rules.promotion_weight * links)

    def topic_weight(self, document: Document, w: int, k: int) -> f32:
        """(n_jk + alpha G_0k e_jk) f_k(w), where e_jk is what evidence makes of a parent's prior."""
        seats = f32(document.mass(k, self.rules.promotion_weight)) + self.prior_jk[k]
        smoothed = f32(self.n_kw[k, w]) + f32(self.rules.beta[k])
        return seats * f32(1.0 / self.mass_k[k]) * smoothed

    def draw_topic(self, document: Document, w: int) -> int | None:
        """Draw a topic on the line of weights; None if all are closed."""
        weights = [self.topic_weight(document, w, k) for k in range(self.n_columns)]
        k = topic_at(weights, f32(self.stream.uniform() * float(lane_ends(weights)[-1])))
        if not any(weights):
            self.events["nowhere to go"] += 1
            return None
        self.events["birth"] += not any(n for (other, _), n in self.n_kw.items() if other == k)
        return k

    def draw_promotion(self, w: int, k: int) -> int:
        """Draw S of eq. 18; only a parent topic with a related concept word draws at all."""
        if k >= self.n_parents or self.rules.n_related[w, k] == 0:
            return 0
        promotes = self.stream.uniform() < float(self.rules.promotion_probability[w, k])
        self.events["promotion" if promotes else "filtered"] += 1
        return int(self.rules.n_related[w, k]) if promotes else 0

    def tally(self, document: Document) -> None:
        """Count the document in; a token beyond `TALLIED` others opens a table with probability a/(a + i)."""
        n_k = Counter(k for k in document.topics if k is not None)
        for k in sorted(n_k):
            self.documents_kn[k, min(n_k[k], TALLIED)] += 1
            for i in range(TALLIED, n_k[k]):
                prior = float(self.prior_k[k])
                self.further_tables[k] += self.stream.uniform() * (prior + i) < prior


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


def open_documents(assignment: Assignment) -> list[Document]:
    """Read the documents out of the arrays."""
    documents = []
    for start, stop in pairwise(assignment.offsets):
        topics = [k if k >= 0 else None for k in assignment.topics[start:stop].tolist()]
        words, links = (a[start:stop].tolist() for a in (assignment.tokens, assignment.links))
        documents.append(Document(words, topics, links))
    return documents


def assignment_of(documents: list[Document], like: Assignment) -> Assignment:
    """Write the documents into new arrays."""
    topics = [-1 if k is None else k for document in documents for k in document.topics]
    links = [n for document in documents for n in document.links]
    return like._replace(topics=np.array(topics, np.int32), links=np.array(links, np.uint16))


def counts_of(sampler: NaiveSampler, like: Counts) -> Counts:
    """Write the dictionaries into new arrays."""
    new = Counts(*(np.zeros_like(array) for array in like))
    for (k, w), n in sampler.n_kw.items():
        new.n_wk[w, k] = n
    for (k, w), n in sampler.promoted_kw.items():
        if k < sampler.n_parents:
            new.promoted_wq[w, k] = n
    return new


def tally_of(sampler: NaiveSampler, like: Tally) -> Tally:
    """Write the tally into new arrays."""
    new = Tally(*(np.zeros_like(array) for array in like))
    for (k, n), documents in sampler.documents_kn.items():
        new.documents_kn[k, n] = documents
    for k, tables in sampler.further_tables.items():
        new.further_tables[k] = tables
    return new


@dataclass(frozen=True, eq=False)
class NaiveSweep:
    """What a sweep must leave behind, and what happened in it."""

    assignment: Assignment
    counts: Counts
    tally: Tally
    stream_state: int
    events: Counter[str]


def naive_sweep(
    assignment: Assignment,
    evidence_jq: np.ndarray,
    counts: Counts,
    tally: Tally,
    mass_k: np.ndarray,
    prior_k: np.ndarray,
    rules: Rules,
    word_kind: np.ndarray,
    stream_state: np.ndarray,
    n_columns: int,
) -> NaiveSweep:
    """Sweep as `qdtm.sampler.kernels.sweep` does, on copies. It sorts the words for itself."""
    del word_kind
    documents, stream = open_documents(assignment), Stream(int(stream_state[0]))
    sampler = NaiveSampler(documents, rules, mass_k.tolist(), prior_k, stream, n_columns)
    sampler.sweep(evidence_jq)
    return NaiveSweep(
        assignment_of(documents, assignment),
        counts_of(sampler, counts),
        tally_of(sampler, tally),
        stream.state,
        sampler.events,
    )
