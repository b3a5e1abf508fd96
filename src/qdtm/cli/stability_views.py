"""The stability of a result in, a section of a page out: what independent runs agree on."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.text import Text

from qdtm.cli.views import Columns, facts, heading, table
from qdtm.results.stability import QueryStability, Stability, says_rhat

_RIGHT = {"justify": "right", "no_wrap": True}
_NO_WRAP = {"no_wrap": True}


def stability_page(stability: Stability | None) -> Iterator[RenderableType]:
    """Yield the sections about whole runs beside the first, if there were any, an empty line after each."""
    if stability is None or stability.n_chains < 2:
        return
    yield _runs(stability)
    yield Text()
    for query in stability.queries:
        if query.subtopics:
            yield _query(query)
            yield Text()


def _runs(stability: Stability) -> RenderableType:
    n, asked = stability.n_chains, stability.n_asked
    runs = f"{n} independent runs" if n == asked else f"{n} of {asked} runs complete"
    low, high = min(stability.log_likelihood), max(stability.log_likelihood)
    likelihood = f"{low:.3f} to {high:.3f} a token; {says_rhat(stability.rhat)}"
    shares = [
        (query.name, "{:.1%} to {:.1%} of the corpus; ".format(*query.range_of_share) + says_rhat(query.rhat))
        for query in stability.queries
    ]
    return Group(heading("how firm this is", runs), facts([("log likelihood", likelihood), *shares]))


def _query(query: QueryStability) -> RenderableType:
    fewest, most = query.interval
    number = f"{fewest} subtopics in each run" if fewest == most else f"{fewest} to {most} subtopics in a run"
    columns: Columns = [
        ("subtopic", _NO_WRAP),
        ("found in", _RIGHT),
        ("score", _RIGHT),
        ("words that always belong, (only sometimes)", {}),
    ]
    rows = []
    for each in query.subtopics:
        words = ", ".join(each.always) or "none"
        sometimes = f" ({', '.join(each.sometimes[:5])})" if each.sometimes else ""
        found = f"{each.n_found} of {len(each.likeness)}"
        rows.append((each.id, found, f"{each.score:.2f}", words + sometimes))
    return Group(heading(query.name, number), table(columns, rows))
