"""Rare concepts that were planted: whether they are found, and whether the interval of their number holds.

    python -m experiments planted [--corpora N] [--documents N] [--out FILE.json]

In: corpora of a known model. Forty topics, of which a document has two, among general words; and concepts in
0.1 to 2 % of the documents, whose name only a part of these has, and documents that are about something else
have in passing. The share of documents that name a concept, how much of a document it takes and how much of
its words another topic has too are drawn anew for each (as in simulation-based calibration: Talts et al.
2018). Every concept is asked for alone, by its name.
Out: a Markdown table by prevalence, and JSON.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from qdtm import Corpus, QueryDrivenTopicModel
from qdtm.errors import QueryError

PREVALENCES = (0.001, 0.002, 0.005, 0.01, 0.02)
N_TOPICS, WORDS_EACH, N_GENERAL, N_OWN = 40, 60, 400, 30
LENGTH, GENERAL_SHARE = 60, 0.4

Rng = np.random.Generator


@dataclass(frozen=True)
class Concept:
    """A concept as it is planted.

    Attributes
    ----------
    name : str
        The word that it is asked for by.
    documents : ndarray of int64
        The documents that are about it.
    naming : float
        The share of them that have its name.
    share : float
        Of their words, what is the concept's.
    shared : float
        Of its words, what a topic of other documents has as well.
    """

    name: str
    documents: NDArray[np.int64]
    naming: float
    share: float
    shared: float


@dataclass(frozen=True)
class Outcome:
    """What was said about a planted concept.

    Attributes
    ----------
    corpus : int
    prevalence : float
    naming, share, shared : float
        See `Concept`.
    truth, named : int
        Documents that are about it, and those of them that name it.
    answered : bool
    precision : float
        Of as many first documents as are about it, the share that is.
    found : float
        Of the documents about it, the share above the cut-off.
    right : float
        Of the documents above the cut-off, the share that is about it.
    count, low, high : float
        How many there are, as it is said, and the interval that is to hold 9 times in 10.
    """

    corpus: int
    prevalence: float
    naming: float
    share: float
    shared: float
    truth: int
    named: int
    answered: bool = False
    precision: float = 0.0
    found: float = 0.0
    right: float = 0.0
    count: float = 0.0
    low: float = 0.0
    high: float = 0.0


def plant_corpus(seed: int, n_documents: int) -> tuple[Corpus, list[Concept]]:
    """Write a corpus with one concept of each prevalence."""
    rng = np.random.default_rng(seed)
    chosen = iter(np.split(rng.permutation(n_documents), np.cumsum(_sizes(n_documents))))
    concepts = [
        Concept(
            f"concept{q}", np.sort(next(chosen)), rng.uniform(0.4, 0.9), rng.uniform(0.2, 0.5),
            rng.uniform(0.0, 0.5),
        )
        for q in range(len(PREVALENCES))
    ]  # fmt: skip
    about = {j: q for q, concept in enumerate(concepts) for j in concept.documents.tolist()}
    texts = [_document(rng, concepts, about.get(j)) for j in range(n_documents)]
    for concept in concepts:  # in passing: once, by a quarter as many documents as are about it
        others = rng.choice(n_documents, len(concept.documents) // 4)
        for j in others.tolist():
            texts[j].append(concept.name)
    return Corpus.from_tokens(texts), concepts


def _sizes(n_documents: int) -> list[int]:
    return [round(prevalence * n_documents) for prevalence in PREVALENCES]


def _document(rng: Rng, concepts: Sequence[Concept], about: int | None) -> list[str]:
    n = max(10, int(rng.poisson(LENGTH)))
    two = rng.integers(0, N_TOPICS, 2)
    topics = np.where(rng.random(n) < GENERAL_SHARE, N_TOPICS, two[(rng.random(n) < 0.3).astype(int)])
    words = [f"t{k}w{_rank(rng, N_GENERAL if k == N_TOPICS else WORDS_EACH)}" for k in topics]
    if about is None:
        return words
    concept = concepts[about]
    for i in np.flatnonzero(rng.random(n) < concept.share):
        neighbour = rng.random() < concept.shared
        words[i] = f"t{about}w{_rank(rng, WORDS_EACH)}" if neighbour else f"c{about}w{_rank(rng, N_OWN)}"
    return words + [concept.name] * (int(rng.integers(1, 4)) * int(rng.random() < concept.naming))


def _rank(rng: Rng, n: int) -> int:
    """Draw a word's rank; the first ones come oftener, as in any language."""
    return int(n * rng.random() ** 2)


def ask(corpus: Corpus, concept: Concept, number: int) -> Outcome:
    """Ask for a concept, and hold what is said against what was planted."""
    names = corpus.document_term_matrix[:, corpus.vocabulary.index(concept.name)].toarray().ravel() > 0
    truth = len(concept.documents)
    planted = Outcome(
        number, truth / corpus.n_documents, concept.naming, concept.share, concept.shared, truth,
        int(names[concept.documents].sum()),
    )  # fmt: skip
    try:
        model = QueryDrivenTopicModel(concept.name, embeddings=None, n_jobs=1).fit(corpus)
    except QueryError:
        return planted
    relevance = model.relevance(concept.name)
    is_about = np.zeros(corpus.n_documents, dtype=bool)
    is_about[concept.documents] = True
    first = np.argsort(-relevance.scores, kind="stable")[:truth]
    low, high = relevance.n_about_interval
    return replace(
        planted,
        answered=True,
        precision=float(is_about[first].mean()),
        found=float(relevance.about[is_about].mean()),
        right=float(is_about[relevance.about].mean()) if relevance.about.any() else 0.0,
        count=float(relevance.n_about),
        low=float(low),
        high=float(high),
    )


def run(n_corpora: int, n_documents: int) -> Iterator[Outcome]:
    """Plant corpora, and ask each for its concepts."""
    for number in range(n_corpora):
        corpus, concepts = plant_corpus(number, n_documents)
        for concept in concepts:
            yield ask(corpus, concept, number)


def table(outcomes: Sequence[Outcome]) -> str:
    """Return the outcomes by prevalence as Markdown."""
    head = ("prevalence", "asked", "answered", "P@K", "found", "right", "count / truth", "in the interval")
    rows = [f"| {' | '.join(head)} |", "|---:" * len(head) + "|"]
    for prevalence in sorted({outcome.prevalence for outcome in outcomes}):
        asked = [outcome for outcome in outcomes if outcome.prevalence == prevalence]
        said = [outcome for outcome in asked if outcome.answered]
        means = (
            [f"{np.mean([getattr(each, name) for each in said]):.2f}" for name in _MEANS]
            if said
            else [""] * 3
        )
        ratio = f"{np.median([each.count / each.truth for each in said]):.2f}" if said else ""
        held = sum(each.low <= each.truth <= each.high for each in said)
        cells = (f"{prevalence:.1%}", len(asked), len(said), *means, ratio, f"{held} of {len(said)}")
        rows.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join(rows)


_MEANS = ("precision", "found", "right")


def measure_planted(arguments: Sequence[str]) -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(prog="python -m experiments planted", description=__doc__)
    parser.add_argument("--corpora", type=int, default=20)
    parser.add_argument("--documents", type=int, default=10_000)
    parser.add_argument("--out", type=Path, metavar="FILE.json", help="write every outcome here too")
    options = parser.parse_args(arguments)
    outcomes = list(run(options.corpora, options.documents))
    print(table(outcomes))
    if options.out is not None:
        options.out.write_text(json.dumps([asdict(each) for each in outcomes], indent=1) + "\n", "utf-8")
