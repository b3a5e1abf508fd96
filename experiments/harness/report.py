"""What a bench found, for people: headings, paragraphs and tables in, Markdown or a page of the terminal out.

Texts and cells of tables are Markdown: "### " before a heading, `name` for a name, **best** for the best.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.text import Text

    from experiments.harness.summary import Verdict

WIDTH = 78
"""Characters of a line in the terminal; wider tables are cut into several."""

WIDEST = 44
"""Of these, that one column may have."""

GAP = 2


@dataclass(frozen=True)
class Table:
    """Rows of cells below heads, as Markdown."""

    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    @classmethod
    def of(cls, heads: Iterable[str], rows: Iterable[Iterable[str]]) -> Table:
        """Make a table of anything that can be gone through."""
        return cls(tuple(heads), tuple(map(tuple, rows)))


Part = str | Table


def markdown(parts: Iterable[Part]) -> str:
    """Return a report as Markdown; parts that say nothing are left out."""
    texts = (part if isinstance(part, str) else _lines(part) for part in parts)
    return "\n\n".join(text for text in texts if text)


def _lines(table: Table) -> str:
    if not table.rows:
        return ""
    lines = (table.heads, ["---"] * len(table.heads), *table.rows)
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def form(value: float | None, how: str) -> str:
    """Return a figure as text; nothing if there is none."""
    return "" if value is None else how.format(value)


def bold(text: str, is_bold: bool) -> str:
    """Return a text as it is, or bold."""
    return f"**{text}**" if is_bold else text


def best_bold(values: Sequence[float | None], how: str = "{:.3f}") -> list[str]:
    """Return figures as texts, the highest as printed to three places bold."""
    best = max((round(value, 3) for value in values if value is not None), default=0.0)
    return ["" if v is None else bold(how.format(v), round(v, 3) == best) for v in values]


def target_table(verdicts: Iterable[Verdict]) -> Table:
    """Return targets and whether they are met."""
    rows = (
        (v.target.replace("|", "/"), f"{v.value:.3f}", "met" if v.met else "**missed**") for v in verdicts
    )
    return Table.of(("target", "here", ""), rows)


# --- in the terminal -------------------------------------------------------------------------------------


def page(parts: Iterable[Part]) -> Iterator[RenderableType]:
    """Yield what rich prints of a report."""
    from rich.text import Text

    for part in parts:
        if isinstance(part, Table):
            for columns in _side_by_side(part):
                yield _grid(part, columns)
                yield Text()
        elif part and not part.startswith("!"):  # a picture
            yield _plain(part)
            yield Text()


def _side_by_side(table: Table) -> Iterator[list[int]]:
    """Yield the columns of tables that fit, each with the first column."""
    if not table.rows:
        return
    widths = [max(len(_plain(cell)) for cell in column) + GAP
              for column in zip(table.heads, *table.rows, strict=True)]  # fmt: skip
    first, *rest = (min(width, WIDEST) for width in widths)
    columns, room = [0], WIDTH - first
    for place, width in enumerate(rest, start=1):
        if width - GAP > room and len(columns) > 1:
            yield columns
            columns, room = [0], WIDTH - first
        columns.append(place)
        room -= width
    yield columns


def _grid(table: Table, columns: Sequence[int]) -> RenderableType:
    from rich.padding import Padding
    from rich.table import Table as Grid

    grid = Grid(box=None, padding=(0, GAP, 0, 0), header_style="dim", pad_edge=False)
    for c in columns:
        cells = [_plain(row[c]) for row in table.rows]
        is_number = c > 0 and any(cell.plain[:1] in "+-0123456789" for cell in cells if cell.plain)
        is_long = max(map(len, cells)) > WIDEST
        justify = "right" if is_number and not is_long else "left"
        grid.add_column(_plain(table.heads[c]), justify=justify, overflow="fold", no_wrap=not is_long)  # type: ignore[arg-type]
    for row in table.rows:
        grid.add_row(*(_plain(row[c]) for c in columns))
    return Padding(grid, (0, 0, 0, 2), expand=False)


def _plain(text: str) -> Text:
    """Return Markdown as it is shown, in one line: without signs, headings and what is in ** bold."""
    from rich.text import Text

    from qdtm.cli.console import one_line

    said = one_line(text).replace("`", "")
    if said.startswith("#"):
        return Text(said.lstrip("# "), style="bold")
    shown = Text()
    for n, piece in enumerate(said.split("**")):
        shown.append(piece, style="bold" if n % 2 else "")
    return shown
