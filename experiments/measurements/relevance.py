"""How good and how honest relevance is, on labelled corpora: ranking, calibration and counts.

    python -m experiments relevance [--dataset NAME] [--alone] [--encoder NAME] [--seeds N] [--out FILE]
    python -m experiments own-labels TEXTS.jsonl coffee "iron-steel=steel" [--encoder NAME] [--seed N]

The first asks each of the paper's corpora all its queries together, and with `--alone` each by itself. P@K is
of p(z|d) and of relevance from the same fit; the calibration error (ECE, ten bins of equal width, over all
documents) likewise; the count is compared with the true number. Data as for the tables: the environment
variable QDTM_DATA.

The second asks for categories of a labelled corpus of your own, each alone, beside retrieval. A line of the
file is an object with "text" and "labels" (one or a list). What is asked is a label, or a label and the query
for it. A table in Markdown comes out: P@K of relevance, p(z|d), query likelihood and BM25 with the query's
words, and query likelihood with the concept words; the calibration error; and the count of documents with its
interval beside the true number.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from experiments.baselines.retrieval import bm25_scores, query_likelihood_scores
from experiments.datasets.concepts import DATASETS
from experiments.datasets.paper_corpora import Dataset, load_dataset
from experiments.metrics.labels import calibration_error, precision_at_k, reliability_curve
from experiments.systems.baselines import break_ties
from qdtm import Corpus, QueryDrivenTopicModel
from qdtm.queries import Query

N_BINS = 10


@dataclass(frozen=True)
class Measured:
    """What one query's relevance is worth."""

    dataset: str
    asked: str
    encoder: str | None
    seed: int
    query: str
    n_true: int
    n_about: float
    low: float
    high: float
    pk_share: float
    pk_relevance: float
    ece_share: float
    ece_relevance: float
    precision: float
    recall: float
    accuracy_share: float
    accuracy_relevance: float
    curve: list[tuple[float, float, int]]


def measure(
    dataset: Dataset, queries: Sequence[int], model: QueryDrivenTopicModel, asked: str, seed: int
) -> Iterator[Measured]:
    """Measure the relevance of the documents to each query of a fitted model."""
    accuracies = [_accuracy(dataset, queries, scores) for scores in _both(model)]
    for column, q in enumerate(queries):
        truth = dataset.labels == q
        relevance, share = model.relevance(column), model.doc_topic_[:, column]
        low, high = relevance.n_about_interval
        yield Measured(
            dataset.name,
            asked,
            None if model.encoder is None else Path(model.encoder).name,
            seed,
            dataset.concepts[q].phrase,
            int(truth.sum()),
            relevance.n_about,
            low,
            high,
            precision_at_k(share, truth),
            precision_at_k(relevance.scores, truth),
            calibration_error(share, truth),
            calibration_error(relevance.scores, truth),
            float(truth[relevance.about].mean()) if relevance.n_listed else 0.0,
            float(relevance.about[truth].mean()),
            accuracies[0],
            accuracies[1],
            [(point.said, point.true, point.n) for point in reliability_curve(relevance.scores, truth)],
        )


def _both(model: QueryDrivenTopicModel) -> list[NDArray[np.float64]]:
    """Return p(z|d) and the relevance of all documents to all queries, (D, Q) each."""
    n_queries = len(model.topics_)
    judged = [model.relevance(q).scores for q in range(n_queries)]
    return [model.doc_topic_[:, :n_queries], np.column_stack(judged)]


def _accuracy(dataset: Dataset, queries: Sequence[int], scores: NDArray[np.float64]) -> float:
    """The share of documents whose highest score is that of their own category; all queries are needed."""
    if len(queries) < len(dataset.concepts):
        return float("nan")
    return float((scores.argmax(axis=1) == dataset.labels).mean())


def run(dataset: Dataset, *, alone: bool, encoder: str | None, seed: int) -> Iterator[Measured]:
    """Ask a corpus its queries, together or one by one."""
    asked = [Query(concept.query, rule=concept.rule) for concept in dataset.concepts]
    for queries in [[q] for q in range(len(asked))] if alone else [list(range(len(asked)))]:
        model = QueryDrivenTopicModel(
            [asked[q] for q in queries], subtopics=False, encoder=encoder, random_state=seed, n_jobs=-1
        ).fit(dataset.corpus)
        yield from measure(dataset, queries, model, "alone" if alone else "together", seed)


def describe(rows: Sequence[Measured]) -> str:
    """Return one line of the table in docs/relevance.md."""

    def mean(name: str) -> float:
        return float(np.mean([getattr(row, name) for row in rows]))

    inside = np.mean([row.low <= row.n_true <= row.high for row in rows])
    off = np.log([row.n_about / row.n_true for row in rows])
    first = rows[0]
    return (
        f"| {first.dataset} | {first.asked} | {first.encoder or ''} "
        f"| {mean('accuracy_share'):.3f} -> {mean('accuracy_relevance'):.3f} | {mean('pk_share'):.3f} "
        f"| {mean('pk_relevance'):.3f} | {mean('ece_share'):.3f} | {mean('ece_relevance'):.3f} "
        f"| {mean('precision'):.2f} / {mean('recall'):.2f} | {off.mean():+.2f} ± {off.std():.2f} "
        f"| {inside:.0%} |"
    )


