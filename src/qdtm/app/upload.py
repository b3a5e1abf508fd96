"""Uploaded files in, a preview or a saved corpus out. Runs in a worker process, never in the server."""

from __future__ import annotations

import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

import numpy as np

from qdtm.app.corpora import SAVED, AboutCorpus, Dropped, read_upload, remove_upload, write_about
from qdtm.app.requests import Columns, IndexRequest
from qdtm.app.workspace import Workspace, now
from qdtm.corpus import Corpus, CorpusWarning, ReadOptions, Record, TextPipeline, load_demo_corpus
from qdtm.corpus.corpus import ReadingProgress
from qdtm.corpus.language import MOST_CHARACTERS, language_note, other_language
from qdtm.corpus.passage_split import WHOLE, how_long
from qdtm.corpus.phrase_index import words_within
from qdtm.corpus.readers.read import FILE, read_records
from qdtm.corpus.readers.records import Meter, text_columns_of
from qdtm.corpus.readers.sources import SourceFile
from qdtm.errors import QdtmError
from qdtm.results.dates import read_dates

N_PREVIEWED = 8
_N_GUESSED_FROM = 50
_N_PASSED = 20
_SECONDS, _SECONDS_OF_SEVERAL = 1.0, 20.0  # for which documents are counted
_CELL = 240  # characters of a cell in a preview
_N_LISTED = 40  # words of a list
_LOOKED_THROUGH = 5_000  # documents in which dropped words are counted
_DATE_NAMES = ("date", "time", "year", "published", "created", "month", "day")


