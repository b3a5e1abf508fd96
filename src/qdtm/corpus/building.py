"""Files, texts, tokens or counts in, a `Corpus` out. The public names for these are the methods of `Corpus`.

All ways lead through `indexing`: documents are numbered in one pass; then either the limits choose the
vocabulary, or it is fixed (by another corpus, `like`) and words outside it are left out.
"""

from __future__ import annotations

import dataclasses
import itertools
import os
import warnings
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from qdtm.corpus.corpus import Corpus, ReadingProgress
from qdtm.corpus.document_store import DOCUMENT, BagTexts, Column, DocumentStore, MemoryDocuments, is_missing
from qdtm.corpus.indexing import (
    IndexedTokens,
    apply_limits,
    check_tokens_left,
    check_words_left,
    index_documents,
    index_texts,
)
from qdtm.corpus.ingest import Intake, MemoryIntake, StreamIntake, as_column, check_iterable, take_in
from qdtm.corpus.language import Sample, language_note
from qdtm.corpus.passage_split import AUTO, PARAGRAPHS, Passages, Split, cut_text, how_long, some_texts
from qdtm.corpus.phrase_index import express, split_phrases, words_within
from qdtm.corpus.phrases import with_phrases
from qdtm.corpus.readers.records import (
    N_PEEKED,
    CorpusWarning,
    Meter,
    ReadOptions,
    Record,
    find_roles,
    join_texts,
)
from qdtm.corpus.sqlite_store import SqliteDocuments
from qdtm.corpus.text import TextPipeline
from qdtm.corpus.vocabulary import VocabularyLimits
from qdtm.errors import CorpusError, ParameterError

if TYPE_CHECKING:
    from qdtm.corpus.readers.sources import Source

_PROGRESS_EVERY = 1_000

_Fields = Mapping[str, Column]


# --- from files and texts --------------------------------------------------------------------------------


def read_options(
    text_column: object = None,
    id_column: object = None,
    title_column: object = None,
    encoding: str | None = None,
) -> ReadOptions:
    """Return what the user says about columns, whose labels may be anything in a DataFrame."""
    name, title = (None if column is None else str(column) for column in (id_column, title_column))
    if text_column is None or isinstance(text_column, str):
        text: str | Sequence[str] | None = text_column
    else:
        text = tuple(map(str, text_column if isinstance(text_column, list | tuple) else [text_column]))
    return ReadOptions(text, name, encoding, title_column=title)


def splitting(pipeline: TextPipeline | None, split: Split | None, like: Corpus | None) -> TextPipeline | None:
    """Return a pipeline that splits documents as the user says; new ones are split as those they are like."""
    if split is None:
        return pipeline
    if like is not None:
        raise ParameterError("Give either split or like, whose documents are split as they are; not both.")
    if split == AUTO:  # which is known once they are read
        return pipeline
    return dataclasses.replace(pipeline or TextPipeline(), split_documents=split)


def split_by_length(corpus: Corpus, split: Split | None, like: Corpus | None) -> Corpus:
    """Return a corpus with its documents split if they are long and that is left to us; else warn of them."""
    if split not in (None, AUTO) or like is not None or corpus.pipeline.split_documents is not None:
        return corpus
    said = how_long(some_texts(corpus.documents))
    if said and split is None:
        message = f"{said}; a Corpus with split='auto' judges them by passage, with split='none' as a whole."
        warnings.warn(message, CorpusWarning, stacklevel=4)
    return _split(corpus, PARAGRAPHS) if said and split == AUTO else corpus


def _split(corpus: Corpus, split: Split) -> Corpus:
    """Return a corpus of the same texts with its documents split."""
    pipeline, cut = dataclasses.replace(corpus.pipeline, split_documents=split), _Cut(split)
    passages = cut.of(document.original for document in corpus.documents)
    indexed = _limited(index_texts(passages, pipeline), pipeline.limits)
    return _corpus(with_phrases(indexed, pipeline.limits), corpus.documents, pipeline, cut.first)


def read(
    path: Source,
    options: ReadOptions,
    pipeline: TextPipeline | None,
    like: Corpus | None,
    progress: ReadingProgress | None,
    split: Split | None = None,
) -> Corpus:
    """See `Corpus.read`."""
    from qdtm.corpus.readers.read import read_records

    pipeline, meter = splitting(pipeline, split, like), Meter()
    records = read_records(path, options, meter)
    corpus = of_records(_reporting(records, meter, progress), pipeline, like)
    if options.id_column is not None:
        _warn_of_repeated_ids(corpus.documents)
    return split_by_length(corpus, split, like)


