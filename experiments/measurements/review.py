"""Simulated readers: whether intervals and the recall rule of a hand-check hold, and how much is read.

    python -m experiments review [--data DIR] [--runs N] [--errors SHARE] [--out FILE.json]

In: categories of 1 to 12 % of the development corpora, some 3,000 documents each, every one asked alone by
its name. A reader answers by the labels, a share of answers wrong; an answer that surprises is asked for
again.
Out: a Markdown table, and JSON. Beside ours the same rule is run with documents in random order, and in that
of ASReview's default: a naive Bayes classifier on tf-idf retrained on the answers, both sides weighing the
same, begun with one document of each side.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from experiments.bench.alone import asked_alone
from experiments.datasets.paper_corpora import Dataset
from experiments.datasets.thinning import kept_documents, rows_of
from experiments.harness.workbench import load_labelled
from qdtm import Query, QueryDrivenTopicModel
from qdtm.errors import QdtmError
from qdtm.results.hand_check.estimate import Interval
from qdtm.results.hand_check.files import begin_check
from qdtm.results.hand_check.hand_check import HandCheck
from qdtm.results.hand_check.rounds import next_round
from qdtm.results.hand_check.sample import draw_round, stratify
from qdtm.results.hand_check.stopping import certify
from qdtm.results.result import Result

SHARES: dict[str, tuple[float | None, ...]] = {
    "20news": (0.01, 0.03, 0.06, 0.12),
    "tagmynews": (0.01, 0.05, 0.1),
    "searchsnippets": (0.02, 0.04, 0.1),
    "ohsumed23": (None, None, None, None),
    "clinc150-domains": (None, None, 0.02, 0.02),
    "uscongress": (None, None, None, None),
}
"""How many categories of each corpus are asked, and to which share each is thinned; None leaves it."""

N_DOCUMENTS, LEAST, MOST = 3_000, 0.01, 0.13
RECALL, CONFIDENCE, ROUNDS = 0.95, 0.95, 2
ORDERS = ("qdtm", "asreview", "random")

Truth = NDArray[np.bool_]


@dataclass(frozen=True)
class Review:
    """What one simulated reader met.

    Attributes
    ----------
    dataset, query : str
    n_documents, n_about : int
    errors : float
        The share of answers that were wrong.
    seed : int
    held : tuple of bool
        Whether the intervals of precision, recall and number held after the first round, then after all.
    order : str
    n_read : int
        Until the recall was certified.
    recall : float
        That there was then.
    """

    dataset: str
    query: str
    n_documents: int
    n_about: int
    errors: float
    seed: int
    held: tuple[bool, ...] = ()
    order: str = ""
    n_read: int = 0
    recall: float = 0.0


# --- what is asked ------------------------------------------------------------------------------------------


def categories(
    dataset: Dataset, shares: Sequence[float | None], seed: int = 1
) -> Iterator[tuple[Result, Truth]]:
    """Yield fits of single categories with who is of the category; what cannot be answered is passed over."""
    rng = np.random.default_rng(seed)
    concepts = asked_alone(dataset).concepts
    natural = [float((dataset.labels == q).mean()) for q in range(len(concepts))]
    fitting = [q for q, share in enumerate(natural) if share >= LEAST and (shares[0] or share <= MOST)]
    wanted = list(shares)
    for q in rng.permutation(fitting).tolist():
        if not wanted:
            return
        level = wanted[0]
        rows = kept_documents(dataset.labels, q, level, 0) if level else np.arange(len(dataset.labels))
        own, other = rows[dataset.labels[rows] == q], rows[dataset.labels[rows] != q]
        n_own = min(len(own), max(20, round(N_DOCUMENTS * len(own) / len(rows))))
        chosen = np.concatenate([rng.permutation(own)[:n_own], rng.permutation(other)[: N_DOCUMENTS - n_own]])
        chosen.sort()
        query = Query(concepts[q].query, name=concepts[q].phrase, rule=concepts[q].rule)
        model = QueryDrivenTopicModel(query, subtopics=False, min_sweeps=10, max_sweeps=30)
        try:
            model.fit(rows_of(dataset.corpus, chosen))
        except QdtmError:
            continue
        wanted.pop(0)
        yield model.result_, dataset.labels[chosen] == q


# --- readers ------------------------------------------------------------------------------------------------


def read_open(check: HandCheck, truth: Truth, errors: float, rng: np.random.Generator) -> HandCheck:
    """Answer what is open, then what surprises, once more."""
    while left := check.open_for():
        wrong = rng.random(len(left)) < errors
        said = {row: bool(truth[row]) != bool(slip) for row, slip in zip(left, wrong, strict=True)}
        check = check.with_answers(said)
    return check


def intervals_hold(check: HandCheck, truth: Truth, above: Truth) -> tuple[bool, ...]:
    """Say of precision, recall and number whether their interval has the truth."""
    found, n_found = check.estimate(), int((truth & above).sum())
    precision = found.precision or Interval(0.0, 0.0, 1.0)
    true = (
        (precision, n_found / max(above.sum(), 1)),
        (found.recall, n_found / truth.sum()),
        (found.n_about, truth.sum()),
    )
    return tuple(bool(i.low - 1e-9 <= value <= i.high + 1e-9) for i, value in true)


def in_rounds(result: Result, truth: Truth, errors: float, seed: int) -> tuple[bool, ...]:
    """Answer a first round and more; say whether intervals held after the first and after the last."""
    rng = np.random.default_rng(seed)
    relevance, cutoff = result.unchecked_relevance(0)
    above = relevance >= cutoff
    check = read_open(begin_check(result, 0, 50, seed=seed), truth, errors, rng)
    held = intervals_hold(check, truth, above)
    for _ in range(ROUNDS):
        check = read_open(next_round(result, check), truth, errors, rng)
    return held + intervals_hold(check, truth, above)


def until_certified(result: Result, truth: Truth, errors: float, seed: int, order: str) -> tuple[int, float]:
    """Read until the recall is certified; return how many documents were read, and the recall there was."""
    rng = np.random.default_rng(seed)
    relevance, cutoff = result.unchecked_relevance(0)
    if order == "qdtm":
        check = begin_check(result, 0, 50, seed=seed)
        more = partial(next_round, recall=RECALL)
    else:
        relevance = np.full(len(truth), 0.5)  # nothing is known before
        sample = stratify(relevance, cutoff, seed)
        first = [int(rng.choice(np.flatnonzero(side))) for side in (truth, ~truth)]
        check = HandCheck(result.fit.concepts[0].name, draw_round(sample, relevance, chosen=first))
        more = partial(_next_random if order == "random" else _next_asreview, relevance)
    while True:
        check = read_open(check, truth, errors, rng)
        read = np.array([draw.row for draw in check.sample.draws])
        if len(read) == len(truth) or certify(check.sample, check.verdicts, CONFIDENCE).reaches(RECALL):
            return len(read), float(truth[read].sum() / truth.sum())
        check = more(result, check)


def _next_random(relevance: NDArray[np.float64], _: Result, check: HandCheck) -> HandCheck:
    from dataclasses import replace

    return replace(
        check, sample=draw_round(check.sample, relevance, n_audit=max(20, len(check.sample) // 20))
    )


def _next_asreview(relevance: NDArray[np.float64], result: Result, check: HandCheck) -> HandCheck:
    from dataclasses import replace

    from qdtm.results.hand_check.rounds import is_audit_due

    n = max(20, len(check.sample) // 20)
    if is_audit_due(check, RECALL):
        return replace(check, sample=draw_round(check.sample, relevance, n_audit=n))
    read = np.array([draw.row for draw in check.sample.draws])
    scores = _naive_bayes(result, check)
    scores[read] = -np.inf
    ranked = np.argsort(-scores, kind="stable")[: min(n, len(scores) - len(read))]
    return replace(check, sample=draw_round(check.sample, relevance, ranked=ranked.tolist()))


def _naive_bayes(result: Result, check: HandCheck) -> NDArray[np.float64]:
    from sklearn.feature_extraction.text import TfidfTransformer
    from sklearn.naive_bayes import MultinomialNB

    weighted = TfidfTransformer(sublinear_tf=True).fit_transform(result.corpus.document_term_matrix).tocsr()
    rows, about = np.array(list(check.said)), np.array(list(check.said.values()))
    if about.all() or not about.any():
        return np.zeros(weighted.shape[0])
    balanced = np.where(about, 0.5 / about.sum(), 0.5 / (~about).sum()) * len(about)
    model = MultinomialNB(alpha=3.822).fit(weighted[rows], about, sample_weight=balanced)
    return np.asarray(model.predict_log_proba(weighted)[:, 1])


# --- the command --------------------------------------------------------------------------------------------


def measure_review(arguments: Sequence[str] | None = None) -> None:
    """Run the simulations, print a Markdown table, and write the figures."""
    parser = argparse.ArgumentParser(prog="python -m experiments review", description=__doc__)
    parser.add_argument("--data", help="the experiments' data  [$QDTM_DATA]")
    parser.add_argument("--runs", type=int, default=4, help="readers of each category  [4]")
    parser.add_argument("--errors", type=float, nargs="*", default=[0.0, 0.05], help="[0 0.05]")
    parser.add_argument(
        "--reads", type=int, default=2, help="readers to a certified recall, without errors  [2]"
    )
    parser.add_argument("--out", type=Path, metavar="FILE.json", help="write the figures here too")
    options = parser.parse_args(arguments)
    reviews = list(_reviews(options))
    if options.out is not None:
        options.out.write_text(json.dumps([asdict(each) for each in reviews], indent=1) + "\n", "utf-8")
    print("\n".join(table(reviews)))


def _reviews(options: Any) -> Iterator[Review]:
    for name, shares in SHARES.items():
        dataset = load_labelled(name, options.data, None)
        for result, truth in categories(dataset, shares):
            of = (name, result.fit.concepts[0].name, len(truth), int(truth.sum()))
            for errors in options.errors:
                for seed in range(options.runs):
                    yield Review(*of, errors, seed, held=in_rounds(result, truth, errors, seed))
            for order in ORDERS:
                for seed in range(options.reads):
                    n_read, recall = until_certified(result, truth, 0.0, seed, order)
                    yield Review(*of, 0.0, seed, order=order, n_read=n_read, recall=recall)


def table(reviews: Sequence[Review]) -> Iterator[str]:
    """Yield the lines of a Markdown table: how often intervals hold, then what is read."""
    yield "| answers wrong | after | precision | recall | number |\n|---|---|---|---|---|"
    for errors in sorted({each.errors for each in reviews}):
        held = np.array([each.held for each in reviews if each.held and each.errors == errors], float)
        for name, columns in (("50", held[:, :3]), (f"{50 + 20 * ROUNDS}", held[:, 3:])):
            shares = " | ".join(f"{share:.2f}" for share in columns.mean(axis=0))
            yield f"| {errors:.0%} | {name} | {shares} |"
    yield "\n| order | reviews | recall holds | read, mean | median |\n|---|---|---|---|---|"
    for order in ORDERS:
        own = [each for each in reviews if each.order == order]
        if own:
            holds = np.mean([each.recall >= RECALL - 1e-9 for each in own])
            read = np.array([each.n_read / each.n_documents for each in own])
            yield f"| {order} | {len(own)} | {holds:.2f} | {read.mean():.2f} | {np.median(read):.2f} |"
