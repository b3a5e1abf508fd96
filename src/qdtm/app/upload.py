"""An uploaded file in, a preview or a saved corpus out. Runs in a worker process, never in the server."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from qdtm.app.corpora import SAVED, AboutCorpus, Dropped, read_upload, write_about
from qdtm.app.requests import Columns, IndexRequest
from qdtm.app.workspace import Workspace, now
from qdtm.corpus import Corpus, CorpusWarning, ReadOptions, Record, TextPipeline, load_demo_corpus
from qdtm.corpus.corpus import ReadingProgress
from qdtm.corpus.language import MOST_CHARACTERS, language_note, other_language
from qdtm.corpus.phrase_index import words_within
from qdtm.corpus.readers.read import read_records
from qdtm.errors import QdtmError
from qdtm.results.dates import read_dates

N_PREVIEWED = 8
_N_GUESSED_FROM = 50
_CELL = 240  # characters of a cell in a preview
_N_LISTED = 40  # words of a list
_LOOKED_THROUGH = 5_000  # documents in which dropped words are counted
_DATE_NAMES = ("date", "time", "year", "published", "created", "month", "day")


@dataclass(frozen=True)
class Preview:
    """The first rows of a table, and which columns are what, as far as can be guessed.

    Attributes
    ----------
    columns : tuple of str
        None (a text a line) is an empty tuple.
    rows : tuple of tuple of str
        Cells, cut to a readable length.
    guess : Columns
    language : str
        What the texts seem to be in.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    guess: Columns
    language: str = "english"


def preview_file(path: Path) -> Preview:
    """Read the first rows of a file.

    Raises
    ------
    CorpusError
        If it cannot be read.
    """
    records = list(islice(read_records(path, ReadOptions(all_fields=True)), _N_GUESSED_FROM))
    names = tuple(dict.fromkeys(name for record in records for name in record.fields))
    shown = records[:N_PREVIEWED]
    language = _language(records)
    if not names:
        return Preview((), tuple((_cut(record.text),) for record in shown), Columns(), language)
    rows = tuple(tuple(_cut(record.fields.get(name, "")) for name in names) for record in shown)
    text = _column_with(names, records, [record.text for record in records])
    id = _column_with(names, records, [record.id for record in records])
    title = records[0].title_name or None
    guess = Columns(text=text, id=id, time=_date_column(names, records, text), title=title)
    return Preview(names, rows, guess, language)


def _language(records: Sequence[Record]) -> str:
    """Return the language that texts seem to be in; warn where that alone does not help."""
    texts = [record.text[:MOST_CHARACTERS] for record in records]
    if found := other_language(texts, "english"):
        return found[0]
    if note := language_note(texts, TextPipeline()):
        warnings.warn(note, CorpusWarning, stacklevel=2)
    return "english"


def index_corpus(
    workspace: Workspace, request: IndexRequest, progress: ReadingProgress | None = None
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
        corpus = Corpus.read(
            upload.path,
            text_column=request.columns.text,
            id_column=request.columns.id,
            title_column=request.columns.title or "",  # none, where the user wants none
            pipeline=TextPipeline(language=None if request.language == "none" else request.language),
            progress=progress,
        )
        corpus.save(folder / SAVED, force=True)
    about = describe_corpus(corpus, request)
    write_about(workspace, about)
    if not request.demo:
        upload.path.unlink(missing_ok=True)
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


def _column_with(names: Sequence[str], records: Sequence[Record], values: Sequence[str]) -> str | None:
    """Return the column that holds these values."""
    for name in names:
        if [record.fields.get(name, "") for record in records] == list(values):
            return name
    return None


def _date_column(names: Sequence[str], records: Sequence[Record], text: str | None) -> str | None:
    """Return a column that is called like a date and holds nothing else."""
    for name in names:
        if name != text and any(usual in name.casefold() for usual in _DATE_NAMES):
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
        there = tuple(text for text in texts if text in known)
        chosen["text"] = there[0] if len(there) == 1 else there or None
    return Columns(**chosen)
