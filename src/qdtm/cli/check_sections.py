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


def document_page(result: Result, q: int, check: HandCheck) -> Iterator[RenderableType]:
    """Show the next document of a sample with the words that count marked, and not its relevance."""
    from qdtm.results.explain import explain_document

    explanation = explain_document(result, check.open[0], q)
    document = explanation.document
    number = len(check.sample) - len(check.open) + 1
    yield Text()
    yield heading(f"Is this about '{check.query}'?", f"{number} of {len(check.sample)}: {document.id}")
    yield facts((name, one_line(value, 80)) for name, value in list(document.fields.items())[:_FIELDS])
    yield Padding(passage_text(explanation.passage(_EXCERPT)), (0, 0, 0, 2))


def estimate_page(check: HandCheck, n_documents: int) -> Iterator[RenderableType]:
    """Show precision, recall and the number of documents about a query, and where answers are from."""
    found = check.estimate()
    skipped = len(check.answers) - found.n_answered
    progress = f"{found.n_answered} of {len(check.sample)} answered, {found.n_yes} yes, {skipped} skipped"
    yield heading(f"hand-check of '{check.query}'", progress)
    if not found.n_answered:
        return
    yield facts(_outcome(check, found, n_documents))
    yield Text()
    columns: Columns = [("relevance", _RIGHT), *((name, _RIGHT) for name in ("documents", "answered", "yes"))]
    rows = [
        (
            f"{o.stratum.high:.3f} to {o.stratum.low:.3f}",
            f"{o.stratum.size:,}",
            f"{o.n_answered}",
            f"{o.n_yes}",
        )
        for o in found.strata
    ]
    yield table(columns, rows)


def _outcome(check: HandCheck, found: CheckEstimate, n_documents: int) -> Iterator[tuple[str, str]]:
    """Yield what the answers say, a line each; intervals are of 95 %."""
    curve = check.recalibration
    yield "cut-off", f"{check.sample.cutoff:.3f}; {found.n_above:,} of {n_documents:,} documents are above"
    if found.precision is not None:
        yield "precision", f"{found.precision.as_percent()}, {found.precision.level:.0%} interval"
    yield "recall", f"{found.recall.as_percent()}, {found.recall.level:.0%} interval"
    yield "documents about it", f"{found.n_about.as_count()}, {found.n_about.level:.0%} interval"
    if check.is_enough:
        yield "relevance", ", ".join(f"{p:.2f} is now {curve.apply(p):.2f}" for p in (0.1, 0.5, 0.9))
    else:
        yield "relevance", f"as it was: {LEAST_ANSWERS} answers are needed to correct it"
