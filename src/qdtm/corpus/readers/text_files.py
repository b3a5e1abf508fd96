"""Plain text in, records out: a file with a document a line."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from qdtm.corpus.readers.csv_files import read_delimited
from qdtm.corpus.readers.encoding import bounded_lines, open_text, reading_errors
from qdtm.corpus.readers.records import Meter, ReadOptions, Record
from qdtm.corpus.readers.tagged_files import is_bibliography, is_tab_delimited, read_tagged
from qdtm.errors import CorpusError


def read_lines(path: Path, options: ReadOptions, meter: Meter) -> Iterator[Record]:
    """Yield each line that is not blank; its name is its line number.

    An export of the Web of Science or of PubMed is read as a bibliography.
    """
    with reading_errors(path):
        is_export = is_bibliography(path)
    if is_export:
        with path.open("rb") as raw:
            reader = read_delimited if is_tab_delimited(raw.read(400)) else read_tagged
        yield from reader(path, options, meter)
        return
    is_empty = True
    with open_text(path, options.encoding, meter) as file:
        for number, line in enumerate(bounded_lines(file, path), start=1):
            if text := line.strip():
                is_empty = False
                yield Record(str(number), text, is_numbered=True)
    if is_empty:
        raise CorpusError(f"{str(path)!r} is empty.")
