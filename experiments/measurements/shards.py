"""What shards cost in quality: the exact sampler beside the shards that a corpus gets, and more.

In: the authors' bags of the three corpora (QDTM_DATA or --data). Out: a Markdown table of accuracy and
precision@K, averaged over seeds.

    python -m experiments shards [--data DATA] [--seeds 3] [--dataset 20news ...]
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from experiments.datasets.authors import AuthorsBags, load_authors_bags
from experiments.measurements.speed import speed_problem
from experiments.metrics.labels import classification_accuracy, mean_precision_at_k
from qdtm.results.distributions import average_over_tokens, topic_shares, word_topic_probabilities
from qdtm.sampler.convergence import Schedule
from qdtm.sampler.engines import Threads, n_shards_for
from qdtm.sampler.initialise import start_as_paper
from qdtm.sampler.parents import fit_parents

DATASETS = ("20news", "tagmynews", "searchsnippets")
SCHEDULE = Schedule(100, 300)


@dataclass(frozen=True)
class Quality:
    """What one fit is worth."""

    accuracy: float
    precision: float
    n_topics: int


def quality(bags: AuthorsBags, n_shards: int, seed: int) -> Quality:
    """Fit phase 1 with the paper's start, promotion and filtering, and measure it."""
    problem = speed_problem(bags, promotion=True)
    engine = Threads(2)
    chain = start_as_paper(problem, seed, engine)
    chain.shards = engine.place(chain.assignment, n_shards, problem.n_words, evidence_jq=problem.evidence)
    fit = fit_parents(problem, chain, SCHEDULE)
    document = np.repeat(np.arange(bags.n_docs), np.diff(bags.offsets))
    cells = (np.ones(len(document)), (document, bags.tokens))
    counts = sparse.csr_matrix(cells, shape=(bags.n_docs, len(bags.vocabulary)))
    word_topic = np.asarray(fit.word_topic, np.float32)  # (V, K)
    probabilities, shares = word_topic_probabilities(word_topic), topic_shares(word_topic)
    theta = average_over_tokens(counts, probabilities, shares)  # (D, K)
    accuracy = classification_accuracy(theta, bags.labels)
    return Quality(accuracy, mean_precision_at_k(theta, bags.labels), fit.word_topic.shape[1])


def row(bags: AuthorsBags, n_shards: int, seeds: int) -> str:
    """One line of the table."""
    found = [quality(bags, n_shards, seed) for seed in range(seeds)]
    accuracy, precision = [q.accuracy for q in found], [q.precision for q in found]
    topics = ", ".join(str(q.n_topics) for q in found)
    return (
        f"| {bags.name} | {n_shards} | {np.mean(accuracy):.4f} ± {np.std(accuracy):.4f} "
        f"| {np.mean(precision):.4f} ± {np.std(precision):.4f} | {topics} |"
    )


def measure_shards(arguments: Sequence[str]) -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(
        prog="python -m experiments shards", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("--data", help="the experiments' data; by default the folder that QDTM_DATA names")
    parser.add_argument("--seeds", type=int, default=3, help="fits of each (3)")
    parser.add_argument(
        "--dataset", action="append", choices=DATASETS, help="a corpus; may be repeated (all)"
    )
    options = parser.parse_args(arguments)
    print("| corpus | shards | accuracy | P@K | topics |\n|---|---:|---:|---:|---|")
    for name in options.dataset or DATASETS:
        bags = load_authors_bags(name, options.data)
        usual = n_shards_for(len(bags.tokens), len(bags.vocabulary))
        for n_shards in sorted({1, usual, 2 * usual}):
            print(row(bags, n_shards, options.seeds), flush=True)
