"""How fast a sweep is: ours and tomotopy's HDPModel, side by side on the authors' 20 Newsgroups bags.

In: the experiments' data (QDTM_DATA or --data). Out: nanoseconds per token and sweep, as a table or JSON.

All have the paper's priors, one thread, and about as many topics as there are queries. Timings are
interleaved, so that what else the machine does slows all of them; ratios are of the best times.

    python benchmarks/sampler.py --data DATA [--json]
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from qdtm.embeddings import embed_vocabulary, promotion_graph, similarity_threshold
from qdtm.embeddings.loading import bundled_vectors
from qdtm.errors import MissingExtraError, QdtmError
from qdtm.evaluation.datasets.authors import AuthorsBags, load_authors_bags
from qdtm.sampler.chain import Chain
from qdtm.sampler.parents import word_filter
from qdtm.sampler.problem import ParentProblem, Priors
from qdtm.sampler.seating import seat_by_topic
from qdtm.sampler.starts import start_as_paper
from qdtm.sampler.subtopics import subtopic_rules

DATASET = "20news"
PRIORS = Priors(alpha=1.0, beta=0.5, gamma=1.5)
PROMOTION_WEIGHT = 0.3

PROMOTION_OFF = "qdtm, promotion off"
PROMOTION_ON = "qdtm, promotion and filtering"
PLAIN_HDP = "qdtm, plain HDP"
TOMOTOPY = "tomotopy HDPModel"


@dataclass(frozen=True)
class Contestant:
    """A sampler that has been started.

    Parameters
    ----------
    name : str
    sweep : callable
        Takes a number of sweeps and runs them.
    n_topics : callable
        Topics in use now.
    """

    name: str
    sweep: Callable[[int], None]
    n_topics: Callable[[], int]


@dataclass(frozen=True)
class Timing:
    """What was measured of one contestant: nanoseconds per token and sweep."""

    name: str
    best_ns: float
    median_ns: float
    n_topics: int
    times_as_fast_as_tomotopy: float


def ours(name: str, bags: AuthorsBags, *, promotes: bool) -> Contestant:
    """Phase 1 with all queries, from the paper's start."""
    words = list(bags.concept_words)
    n_words = len(bags.vocabulary)
    vectors = embed_vocabulary(bundled_vectors(), bags.vocabulary) if promotes else None
    threshold = 1.0 if vectors is None else similarity_threshold(vectors)
    problem = ParentProblem(
        tokens=bags.tokens,
        offsets=bags.offsets,
        n_words=n_words,
        concept_words=words,
        graph=promotion_graph(vectors, words, threshold, n_words=n_words),
        unit=None if vectors is None else vectors.unit,
        promotion_weight=PROMOTION_WEIGHT if promotes else 0.0,
        priors=PRIORS,
    )
    return _of_chain(name, start_as_paper(problem, seed=0), word_filter(problem))


def our_plain_hdp(name: str, bags: AuthorsBags, n_topics: int) -> Contestant:
    """The same kernel on tomotopy's model: no parents, no fixed words, random topics to start with."""
    topics = np.random.default_rng(0).integers(0, n_topics, len(bags.tokens)).astype(np.int32)
    rules = subtopic_rules(bags.tokens, len(bags.vocabulary), PRIORS)
    seating = seat_by_topic(bags.tokens, bags.offsets, topics)
    return _of_chain(name, Chain(seating, rules, 0, (1,)), None)


def _of_chain(name: str, chain: Chain, refresh: Callable[[Chain], None] | None) -> Contestant:
    def sweep(n_sweeps: int) -> None:
        for _ in range(n_sweeps):
            if refresh is not None:
                refresh(chain)
            chain.step()

    return Contestant(name, sweep, lambda: int(chain.in_use.sum()))


def theirs(name: str, bags: AuthorsBags, n_topics: int) -> Contestant:
    """The HDPModel of tomotopy on one worker, its priors kept where they are."""
    try:
        import tomotopy
    except ImportError:
        raise MissingExtraError("tomotopy is not installed: pip install 'qdtm[bench]'.") from None
    priors: dict[str, Any] = {"alpha": PRIORS.alpha, "eta": PRIORS.beta, "gamma": PRIORS.gamma}
    model = tomotopy.HDPModel(initial_k=n_topics, seed=0, **priors)
    model.optim_interval = 0
    for tokens in np.split(bags.tokens, bags.offsets[1:-1]):
        if len(tokens):  # it takes no empty document
            model.add_doc([bags.vocabulary[w] for w in tokens])
    return Contestant(name, lambda n: model.train(n, workers=1), lambda: int(model.live_k))


def race(
    contestants: Sequence[Contestant], n_tokens: int, *, warm_up: int, sweeps: int, repeats: int
) -> list[Timing]:
    """Time the contestants in turn, after some sweeps that compile kernels and leave the start behind."""
    for contestant in contestants:
        contestant.sweep(warm_up)
    times: dict[str, list[float]] = {contestant.name: [] for contestant in contestants}
    for _ in range(repeats):
        for contestant in contestants:
            start = time.perf_counter_ns()
            contestant.sweep(sweeps)
            times[contestant.name].append((time.perf_counter_ns() - start) / (sweeps * n_tokens))
    best = {name: min(of_contestant) for name, of_contestant in times.items()}
    return [
        Timing(
            c.name,
            best[c.name],
            statistics.median(times[c.name]),
            c.n_topics(),
            best[TOMOTOPY] / best[c.name],
        )
        for c in contestants
    ]


def table(timings: Sequence[Timing], bags: AuthorsBags) -> str:
    """The timings for people."""
    lines = [
        f"{DATASET}: {bags.n_docs:,} documents, {len(bags.tokens):,} tokens, {len(bags.vocabulary):,} words",
        f"{'ns per token and sweep':<32}{'best':>8}{'median':>8}{'topics':>8}{'times as fast':>15}",
    ]
    lines += [
        f"{t.name:<32}{t.best_ns:>8.1f}{t.median_ns:>8.1f}{t.n_topics:>8}{t.times_as_fast_as_tomotopy:>15.2f}"
        for t in timings
    ]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", help="the experiments' data; by default the folder that QDTM_DATA names")
    parser.add_argument("--repeats", type=int, default=9, help="how often each is timed (9)")
    parser.add_argument("--sweeps", type=int, default=3, help="sweeps in a timing (3)")
    parser.add_argument("--warm-up", type=int, default=20, help="sweeps before the first timing (20)")
    parser.add_argument("--json", action="store_true", help="print JSON and nothing else")
    options = parser.parse_args()
    try:
        bags = load_authors_bags(DATASET, options.data)
        n_topics = len(bags.concepts) + 1
        contestants = [
            ours(PROMOTION_OFF, bags, promotes=False),
            ours(PROMOTION_ON, bags, promotes=True),
            our_plain_hdp(PLAIN_HDP, bags, n_topics),
            theirs(TOMOTOPY, bags, n_topics),
        ]
    except QdtmError as error:
        print(f"sampler.py: {error}", file=sys.stderr)
        sys.exit(2)
    limits = {"warm_up": options.warm_up, "sweeps": options.sweeps, "repeats": options.repeats}
    timings = race(contestants, len(bags.tokens), **limits)
    if options.json:
        measured = {"timings": [asdict(timing) for timing in timings]}
        print(json.dumps({"dataset": DATASET, "n_tokens": len(bags.tokens)} | limits | measured))
    else:
        print(table(timings, bags))


if __name__ == "__main__":
    main()
