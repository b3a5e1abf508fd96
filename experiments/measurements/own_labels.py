"""How good relevance is on labels of your own, beside retrieval.

    python -m experiments own-labels TEXTS.jsonl coffee "iron-steel=steel" [--encoder NAME] [--seed N]

Asks for categories of a labelled corpus, each alone. A line of the file is an object with "text" and "labels"
(one or a list). What is asked is a label, or a label and the query for it. A table in Markdown comes out: P@K
of relevance, p(z|d), query likelihood and BM25 with the query's words, and query likelihood with the concept
words; the calibration error; and the count of documents with its interval beside the true number.
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
from experiments.metrics.labels import calibration_error, precision_at_k
from experiments.systems.baselines import break_ties
from qdtm import Corpus, QueryDrivenTopicModel

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
