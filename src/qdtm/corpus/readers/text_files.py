"""Plain text in, records out: a file with a document a line, or a folder with a document a file."""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator
from pathlib import Path

from qdtm.corpus.readers.encoding import Encoding, bounded_lines, find_encoding, open_text, reading_errors
from qdtm.corpus.readers.records import MAX_TEXT, MAX_TEXT_MB, CorpusWarning, Meter, ReadOptions, Record
from qdtm.corpus.titles import first_line
from qdtm.errors import CorpusError


def read_lines(path: Path, options: ReadOptions, meter: Meter) -> Iterator[Record]:
    """Yield each line that is not blank; its name is its line number."""
    is_empty = True
    with open_text(path, options.encoding, meter) as file:
        for number, line in enumerate(bounded_lines(file, path), start=1):
            if text := line.strip():
                is_empty = False
                yield Record(str(number), text)
    if is_empty:
        raise CorpusError(f"{str(path)!r} is empty.")


def read_folder(path: Path, options: ReadOptions, meter: Meter) -> Iterator[Record]:
    """Yield each .txt file in a folder and the folders inside it, in the order of their names.

    A document's name is its path without the ending; if there are folders inside, theirs is the field
    "folder". Its title is its first line, or the file's name if that is no title.
    """
    with reading_errors(path):
        next(path.iterdir(), None)  # raises if the folder may not be read, where rglob finds nothing
        names = sorted(file.relative_to(path).as_posix() for file in path.rglob("*.txt") if file.is_file())
    if not names:
        raise CorpusError(f"There are no .txt files in the folder {str(path)!r}.")
    has_folders = any("/" in name for name in names)
    doubtful = []
    for number, name in enumerate(names, start=1):
        text, encoding = _read_file(path / name, options.encoding)
        if encoding.note:
            doubtful.append((name, encoding))
        folder = name.rpartition("/")[0]
        title = first_line(text) or name.rpartition("/")[2].removesuffix(".txt")
        yield Record(name.removesuffix(".txt"), text, {"folder": folder} if has_folders else {}, title=title)
        meter.set(number / len(names))
    if doubtful:
        name, encoding = doubtful[0]
        message = (
            f"{len(doubtful):,} files in {path.name!r} are doubtful; the first, {name!r}, {encoding.note}"
        )
        warnings.warn(message, CorpusWarning, stacklevel=2)


def _read_file(path: Path, wanted: str | None) -> tuple[str, Encoding]:
    with reading_errors(path):
        if path.stat().st_size > MAX_TEXT:
            raise CorpusError(f"{str(path)!r} is larger than {MAX_TEXT_MB} MB; split it.")
        encoding = find_encoding(path, wanted)
        text = io.TextIOWrapper(
            io.BytesIO(path.read_bytes()), encoding=encoding.name, errors=encoding.errors
        ).read()
    return text.replace("\0", " "), encoding
