"""A hand-check in, what is shown of it out: a document to be judged, and what the answers say."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rich.console import RenderableType
from rich.padding import Padding
from rich.text import Text

from qdtm.cli.console import one_line
from qdtm.cli.sections import Columns, facts, heading, passage_text, table
from qdtm.results.hand_check.estimate import LEAST_ANSWERS

if TYPE_CHECKING:
    from qdtm.results.hand_check import CheckEstimate, HandCheck
    from qdtm.results.result import Result

_EXCERPT = 1_500  # characters of a document
_FIELDS = 4  # columns of the user's that are shown
_RIGHT = {"justify": "right", "no_wrap": True}


def document_page(result: Result, check: HandCheck, row: int, by: str | None) -> Iterator[RenderableType]:
    """Show a document with the words that count marked, and not its relevance; of None, who said what."""
    from qdtm.results.explain import explain_document

    explanation = explain_document(result, row, check.query)
    document = explanation.document
    yield Text()
    if by is None:
        said = "; ".join(
            f"{each.by or 'no name'}: {_SAID[each.about]}" for each in check.answers if each.row == row
        )
        yield heading(f"Is this about '{check.query}'?", f"{document.id}: {said}")
    elif check.answer_of(row, by) is not None:
        again = "your answer surprises after all others; once more?"
        yield heading(f"Is this about '{check.query}'?", f"{document.id}: {again}")
    else:
        number = len(check.sample) - len(check.open_for(by)) + 1
        yield heading(f"Is this about '{check.query}'?", f"{number} of {len(check.sample)}: {document.id}")
    yield facts((name, one_line(value, 80)) for name, value in list(document.fields.items())[:_FIELDS])
    yield Padding(passage_text(explanation.passage(_EXCERPT)), (0, 0, 0, 2))


_SAID = {"yes": "yes", "no": "no", "unsure": "not sure"}


def estimate_page(
    check: HandCheck, n_documents: int, recall: float | None = None, confidence: float = 0.95
) -> Iterator[RenderableType]:
    """Show precision, recall and the number of documents about a query, and where answers are from."""
    found = check.estimate()
    n_drawn = sum(draw.round > 0 for draw in check.sample.draws)
    answered = f"{n_drawn - len(check.open)} of {n_drawn} answered"
    yield heading(
        f"hand-check of '{check.query}'", f"{answered}, {found.n_yes} yes, {found.n_unsure} not sure"
    )
    if not found.n_answered:
        return
    yield facts(_outcome(check, found, n_documents))
    if recall is not None:
        yield facts(_certain(check, recall, confidence))
    yield Text()
    columns: Columns = [
        ("relevance", _RIGHT),
        *((name, _RIGHT) for name in ("documents", "by chance", "yes", "others", "yes")),
    ]
    rows = [
        (
            f"{o.stratum.high:.3f} to {o.stratum.low:.3f}",
            f"{o.stratum.size:,}",
            f"{o.n_answered}",
            f"{o.n_yes}",
            f"{o.n_others}",
            f"{o.n_others_yes}",
        )
        for o in found.strata
    ]
    yield table(columns, rows)


def _outcome(check: HandCheck, found: CheckEstimate, n_documents: int) -> Iterator[tuple[str, str]]:
    """Yield what the answers say, a line each; intervals are of 95 %."""
    yield "cut-off", f"{check.sample.cutoff:.3f}; {found.n_above:,} of {n_documents:,} documents are above"
    if not check.can_be_quoted:
        yield "so far", f"{found.n_by_chance} answers by chance; {LEAST_ANSWERS} are needed to estimate"
        return
    if found.precision is not None:
        yield "precision", f"{found.precision.as_percent()}, {found.precision.level:.0%} interval"
    yield "recall", f"{found.recall.as_percent()}, {found.recall.level:.0%} interval"
    yield "documents about it", f"{found.n_about.as_count()}, {found.n_about.level:.0%} interval"
    yield "another 20 answers", f"would make that interval about {found.next_twenty:.0%} narrower"
    agreement = check.agreement
    if agreement.n_documents:
        yield "agreement", agreement.summary()


def _certain(check: HandCheck, recall: float, confidence: float) -> Iterator[tuple[str, str]]:
    """Yield whether a recall is certain."""
    now = check.certificate(confidence)
    found = f"{now.n_found:,} found in {now.n_read:,} read, at most {now.most_left:,} left"
    goal = "enough" if now.reaches(recall) else f"not yet {recall:.0%}"
    yield "found for certain", f"at least {now.recall:.0%} with {confidence:.0%} confidence: {found}; {goal}"
