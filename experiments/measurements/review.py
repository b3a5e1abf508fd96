"""Simulated readers: whether intervals and the recall rule of a hand-check hold, and how much is read.

    python -m experiments review [--data DIR] [--runs N] [--reads N] [--out FILE.json]

In: categories of 1 to 12 % of the development corpora, some 3,000 documents each, every one asked alone by
its name. A reader answers by the labels; in one setting each look is wrong with a probability of 5 %. What
surprises is asked for again, and looked at anew.
Out: Markdown tables, and JSON. Beside our order of reading stand those of ASReview, on the same texts: tf-idf
and a support vector machine (its default, ELAS u4) or naive Bayes (the default of version 1, ELAS u3),
retrained on the answers and begun with a document of each side, which is given away free; and random order.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
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
from qdtm.results.hand_check.rounds import doubtful, is_audit_due, reading_order, text_features
from qdtm.results.hand_check.rounds import next_round as next_of_check
from qdtm.results.hand_check.sample import draw_round, stratify
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
ORDERS = ("qdtm", "svm", "nb", "random")
NAMES = {
    "qdtm": "qdtm",
    "svm": "ASReview, support vector machine",
    "nb": "ASReview, naive Bayes",
    "random": "random",
}

Truth = NDArray[np.bool_]
FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class Review:
    """What one simulated reader met.

    Attributes
    ----------
    dataset, query : str
    n_documents, n_about : int
    errors : float
        The share of looks that were wrong.
    seed : int
    held : tuple of bool
        Whether the intervals of precision, recall and number held after the first round, then after all.
    order : str
    goal : {"", "reached", "certified"}
        Whether one read until the recall was there, or until it was certain.
    n_read, n_again : int
        Documents that were read, and second looks.
    recall : float
        That there was then: documents about the query that were read and got a yes.
    """

    dataset: str
    query: str
    n_documents: int
    n_about: int
    errors: float
    seed: int
    held: tuple[bool, ...] = ()
    order: str = ""
    goal: str = ""
    n_read: int = 0
    n_again: int = 0
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
        check = read_open(next_of_check(result, check), truth, errors, rng)
    return held + intervals_hold(check, truth, above)


# --- reading for a recall -----------------------------------------------------------------------------------

Scorer = Callable[[HandCheck], FloatArray]


def until(result: Result, truth: Truth, errors: float, seed: int, order: str, goal: str) -> dict[str, Any]:
    """Read until the recall is there, or certain; return what a `Review` keeps of it."""
    rng = np.random.default_rng(seed)
    check, scorer = begin(result, truth, seed, order, rng)
    relevance = np.array([0.5]) if order != "qdtm" else result.unchecked_relevance(0)[0]
    relevance = np.broadcast_to(relevance, len(truth))
    while True:
        check = read_open(check, truth, errors, rng)
        found = [row for row, said in check.said.items() if said and truth[row]]
        recall = len(found) / int(truth.sum())
        n_read = len(check.verdicts)
        if n_read == len(truth) or is_enough(check, recall, goal):
            n_read = n_read if goal == "certified" else _reached(check, truth)
            n_again = sum(answer.before is not None for answer in check.answers)
            return {"order": order, "goal": goal, "n_read": n_read, "n_again": n_again, "recall": recall}
        by_chance = order == "random" or (goal == "certified" and is_audit_due(check, RECALL))
        n = max(1 if order in ("svm", "nb") and not by_chance else 20, n_read // 20)
        if by_chance:
            sample = draw_round(check.sample, relevance, n_audit=n)
        else:
            scores = scorer(check)
            scores[list(check.sample.documents)] = -np.inf
            ranked = np.argsort(-scores, kind="stable")[: min(n, len(truth) - n_read)]
            sample = draw_round(check.sample, relevance, ranked=ranked.tolist())
            if order == "qdtm":
                again = (*check.sample.again, *doubtful(check, text_features(result.corpus)))
                sample = replace(sample, again=tuple(dict.fromkeys(again)))
        check = replace(check, sample=sample)


def begin(
    result: Result, truth: Truth, seed: int, order: str, rng: np.random.Generator
) -> tuple[HandCheck, Scorer]:
    """Return the check that a reader begins with, and what ranks documents after the answers."""
    if order == "qdtm":
        return begin_check(result, 0, 50, seed=seed), partial(_our_scores, result)
    nothing = np.full(len(truth), 0.5)  # nothing is known before
    first = [int(rng.choice(np.flatnonzero(side))) for side in (truth, ~truth)]
    sample = draw_round(stratify(nothing, 0.4, seed), nothing, chosen=first)
    return HandCheck(result.fit.concepts[0].name, sample), _asreview(result, order)


def is_enough(check: HandCheck, recall: float, goal: str) -> bool:
    """Whether a reader stops."""
    if goal == "reached":
        return recall >= RECALL - 1e-9
    return check.certificate(CONFIDENCE).reaches(RECALL)


def _reached(check: HandCheck, truth: Truth) -> int:
    """Return how many documents were read when the recall was reached."""
    said = check.said
    found = np.cumsum([said.get(row, False) and truth[row] for row in check.sample.documents])
    return int(np.searchsorted(found, np.ceil(RECALL * truth.sum() - 1e-9))) + 1


def _our_scores(result: Result, check: HandCheck) -> FloatArray:
    order = reading_order(check, result.corpus, result.unchecked_relevance(0)[0])
    scores = np.empty(len(order))
    scores[order] = -np.arange(len(order))
    return scores


def _asreview(result: Result, order: str) -> Scorer:
    """Return the classifier of ASReview 3 on tf-idf of the texts: `svm` (ELAS u4) or `nb` (ELAS u3)."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.naive_bayes import MultinomialNB
    from sklearn.svm import LinearSVC

    is_svm = order == "svm"
    vectorizer = (
        TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True, max_df=0.95)
        if is_svm
        else TfidfVectorizer(stop_words="english")
    )
    weighted = vectorizer.fit_transform(each.text for each in result.corpus.documents).tocsr()
    ratio = 9.8 if is_svm else 1.2

    def score(check: HandCheck) -> FloatArray:
        rows, about = np.array(list(check.said)), np.array(list(check.said.values()))
        if about.all() or not about.any():
            return np.zeros(weighted.shape[0])
        weights = np.where(about, 1.0, about.sum() / (ratio * (~about).sum()))
        weights *= len(about) / weights.sum()
        if is_svm:
            machine = LinearSVC(C=0.11).fit(weighted[rows], about, sample_weight=weights)
            return np.array(machine.decision_function(weighted))
        bayes = MultinomialNB(alpha=3.822).fit(weighted[rows], about, sample_weight=weights)
        return np.array(bayes.predict_log_proba(weighted)[:, 1])

    return score


