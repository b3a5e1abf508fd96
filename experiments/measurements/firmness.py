"""Subtopics looked for with other seeds: how far "found in 7 of 8 runs" can be trusted.

    python -m experiments firmness [--words N] [--seeds N]

The demo corpus is asked for each of its most frequent words, and each subtopic is looked for in fits with
other seeds. It prints a Markdown table; topics with one subtopic, which is the topic, are left out.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from qdtm import QueryDrivenTopicModel
from qdtm.corpus import Corpus, load_demo_corpus
from qdtm.errors import QueryError


def frequent_words(corpus: Corpus, n: int) -> list[str]:
    """Return the words that most documents have."""
    document = np.repeat(np.arange(len(corpus.offsets) - 1), np.diff(corpus.offsets))
    pairs = np.unique(np.stack([document, corpus.tokens]), axis=1)
    frequency = np.bincount(pairs[1], minlength=len(corpus.vocabulary))
    return [corpus.vocabulary[w] for w in np.argsort(-frequency, kind="stable")[:n]]


def measure_firmness(arguments: Sequence[str]) -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(prog="python -m experiments firmness", description=__doc__)
    parser.add_argument("--words", type=int, default=40)
    parser.add_argument("--seeds", type=int, default=3)
    asked = parser.parse_args(arguments)
    corpus = load_demo_corpus()
    fates: dict[int, list[str]] = defaultdict(list)
    n_topics = 0
    for word in frequent_words(corpus, asked.words):
        try:
            model = QueryDrivenTopicModel(word).fit(corpus)
        except QueryError:
            continue
        assert model.stability_ is not None
        subtopics = model.stability_.queries[0].subtopics
        if len(subtopics) < 2:
            continue
        n_topics += 1
        found = {each.id: each.n_found for each in subtopics}
        for row in model.compare(seeds=asked.seeds).to_frame().itertuples():
            fates[found[row.subtopic]].append(row.fate)
    print(f"{n_topics} topics with several subtopics\n")
    print("| found in | looked for | stays | stays, splits or merges |\n|---|---:|---:|---:|")
    for n, each in sorted(fates.items(), reverse=True):
        stays, vanishes = each.count("stays"), each.count("vanishes")
        print(f"| {n} | {len(each)} | {stays / len(each):.0%} | {1 - vanishes / len(each):.0%} |")
