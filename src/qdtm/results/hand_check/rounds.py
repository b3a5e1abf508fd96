"""What to look at next: a result and a check in, the check with another round of documents out.

A round is half chance, so that estimates stay honest, and half documents whose answers would tell most: near
the cut-off, where evidence and topic disagree, and of subtopics that nobody has read from. If a recall is to
be certified, documents are read in the order of relevance, which learns from every answer; when these bring
so little that what is left may be little enough, chance draws from all that nobody has read.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from itertools import islice, zip_longest
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from qdtm.corpus.corpus import Corpus
from qdtm.errors import ParameterError
from qdtm.results.hand_check.estimate import allocate_next, log_odds
from qdtm.results.hand_check.files import begin_check
from qdtm.results.hand_check.hand_check import HandCheck
from qdtm.results.hand_check.learning import learn
from qdtm.results.hand_check.sample import CheckSample, draw_round

if TYPE_CHECKING:
    from qdtm.results.result import Result

FloatArray = NDArray[np.float64]

ROUND = 20
"""Documents of a round after the first."""

_WINDOW, _LEAST_WINDOW = 5, 50
"""A fifth of what was read, or 50 documents: the last of those read by relevance, which say what the next
would bring."""

_PENALTY, _YES_WEIGH = 0.11, 9.8
"""Of the support vector machine, as ASReview's default (ELAS u4) has them, from the SYNERGY reviews."""

_FOLDS, _LIKE_A_YES = 5, 0.5
"""A no is doubted if a machine that has not seen it prefers it to half of the documents with a yes."""

_MOST_WITH_PAIRS = 5_000_000
"""Words of a corpus up to which pairs of them are counted, too."""

_SWITCH = 2.0
"""Chance draws once the last ones would bring, in all that is unread, at most twice what may be missed."""


def next_round(result: Result, check: HandCheck, n: int = ROUND, *, recall: float | None = None) -> HandCheck:
    """Return a check with another round of documents; the same if all of the corpus was drawn.

    Parameters
    ----------
    result : Result
    check : HandCheck
    n : int
        Documents of the round, about.
    recall : float, optional
        The share of the documents about the query that is to be found for certain: read by relevance.
    """
    if not check.sample.n_rounds:
        return begin_check(result.with_check(check), check.query)
    q = result.query_index(check.query)
    relevance, _ = result.unchecked_relevance(q)
    if recall is None:
        sample = _telling_round(result, q, check, relevance, n)
    else:
        sample = recall_round(check, result.corpus, relevance, n, recall)
    return replace(check, sample=sample)


