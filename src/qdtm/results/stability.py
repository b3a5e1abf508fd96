"""How firm a finding is: independent chains of one fit in, `Stability` out.

Each subtopic of the first chain, which is the one shown, is looked for in every other chain. What is found
again does not hang on chance; what is not may be one of many ways to cut the topic.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from qdtm.results.distributions import FloatArray
from qdtm.results.topic_distances import FOUND, Parts, match
from qdtm.sampler.consensus import SAME_DOCUMENTS

if TYPE_CHECKING:
    from qdtm.sampler.consensus import Overlap
    from qdtm.sampler.parents import ParentFit
    from qdtm.sampler.subtopics import SubtopicFit
    from qdtm.sampler.two_phases import ChainSummary

Firmness = Literal["firm", "fair", "weak"]

N_WORDS = 10
"""Words of a subtopic that are followed through the chains."""

FEWEST_DRAWS = 6
"""R-hat needs as many draws of each chain."""

AGREE = 1.1
"""R-hat up to which runs are said to agree."""


@dataclass(frozen=True)
class SubtopicStability:
    """In how many runs a subtopic is found.

    Attributes
    ----------
    id : str
        Of the subtopic, such as "0.2".
    score : float
        The mean of `likeness`, 0 to 1.
    likeness : tuple of float
        How alike it is to its counterpart in each other run: 0 as any part of the topic would be, 1 the same.
    always : tuple of str
        Words among its ten most probable in every run in which it is found; empty if it is found in no other.
    sometimes : tuple of str
        Words that are so in some of these runs only, the most frequent first.
    found_from : float
        The likeness from which it counts as found: of words between whole runs, of documents between the
        chains of one split.
    n_parts : int
        Subtopics that were merged into it by hand, itself among them. It counts as found where all of them
        are; nobody looked for them together.
    """

    id: str
    score: float
    likeness: tuple[float, ...]
    always: tuple[str, ...]
    sometimes: tuple[str, ...]
    found_from: float = FOUND
    n_parts: int = 1

    @property
    def n_found(self) -> int:
        """In how many runs it is found."""
        return sum(each >= self.found_from for each in self.likeness)

    @property
    def firmness(self) -> Firmness:
        """How firm it is: found in every other run, in at least half of them, or in fewer."""
        if self.n_found == len(self.likeness):
            return "firm"
        return "fair" if 2 * self.n_found >= len(self.likeness) else "weak"

    @property
    def sentence(self) -> str:
        """What that means, in words."""
        n = len(self.likeness)
        found = f"found in {self.n_found} of {n} {'run' if n == 1 else 'runs'}"
        if self.n_parts == 1:
            return found
        parts = "both parts" if self.n_parts == 2 else f"all {self.n_parts} parts"
        return f"merged by hand; {parts} {found}"


@dataclass(frozen=True)
class QueryStability:
    """How much the runs agree on one query.

    Attributes
    ----------
    name : str
    subtopics : tuple of SubtopicStability
        In the order of the topic's subtopics; none if there is no other run to look into.
    n_subtopics : tuple of int
        How many subtopics each run found.
    prevalence : tuple of float
        The parent topic's share of the corpus in each run.
    rhat : float or None
        Split R-hat of that share; None with too few draws.
    """

    name: str
    subtopics: tuple[SubtopicStability, ...]
    n_subtopics: tuple[int, ...]
    prevalence: tuple[float, ...]
    rhat: float | None

    @property
    def range_of_share(self) -> tuple[float, float]:
        """The smallest and the largest share of the corpus that a run gave the parent topic."""
        return min(self.prevalence), max(self.prevalence)

    @property
    def interval(self) -> tuple[int, int]:
        """The fewest and the most subtopics that a run found."""
        return min(self.n_subtopics), max(self.n_subtopics)


@dataclass(frozen=True)
class Stability:
    """How much independent runs of one fit agree.

    Attributes
    ----------
    n_asked : int
        Runs that were asked for.
    seeds : tuple of int
        Of the runs that are complete; the first is the one shown.
    queries : tuple of QueryStability
    log_likelihood : tuple of float
        Of a token, in each run.
    rhat : float or None
        Split R-hat of the log likelihood; None with too few draws.
    """

    n_asked: int
    seeds: tuple[int, ...]
    queries: tuple[QueryStability, ...]
    log_likelihood: tuple[float, ...]
    rhat: float | None

    @property
    def n_chains(self) -> int:
        """The runs that are complete."""
        return len(self.seeds)

    @property
    def interrupted(self) -> bool:
        """Whether fewer runs are complete than were asked for."""
        return self.n_chains < self.n_asked

    def of(self, id: str) -> SubtopicStability | None:
        """Return the stability of the subtopic with an id; None if it is not known."""
        known = {each.id: each for query in self.queries for each in query.subtopics}
        return known.get(id)

    def to_frame(self) -> Any:
        """Return a pandas DataFrame with a row for each subtopic."""
        from qdtm.results.table_formats import data_frame

        rows = [(query.name, each) for query in self.queries for each in query.subtopics]
        return data_frame(
            {
                "query": [name for name, _ in rows],
                "subtopic": [each.id for _, each in rows],
                "score": [each.score for _, each in rows],
                "n_found": [each.n_found for _, each in rows],
                "n_others": [len(each.likeness) for _, each in rows],
                "firmness": [each.firmness for _, each in rows],
                "always": [", ".join(each.always) for _, each in rows],
                "sometimes": [", ".join(each.sometimes) for _, each in rows],
            }
        )

    def to_json(self) -> dict[str, Any]:
        """Return it in a form that JSON can hold."""
        return asdict(self)

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Stability:
        """Return what `to_json` described; anything else raises."""
        return cls(
            int(values["n_asked"]),
            tuple(int(seed) for seed in values["seeds"]),
            tuple(_query_from_json(query) for query in values["queries"]),
            _numbers(values["log_likelihood"]),
            _rhat_from_json(values["rhat"]),
        )


def says_rhat(rhat: float | None) -> str:
    """Say what an R-hat means."""
    if rhat is None:
        return "too few draws to tell whether the runs agree"
    agree = "the runs agree" if rhat <= AGREE else "the runs stay apart: each has a level of its own"
    return f"R-hat {rhat:.2f}: {agree}"


def measure_stability(
    chains: Sequence[ChainSummary], names: Sequence[str], vocabulary: Sequence[str], n_asked: int
) -> Stability | None:
    """Compare the first chain with the others; None if none were asked for, or it was stopped itself.

    Parameters
    ----------
    chains : sequence of ChainSummary
        The first is the one shown.
    names : sequence of str
        Of the queries.
    vocabulary : sequence of str
    n_asked : int
        Chains that were asked for.
    """
    if n_asked < 2 or not chains:
        return None
    return Stability(
        n_asked,
        tuple(chain.seed for chain in chains),
        tuple(_query(chains, q, name, vocabulary) for q, name in enumerate(names)),
        tuple(float(chain.log_likelihood.mean()) for chain in chains),
        split_rhat([chain.log_likelihood for chain in chains]),
    )


def chain_agreement(
    found: SubtopicFit, q: int, name: str, vocabulary: Sequence[str], prevalence: float
) -> QueryStability:
    """Say in how many of the chains that split the topic of query `q` each of its subtopics is found."""
    n_subtopics = tuple(int(chain.any(axis=0).sum()) for chain in found.chains) or (found.counts.shape[1],)
    known = (
        []
        if found.overlap is None
        else [
            _in_chains(f"{q}.{s + 1}", s, found, found.overlap, vocabulary)
            for s in range(found.counts.shape[1])
        ]
    )
    return QueryStability(name, tuple(known), n_subtopics, (prevalence,), None)


def _in_chains(
    id: str, s: int, found: SubtopicFit, overlap: Overlap, vocabulary: Sequence[str]
) -> SubtopicStability:
    """Look for the documents of a subtopic in each chain, and for its words where they are together."""
    own = _top(found.counts[:, s], vocabulary)
    runs = [set(own)]
    for chain, share, group in zip(found.chains, overlap.share[s], overlap.group[s], strict=True):
        if share >= SAME_DOCUMENTS:
            runs.append(set(_top(chain[:, group], vocabulary)))
    return replace(_subtopic(id, overlap.share[s], runs, own), found_from=SAME_DOCUMENTS)


def of_one_run(queries: Sequence[QueryStability], parents: ParentFit, seed: int) -> Stability | None:
    """What the chains of each split agree on, of one run; None if there were none."""
    if not any(query.subtopics for query in queries):
        return None
    return Stability(1, (seed,), tuple(queries), (float(parents.trace.log_likelihood[-1]),), None)


def split_rhat(chains: Sequence[NDArray[np.float64]]) -> float | None:
    """Return R-hat of chains cut in half: how much wider all draws spread than those of one half.

    1 where the chains have forgotten where they began. Of longer chains the last draws are taken. None with
    fewer than `FEWEST_DRAWS`, or where chains stand still at different values.
    """
    n = min(len(draws) for draws in chains) // 2
    if 2 * n < FEWEST_DRAWS:
        return None
    halves = np.array([half for draws in chains for half in (draws[-2 * n : -n], draws[-n:])])  # (2C, n)
    within, between = halves.var(axis=1, ddof=1).mean(), halves.mean(axis=1).var(ddof=1)
    if within == 0:
        return 1.0 if between == 0 else None
    return max(1.0, float(np.sqrt((n - 1) / n + between / within)))


def _query(chains: Sequence[ChainSummary], q: int, name: str, vocabulary: Sequence[str]) -> QueryStability:
    counts = [chain.subtopic_counts[q] for chain in chains if chain.subtopic_counts]  # (V, S) each
    prevalence = [chain.prevalence[:, q] for chain in chains]
    return QueryStability(
        name,
        _subtopics(counts, q, vocabulary) if len(counts) > 1 else (),
        tuple(each.shape[1] for each in counts) or (0,) * len(chains),
        tuple(float(draws.mean()) for draws in prevalence),
        split_rhat(prevalence),
    )


def _subtopics(
    counts: Sequence[NDArray[np.float32]], q: int, vocabulary: Sequence[str]
) -> tuple[SubtopicStability, ...]:
    """Look for each subtopic of the first chain in the others."""
    first, others = counts[0], counts[1:]
    ids = [f"{q}.{s + 1}" for s in range(first.shape[1])]
    alike = np.zeros((len(ids), len(others)))
    runs: list[list[set[str]]] = [[set(_top(first[:, s], vocabulary))] for s in range(len(ids))]
    for c, other in enumerate(others):
        for pair in match(Parts(first).likeness(Parts(other))):
            alike[pair.left, c] = pair.likeness
            if pair.likeness >= FOUND:
                runs[pair.left].append(set(_top(other[:, pair.right], vocabulary)))
    return tuple(_subtopic(id, alike[s], runs[s], _top(first[:, s], vocabulary)) for s, id in enumerate(ids))


def _subtopic(id: str, alike: FloatArray, runs: Sequence[set[str]], own: Sequence[str]) -> SubtopicStability:
    """Tell the words that all runs agree on from the rest: its own in their order, then those of others."""
    times = Counter(word for run in runs for word in sorted(run))
    always = [word for word in own if times[word] == len(runs)] if len(runs) > 1 else []
    rest = [word for word in (*own, *sorted(times.keys() - set(own))) if word not in always]
    rest.sort(key=lambda word: -times[word])
    score = float(alike.mean())
    return SubtopicStability(id, score, tuple(alike.tolist()), tuple(always), tuple(rest))


def _top(counts: NDArray[np.floating[Any]], vocabulary: Sequence[str]) -> list[str]:
    """Return the words with most tokens, best first."""
    best = np.argsort(-counts, kind="stable")[:N_WORDS]
    return [vocabulary[w] for w in best if counts[w] > 0]


def _query_from_json(values: Mapping[str, Any]) -> QueryStability:
    return QueryStability(
        str(values["name"]),
        tuple(_subtopic_from_json(each) for each in values["subtopics"]),
        tuple(int(n) for n in values["n_subtopics"]),
        _numbers(values["prevalence"]),
        _rhat_from_json(values["rhat"]),
    )


def _subtopic_from_json(values: Mapping[str, Any]) -> SubtopicStability:
    always, sometimes = (tuple(str(word) for word in values[name]) for name in ("always", "sometimes"))
    likeness, found_from = _numbers(values["likeness"]), float(values["found_from"])
    return SubtopicStability(
        str(values["id"]), float(values["score"]), likeness, always, sometimes, found_from
    )


def _numbers(values: Sequence[Any]) -> tuple[float, ...]:
    return tuple(float(value) for value in values)


def _rhat_from_json(value: Any) -> float | None:
    return None if value is None else float(value)