@dataclass(frozen=True)
class Preview:
    """What is in an upload: its first rows, and which columns are what, as far as can be guessed.

    Attributes
    ----------
    columns : tuple of str
        None (a text a line) is an empty tuple.
    rows : tuple of tuple of str
        Cells, cut to a readable length.
    guess : Columns
    language : str
        What the texts seem to be in.
    long : str
        That they are long, if they are.
    n_files, n_documents : int
        Also those in packed files.
    has_more : bool
        Whether there are more documents than were counted.
    passed : tuple of str
        Files that cannot be read, with the reason.
    has_tables : bool
        Whether there are columns from which the text has to be chosen.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    guess: Columns
    language: str = "english"
    long: str = ""
    n_files: int = 1
    n_documents: int = 0
    has_more: bool = False
    passed: tuple[str, ...] = ()
    has_tables: bool = True


def preview_files(files: Sequence[SourceFile], progress: ReadingProgress | None = None) -> Preview:
    """Read the first rows of files, and count their documents for as long as a person waits for that.

    Raises
    ------
    CorpusError
        If none can be read.
    """
    meter, kept = Meter(), _Kept(_N_GUESSED_FROM if len(files) == 1 else N_PREVIEWED)
    until = time.monotonic() + (_SECONDS if len(files) == 1 else _SECONDS_OF_SEVERAL)
    n_documents, has_more = 0, False
    for record in read_records(files, ReadOptions(all_fields=True), meter):
        n_documents += 1
        kept.add(record)
        if progress is not None:
            progress(n_documents, meter.share())
        if time.monotonic() > until:
            has_more = True
            break
    counted = {
        "n_files": meter.n_files,
        "n_documents": n_documents,
        "has_more": has_more,
        "passed": tuple(meter.passed.lines(_N_PASSED)),
    }
    return _preview(kept.records, **counted)


class _Kept:
    """The first records of each file, `of_each` at most."""

    def __init__(self, of_each: int) -> None:
        self.records: list[Record] = []
        self._of_each = of_each
        self._counts: Counter[str] = Counter()

    def add(self, record: Record) -> None:
        """Keep a record, if there is room for it."""
        file = record.fields.get(FILE, "")
        if len(self.records) < _N_GUESSED_FROM and self._counts[file] < self._of_each:
            self._counts[file] += 1
            self.records.append(record)


def _preview(records: Sequence[Record], **counted: Any) -> Preview:
    names = tuple(dict.fromkeys(name for record in records for name in record.fields))
    tables = [record for record in records if record.text_name]
    shown = records[:N_PREVIEWED]
    language, long = _language(records), how_long(record.text for record in records)
    if not names:
        lines = tuple((_cut(record.text),) for record in shown)
        return Preview((), lines, Columns(), language, long, **counted)
    rows = tuple(tuple(_cut(record.fields.get(name, "")) for name in names) for record in shown)
    texts = text_columns_of(tables[0].text_name, names) if tables else ()
    first = tables[0] if tables else records[0]
    guess = Columns(
        text=_one_or_several(texts),
        id=first.id_name or None,
        time=_date_column(names, records, texts),
        title=first.title_name or None if tables else None,
    )
    return Preview(names, rows, guess, language, long, **counted, has_tables=bool(tables))


def _language(records: Sequence[Record]) -> str:
    """Return the language that texts seem to be in; warn where that alone does not help."""
    texts = [record.text[:MOST_CHARACTERS] for record in records]
    if found := other_language(texts, "english"):
        return found[0]
    if note := language_note(texts, TextPipeline()):
        warnings.warn(note, CorpusWarning, stacklevel=2)
    return "english"


def index_corpus(
    workspace: Workspace,
    request: IndexRequest,
    progress: ReadingProgress | None = None,
    notes: Callable[[], Iterable[str]] | None = None,
) -> AboutCorpus:
    """Read an upload whole, save it as a corpus, and remove the upload.

    Raises
    ------
    CorpusError
        If it cannot be read, or nothing is left of it.
    """
    folder = workspace.existing("corpora", request.corpus)
    if request.demo:
        corpus = load_demo_corpus()
        corpus.save(folder / SAVED, force=True)
    else:
        upload = read_upload(workspace, request.corpus)
        has_tables = request.columns.text is not None
        corpus = Corpus.read(
            upload.files,
            text_column=request.columns.text,
            id_column=request.columns.id,
            title_column=request.columns.title or ("" if has_tables else None),  # none, where none is wanted
            split=request.split or WHOLE,
            pipeline=TextPipeline(language=None if request.language == "none" else request.language),
            progress=progress,
        )
        corpus.save(folder / SAVED, force=True)
    about = replace(describe_corpus(corpus, request), notes=tuple(notes()) if notes else ())
    write_about(workspace, about)
    if not request.demo:
        remove_upload(upload)
    return about


def describe_corpus(corpus: Corpus, request: IndexRequest) -> AboutCorpus:
    """Put together what the app tells about a corpus."""
    frequent = np.argsort(-corpus.word_counts, kind="stable")[:_N_LISTED]
    return AboutCorpus(
        id=request.corpus,
        name=request.name,
        created=now(),
        columns=request.columns,
        language=request.language,
        fields=tuple(corpus.documents.field_names),
        n_documents=corpus.n_documents,
        n_empty=int((corpus.document_lengths == 0).sum()),
        n_words=corpus.n_words,
        n_tokens=corpus.n_tokens,
        n_passages=0 if corpus.passages is None else len(corpus.passages),
        top_words=tuple((corpus.vocabulary[w], int(corpus.word_counts[w])) for w in frequent),
        dropped=_dropped(corpus),
    )


def _dropped(corpus: Corpus) -> Dropped:
    """Split the first documents again, and count the words that are not in the vocabulary."""
    tokens: Counter[str] = Counter()
    n_documents = min(corpus.n_documents, _LOOKED_THROUGH)
    for document in islice(corpus.documents, n_documents):
        tokens.update(corpus.pipeline.split(document.text))
    known = frozenset(words_within(corpus))
    stopped: Counter[str] = Counter()
    rare: Counter[str] = Counter()
    for token, count in tokens.items():
        word = corpus.pipeline.word(token)
        if word is None:
            stopped[token] += count
        elif word not in known:
            rare[word] += count
    return Dropped(
        tuple(stopped.most_common(_N_LISTED)),
        tuple(rare.most_common(_N_LISTED)),
        len(stopped),
        len(rare),
        n_documents,
    )


def _date_column(names: Sequence[str], records: Sequence[Record], texts: Sequence[str]) -> str | None:
    """Return a column that is called like a date and holds nothing else."""
    for name in names:
        if name not in texts and any(usual in name.casefold() for usual in _DATE_NAMES):
            values = [record.fields.get(name, "") for record in records]
            if any(value.strip() for value in values) and _are_dates(values, name):
                return name
    return None


def _are_dates(values: Sequence[str], name: str) -> bool:
    try:
        return read_dates(values, None, name).n_unreadable == 0
    except QdtmError:
        return False


def _cut(value: str) -> str:
    value = " ".join(value.split())
    return value if len(value) <= _CELL else value[: _CELL - 1] + "…"


def columns_of_upload(values: Mapping[str, str | Sequence[str] | None], known: Sequence[str]) -> Columns:
    """Return the user's choice of columns, of which the text may have several; what is not there is none."""
    chosen: dict[str, Any] = {name: value if value in known else None for name, value in values.items()}
    texts = values.get("text")
    if texts is not None and not isinstance(texts, str):
        chosen["text"] = _one_or_several([text for text in texts if text in known])
    return Columns(**chosen)


def _one_or_several(texts: Sequence[str]) -> str | tuple[str, ...] | None:
    return texts[0] if len(texts) == 1 else tuple(texts) or None