def _telling_round(result: Result, q: int, check: HandCheck, relevance: FloatArray, n: int) -> CheckSample:
    """Draw half by chance, where most is not known, and half where an answer would tell most."""
    chosen = list(islice(_telling(result.with_check(check), q, check), n // 2))
    wanted = allocate_next(check.estimate().strata, n - len(chosen))
    return draw_round(check.sample, relevance, random=wanted.tolist(), chosen=chosen)


def _telling(result: Result, q: int, check: HandCheck) -> Iterator[int]:
    """Yield unread documents that would tell most, by turns of three reasons."""
    now, scores = result.relevance(q), result.scores(q)
    read = np.zeros(len(now.scores), np.bool_)
    read[list(check.sample.documents)] = True
    near = np.abs(log_odds(now.scores) - float(log_odds(now.cutoff)))
    plain, _ = result.unchecked_relevance(q)
    apart = -np.abs(_ranks(plain) - _ranks(now.topic_share)) * np.maximum(
        _ranks(plain), _ranks(now.topic_share)
    )
    seen = set(scores.main[read & (scores.main >= 0)].tolist())
    unread_subtopics = [
        int(np.flatnonzero((scores.main == s) & ~read)[0])
        for s in range(len(scores.ids))
        if s not in seen and ((scores.main == s) & ~read).any()
    ]
    orders = [_unread(near, read), _unread(apart, read), unread_subtopics]
    given: set[int] = set()
    for rows in zip_longest(*orders):
        for row in rows:
            if row is not None and row not in given:
                given.add(row)
                yield row


def _unread(scores: FloatArray, read: NDArray[np.bool_]) -> list[int]:
    order = np.argsort(scores, kind="stable")
    return [int(row) for row in order[~read[order]][:200]]


def _ranks(scores: FloatArray) -> FloatArray:
    """Return ranks from 0, the least, to 1."""
    order = np.argsort(np.argsort(scores, kind="stable"), kind="stable")
    return np.asarray(order / max(len(scores) - 1, 1), np.float64)


# --- to certify a recall ------------------------------------------------------------------------------------


def recall_round(
    check: HandCheck, corpus: Corpus, relevance: FloatArray, n: int, recall: float
) -> CheckSample:
    """Draw the next documents by relevance, or by chance from all that nobody has read.

    Parameters
    ----------
    check : HandCheck
    corpus : Corpus
    relevance : ndarray of shape (D,)
        Of the model, without answers.
    n : int
        Documents of the round; a twentieth of what was read, if that is more.
    recall : float
        What is to be certified.
    """
    if not 0.0 < recall < 1.0:
        raise ParameterError(f"The recall is {recall:g}; give one between 0 and 1, such as 0.95.")
    n = max(n, len(check.verdicts) // n)
    if is_audit_due(check, recall):
        return draw_round(check.sample, relevance, n_audit=n)
    order = reading_order(check, corpus, relevance)
    read = set(check.sample.documents)
    ranked = list(islice((row for row in order.tolist() if row not in read), n))
    again = dict.fromkeys((*check.sample.again, *doubtful(check, text_features(corpus))))
    return replace(draw_round(check.sample, relevance, ranked=ranked), again=tuple(again))


def doubtful(check: HandCheck, features: Any) -> list[int]:
    """Return documents with a no that look like those with a yes, to be looked at once more.

    The machine has not seen the answer that it doubts: it learned from four fifths of the others.
    """
    from sklearn.model_selection import StratifiedKFold, cross_val_predict

    rows, about = _answers(check)
    if min(about.sum(), (~about).sum()) < _FOLDS:
        return []
    folds = StratifiedKFold(_FOLDS, shuffle=True, random_state=0)
    machine, weights = _machine(), _weights(about)
    votes = cross_val_predict(
        machine,
        features[rows],
        about,
        cv=folds,
        method="decision_function",
        params={"sample_weight": weights},
    )
    doubted = ~about & (votes > np.quantile(votes[about], _LIKE_A_YES))
    return [int(row) for row in rows[doubted]]


def reading_order(check: HandCheck, corpus: Corpus, relevance: FloatArray) -> NDArray[np.int64]:
    """Return all documents, the likeliest to be about the query after the answers first.

    What the answers taught (`learn`) and a linear support vector machine on the texts as they stand, stop
    words and rare words too, each have a vote, in standard deviations; they err in different places.
    """
    lesson = learn(check, corpus.document_term_matrix, relevance)
    if lesson is None:
        return np.argsort(-log_odds(relevance), kind="stable")
    votes = _standard(lesson.odds(corpus.document_term_matrix, relevance))
    if len(set(check.said.values())) == 2:
        votes = votes + _standard(_machine_votes(check, text_features(corpus)))
    return np.argsort(-votes, kind="stable")


def _machine_votes(check: HandCheck, features: Any) -> FloatArray:
    """Return how far each document is on the side of those that got a yes, (D,)."""
    rows, about = _answers(check)
    machine = _machine().fit(features[rows], about, sample_weight=_weights(about))
    return np.asarray(machine.decision_function(features))


def _answers(check: HandCheck) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    return np.array(list(check.said), np.int64), np.array(list(check.said.values()), np.bool_)


def _machine() -> Any:
    from sklearn.svm import LinearSVC

    return LinearSVC(C=_PENALTY)


def _weights(about: NDArray[np.bool_]) -> FloatArray:
    """Return what each answer weighs: those with a yes together as many times as much as the others."""
    weights = np.where(about, 1.0, about.sum() / (_YES_WEIGH * (~about).sum()))
    return np.asarray(weights * len(about) / weights.sum())


@lru_cache(maxsize=1)
def text_features(corpus: Corpus) -> Any:
    """Return tf-idf of the texts' words, and of pairs if the corpus is not large, CSR (D, features)."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    longest = 2 if len(corpus.tokens) <= _MOST_WITH_PAIRS else 1
    vectorizer = TfidfVectorizer(ngram_range=(1, longest), sublinear_tf=True, max_df=0.95)
    return vectorizer.fit_transform(document.text for document in corpus.documents).tocsr()


def _standard(scores: FloatArray) -> FloatArray:
    return np.asarray((scores - scores.mean()) / (scores.std() or 1.0))


def is_audit_due(check: HandCheck, recall: float) -> bool:
    """Whether reading by relevance brings so little that chance should say what is left."""
    verdicts = check.verdicts
    ranked = [draw.row for draw in check.sample.draws if draw.how == "ranked" and draw.row in verdicts]
    window = max(_LEAST_WINDOW, len(verdicts) // _WINDOW)
    n_unread = check.sample.n_corpus - len(verdicts)
    if len(ranked) < window:
        return n_unread <= window
    rate = np.mean([verdicts[row] != "no" for row in ranked[-window:]])
    n_found = sum(about == "yes" for about in verdicts.values())
    may_miss = max(n_found / recall - n_found, 1.0)
    return bool(rate * n_unread <= _SWITCH * may_miss)
