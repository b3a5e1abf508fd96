"""`HandCheck`: a sample of a query's documents and what a person said of them; all else follows from it.

In: answers, one by one or many at once. Out: a new `HandCheck`, its estimate, its recalibration, its JSON.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import Any

from qdtm.errors import ParameterError
from qdtm.results.hand_check.estimate import (
    LEAST_ANSWERS,
    CheckEstimate,
    Recalibration,
    estimate_check,
    recalibrate,
)
from qdtm.results.hand_check.sample import CheckSample, Stratum


@dataclass(frozen=True)
class HandCheck:
    """What a person said about a sample of documents.

    Attributes
    ----------
    query : str
        The query's name.
    sample : CheckSample
    answers : mapping of int to bool or None
        Whether a document (its row in the corpus) is about the query; None if it was skipped.
    """

    query: str
    sample: CheckSample
    answers: Mapping[int, bool | None] = field(default_factory=dict)
    _estimates: dict[float, CheckEstimate] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )  # by level: they take a moment

    def __post_init__(self) -> None:
        foreign = set(self.answers) - set(self.sample.documents)
        if foreign:
            raise ParameterError(f"Document {min(foreign)} is not in the sample of {self.query!r}.")

    @property
    def open(self) -> tuple[int, ...]:
        """The documents that have no answer yet and were not skipped, in the order of the sample."""
        return tuple(document for document in self.sample.documents if document not in self.answers)

    @property
    def said(self) -> dict[int, bool]:
        """The answers that are yes or no."""
        return {document: about for document, about in self.answers.items() if about is not None}

    @property
    def is_enough(self) -> bool:
        """Whether there are answers enough to correct relevance."""
        return len(self.said) >= LEAST_ANSWERS

    def answer(self, document: int, about: bool | None) -> HandCheck:
        """Return the check with one more answer; None skips a document.

        Raises
        ------
        ParameterError
            If the document is not in the sample.
        """
        return replace(self, answers={**self.answers, int(document): about})

    def with_answers(self, answers: Mapping[int, bool | None]) -> HandCheck:
        """Return the check with more answers."""
        return replace(self, answers={**self.answers, **answers})

    def without_last(self) -> HandCheck:
        """Return the check without the answer that was given last."""
        return replace(self, answers=dict(list(self.answers.items())[:-1]))

    def estimate(self, level: float = 0.95) -> CheckEstimate:
        """Estimate precision and recall at the cut-off, and how many documents are about the query."""
        if level not in self._estimates:
            self._estimates[level] = estimate_check(self.sample, self.said, level=level)
        return self._estimates[level]

    def summary(self) -> str:
        """Say in a sentence what the answers say, for people; intervals are of 95 %."""
        found = self.estimate()
        n = f"{found.n_answered:,} document{'' if found.n_answered == 1 else 's'} by hand"
        left = f", {len(self.open)} of {len(self.sample)} still open" if self.open else ""
        if not found.n_answered or found.precision is None:
            return f"{n}{left}; {found.n_above:,} documents are above the cut-off"
        above = (
            "the most relevant document has"
            if found.n_above == 1
            else (f"the {found.n_above:,} most relevant documents have")
        )
        precision, recall = found.precision.as_percent(), found.recall.as_percent()
        return f"{n}{left}; {above} a precision of {precision} and a recall of {recall}"

    @cached_property
    def recalibration(self) -> Recalibration:
        """The curve that makes the relevance agree with the answers."""
        known = [i for i, document in enumerate(self.sample.documents) if document in self.said]
        relevance = [self.sample.relevance[i] for i in known]
        return recalibrate(relevance, [self.said[self.sample.documents[i]] for i in known])

    def to_json(self) -> dict[str, Any]:
        """Return it in a form that JSON can hold."""
        answers = [[document, about] for document, about in self.answers.items()]
        return {"query": self.query, "sample": asdict(self.sample), "answers": answers}

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> HandCheck:
        """Return what `to_json` described; anything else raises."""
        sample = values["sample"]
        strata = tuple(Stratum(**stratum) for stratum in sample["strata"])
        drawn = CheckSample(
            cutoff=float(sample["cutoff"]),
            strata=strata,
            documents=tuple(int(document) for document in sample["documents"]),
            stratum_of=tuple(int(h) for h in sample["stratum_of"]),
            relevance=tuple(float(p) for p in sample["relevance"]),
        )
        answers = {int(document): about for document, about in values["answers"]}
        if not all(about is None or isinstance(about, bool) for about in answers.values()):
            raise ValueError("an answer is neither yes nor no")
        return cls(str(values["query"]), drawn, answers)