def of_records(
    records: Iterable[Record], pipeline: TextPipeline | None, like: Corpus | None = None
) -> Corpus:
    """Make a corpus of what a reader yields, whose texts go to a temporary file."""
    with StreamIntake(records, _as_record, lambda _, record: record) as intake:
        indexed, pipeline, first = _index_texts((record.text for record in intake), pipeline, like)
        return _corpus(indexed, intake.finish(), pipeline, first)


def from_texts(
    texts: Iterable[object],
    ids: Column | None,
    fields: _Fields | None,
    titles: Column | None,
    pipeline: TextPipeline | None,
    like: Corpus | None,
    split: Split | None = None,
) -> Corpus:
    """See `Corpus.from_texts`."""
    check_iterable(texts, "texts")
    intake = take_in(texts, _as_text, ids=ids, fields=fields, titles=titles)
    return _of_intake(intake, pipeline, like, split)


def from_dataframe(
    frame: Any,
    options: ReadOptions,
    pipeline: TextPipeline | None,
    like: Corpus | None,
    split: Split | None = None,
) -> Corpus:
    """See `Corpus.from_dataframe`."""
    frame = _as_frame(frame)
    names = [str(label) for label in frame.columns]
    if len(set(names)) < len(names):
        raise CorpusError("The DataFrame has more than one column of the same name; rename them.")
    if not names or not len(frame):
        raise CorpusError(f"The DataFrame has no {'rows' if names else 'columns'}.")
    columns = [_column_of(frame, label) for label in frame.columns]
    first = [[column[j] for column in columns] for j in range(min(N_PEEKED, len(frame)))]
    roles = find_roles(names, first, options, "the DataFrame")
    ids = columns[roles.id] if roles.id is not None else _labels_of(frame)
    called = roles.names(names)
    texts = _texts_of(columns, roles.text, names)
    documents = MemoryDocuments(
        texts,
        ids,
        {names[c]: columns[c] for c in range(len(names)) if c not in roles.apart},
        called["id_name"] or str(getattr(ids, "name", None) or "") or DOCUMENT,
        None if roles.title is None else columns[roles.title],
        called["title_name"] or None,
        called["text_name"],
    )
    read = _reader_of(names[roles.text[0]])
    return _of_intake(MemoryIntake(texts, read, documents), pipeline, like, split)


def _reader_of(column: str) -> Callable[[int, object], str]:
    """Return what takes the texts of a column, and says so if one is no text."""

    def read(position: int, value: object) -> str:
        if isinstance(value, str) or is_missing(value):
            return _as_text(position, value)
        raise CorpusError(
            f"Column {column!r} has no text in row {position:,} but {type(value).__name__} "
            f"({_shortened(value)}); give the column with the texts as text_column, or make it one of text."
        )

    return read


def _labels_of(frame: Any) -> Column | None:
    """Return the labels of the rows, if there are any: of several levels in one."""
    index: Any = getattr(frame, "index", None)
    if getattr(index, "nlevels", 1) < 2:
        labels: Column | None = index
        return labels
    return [", ".join(map(str, label)) for label in index]


def _texts_of(columns: Sequence[Column], positions: Sequence[int], names: Sequence[str]) -> Column:
    """Return a column, or the texts of several in one."""
    if len(positions) == 1:
        return columns[positions[0]]
    readers = [_reader_of(names[c]) for c in positions]
    rows = zip(*(columns[c] for c in positions), strict=True)
    return [
        join_texts(read(j, value) for read, value in zip(readers, values, strict=True))
        for j, values in enumerate(rows)
    ]


def from_vectorizer(
    texts: Iterable[object],
    vectorizer: Any,
    ids: Column | None,
    fields: _Fields | None,
    titles: Column | None,
) -> Corpus:
    """See `Corpus.from_vectorizer`."""
    check_iterable(texts, "texts")
    if not hasattr(vectorizer, "build_analyzer") or not hasattr(vectorizer, "max_features"):
        raise ParameterError(f"Expected a CountVectorizer, got {type(vectorizer).__name__}.")
    if vectorizer.input != "content":
        raise ParameterError(f"The vectorizer must have input='content', not {vectorizer.input!r}.")
    limits = VocabularyLimits(vectorizer.min_df, vectorizer.max_df, vectorizer.max_features, True)
    pipeline = dataclasses.replace(TextPipeline.plain(tokenizer=_analyzer(vectorizer)), limits=limits)
    with take_in(texts, _as_text, ids=ids, fields=fields, titles=titles) as intake:
        words = _vectorizer_words(vectorizer)
        indexed = index_documents(map(pipeline.split, intake), pipeline.word, fixed_words=words)
        indexed = _limited(indexed, VocabularyLimits.unlimited() if words else limits, keep_words=words)
        return _corpus(indexed, intake.finish(), pipeline)


