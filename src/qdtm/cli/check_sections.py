"""A hand-check in, what is shown of it out: a document to be judged, and what the answers say."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rich.console import RenderableType
from rich.padding import Padding
from rich.text import Text

from qdtm.cli.console import one_line
from qdtm.cli.sections import Columns, facts, heading, passage_text, table
from qdtm.corpus.titles import id_beside
from qdtm.results.hand_check.estimate import LEAST_ANSWERS

if TYPE_CHECKING:
    from qdtm.results.hand_check import CheckEstimate, HandCheck, StratumOutcome
    from qdtm.results.relevance import Relevance
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
        again = "a second look, please: your answer does not fit the others"
        yield heading(f"Is this about '{check.query}'?", f"{document.id}: {again}")
    else:
        number = len(check.sample) - len(check.open_for(by)) + 1
        yield heading(f"Is this about '{check.query}'?", f"{number} of {len(check.sample)}: {document.id}")
    if id_beside(document.id, document.title) and not document.text.startswith(document.title.rstrip("… ")):
        yield Text(one_line(document.title), style="bold")
    fields = [(name, one_line(value, 80)) for name, value in document.fields.items() if value != document.id]
    yield facts(fields[:_FIELDS])
    yield Padding(passage_text(explanation.passage(_EXCERPT)), (0, 0, 0, 2))


_SAID = {"yes": "yes", "no": "no", "unsure": "not sure"}


def estimate_page(
    check: HandCheck, relevance: Relevance, recall: float | None = None, confidence: float = 0.95
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
    lines = list(_outcome(check, found, relevance))
    if recall is not None:
        lines.append((f"to find {recall:.0%}", check.certificate(confidence).summary(recall)))
    yield facts(lines)
    if check.can_be_quoted:
        yield Text()
        yield table(_COLUMNS, (_row(outcome) for outcome in found.strata))
        yield Text()
        yield Text(
            "In brackets: 95% intervals. Estimates are from the documents drawn by chance.", style="dim"
        )


_COLUMNS: Columns = [
    ("relevance", _RIGHT),
    *((name, _RIGHT) for name in ("documents", "by chance", "of them yes", "others", "of them yes")),
]


def _row(outcome: StratumOutcome) -> tuple[str, ...]:
    stratum = outcome.stratum
    numbers = (outcome.n_answered, outcome.n_yes, outcome.n_others, outcome.n_others_yes)
    return (f"{stratum.high:.3f} to {stratum.low:.3f}", f"{stratum.size:,}", *map(str, numbers))


def _outcome(check: HandCheck, found: CheckEstimate, relevance: Relevance) -> Iterator[tuple[str, str]]:
    """Yield what the answers say, a line each; intervals are of 95 %."""
    cutoff = f"a relevance of {check.sample.cutoff:.2f} or more"
    yield "the list", f"{found.n_above:,} of {check.sample.n_corpus:,} documents, with {cutoff}"
    if not check.can_be_quoted:
        yield "so far", f"{found.n_by_chance} answers by chance; {LEAST_ANSWERS} are needed to estimate"
        return
    if found.precision is not None:
        yield "precision", f"{found.precision.as_percent()} of the list is about it"
    yield "recall", f"{found.recall.as_percent()} of what is about it is in the list"
    yield (
        "documents about it",
        f"by hand {found.n_about.as_count()}, by the model {relevance.by_model.as_count()}",
    )
    whose = "the hand's" if relevance.is_by_hand else "the model's"
    yield "the headline", f"is {whose} number, whose interval is narrower"
    yield "another 20 answers", f"would make the hand's interval about {found.next_twenty:.0%} narrower"
    if check.agreement.n_documents:
        yield "agreement", check.agreement.summary()
