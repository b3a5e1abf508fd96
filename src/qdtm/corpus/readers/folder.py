"""Files that are one document each in, records out: one, or all in a folder, of any kinds."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from qdtm.corpus.readers.contents import Contents, PassedOver, read_text
from qdtm.corpus.readers.encoding import reading_errors
from qdtm.corpus.readers.markup_files import read_html, read_markdown
from qdtm.corpus.readers.office_files import read_docx, read_epub, read_odt
from qdtm.corpus.readers.pdf_rtf import read_pdf, read_rtf
from qdtm.corpus.readers.records import CorpusWarning, Meter, ReadOptions, Record
from qdtm.corpus.readers.references import arranged
from qdtm.corpus.titles import first_line
from qdtm.errors import CorpusError, MissingExtraError


def _read_plain(path: Path, encoding: str | None) -> Contents:
    text, found = read_text(path, encoding)
    return Contents(text, encoding=found)


DOCUMENTS: dict[str, Callable[[Path, str | None], Contents]] = {
    ".txt": _read_plain,
    ".md": read_markdown,
    ".markdown": read_markdown,
    ".html": read_html,
    ".htm": read_html,
    ".xhtml": read_html,
    ".docx": read_docx,
    ".odt": read_odt,
    ".rtf": read_rtf,
    ".epub": read_epub,
    ".pdf": read_pdf,
}
"""What reads a file as one document, by its ending."""

_TEMPORARY = ("~$", ".")
"""How the names begin of files that programs leave beside a document, and of hidden ones."""


def read_document(path: Path, options: ReadOptions, meter: Meter) -> Iterator[Record]:
    """Yield the one document that a file is; its name is the file's."""
    contents = DOCUMENTS[path.suffix.lower()](path, options.encoding)
    if contents.encoding is not None and contents.encoding.note:
        warnings.warn(f"{path.name!r} {contents.encoding.note}", CorpusWarning, stacklevel=2)
    record = Record(path.stem, contents.text, contents.fields, title=contents.own_title)
    yield from arranged([record], options, path)
    meter.set(1.0)


def read_folder(path: Path, options: ReadOptions, meter: Meter) -> Iterator[Record]:
    """Yield each document in a folder and the folders inside it, in the order of their names.

    A document's name is its path, without the ending where all have the same. If there are folders inside,
    theirs is the field "folder". What cannot be read is passed over, and told of at the end.

    Raises
    ------
    CorpusError
        If there is no document, or none that can be read.
    """
    names, others = _list(path)
    if not names:
        raise CorpusError(_none(path, others))
    yield from arranged(_documents(path, names, options, meter), options, path)
    if others:
        listed = ", ".join(f"{n:,} {ending or 'without ending'}" for ending, n in others.most_common(5))
        warnings.warn(
            f"Of other kinds, and not read, in {path.name!r}: {listed}.", CorpusWarning, stacklevel=2
        )


def _list(path: Path) -> tuple[list[str], Counter[str]]:
    """Return the names of the documents in a folder, and how many other files there are of each ending."""
    with reading_errors(path):
        next(path.iterdir(), None)  # raises if the folder may not be read, where rglob finds nothing
        names, others = [], Counter[str]()
        for file in path.rglob("*"):
            place = file.relative_to(path)
            if (file.name.startswith(_TEMPORARY) and file.suffix.lower() != ".txt") or not file.is_file():
                continue
            if any(part.startswith(".") or part == "__MACOSX" for part in place.parts[:-1]):
                continue
            if file.suffix.lower() in DOCUMENTS:
                names.append(place.as_posix())
            else:
                others[file.suffix.lower()] += 1
    return sorted(names), others


def _none(path: Path, others: Iterable[str]) -> str:
    known = ", ".join(DOCUMENTS)
    table = next(
        (ending for ending in others if ending in (".csv", ".tsv", ".jsonl", ".ris", ".parquet")), None
    )
    hint = f" For its tables give a pattern: '{path}/*{table}'." if table else ""
    return f"There are no documents in the folder {str(path)!r} ({known}).{hint}"


def _documents(path: Path, names: list[str], options: ReadOptions, meter: Meter) -> Iterator[Record]:
    has_folders = any("/" in name for name in names)
    one_kind = len({Path(name).suffix.lower() for name in names}) == 1
    passed, doubtful = PassedOver(), []
    for number, name in enumerate(names, start=1):
        file = path / name
        try:
            contents = DOCUMENTS[file.suffix.lower()](file, options.encoding)
        except (CorpusError, MissingExtraError) as error:
            passed.add(name, file, error)
            continue
        finally:
            meter.set(number / len(names))
        if contents.encoding is not None and contents.encoding.note:
            doubtful.append((name, contents.encoding.note))
        fields = {"folder": name.rpartition("/")[0]} if has_folders else {}
        title = contents.own_title or first_line(contents.text) or file.stem
        identity = name.removesuffix(file.suffix) if one_kind else name
        yield Record(identity, contents.text, fields | contents.fields, title=title)
    if len(passed) == len(names):
        raise CorpusError(f"No document in the folder {str(path)!r} can be read: {passed}.")
    passed.tell(repr(path.name))
    if doubtful:
        name, note = doubtful[0]
        message = f"{len(doubtful):,} files in {path.name!r} are doubtful; the first, {name!r}, {note}"
        warnings.warn(message, CorpusWarning, stacklevel=2)