# --- from tokens and counts ------------------------------------------------------------------------------


def from_tokens(
    documents: Iterable[Iterable[str] | None],
    texts: Column | None,
    ids: Column | None,
    fields: _Fields | None,
    titles: Column | None,
    limits: VocabularyLimits | None,
    pipeline: TextPipeline | None,
    like: Corpus | None,
) -> Corpus:
    """See `Corpus.from_tokens`."""
    check_iterable(documents, "lists of tokens")
    with take_in(documents, _as_tokens, texts=texts, ids=ids, fields=fields, titles=titles) as intake:
        if like is None:
            indexed = _limited(index_documents(intake, str), limits or VocabularyLimits.unlimited())
        else:
            indexed = express(index_documents(intake, str, fixed_words=words_within(like)), like)
        return _corpus(indexed, intake.finish(), _query_pipeline(indexed.words, pipeline, like))


def from_counts(
    matrix: Any,
    vocabulary: Sequence[str],
    texts: Column | None,
    ids: Column | None,
    fields: _Fields | None,
    titles: Column | None,
    pipeline: TextPipeline | None,
) -> Corpus:
    """See `Corpus.from_counts`."""
    from scipy.sparse import csr_matrix

    words = [str(word) for word in vocabulary]
    counts = csr_matrix(matrix)  # (D, V)
    if counts.shape[1] != len(words):
        raise CorpusError(f"The counts have {counts.shape[1]:,} columns for {len(words):,} words.")
    if not np.isfinite(counts.data).all() or (counts.data < 0).any() or (counts.data % 1 != 0).any():
        raise CorpusError("The counts must be whole numbers of at least 0.")
    repeats = counts.data.astype(np.int64)
    tokens = np.repeat(counts.indices, repeats).astype(np.int32)  # (N,)
    offsets = np.concatenate([[0], np.cumsum(repeats)])[counts.indptr].astype(np.int64)  # (D + 1,)
    check_tokens_left(len(offsets) - 1, len(tokens), len(tokens))
    shown = BagTexts(words, tokens, offsets) if texts is None else texts
    documents = MemoryDocuments(shown, ids, fields, titles=titles)
    return Corpus(tuple(words), tokens, offsets, documents, _query_pipeline(words, pipeline, None))


# --- from anything ---------------------------------------------------------------------------------------


def of(
    source: Any,
    options: ReadOptions,
    pipeline: TextPipeline | None,
    like: Corpus | None,
    split: Split | None = None,
) -> Corpus:
    """See `Corpus.of`."""
    if isinstance(source, Corpus):
        splitting(
            pipeline, split, like
        )  # it is made already; what is no way to split is refused all the same
        return source if like is None or like.vocabulary == source.vocabulary else _translated(source, like)
    if isinstance(source, os.PathLike):
        return read(source, options, pipeline, like, None, split)
    if isinstance(source, list | tuple) and source and all(isinstance(each, os.PathLike) for each in source):
        return read(source, options, pipeline, like, None, split)
    is_lazy = hasattr(source, "collect_schema")  # whose columns cost something
    has_names = is_lazy or hasattr(source, "column_names")
    if has_names or (hasattr(source, "columns") and not isinstance(source, Mapping)):
        return from_dataframe(source, options, pipeline, like, split)
    check_iterable(source, "texts, lists of tokens or a DataFrame")
    index = getattr(source, "index", None) if hasattr(source, "iloc") else None  # of a pandas Series
    first, values = _peek(source)
    if isinstance(first, str) or not isinstance(first, Iterable):
        return from_texts(values, index, None, None, pipeline, like, split)
    return from_tokens(values, None, index, None, None, None, splitting(pipeline, split, like), like)


