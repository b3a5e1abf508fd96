"""`Corpus`: documents as numbers, for the model, and as text, for the reader. It never changes.

Made from files, texts, tokens or counts (`qdtm.corpus.building` does the work); asked by everything
downstream.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from qdtm.corpus.document_store import Column, DocumentStore
from qdtm.corpus.indexing import count_matrix, count_numbers, hash_documents
from qdtm.corpus.passage_split import PassageDocuments, Passages, Split
from qdtm.corpus.text import TextPipeline
from qdtm.corpus.vocabulary import VocabularyLimits
from qdtm.errors import CorpusError

if TYPE_CHECKING:
    from qdtm.corpus.distinct import DistinctCorpus
    from qdtm.corpus.readers.sources import Source
    from qdtm.queries.concordance import Concordance

ReadingProgress = Callable[[int, float], None]
"""Called now and then with the number of documents read so far and the share of the source that is."""


class EncodedDocuments(NamedTuple):
    """New documents over the vocabulary of a corpus.

    Attributes
    ----------
    tokens : ndarray of int32, shape (N,)
    offsets : ndarray of int64, shape (D + 1,)
    """

    tokens: NDArray[np.int32]
    offsets: NDArray[np.int64]


@dataclass(frozen=True, eq=False, repr=False)
class Corpus:
    """A collection of documents, cleaned and numbered.

    Every document that went in has its row, even if nothing is left of it. Make one with `read`,
    `from_texts`, `from_tokens`, `from_dataframe`, `from_vectorizer`, `from_counts`, or `of`, which sees what
    it is given.

    Attributes
    ----------
    vocabulary : tuple of str, length V
        The words, in alphabetical order (from a vectorizer or counts: in the order of its columns).
    tokens : ndarray of int32, shape (N,)
        The word of each token, document after document, in the order of the text.
    offsets : ndarray of int64, shape (D + 1,)
        Document `j` is `tokens[offsets[j]:offsets[j + 1]]`.
    documents : DocumentStore
        Names, texts and fields, for display.
    pipeline : TextPipeline
        What made words of the texts; also for queries and new documents.
    location : Path or str, optional
        The folder or URL that it was loaded from, if it lies there on its own (an index): results refer to
        it.
    passages : Passages, optional
        Of documents that are judged by passage (`split`).

    Examples
    --------
    >>> corpus = Corpus.from_texts(["Bushfires near Sydney.", "Firefighters fight the fires in Sydney."])
    >>> corpus
    Corpus(2 documents, 5 words, 6 tokens)
    >>> corpus.vocabulary
    ('bushfires', 'fight', 'fire', 'firefighter', 'sydney')
    """

    vocabulary: tuple[str, ...]
    tokens: NDArray[np.int32]
    offsets: NDArray[np.int64]
    documents: DocumentStore
    pipeline: TextPipeline
    location: Path | str | None = None
    passages: Passages | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "vocabulary", tuple(self.vocabulary))
        object.__setattr__(self, "tokens", _frozen_array(self.tokens, np.int32))
        object.__setattr__(self, "offsets", _frozen_array(self.offsets, np.int64))
        _check(self)

    def __repr__(self) -> str:
        return f"Corpus({self.n_documents:,} documents, {self.n_words:,} words, {self.n_tokens:,} tokens)"

    def __len__(self) -> int:
        return self.n_documents

    # --- numbers -----------------------------------------------------------------------------------------

    @property
    def n_documents(self) -> int:
        """The number of documents, D; empty ones count."""
        return len(self.offsets) - 1

    @property
    def n_words(self) -> int:
        """The number of words in the vocabulary, V."""
        return len(self.vocabulary)

    @property
    def n_tokens(self) -> int:
        """The number of tokens, N."""
        return len(self.tokens)

    @cached_property
    def word_index(self) -> Mapping[str, int]:
        """The position of each word in the vocabulary."""
        return {word: w for w, word in enumerate(self.vocabulary)}

    @cached_property
    def distinct(self) -> DistinctCorpus:
        """Each different document, or passage, once, in the order of content: what the model works on."""
        from qdtm.corpus.distinct import find_distinct

        saved: Callable[[], DistinctCorpus] | None = self.__dict__.get("open_distinct")  # of an index
        found = find_distinct(self) if saved is None else saved()
        if "open_copies" in self.__dict__:  # saved: finding them takes reading all texts
            found.__dict__["original"] = self.__dict__["open_copies"]("original", found.n_documents)
        return found

    @cached_property
    def by_passage(self) -> Corpus:
        """The passages as documents of their own, where documents are judged by passage; else itself."""
        if self.passages is None or self.pipeline.split_documents is None:
            return self
        documents = PassageDocuments(self.documents, self.passages, self.pipeline.split_documents)
        found = Corpus(self.vocabulary, self.tokens, self.passages.offsets, documents, self.pipeline)
        found.__dict__["open_distinct"] = lambda: self.distinct
        return found

    @cached_property
    def _whole(self) -> Corpus:
        """The same documents without their passages."""
        return self if self.passages is None else replace(self, passages=None)

    @cached_property
    def first_copy(self) -> NDArray[np.int64]:
        """The row of the first document that each repeats, word for word or nearly; its own if none, (D,)."""
        if "open_copies" in self.__dict__:
            return np.asarray(self.__dict__["open_copies"]("first", self.n_documents))
        whole = self._whole.distinct
        place = whole.original[whole.place]
        _, first, group = np.unique(place, return_index=True, return_inverse=True)
        return np.asarray(first[group], np.int64)

    @property
    def n_copies(self) -> int:
        """How many documents repeat one before them, word for word or nearly."""
        return int((self.first_copy != np.arange(self.n_documents)).sum())

    @cached_property
    def by_content(self) -> DistinctCorpus:
        """The same order with copies side by side."""
        from qdtm.corpus.distinct import find_distinct

        distinct, n = self.distinct, self.by_passage.n_documents
        has_copies = len(distinct) < n or (distinct.original != np.arange(n)).any()
        return find_distinct(self, keep_copies=True) if has_copies else distinct

    @cached_property
    def copies(self) -> NDArray[np.int64]:
        """How many documents each stands for, (D,): one, but for `distinct` documents."""
        return np.ones(self.n_documents, np.int64)

    def count_documents(self, rows: NDArray[np.int64], *, copies: bool = True) -> int:  # noqa: ARG002
        """Count documents; of `distinct` ones all that they stand for, or with `copies` left out, once."""
        return len(rows)

    @cached_property
    def document_term_matrix(self) -> Any:
        """How often each document has each word: scipy CSR matrix of int32, shape (D, V)."""
        known = self.__dict__.get("distinct") is not None or "open_distinct" in self.__dict__
        if known and self.passages is None and "document_term_matrix" in self.distinct.__dict__:
            return self.distinct.document_term_matrix[self.distinct.place]
        return count_matrix(self.tokens, self.offsets, self.n_words)

    @cached_property
    def counts_by_word(self) -> Any:
        """The same counts read by words: scipy CSC matrix of int32, shape (D, V)."""
        return self.document_term_matrix.tocsc()

    @cached_property
    def document_frequency(self) -> NDArray[np.int64]:
        """In how many documents each word occurs, shape (V,)."""
        return np.asarray(np.diff(self.counts_by_word.indptr), np.int64)

    @cached_property
    def word_counts(self) -> NDArray[np.int64]:
        """How often each word occurs, shape (V,)."""
        return count_numbers(self.tokens, self.n_words)

    @cached_property
    def document_lengths(self) -> NDArray[np.int64]:
        """How many tokens each document has, shape (D,)."""
        return np.diff(self.offsets)

    @cached_property
    def document_hashes(self) -> NDArray[np.uint64]:
        """A hash of each document's words, shape (D,): the same for copies, wherever they stand."""
        return hash_documents(self.tokens, self.offsets)

    @cached_property
    def fingerprint(self) -> str:
        """The sha256 of vocabulary, tokens and offsets, of passages too, whatever the texts and ids."""
        digest = hashlib.sha256()
        for word in self.vocabulary:
            data = word.encode("utf-8", "surrogatepass")
            digest.update(len(data).to_bytes(8, "little") + data)
        arrays: list[NDArray[Any]] = [self.tokens.astype("<i4"), self.offsets.astype("<i8")]
        if self.passages is not None:
            arrays += [self.passages.first.astype("<i8"), self.passages.offsets.astype("<i8")]
        for array in arrays:
            digest.update(len(array).to_bytes(8, "little"))
            digest.update(array.data)
        return digest.hexdigest()

    # --- other documents ---------------------------------------------------------------------------------

    def encode(self, documents: Any) -> EncodedDocuments:
        """Express new documents in the vocabulary of this corpus; words it does not have are left out.

        Parameters
        ----------
        documents : anything that `Corpus.of` takes
            Texts go through this corpus's pipeline; ready tokens are looked up as they are.
        """
        encoded = Corpus.of(documents, like=self)
        return EncodedDocuments(encoded.tokens, encoded.offsets)

    def encode_counts(self, documents: Any) -> Any:
        """Count the words of new documents: scipy CSR matrix of int32, shape (n_new, V)."""
        return count_matrix(*self.encode(documents), self.n_words)

    def concordance(
        self, query: str, *, width: int = 40, sort: Any = "document", limit: int = 10_000
    ) -> Concordance:
        """Return each place where the texts have what is searched, with the text around it.

        Parameters
        ----------
        query : str
            In the language of queries: words that a document must all have, `"a phrase"`, `OR`, `econom*`,
            `-word`; singular and plural alike.
        width : int
            Characters of the text on either side.
        sort : {"document", "left", "right"} or array of shape (D,)
            In the order of the corpus, by the words before or after, or by a value of each document, least
            first.
        limit : int
            Lines that are kept, the first in that order; all are counted.

        Examples
        --------
        >>> corpus = Corpus.from_texts(["Bushfires near Sydney.", "Fighting the fires in Sydney."])
        >>> corpus.concordance("fire")
        Concordance('fire': 1 line in 1 document)
        Fighting the  fires  in Sydney.
        """
        from qdtm.queries.concordance import find_concordance

        return find_concordance(self, query, width=width, sort=sort, limit=limit)

    # --- making one --------------------------------------------------------------------------------------

    @staticmethod
    def read(
        path: Source,
        *,
        text_column: str | Sequence[str] | None = None,
        id_column: str | None = None,
        title_column: str | None = None,
        encoding: str | None = None,
        split: Split | None = None,
        pipeline: TextPipeline | None = None,
        like: Corpus | None = None,
        progress: ReadingProgress | None = None,
    ) -> Corpus:
        """Read a file, a folder of documents, or several of these: tables, texts, bibliographies.

        A file is read once, in pieces; the texts go to a temporary file of their own until they are shown. Of
        several files the field "file" says which one a document is from; one that cannot be read is named in
        a warning and passed over.

        Parameters
        ----------
        path : path, or a list of these
            Names, patterns such as "papers/*.pdf", or URLs ("s3://bucket/news-*.jsonl").
        text_column : str or list of str, optional
            The column (key, in .jsonl) of the text; of several, also "title,text", the texts are joined.
        id_column, title_column : str, optional
            The columns of the name and of the title of a document ("none" for no title). All others become
            fields.
        encoding : str, optional
            The encoding, where it should not be found out.
        split : "auto", "paragraphs", int or "none", optional
            Judge documents by passage: by paragraph where they are long, always so, or about so many words;
            "none" judges them as a whole, as does the default, which warns of long ones.
        pipeline : TextPipeline, optional
            The steps from text to words.
        like : Corpus, optional
            Use the pipeline and the vocabulary of this corpus: for new documents of a fitted model.
        progress : callable, optional
            Called with the number of documents read and the share of the file that has been read.

        Raises
        ------
        CorpusError
            If it cannot be read, or nothing is left of it.
        """
        from qdtm.corpus import building

        options = building.read_options(text_column, id_column, title_column, encoding)
        return building.read(path, options, pipeline, like, progress, split)

    @staticmethod
    def from_texts(
        texts: Iterable[object],
        *,
        ids: Sequence[object] | None = None,
        fields: Mapping[str, Column] | None = None,
        titles: Sequence[object] | None = None,
        split: Split | None = None,
        pipeline: TextPipeline | None = None,
        like: Corpus | None = None,
    ) -> Corpus:
        """Make a corpus of strings; None and NaN are empty documents.

        A list is kept as it is, for display. The texts of an iterator are read once and put into a temporary
        file, so that they need not fit into memory (unless `ids`, `fields` or `titles` are given).

        Parameters
        ----------
        texts : iterable of str
        ids : sequence, optional
            Names for display.
        fields : mapping of str to sequence, optional
            Further columns, each as long as `texts`.
        titles : sequence, optional
            What to call each document, whose words do not count; without, its first line or sentence.
        split, pipeline, like
            As in `read`.
        """
        from qdtm.corpus import building

        return building.from_texts(texts, ids, fields, titles, pipeline, like, split)

    @staticmethod
    def from_tokens(
        documents: Iterable[Iterable[str] | None],
        *,
        texts: Column | None = None,
        ids: Sequence[object] | None = None,
        fields: Mapping[str, Column] | None = None,
        titles: Sequence[object] | None = None,
        limits: VocabularyLimits | None = None,
        pipeline: TextPipeline | None = None,
        like: Corpus | None = None,
    ) -> Corpus:
        """Make a corpus of ready tokens, which are words as they are.

        Parameters
        ----------
        documents : iterable of lists of str
        texts : sequence of str, optional
            What to show for each document; its tokens without.
        ids, fields, titles
            As in `from_texts`.
        limits : VocabularyLimits, optional
            None by default: every token is a word of the vocabulary.
        pipeline : TextPipeline, optional
            What makes words of queries and of new texts; by default they are only split, and turned to lower
            case if the tokens are.
        like : Corpus, optional
            As in `read`.
        """
        from qdtm.corpus import building

        return building.from_tokens(documents, texts, ids, fields, titles, limits, pipeline, like)

    @staticmethod
    def from_dataframe(
        frame: Any,
        text_column: object = None,
        *,
        id_column: object = None,
        title_column: object = None,
        split: Split | None = None,
        pipeline: TextPipeline | None = None,
        like: Corpus | None = None,
    ) -> Corpus:
        """Make a corpus of a pandas (or polars) DataFrame; its other columns become fields.

        Without `id_column`, and without a column called "id", the index names the documents. The texts of a
        list of text columns are joined.
        """
        from qdtm.corpus import building

        options = building.read_options(text_column, id_column, title_column)
        return building.from_dataframe(frame, options, pipeline, like, split)

    @staticmethod
    def from_vectorizer(
        texts: Iterable[object],
        vectorizer: Any,
        *,
        ids: Sequence[object] | None = None,
        fields: Mapping[str, Column] | None = None,
        titles: Sequence[object] | None = None,
    ) -> Corpus:
        """Make a corpus of texts with scikit-learn's `CountVectorizer` in place of a text pipeline.

        A fitted vectorizer (or one with a given vocabulary) fixes the vocabulary; one that is not fitted
        gives its analyzer and its limits, and stays unfitted.
        """
        from qdtm.corpus import building

        return building.from_vectorizer(texts, vectorizer, ids, fields, titles)

    @staticmethod
    def from_counts(
        matrix: Any,
        vocabulary: Sequence[str],
        *,
        texts: Column | None = None,
        ids: Sequence[object] | None = None,
        fields: Mapping[str, Column] | None = None,
        titles: Sequence[object] | None = None,
        pipeline: TextPipeline | None = None,
    ) -> Corpus:
        """Make a corpus of word counts (bags of words), whose words have no order.

        Parameters
        ----------
        matrix : array or sparse matrix of whole numbers, shape (D, V)
        vocabulary : sequence of str, length V
            The word of each column. All of them stay, those that never occur too.
        texts, ids, fields, titles, pipeline
            As in `from_tokens`.
        """
        from qdtm.corpus import building

        return building.from_counts(matrix, vocabulary, texts, ids, fields, titles, pipeline)

    @staticmethod
    def of(
        source: Any,
        *,
        text_column: object = None,
        id_column: object = None,
        title_column: object = None,
        split: Split | None = None,
        pipeline: TextPipeline | None = None,
        like: Corpus | None = None,
    ) -> Corpus:
        """Make a corpus of whatever the user has.

        Parameters
        ----------
        source : Corpus, DataFrame, Series, list or iterator of texts or of token lists, Path
            A string alone is refused, since it may be a text or the name of a file.
        text_column, id_column, title_column
            For a DataFrame or a file.
        split, pipeline, like
            As in `read`.
        """
        from qdtm.corpus import building

        options = building.read_options(text_column, id_column, title_column)
        return building.of(source, options, pipeline, like, split)

    # --- keeping it --------------------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str], *, force: bool = False) -> None:
        """Save to a folder, whole or not at all; `force` replaces a corpus that was saved there before.

        What queries need is saved too, counts and what was learned, so that a corpus is read, counted and
        learned once.
        """
        from qdtm.corpus.storage import save_corpus

        save_corpus(self, path, force=force)

    @staticmethod
    def load(path: str | os.PathLike[str], *, pipeline: TextPipeline | None = None) -> Corpus:
        """Load a saved corpus; its texts stay in the folder until they are shown.

        Parameters
        ----------
        path : path
        pipeline : TextPipeline, optional
            The pipeline it was made with; needed only if that has functions of yours, which cannot be saved.
        """
        from qdtm.corpus.storage import load_corpus

        return load_corpus(path, pipeline=pipeline)


