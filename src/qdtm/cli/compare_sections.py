"""A comparison in, sections of a page out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rich.console import RenderableType
from rich.text import Text

from qdtm.cli.console import one_line
from qdtm.cli.sections import Columns, facts, heading, table

if TYPE_CHECKING:
    from qdtm.results.comparison import Sensitivity, SubtopicFate, Variant

_RIGHT = {"justify": "right", "no_wrap": True}
_N_EXAMPLES = 2
_STYLES = {"stays": "green", "splits": "yellow", "merges": "yellow", "vanishes": "red"}


def sensitivity_page(sensitivity: Sensitivity, output: str | None = None) -> Iterator[RenderableType]:
    """Yield the sections of a comparison: subtopics, then documents."""
    n = len(sensitivity.variants)
    ways = f"{n} other {'way' if n == 1 else 'ways'} of asking"
    yield heading(sensitivity.name, f"{sensitivity.prevalence:.1%} of the corpus, {ways}")
    yield table(*_subtopics(sensitivity))
    yield Text()
    yield table(*_table_of_ways(sensitivity))
    yield Text()
    for variant in sensitivity.variants:
        examples = list(_examples(variant))
        if examples:
            yield heading(variant.label)
            yield facts(examples)
            yield Text()
    if output is not None:
        yield facts([("page", output)])


def _subtopics(sensitivity: Sensitivity) -> tuple[Columns, list[list[str | Text]]]:
    columns: Columns = [("subtopic", {}), *((one_line(each.label, 30), {}) for each in sensitivity.variants)]
    rows: list[list[str | Text]] = []
    for id, name in sensitivity.subtopics:
        rows.append([f"{id} {name}", *(_fate(each) for each in sensitivity.fates(id))])
    new: list[str | Text] = [", ".join(each.comparison.new) or "none" for each in sensitivity.variants]
    return columns, [*rows, ["new there", *new]]


def _fate(each: SubtopicFate) -> Text:
    to = f" {'+'.join(each.to)}" if each.to else ""
    return Text.assemble((each.fate, _STYLES[each.fate]), to, (f" {each.likeness:.2f}", "dim"))


def _table_of_ways(sensitivity: Sensitivity) -> tuple[Columns, list[list[str | Text]]]:
    names = ("share", "subtopics", "common words", "documents", "gained", "lost")
    columns: Columns = [("way", {}), *((name, _RIGHT) for name in names)]
    size = f"{sensitivity.prevalence:.1%}"
    rows: list[list[str | Text]] = [[sensitivity.label, size, str(len(sensitivity.subtopics)), *[""] * 4]]
    for each in sensitivity.variants:
        documents = each.comparison.documents
        counts = ["", "", ""]
        if documents is not None:
            counts = [f"{n:,}" for n in (documents.n_right, documents.n_gained, documents.n_lost)]
            rows[0][4] = f"{documents.n_left:,}"
        overlap = f"{each.comparison.overlap:.0%}"
        rows.append([each.label, f"{each.prevalence:.1%}", str(each.n_subtopics), overlap, *counts])
    return columns, rows


def _examples(variant: Variant) -> Iterator[tuple[str, str]]:
    documents = variant.comparison.documents
    if documents is None:
        return
    for name, some in (("gained", documents.gained), ("lost", documents.lost)):
        for document in some[:_N_EXAMPLES]:
            yield name, f"{document.id}: {document.text}"