def _as_frame(source: Any) -> Any:
    """Return what is like a DataFrame as one: a lazy frame, a table of Arrow, a `Dataset` of Hugging Face.

    Raises
    ------
    CorpusError
        If it has splits, or has no length.
    """
    if isinstance(source, Mapping) and hasattr(source, "column_names"):  # a DatasetDict
        splits = [repr(name) for name in source]
        choice = f"; choose one, such as dataset[{splits[0]}]" if splits else ""
        raise CorpusError(f"The dataset has splits ({', '.join(splits)[:200]}){choice}.")
    if hasattr(source, "collect_schema") and hasattr(source, "collect"):  # a LazyFrame of polars
        return source.collect()
    if hasattr(source, "to_arrow_table") and not hasattr(source, "column_names"):  # a relation of DuckDB
        source = source.to_arrow_table()
    if not hasattr(source, "column_names"):
        return source
    if not hasattr(source, "__len__"):
        raise CorpusError("The dataset is read as a stream; give texts: (row['text'] for row in dataset).")
    return _NamedColumns(source)


class _NamedColumns:
    """A `Dataset` of Hugging Face or a table of Arrow, with the names of a DataFrame."""

    def __init__(self, table: Any) -> None:
        self._table = table
        self.columns = list(table.column_names)

    def __len__(self) -> int:
        return len(self._table)

    def __getitem__(self, name: str) -> list[Any]:
        column = self._table[name]
        return column.to_pylist() if hasattr(column, "to_pylist") else list(column)


def _peek(source: Any) -> tuple[object, Any]:
    """Return the first value that is not missing, and the source with all its values still to come."""
    column = as_column(source)
    if column is not None:
        return next((value for value in column if not is_missing(value)), None), source
    values = iter(source)
    seen = []
    for value in values:
        seen.append(value)
        if not is_missing(value):
            break
    return (seen[-1] if seen else None), itertools.chain(seen, values)


def _translated(corpus: Corpus, like: Corpus) -> Corpus:
    """Return a corpus expressed in the vocabulary of another."""
    offsets = corpus.by_passage.offsets
    indexed = IndexedTokens(list(corpus.vocabulary), corpus.tokens, offsets, n_read=corpus.n_tokens)
    same_split = (
        corpus.passages is not None and corpus.pipeline.split_documents == like.pipeline.split_documents
    )
    first = corpus.passages.first if corpus.passages is not None else None
    found = express(split_phrases(indexed, corpus), like)
    if first is not None and not same_split:
        found, first = dataclasses.replace(found, offsets=found.offsets[first]), None
    return _corpus(found, corpus.documents, like.pipeline, first)


# --- shared steps ----------------------------------------------------------------------------------------


def _of_intake(
    intake: Intake[str], pipeline: TextPipeline | None, like: Corpus | None, split: Split | None
) -> Corpus:
    pipeline = splitting(pipeline, split, like)
    with intake:
        indexed, pipeline, first = _index_texts(intake, pipeline, like)
        corpus = _corpus(indexed, intake.finish(), pipeline, first)
    return split_by_length(corpus, split, like)


class _Indexed(NamedTuple):
    """Texts or their passages as numbers, the pipeline that made them, and the first passage of each text.

    The last, (D + 1,), is None where texts are not split.
    """

    tokens: IndexedTokens
    pipeline: TextPipeline
    first: NDArray[np.int64] | None


def _index_texts(texts: Iterable[str], pipeline: TextPipeline | None, like: Corpus | None) -> _Indexed:
    """Split and number texts, by a pipeline or as another corpus does."""
    if like is not None and pipeline is not None:
        raise ParameterError("Give either pipeline or like, whose pipeline is used; not both.")
    pipeline = like.pipeline if like is not None else pipeline or TextPipeline()
    cut, sample = _Cut(pipeline.split_documents), Sample()
    if like is not None:
        indexed = express(index_texts(cut.of(texts), pipeline, fixed_words=words_within(like)), like)
        return _Indexed(indexed, pipeline, cut.first)
    with _noting_language(sample, pipeline):
        indexed = _limited(index_texts(cut.of(sample.of(texts)), pipeline), pipeline.limits)
    return _Indexed(with_phrases(indexed, pipeline.limits), pipeline, cut.first)


class _Cut:
    """Cuts texts into passages as they pass by, and counts these."""

    def __init__(self, split: Split | None) -> None:
        self._split = split
        self._counts = array("q")

    def of(self, texts: Iterable[str]) -> Iterable[str]:
        """Return the passages of texts, one after the other; or the texts, where they are not split."""
        return texts if self._split is None else self._cut(texts, self._split)

    def _cut(self, texts: Iterable[str], split: Split) -> Iterator[str]:
        for text in texts:
            passages = cut_text(text, split)
            self._counts.append(len(passages))
            yield from passages

    @property
    def first(self) -> NDArray[np.int64] | None:
        """The first passage of each text that passed by, and where the last one's end, (D + 1,)."""
        if self._split is None:
            return None
        return np.concatenate([[0], np.cumsum(np.asarray(self._counts, np.int64))]).astype(np.int64)


