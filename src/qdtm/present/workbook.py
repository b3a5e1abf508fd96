"""Tables in, an .xlsx workbook out, written row by row, so that its size does not matter.

The file is written here and not by XlsxWriter or openpyxl, which take 1.9 and 2.4 times as long for a table
of 20,000 documents; a workbook is a few XML files in a zip (ECMA-376). openpyxl and LibreOffice read it back
in the tests.

A spreadsheet has limits: a cell holds 32,767 characters (longer texts are cut, and say so), a sheet 1,048,576
rows (the table goes on in another sheet) and 16,384 columns (more are refused). Characters that XML cannot
hold are left out. A text stays a text whatever it begins with; the user's own columns are numbers or dates
only if all of their values are.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from datetime import date
from html import escape
from pathlib import Path

from qdtm.errors import ParameterError
from qdtm.present.legal_text import in_xml
from qdtm.present.methods import CITATION, methods_paragraph, settings_table
from qdtm.results.result import Result
from qdtm.results.table_formats import plain_cell
from qdtm.results.tables import Cell, Column, Row, Table, result_tables
from qdtm.storage.archive import Archive

MAX_CHARACTERS = 32_767
MAX_ROWS = 1_048_576
MAX_COLUMNS = 16_384

_CUT = " … [cut: {:,} characters]"
_LOOKS_ESCAPED = re.compile(r"_(?=x[0-9A-Fa-f]{4}_)")  # "_x0041_" would be read as "A"
_NUMBER = re.compile(r"-?(0|[1-9]\d{0,14})(\.\d{1,12})?")  # "007" is a name; 16 digits would be rounded
_DATE = re.compile(r"(19|20|21)\d\d-\d\d-\d\d")
_FORMULA_STARTS = frozenset("=+-@\t\r\n'")
_WIDTHS = {
    "text": 80, "passage": 80, "value": 80, "words": 60, "name": 40, "subtopic_name": 40, "title": 40,
    "supported_by": 40,
}  # fmt: skip
_EPOCH = date(1899, 12, 30).toordinal()  # day 0 of a spreadsheet

_HEAD, _QUOTED, _DAY = 1, 2, 3  # places in the list of styles below
_FONT = '<sz val="11"/><name val="Calibri"/>'
_PLAIN = 'numFmtId="0" fillId="0" borderId="0" xfId="0"'
_STYLES = (
    f'<fonts count="2"><font>{_FONT}</font><font><b/>{_FONT}</font></fonts>'
    '<fills count="2"><fill><patternFill patternType="none"/></fill>'
    '<fill><patternFill patternType="gray125"/></fill></fills>'
    '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>'
    '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>'
    f'<cellXfs count="4"><xf {_PLAIN} fontId="0"/><xf {_PLAIN} fontId="1" applyFont="1"/>'
    f'<xf {_PLAIN} fontId="0" quotePrefix="1"/>'
    '<xf numFmtId="14" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/></cellXfs>'
    '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles>'
)
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_START = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'

Convert = Callable[[str], int | float | date]


def write_workbook(
    result: Result, path: Path, *, all_documents: bool = False, max_rows: int = MAX_ROWS
) -> None:
    """Write a result as a workbook: a sheet about it, then one for each table.

    Parameters
    ----------
    result : Result
    path : Path
    all_documents : bool
        Whether documents are listed that are about no query.
    max_rows : int
        Of a sheet, its head included.

    Raises
    ------
    ParameterError
        If a table has more columns than a sheet.
    """
    tables = (
        _about(result),
        *result_tables(result.fit, result.corpus, result.codes, all_documents=all_documents),
    )
    for table in tables:
        if len(table.columns) > MAX_COLUMNS:
            raise ParameterError(
                f"The table of {table.name} has {len(table.columns):,} columns, more than the "
                f"{MAX_COLUMNS:,} that a sheet holds; export as csv."
            )
    with Archive(path) as archive:
        titles: list[str] = []
        for table in tables:
            _write_table(archive, table, titles, max_rows)
        _write_frame(archive, titles)


def _about(result: Result) -> Table:
    """Return what was done, with which settings."""

    def rows() -> Iterator[Row]:
        yield "methods", methods_paragraph(result)
        yield "citation", CITATION
        yield from settings_table(result)

    columns = Column("what", "text", "is said"), Column("value", "text", "what is so")
    return Table("about", columns, rows)


# --- sheets ------------------------------------------------------------------------------------------------


def _write_table(archive: Archive, table: Table, titles: list[str], max_rows: int) -> None:
    """Write a table to a sheet, and to further ones where it is too long for one; add their titles."""
    converts, rows = _converts(table), table.rows()
    number, row = 1, next(rows, None)
    while number == 1 or row is not None:
        titles.append(table.name if number == 1 else f"{table.name} {number}")
        with archive.open(f"xl/worksheets/sheet{len(titles)}.xml") as file:
            n_rows = 1
            file.write(_sheet_start(table).encode("utf-8"))
            while row is not None and n_rows < max_rows:
                n_rows += 1
                file.write(_row(n_rows, row, converts).encode("utf-8"))
                row = next(rows, None)
            last = f"{_letters(len(table.columns) - 1)}{n_rows}"
            file.write(f'</sheetData><autoFilter ref="A1:{last}"/></worksheet>'.encode())
        number += 1


def _sheet_start(table: Table) -> str:
    """Return a sheet up to its first row: the frozen head, and how wide columns are."""
    widths = [_WIDTHS.get(name, 14) for name in table.names]
    columns = "".join(
        f'<col min="{c}" max="{c}" width="{width}" customWidth="1"/>'
        for c, width in enumerate(widths, start=1)
    )
    heads = "".join(_text(f"{_letters(c)}1", name, _HEAD) for c, name in enumerate(table.names))
    return (
        f'{_START}<worksheet xmlns="{_MAIN}"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" '
        f'topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>'
        f'<cols>{columns}</cols><sheetData><row r="1">{heads}</row>'
    )


def _row(number: int, row: Row, converts: Sequence[Convert | None]) -> str:
    cells = [
        _cell(f"{_letters(c)}{number}", value, convert)
        for c, (value, convert) in enumerate(zip(row, converts, strict=True))
    ]
    return f'<row r="{number}">{"".join(cells)}</row>'


def _cell(place: str, value: Cell, convert: Convert | None) -> str:
    """Return a cell: a number, a date, or a text that stays one."""
    value = plain_cell(value)
    if value is None or value == "":
        return ""
    if not isinstance(value, str):
        return f'<c r="{place}"><v>{value!r}</v></c>' if math.isfinite(value) else ""
    if convert is None:
        return _text(place, value, _QUOTED if value[0] in _FORMULA_STARTS else 0)
    typed = convert(value)
    if isinstance(typed, date):
        return f'<c r="{place}" s="{_DAY}"><v>{typed.toordinal() - _EPOCH}</v></c>'
    return f'<c r="{place}"><v>{typed!r}</v></c>'


def _text(place: str, text: str, style: int = 0) -> str:
    styled = f' s="{style}"' if style else ""
    inside = escape(legal_text(text), quote=False)
    return f'<c r="{place}" t="inlineStr"{styled}><is><t xml:space="preserve">{inside}</t></is></c>'


def legal_text(text: str) -> str:
    """Return a text that a cell can hold: no control characters, and not longer than a cell."""
    text = in_xml(text.replace("\r\n", "\n").replace("\r", "\n"))
    if "_x" in text:
        text = _LOOKS_ESCAPED.sub("_x005F_", text)
    if len(text) * 2 <= MAX_CHARACTERS:
        return text
    units = text.encode("utf-16-le")  # what a spreadsheet counts
    if len(units) <= 2 * MAX_CHARACTERS:
        return text
    note = _CUT.format(len(text))
    return units[: 2 * (MAX_CHARACTERS - len(note))].decode("utf-16-le", "ignore") + note


_LETTERS: list[str] = []


def _letters(column: int) -> str:
    """Return the name of a column: A, B, ..., Z, AA, ..."""
    while len(_LETTERS) <= column:
        name, rest = "", len(_LETTERS) + 1
        while rest:
            rest, letter = divmod(rest - 1, 26)
            name = chr(65 + letter) + name
        _LETTERS.append(name)
    return _LETTERS[column]


# --- types of the user's columns ---------------------------------------------------------------------------


def _converts(table: Table) -> list[Convert | None]:
    """Return, for each column, what makes a typed value of its texts; None leaves texts."""
    own = [c for c, column in enumerate(table.columns) if column.kind == "own"]
    kinds: list[set[Convert]] = [{_as_number, date.fromisoformat} for _ in own]
    for row in table.own_rows():
        for text, possible in zip(row, kinds, strict=True):
            if possible and text:
                possible &= _possible(text)
    chosen = {
        column: next((kind for kind in (_as_number, date.fromisoformat) if kind in possible), None)
        for column, possible in zip(own, kinds, strict=True)
    }
    return [chosen.get(column) for column in range(len(table.columns))]


def _possible(text: str) -> set[Convert]:
    """Return what a text can be read as."""
    if _NUMBER.fullmatch(text):
        return {_as_number}
    try:
        return {date.fromisoformat} if _DATE.fullmatch(text) and date.fromisoformat(text) else set()
    except ValueError:
        return set()


def _as_number(text: str) -> int | float:
    return float(text) if "." in text else int(text)


# --- the files around the sheets ---------------------------------------------------------------------------


def _write_frame(archive: Archive, titles: Sequence[str]) -> None:
    """Write what holds the sheets together."""
    sheets = "".join(
        f'<sheet name="{escape(title)}" sheetId="{n}" r:id="r{n}"/>'
        for n, title in enumerate(titles, start=1)
    )
    relations = "".join(
        f'<Relationship Id="r{n}" Type="{_RELATIONS}/worksheet" Target="worksheets/sheet{n}.xml"/>'
        for n in range(1, len(titles) + 1)
    )
    types = "".join(
        f'<Override PartName="/xl/worksheets/sheet{n}.xml" ContentType="{_TYPE}.worksheet+xml"/>'
        for n in range(1, len(titles) + 1)
    )
    parts = {
        "xl/workbook.xml": f'<workbook xmlns="{_MAIN}" xmlns:r="{_RELATIONS}">'
        f"<sheets>{sheets}</sheets></workbook>",
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">{relations}'
        f'<Relationship Id="styles" Type="{_RELATIONS}/styles" Target="styles.xml"/></Relationships>',
        "xl/styles.xml": f'<styleSheet xmlns="{_MAIN}">{_STYLES}</styleSheet>',
        "_rels/.rels": f'<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="r1" '
        f'Type="{_RELATIONS}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{_TYPE}.sheet.main+xml"/>'
        f'<Override PartName="/xl/styles.xml" ContentType="{_TYPE}.styles+xml"/>{types}</Types>',
    }
    for name, content in parts.items():
        with archive.open(name) as file:
            file.write((_START + content).encode("utf-8"))
