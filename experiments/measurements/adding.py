"""A query added later beside all queries fitted at once: how close, and how much faster.

    python -m experiments adding [--data DIR] [--seed N]

Each case fits some queries of a labelled corpus, adds one more, and fits all of them together with the same
seed and with another. It prints a Markdown table; times are of `add_query` and of the joint `fit`, subtopics
included, one after the other in the same process.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from experiments.datasets.paper_corpora import Dataset, load_dataset
from experiments.metrics.labels import precision_at_k
from qdtm import Query, QueryDrivenTopicModel

CASES = (
    ("searchsnippets", (0, 3)),
    ("searchsnippets", (0, 5)),
    ("searchsnippets", (6, 2, 1)),
    ("searchsnippets", (3, 5, 7, 0)),
    ("tagmynews", (2, 4)),
    ("tagmynews", (4, 0)),
    ("tagmynews", (2, 4, 3)),
)
"""Corpora, and queries by their place; the last is added."""

N_WORDS, N_DOCUMENTS = 20, 100


@dataclass(frozen=True)
class Row:
    """What one case gives."""

    corpus: str
    queries: tuple[str, ...]
    precision: tuple[float, float]  # of the new query: added, joint
    new_words: tuple[int, int]  # shared with the joint fit; of two joint fits with one another
    new_documents: tuple[float, float]
    old_words: float  # of the other queries, kept from before
    old_documents: float
    seconds: tuple[float, float]  # add_query, joint fit


def run_case(dataset: Dataset, places: tuple[int, ...], seed: int) -> Row:
    """Add the last query of a case, and fit all at once."""
    asked = [dataset.concepts[place] for place in places]
    queries = [Query(concept.query, name=concept.phrase, rule=concept.rule) for concept in asked]
    before = QueryDrivenTopicModel(queries[:-1], random_state=seed).fit(dataset.corpus)
    added = QueryDrivenTopicModel.of(before.result_)
    began = time.perf_counter()
    added.add_query(queries[-1])
    adding = time.perf_counter() - began
    began = time.perf_counter()
    joint = QueryDrivenTopicModel(queries, random_state=seed).fit(dataset.corpus)
    fitting = time.perf_counter() - began
    other = QueryDrivenTopicModel(queries, random_state=seed + 1).fit(dataset.corpus)
    new, relevant = len(queries) - 1, dataset.labels == places[-1]
    old = range(new)
    return Row(
        dataset.name,
        tuple(query.name for query in queries),
        (_precision(added, new, relevant), _precision(joint, new, relevant)),
        (_words(added, joint, new), _words(joint, other, new)),
        (_documents(added, joint, new), _documents(joint, other, new)),
        float(np.mean([_words(before, added, q) for q in old])),
        float(np.mean([_documents(before, added, q) for q in old])),
        (adding, fitting),
    )


def _precision(model: QueryDrivenTopicModel, q: int, relevant: NDArray[np.bool_]) -> float:
    return precision_at_k(model.doc_topic_[:, q], relevant)


def _words(one: QueryDrivenTopicModel, other: QueryDrivenTopicModel, q: int) -> int:
    """How many of the top words two models share."""
    found = [{word for word, _ in model.topics_[q].top_words(N_WORDS)} for model in (one, other)]
    return len(found[0] & found[1])


def _documents(one: QueryDrivenTopicModel, other: QueryDrivenTopicModel, q: int) -> float:
    """The share of the top documents that two models agree on."""
    found = [set(np.argsort(-m.doc_topic_[:, q], kind="stable")[:N_DOCUMENTS].tolist()) for m in (one, other)]
    return len(found[0] & found[1]) / N_DOCUMENTS


def markdown(row: Row) -> str:
    """Return a row of the table."""
    *known, new = row.queries
    cells = (
        row.corpus,
        ", ".join(known),
        new,
        f"{row.precision[0]:.3f} / {row.precision[1]:.3f}",
        f"{row.new_words[0]} ({row.new_words[1]})",
        f"{row.new_documents[0]:.0%} ({row.new_documents[1]:.0%})",
        f"{row.old_words:.1f}",
        f"{row.old_documents:.0%}",
        f"{row.seconds[1] / row.seconds[0]:.1f}",
    )
    return "| " + " | ".join(cells) + " |"


def measure_adding(arguments: Sequence[str]) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m experiments adding", description=__doc__.splitlines()[0])
    parser.add_argument("--data", help="the folder of the corpora")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    heads = ("corpus", "fitted", "added", "P@K added / joint", "words", "documents", "old words",
             "old documents", "times faster")  # fmt: skip
    print("| " + " | ".join(heads) + " |")
    print("|" + "---|" * len(heads))
    for name, places in CASES:
        print(markdown(run_case(load_dataset(name, options.data), places, options.seed)), flush=True)