# --- the command --------------------------------------------------------------------------------------------


def measure_review(arguments: Sequence[str] | None = None) -> None:
    """Run the simulations, print Markdown tables, and write the figures."""
    parser = argparse.ArgumentParser(prog="python -m experiments review", description=__doc__)
    parser.add_argument("--data", help="the experiments' data  [$QDTM_DATA]")
    parser.add_argument("--runs", type=int, default=4, help="readers of each category  [4]")
    parser.add_argument("--errors", type=float, nargs="*", default=[0.0, 0.05], help="[0 0.05]")
    parser.add_argument("--reads", type=int, default=2, help="readers of each category to a recall  [2]")
    parser.add_argument("--certified", type=int, default=1, help="readers to a certain recall  [1]")
    parser.add_argument("--dataset", nargs="*", default=list(SHARES), help="corpora  [all]")
    parser.add_argument("--out", type=Path, metavar="FILE.json", help="write the figures here too")
    options = parser.parse_args(arguments)
    reviews = list(_reviews(options))
    if options.out is not None:
        options.out.write_text(json.dumps([asdict(each) for each in reviews], indent=1) + "\n", "utf-8")
    print("\n".join(tables(reviews)))


def _reviews(options: Any) -> Iterator[Review]:
    for name in options.dataset:
        dataset = load_labelled(name, options.data, None)
        for result, truth in categories(dataset, SHARES[name]):
            for errors in options.errors:
                of = (name, result.fit.concepts[0].name, len(truth), int(truth.sum()), errors)
                for seed in range(options.runs):
                    yield Review(*of, seed, held=in_rounds(result, truth, errors, seed))
                for order in ORDERS:
                    for goal, runs in (("reached", options.reads), ("certified", options.certified)):
                        for seed in range(runs):
                            yield Review(*of, seed, **until(result, truth, errors, seed, order, goal))


def read_reviews(path: Path) -> list[Review]:
    """Read what the command wrote."""
    rows = json.loads(path.read_text("utf-8"))
    return [Review(**row | {"held": tuple(row["held"])}) for row in rows]


def tables(reviews: Sequence[Review]) -> Iterator[str]:
    """Yield the lines of Markdown tables: how often intervals hold, then what is read."""
    yield "| answers wrong | reviews | after | precision | recall | number |\n|---|---|---|---|---|---|"
    levels = sorted({each.errors for each in reviews})
    for errors in levels:
        held = np.array([each.held for each in reviews if each.held and each.errors == errors], float)
        for name, columns in (("50", held[:, :3]), (f"{50 + 20 * ROUNDS}", held[:, 3:])):
            shares = " | ".join(f"{share:.2f}" for share in columns.mean(axis=0))
            yield f"| {errors:.0%} | {len(held)} | {name} answers | {shares} |"
    for goal, title in (("reached", "read until 95 % are found"), ("certified", "until that is certain")):
        yield f"\n| {title} | answers wrong | reviews | holds | read, mean | median | looked at again |"
        yield "|---|---|---|---|---|---|---|"
        for errors in levels:
            for order in ORDERS:
                own = [e for e in reviews if (e.order, e.goal, e.errors) == (order, goal, errors)]
                if own:
                    yield f"| {NAMES[order]} | {errors:.0%} | {len(own)} | {_row(own)} |"


def _row(reviews: Sequence[Review]) -> str:
    holds = np.mean([each.recall >= RECALL - 1e-9 for each in reviews])
    read = np.array([each.n_read / each.n_documents for each in reviews])
    again = np.mean([each.n_again / each.n_documents for each in reviews])
    return f"{holds:.2f} | {read.mean():.3f} | {np.median(read):.3f} | {again:.3f}"