@contextmanager
def _noting_language(sample: Sample, pipeline: TextPipeline) -> Iterator[None]:
    """Warn of texts in another language than the pipeline's; if nothing is left of them, that is why."""
    try:
        yield
    except CorpusError as error:
        note = language_note(sample.texts, pipeline)
        raise (CorpusError(f"{error} {note}") if note else error) from None
    if note := language_note(sample.texts, pipeline):
        warnings.warn(note, CorpusWarning, stacklevel=5)


def _limited(
    indexed: IndexedTokens, limits: VocabularyLimits, keep_words: Sequence[str] | None = None
) -> IndexedTokens:
    """Choose the vocabulary (unless it is fixed), and make sure that something is left."""
    check_tokens_left(indexed.n_documents, indexed.n_read, len(indexed.tokens))
    if keep_words:
        return indexed
    limited = apply_limits(indexed, limits)
    check_words_left(len(limited.words), len(indexed.words), limits, indexed.n_documents)
    return limited


def _corpus(
    indexed: IndexedTokens,
    documents: DocumentStore,
    pipeline: TextPipeline,
    first: NDArray[np.int64] | None = None,
) -> Corpus:
    words, offsets = tuple(indexed.words), indexed.offsets
    if first is None:
        return Corpus(words, indexed.tokens, offsets, documents, pipeline)
    passages = Passages(first, offsets)
    return Corpus(words, indexed.tokens, offsets[first], documents, pipeline, passages=passages)


def _query_pipeline(words: Sequence[str], pipeline: TextPipeline | None, like: Corpus | None) -> TextPipeline:
    """Return what makes words of queries where the documents came as ready tokens."""
    if pipeline is not None:
        return pipeline
    if like is not None:
        return like.pipeline
    return TextPipeline.plain(lowercase=all(word == word.lower() for word in words))


def _reporting(records: Iterator[Record], meter: Meter, progress: ReadingProgress | None) -> Iterator[Record]:
    """Pass records on, telling `progress` about them now and then and at the end."""
    number = 0
    for number, record in enumerate(records, start=1):
        yield record
        if progress is not None and number % _PROGRESS_EVERY == 0:
            progress(number, meter.share())
    if progress is not None:
        progress(number, 1.0)


def _warn_of_repeated_ids(documents: DocumentStore) -> None:
    repeated = documents.first_repeated_id() if isinstance(documents, SqliteDocuments) else None
    if repeated is not None:
        message = f"More than one document has the id {repeated!r}; their rows tell such documents apart."
        warnings.warn(message, CorpusWarning, stacklevel=4)


def _column_of(frame: Any, label: object) -> Column:
    column = as_column(frame[label])
    if column is None:
        raise CorpusError(f"Column {label!r} of the DataFrame cannot be read.")
    return column


def _analyzer(vectorizer: Any) -> Any:
    analyze = vectorizer.build_analyzer()
    return (lambda text: list(dict.fromkeys(analyze(text)))) if vectorizer.binary else analyze


def _vectorizer_words(vectorizer: Any) -> list[str] | None:
    """Return the words of a vectorizer that has a vocabulary, in the order of its columns."""
    if hasattr(vectorizer, "vocabulary_"):
        return [str(word) for word in vectorizer.get_feature_names_out()]
    if vectorizer.vocabulary is None:
        return None
    given = vectorizer.vocabulary
    return sorted(given, key=given.__getitem__) if isinstance(given, Mapping) else list(given)


def _as_record(_: int, value: object) -> Record:
    if not isinstance(value, Record):
        raise CorpusError(f"A reader must yield records, not {type(value).__name__}.")
    return value


def _as_text(position: int, value: object) -> str:
    if isinstance(value, str):
        return value
    if is_missing(value):
        return ""
    raise CorpusError(
        f"Document {position:,} is not a text but {type(value).__name__} ({_shortened(value)})."
    )


def _as_tokens(position: int, value: Any) -> Iterable[str]:
    if is_missing(value):
        return ()
    if isinstance(value, str | bytes) or not (hasattr(value, "__len__") and isinstance(value, Iterable)):
        kind = type(value).__name__
        raise CorpusError(f"Document {position:,} is not a list of tokens but {kind} ({_shortened(value)}).")
    tokens: Iterable[str] = value
    return tokens


def _shortened(value: object) -> str:
    text = " ".join(repr(value).split())
    return text if len(text) <= 40 else f"{text[:37]}..."
