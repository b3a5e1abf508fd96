"""`HandCheck`: a sample of a query's documents and what people said of them; all else follows from it.

In: answers, one by one or many at once, under names. Out: a new `HandCheck`, its estimate, its JSON.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from qdtm.errors import ParameterError
from qdtm.results.hand_check.answers import (
    Agreement,
    Answer,
    Verdict,
    agreement,
    as_verdict,
    looks,
    put,
    verdicts,
)
from qdtm.results.hand_check.estimate import (
    LEAST_ANSWERS,
    CheckEstimate,
    Recalibration,
    estimate_check,
    recalibrate,
)
from qdtm.results.hand_check.sample import CheckSample, Stratum, draw_round, stratify
from qdtm.results.hand_check.stopping import Certificate, certify

if TYPE_CHECKING:
    from qdtm.results.result import Result


SURPRISING = 0.05
"""An answer that was less likely than this is asked for a second time."""


@dataclass(frozen=True)
class HandCheck:
    """What people said about documents.

    Attributes
    ----------
    query : str
        The query's name.
    sample : CheckSample
    answers : tuple of Answer
        In the order in which they were given; one a document and person.
    settled : mapping of int to {"yes", "no"}
        What was agreed on for documents that people saw differently.
    """

    query: str
    sample: CheckSample
    answers: tuple[Answer, ...] = ()
    settled: Mapping[int, Verdict] = field(default_factory=dict)
    remembered: dict[Any, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        foreign = {answer.row for answer in self.answers} - set(self.sample.documents)
        if foreign or not {answer.row for answer in self.answers}.issuperset(self.settled):
            raise ParameterError(
                f"Document {min(foreign or self.settled)} is not in the sample of {self.query!r}."
            )

    # --- answers -----------------------------------------------------------------------------------------

    def open_for(self, by: str = "") -> tuple[int, ...]:
        """Return the documents that a person has not answered yet, in the order of the sample.

        When there are none left, those to be looked at again: whose answer surprises.
        """
        done = {answer.row for answer in self.answers if answer.by == by}
        left = tuple(draw.row for draw in self.sample.draws if draw.row not in done and draw.round)
        return left or self.surprising(by)

    @property
    def open(self) -> tuple[int, ...]:
        """The documents of the rounds that nobody has answered yet, in the order of the sample."""
        done = {answer.row for answer in self.answers}
        return tuple(draw.row for draw in self.sample.draws if draw.row not in done and draw.round)

    def surprising(self, by: str = "") -> tuple[int, ...]:
        """Return the documents that a person is asked to look at once more.

        Their answer is unlikely after all others, or a yes to a document that chance drew to find out what is
        left, which costs most if it is wrong. A wrong key is often the reason.
        """
        if not self.is_enough:
            return ()
        own = [each for each in self.answers if each.by == by and each.before is None]
        own = [each for each in own if each.about != "unsure"]
        places = [self.sample.places[each.row] for each in own]
        p = self.recalibration.apply([place.relevance for place in places])
        asked = set(self.sample.again)
        return tuple(
            each.row
            for each, place, yes in zip(own, places, p, strict=True)
            if (yes if each.about == "yes" else 1.0 - yes) < SURPRISING
            or (each.about == "yes" and place.how == "audit")
            or each.row in asked
        )

    @cached_property
    def verdicts(self) -> dict[int, Verdict]:
        """What counts for each document that was answered; "unsure" where people differ."""
        return verdicts(self.answers, self.settled)

    @property
    def said(self) -> dict[int, bool]:
        """The verdicts that are yes or no."""
        return {row: about == "yes" for row, about in self.verdicts.items() if about != "unsure"}

    @property
    def people(self) -> tuple[str, ...]:
        """Who has answered."""
        return tuple(dict.fromkeys(answer.by for answer in self.answers))

    @cached_property
    def agreement(self) -> Agreement:
        """How far people agree, and on which documents they do not."""
        return agreement(self.answers, self.settled)

    @property
    def is_enough(self) -> bool:
        """Whether there are answers enough to learn from."""
        return len(self.said) >= LEAST_ANSWERS

    def answer_of(self, row: int, by: str = "") -> Answer | None:
        """Return what a person said of a document, if anything."""
        return next((each for each in self.answers if each.key == (row, by)), None)

    def answer(self, document: int, about: object, *, by: str = "", note: str = "") -> HandCheck:
        """Return the check with one more answer; None takes one back.

        Parameters
        ----------
        document : int
            Its row in the corpus.
        about : bool or {"yes", "no", "unsure"} or None
        by : str
            Who says so.
        note : str

        Raises
        ------
        ParameterError
            If the document is not in the sample, or the answer is none.
        """
        row = int(document)
        if about is None:
            kept = tuple(each for each in self.answers if each.key != (row, by))
            return self._with(kept)
        name = " ".join(by.split())
        return self._with(put(self.answers, Answer(row, as_verdict(about), name, note.strip())))

    def with_answers(self, answers: Mapping[int, object], *, by: str = "") -> HandCheck:
        """Return the check with more answers."""
        name = " ".join(by.split())
        given = {int(row): about for row, about in answers.items()}
        before = {each.row: each for each in self.answers if each.by == name}
        kept = [each for each in self.answers if each.by != name or each.row not in given]
        for row, about in given.items():
            if about is not None:
                new = Answer(row, as_verdict(about), name)
                kept.append(put((before[row],), new)[0] if row in before else new)
        return self._with(tuple(kept))

    def without_last(self, by: str = "") -> HandCheck:
        """Return the check without the answer that a person gave last."""
        own = [each for each in self.answers if each.by == by]
        return self.answer(own[-1].row, None, by=by) if own else self

    def settle(self, document: int, about: object) -> HandCheck:
        """Return the check with a document settled that people saw differently; None opens it again."""
        others = {row: said for row, said in self.settled.items() if row != int(document)}
        new = {} if about is None else {int(document): as_verdict(about)}
        return replace(self, settled={**others, **new})

    def _with(self, answers: tuple[Answer, ...]) -> HandCheck:
        rows = {answer.row for answer in answers}
        settled = {row: about for row, about in self.settled.items() if row in rows}
        return replace(self, answers=answers, settled=settled)

    # --- what they say -----------------------------------------------------------------------------------

    def estimate(self, level: float = 0.95) -> CheckEstimate:
        """Estimate precision and recall at the cut-off, and how many documents are about the query."""
        if level not in self.remembered:
            said = looks([each for each in self.answers if each.row not in self.settled], self.verdicts)
            estimate = estimate_check(self.sample, self.verdicts, looks=said, level=level)
            if self.sample.audited:  # what chance drew from all that was unread may tell more
                certain = self.certificate((1.0 + level) / 2.0)
                estimate = estimate.capped(certain.n_found + estimate.n_unsure + certain.most_left)
            self.remembered[level] = estimate
        found: CheckEstimate = self.remembered[level]
        return found

    def certificate(self, confidence: float = 0.95) -> Certificate:
        """Say how many documents about the query can be left among those that nobody has read."""
        return certify(self.sample, self.verdicts, confidence)

    @property
    def can_be_quoted(self) -> bool:
        """Whether chance chose enough of the documents that were answered for an estimate."""
        return self.estimate().n_by_chance >= LEAST_ANSWERS

    @cached_property
    def recalibration(self) -> Recalibration:
        """The curve that makes the relevance agree with the answers."""
        said = self.said
        known = [self.sample.places[row].relevance for row in said]
        return recalibrate(known, list(said.values()))

    def summary(self) -> str:
        """Say in a sentence what the answers say, for people; intervals are of 95 %."""
        found = self.estimate()
        n = f"{found.n_answered:,} document{'' if found.n_answered == 1 else 's'} by hand"
        n += f" ({found.n_unsure:,} not sure)" if found.n_unsure else ""
        left = f", {len(self.open)} of {len(self.sample)} still open" if self.open else ""
        if not self.can_be_quoted or found.precision is None:
            return f"{n}{left}; {found.n_above:,} documents are above the cut-off"
        above = (
            "the most relevant document has"
            if found.n_above == 1
            else (f"the {found.n_above:,} most relevant documents have")
        )
        precision, recall = found.precision.as_percent(), found.recall.as_percent()
        return f"{n}{left}; {above} a precision of {precision} and a recall of {recall}"

    # --- files -------------------------------------------------------------------------------------------

    def to_json(self) -> dict[str, Any]:
        """Return it in a form that JSON can hold."""
        return {
            "query": self.query,
            "sample": self.sample.to_json(),
            "answers": [answer.to_json() for answer in self.answers],
            "settled": [[row, about] for row, about in self.settled.items()],
        }

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> HandCheck:
        """Return what `to_json` described; anything else raises."""
        return cls(
            query=str(values["query"]),
            sample=CheckSample.from_json(values["sample"]),
            answers=tuple(Answer.from_json(each) for each in values["answers"]),
            settled={int(row): as_verdict(about) for row, about in values["settled"]},
        )


def judge(
    result: Result,
    query: str | int,
    row: int,
    answer: object,
    *,
    note: str = "",
    by: str = "",
) -> HandCheck:
    """Say of any document of a corpus whether it is about a query, in a sample or not.

    Parameters
    ----------
    result : Result
    query : str or int
    row : int
        The document's row in the corpus.
    answer : {"yes", "no", "unsure"} or bool or None
        None takes it back.
    note : str
    by : str
        Who says so.

    Returns
    -------
    HandCheck
        Of the query, for `Result.with_check`; estimates count the document for itself alone, unless chance
        comes to it later.
    """
    q = result.query_index(query)
    j = result.find_document(row)
    relevance, cutoff = result.unchecked_relevance(q)
    begun = result.fit.check_of(q)
    check = begun or HandCheck(result.fit.concepts[q].name, stratify(relevance, cutoff))
    if answer is not None and j not in check.sample.places:
        check = replace(check, sample=draw_round(check.sample, relevance, own=[j]))
    return check.answer(j, answer, by=by, note=note)


def carry(check: HandCheck, result: Result) -> HandCheck:
    """Return a check's answers as those of another result of the same corpus, of which nothing is drawn yet.

    Its relevance is another one, so what chance drew before says nothing of its list: every answer counts for
    its own document alone until a new sample is drawn.
    """
    relevance, cutoff = result.unchecked_relevance(result.query_index(check.query))
    rows = dict.fromkeys(answer.row for answer in check.answers)
    sample = draw_round(stratify(relevance, cutoff, check.sample.seed), relevance, own=rows)
    return HandCheck(check.query, sample, check.answers, check.settled)


def merge(theirs: HandCheck, since: HandCheck, ours: HandCheck) -> HandCheck:
    """Return a check as it is by now with what changed in ours since we read it.

    Two people answer at once, or one in two windows: what either said is kept; of two answers of the same
    person to the same document the later one.
    """
    before = {each.key: each for each in since.answers}
    now = {each.key: each for each in ours.answers}
    answers = tuple(each for each in theirs.answers if each.key in now or each.key not in before)
    for key, answer in now.items():
        if before.get(key) != answer:
            answers = (*(each for each in answers if each.key != key), answer)
    changed = {row: about for row, about in ours.settled.items() if since.settled.get(row) != about}
    opened = set(since.settled) - set(ours.settled)
    rows = {answer.row for answer in answers}
    settled = {**theirs.settled, **changed}
    return HandCheck(
        ours.query,
        _joined(theirs.sample, ours.sample, rows),
        answers,
        {row: about for row, about in settled.items() if row in rows and row not in opened},
    )


def _joined(theirs: CheckSample, ours: CheckSample, answered: set[int]) -> CheckSample:
    """Put two states of a growing sample together; of one that was drawn anew only what was answered."""
    new = tuple(draw for draw in ours.draws if draw.row not in theirs.places)
    if (theirs.seed, theirs.strata) != (ours.seed, ours.strata):
        lows = [stratum.low for stratum in theirs.strata]
        own = [
            replace(draw, how="own", round=0, probability=None, stratum=_stratum_at(lows, draw.relevance))
            for draw in new
            if draw.row in answered
        ]
        return replace(theirs, draws=(*theirs.draws, *own))
    reached = tuple(max(pair, key=len) for pair in zip(theirs.reached, ours.reached, strict=True))
    audited = max(theirs.audited, ours.audited, key=len)
    again = tuple(dict.fromkeys((*theirs.again, *ours.again)))
    return replace(theirs, draws=(*theirs.draws, *new), reached=reached, audited=audited, again=again)


def _stratum_at(lows: Sequence[float], relevance: float) -> int:
    return next((h for h, low in enumerate(lows) if relevance >= low), len(lows) - 1)


def carried(earlier: HandCheck, query: str, relevance: NDArray[np.float64], cutoff: float) -> HandCheck:
    """Return what was said of documents as a check of another relevance of theirs.

    Parameters
    ----------
    earlier : HandCheck
        Of the same corpus, and of a query that asks the same.
    query : str
        The query's name.
    relevance : ndarray of shape (D,)
        Without what the answers teach.
    cutoff : float

    Returns
    -------
    HandCheck
        The answers count for themselves and are learned from; chance has chosen none of them.
    """
    rows = [answer.row for answer in earlier.answers]
    sample = draw_round(stratify(relevance, cutoff), relevance, own=rows)
    return HandCheck(query, sample, earlier.answers, earlier.settled)


def of_version_1(values: Mapping[str, Any]) -> HandCheck:
    """Return a check as it was saved before there were rounds, names and "not sure"."""
    old = values["sample"]
    strata = tuple(Stratum(**stratum) for stratum in old["strata"])
    rows = [int(row) for row in old["documents"]]
    owner = [int(h) for h in old["stratum_of"]]
    reached = tuple(
        tuple(r for r, h in zip(rows, owner, strict=True) if h == each) for each in range(len(strata))
    )
    draws = [
        [row, h, p, 1, "random", len(reached[h]) / strata[h].size]
        for row, h, p in zip(rows, owner, old["relevance"], strict=True)
    ]
    sample = old | {"draws": draws, "reached": reached, "audited": [], "again": [], "seed": 0}
    answers = {int(row): about for row, about in values["answers"]}
    if not all(about is None or isinstance(about, bool) for about in answers.values()):
        raise ValueError("an answer is neither yes nor no")
    check = HandCheck(str(values["query"]), CheckSample.from_json(sample))
    return check.with_answers({row: about for row, about in answers.items() if about is not None})