def merged_curve(rows: Sequence[Measured]) -> str:
    """Return the reliability curve of all queries together, a point a bin."""
    sums: NDArray[np.float64] = np.zeros((N_BINS, 3))  # documents, said, true
    for row in rows:
        for said, true, n in row.curve:
            sums[min(int(said * N_BINS), N_BINS - 1)] += (n, n * said, n * true)
    points = [f"{said / n:.2f} -> {true / n:.2f} ({n:,.0f})" for n, said, true in sums if n]
    return "    " + ", ".join(points)


def measure_relevance(arguments: Sequence[str]) -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(
        prog="python -m experiments relevance", description=__doc__.splitlines()[0]
    )
    parser.add_argument("--dataset", action="append", choices=DATASETS)
    parser.add_argument("--alone", action="store_true")
    parser.add_argument("--encoder")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args(arguments)
    kept = []
    for name in options.dataset or DATASETS:
        dataset = load_dataset(name)
        rows = [
            row
            for seed in range(options.seeds)
            for row in run(dataset, alone=options.alone, encoder=options.encoder, seed=seed)
        ]
        kept += rows
        print(describe(rows), merged_curve(rows), sep="\n", flush=True)
    if options.out:
        options.out.write_text(json.dumps([asdict(row) for row in kept], indent=1) + "\n", "utf-8")


# --- a corpus of your own --------------------------------------------------------------------------------


HEAD = (
    "query",
    "share",
    "relevance",
    "p(z|d)",
    "ql query",
    "bm25 query",
    "ql concept",
    "ECE",
    "count",
    "true",
)


@dataclass(frozen=True)
class Found:
    """What one query found."""

    query: str
    n_documents: int
    n_true: int
    relevance: float
    share: float
    ql_query: float
    bm25_query: float
    ql_concept: float
    ece: float
    n_about: float
    low: float
    high: float

    @property
    def is_inside(self) -> bool:
        """Whether the interval has the true number."""
        return self.low <= self.n_true <= self.high


def read(path: Path) -> tuple[Corpus, list[set[str]]]:
    """Read the texts, and the labels of each."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    labels = [{row["labels"]} if isinstance(row["labels"], str) else set(row["labels"]) for row in rows]
    return Corpus.from_texts([row["text"] for row in rows]), labels


def ask(corpus: Corpus, truth: NDArray[np.bool_], query: str, encoder: str | None, seed: int) -> Found:
    """Ask for one category."""
    model = QueryDrivenTopicModel(query, subtopics=False, encoder=encoder, random_state=seed).fit(corpus)
    relevance, (concept,) = model.relevance(), model.concepts_
    counts = corpus.document_term_matrix
    named = np.array([word.index for word in concept.words if word.origin != "expansion"])
    concept_words = np.array(concept.word_indices)
    scores = (
        relevance.scores,
        model.doc_topic_[:, 0],
        query_likelihood_scores(counts, named),
        bm25_scores(counts, named),
        query_likelihood_scores(counts, concept_words),
    )
    by_each = [precision_at_k(score, truth) for score in break_ties(np.column_stack(scores), seed).T]
    by_relevance, by_share, by_ql, by_bm25, by_concept = by_each
    low, high = relevance.n_about_interval
    return Found(
        query,
        len(truth),
        int(truth.sum()),
        by_relevance,
        by_share,
        by_ql,
        by_bm25,
        by_concept,
        calibration_error(relevance.scores, truth),
        relevance.n_about,
        low,
        high,
    )


def table(rows: Sequence[Found]) -> Iterator[str]:
    """Yield the lines of a table, the means last."""
    yield "| " + " | ".join(name.replace("|", "\\|") for name in HEAD) + " |"
    yield "|---" * len(HEAD) + "|"
    for row in rows:
        figures = [row.relevance, row.share, row.ql_query, row.bm25_query, row.ql_concept, row.ece]
        cells = [row.query, f"{row.n_true / row.n_documents:.1%}", *(f"{f:.3f}" for f in figures)]
        counted = f"{row.n_about:,.0f} ({row.low:,.0f} to {row.high:,.0f})"
        yield "| " + " | ".join([*cells, counted, f"{row.n_true:,}"]) + " |"
    names = ("relevance", "share", "ql_query", "bm25_query", "ql_concept", "ece")
    means = [f"{np.mean([getattr(row, name) for row in rows]):.3f}" for name in names]
    inside = f"{np.mean([row.is_inside for row in rows]):.0%} inside"
    yield "| " + " | ".join(["mean", "", *means, inside, ""]) + " |"


def measure_own_labels(arguments: Sequence[str]) -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(
        prog="python -m experiments own-labels", description=__doc__.splitlines()[0]
    )
    parser.add_argument("texts", type=Path)
    parser.add_argument("asked", nargs="+", metavar="LABEL[=QUERY]")
    parser.add_argument("--encoder")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, help="write the figures here too, as JSON")
    options = parser.parse_args(arguments)
    corpus, labels = read(options.texts)
    rows = []
    for asked in options.asked:
        label, _, query = asked.partition("=")
        truth = np.array([label in own for own in labels])
        if not truth.any():
            parser.error(f"no text has the label {label!r}")
        rows.append(ask(corpus, truth, query or label, options.encoder, options.seed))
    print("\n".join(table(rows)))
    if options.out is not None:
        options.out.write_text(json.dumps([asdict(row) for row in rows], indent=1), encoding="utf-8")
