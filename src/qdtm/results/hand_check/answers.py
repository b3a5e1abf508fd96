"""What people say of documents: answers under names in, what counts for each document and how far they agree.

An answer is "yes", "no" or "unsure", of one person about one document; a later one of the same person takes
its place. Where people differ, nobody's word is the truth: the document counts as unsure until it is settled.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import numpy as np

from qdtm.errors import ParameterError

Verdict = Literal["yes", "no", "unsure"]
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)

MAX_NOTE, MAX_NAME = 2_000, 80
"""Characters of a note, and of a person's name."""


@dataclass(frozen=True)
class Answer:
    """What one person says of one document.

    Attributes
    ----------
    row : int
        The document's row in the corpus.
    about : {"yes", "no", "unsure"}
    by : str
        Who says so; "" for whoever gives no name.
    note : str
    before : {"yes", "no", "unsure"} or None
        What the same person said at the first look, if this is a second one.
    """

    row: int
    about: Verdict
    by: str = ""
    note: str = ""
    before: Verdict | None = None

    def __post_init__(self) -> None:
        if self.about not in VERDICTS or self.before not in (*VERDICTS, None):
            raise ParameterError(f"An answer is {self.about!r}; give 'yes', 'no' or 'unsure'.")
        if len(self.by) > MAX_NAME or any(not letter.isprintable() for letter in self.by):
            raise ParameterError(f"A name has at most {MAX_NAME} characters, on one line.")
        if len(self.note) > MAX_NOTE:
            raise ParameterError(f"A note has {len(self.note):,} characters; give at most {MAX_NOTE:,}.")

    @property
    def key(self) -> tuple[int, str]:
        """What a later answer must have in common to take its place."""
        return self.row, self.by

    def to_json(self) -> list[Any]:
        """Return it in a form that JSON can hold."""
        return [self.row, self.about, self.by, self.note, self.before]

    @classmethod
    def from_json(cls, values: Sequence[Any]) -> Answer:
        """Return what `to_json` described; anything else raises."""
        row, about, by, note, before = values
        return cls(int(row), about, str(by), str(note), before)


def as_verdict(about: object) -> Verdict:
    """Read an answer: True, False, or one of `VERDICTS`."""
    said = ("yes" if about else "no") if isinstance(about, bool | np.bool_) else about
    if not isinstance(said, str) or said not in VERDICTS:
        raise ParameterError(f"An answer is {about!r}; give 'yes', 'no' or 'unsure'.")
    return said


def put(answers: Sequence[Answer], answer: Answer) -> tuple[Answer, ...]:
    """Return the answers with one more, the last; it takes the place of an earlier one of the same person."""
    earlier = next((each for each in answers if each.key == answer.key), None)
    if earlier is not None:
        answer = replace(answer, before=earlier.before or earlier.about, note=answer.note or earlier.note)
    return (*(each for each in answers if each.key != answer.key), answer)


def verdicts(answers: Iterable[Answer], settled: Mapping[int, Verdict]) -> dict[int, Verdict]:
    """Return what counts for each document: what was settled, else what all say, else "unsure"."""
    said: dict[int, set[Verdict]] = {}
    for answer in answers:
        said.setdefault(answer.row, set()).add(answer.about)
    return {
        row: settled[row] if row in settled else next(iter(each)) if len(each) == 1 else "unsure"
        for row, each in said.items()
    }


def looks(answers: Iterable[Answer], counted: Mapping[int, Verdict]) -> dict[int, tuple[int, int]]:
    """Return how many answers to each document are the one that counts, and how many were another."""
    found: dict[int, tuple[int, int]] = {}
    for answer in answers:
        for about in filter(None, (answer.before, answer.about)):
            same, other = found.get(answer.row, (0, 0))
            is_same = about == counted[answer.row]
            found[answer.row] = (same + is_same, other + (not is_same and about != "unsure"))
    return found


# --- agreement ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Agreement:
    """How far people agree.

    Attributes
    ----------
    n_documents : int
        That two or more people answered.
    share : float or None
        Of pairs of answers to one document, those that are the same.
    alpha : float or None
        Krippendorff's alpha for nominal data: 1 if all agree, 0 if they agree as by chance; None if nobody
        differs in anything, so that chance cannot be told.
    disagreements : tuple of int
        The rows of documents whose answers differ and were not settled.
    people : tuple of str
    """

    n_documents: int
    share: float | None
    alpha: float | None
    disagreements: tuple[int, ...]
    people: tuple[str, ...]

    def summary(self) -> str:
        """Say it for people: 92% of 40 documents, Krippendorff's alpha 0.81; 3 to settle."""
        if self.share is None:
            return "nobody has answered what another has"
        alpha = "" if self.alpha is None else f", Krippendorff's alpha {self.alpha:.2f}"
        documents = "document" if self.n_documents == 1 else "documents"
        settle = f"; {len(self.disagreements)} to settle" if self.disagreements else ""
        return f"{self.share:.0%} on {self.n_documents:,} {documents}{alpha}{settle}"


def agreement(answers: Iterable[Answer], settled: Mapping[int, Verdict]) -> Agreement:
    """Compare the answers of people to the same documents (Krippendorff 2011)."""
    answers = tuple(answers)
    units: dict[int, list[str]] = {}
    for answer in answers:
        units.setdefault(answer.row, []).append(answer.about)
    shared = {row: said for row, said in units.items() if len(said) > 1}
    differing = tuple(row for row, said in shared.items() if len(set(said)) > 1 and row not in settled)
    return Agreement(
        n_documents=len(shared),
        share=raw_agreement(shared.values()) if shared else None,
        alpha=krippendorff_alpha(shared.values()),
        disagreements=differing,
        people=tuple(dict.fromkeys(answer.by for answer in answers)),
    )


def raw_agreement(units: Iterable[Sequence[str]]) -> float:
    """Return the share of pairs of answers within units that are the same."""
    same = pairs = 0
    for said in units:
        pairs += len(said) * (len(said) - 1)
        same += sum(n * (n - 1) for n in Counter(said).values())
    return same / pairs if pairs else 1.0


def krippendorff_alpha(units: Iterable[Sequence[str]]) -> float | None:
    """Return Krippendorff's alpha for nominal values; None if there is one value only, or no pair.

    alpha = 1 - D_o / D_e: the disagreement within units beside that of values paired regardless of units; a
    pair of a unit with m values weighs 1 / (m - 1) (Krippendorff 2011, "Computing Krippendorff's
    alpha-reliability", nominal metric; units with one value only say nothing).
    """
    pairable = [Counter(said) for said in units if len(said) > 1]
    totals: Counter[str] = sum(pairable, Counter())
    n = sum(totals.values())
    by_chance = n * n - sum(each * each for each in totals.values())
    if not by_chance:
        return None
    observed = 0.0
    for counts in pairable:
        m = sum(counts.values())
        observed += (m * m - sum(each * each for each in counts.values())) / (m - 1)
    return 1.0 - (n - 1) * observed / by_chance