def _frozen_array(array: NDArray[Any], dtype: type[np.integer[Any]]) -> NDArray[Any]:
    array = np.ascontiguousarray(array, dtype=dtype).view()
    array.flags.writeable = False
    return array


def _check(corpus: Corpus) -> None:
    """Raise unless the parts fit together; a corpus that exists can be relied upon."""
    tokens, offsets = corpus.tokens, corpus.offsets
    if (
        tokens.ndim != 1
        or offsets.ndim != 1
        or not len(offsets)
        or offsets[0] != 0
        or offsets[-1] != len(tokens)
    ):
        raise CorpusError("The offsets of the documents do not fit the tokens.")
    if (np.diff(offsets) < 0).any():
        raise CorpusError("The offsets of the documents must not fall.")
    if len(tokens) and not (tokens.min() >= 0 and tokens.max() < corpus.n_words):
        raise CorpusError(f"A token is not one of the {corpus.n_words:,} words of the vocabulary.")
    if len(set(corpus.vocabulary)) != corpus.n_words:
        raise CorpusError("The vocabulary has a word more than once.")
    if len(corpus.documents) != corpus.n_documents:
        raise CorpusError(
            f"There are {corpus.n_documents:,} documents as tokens and {len(corpus.documents):,} as texts."
        )
    if corpus.passages is not None:
        corpus.passages.check(offsets)
