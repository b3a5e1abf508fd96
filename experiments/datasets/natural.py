"""Corpora as a person would bring them, with the package's own text pipeline.

In: `corpora/*.jsonl.gz` of the data folder, a document a line with its labels, and sources of the paper's
corpora. Out: `Dataset` of corpora with natural categories, many of them small, each asked for by the name it
has (none of them can be downloaded); and whole corpora, every document of a source as text, nothing left out,
and what people ask of them: a JSON file with two lists for each, `specific` queries, about which the corpus
has documents, most of which name it, and `passing` ones, which a few documents mention at most (an entry
`about` is for people).
"""

from __future__ import annotations

import csv
import gzip
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np

from experiments.datasets.authors import UNLABELLED
from experiments.datasets.concepts import ExperimentConcept
from experiments.datasets.files import DATA_VARIABLE, DownloadProgress, find_data, require_file
from experiments.datasets.paper_corpora import Dataset, fetch_newsgroups, tagmynews_items
from qdtm.corpus import Corpus
from qdtm.errors import CorpusError, ParameterError

NATURAL = ("ohsumed23", "clinc150-domains", "clinc150-intents", "uscongress")

_OTHERS = frozenset({"oos", "other"})
"""Labels of documents that are of no category."""


@dataclass(frozen=True)
class LabelledText:
    """A line of a file: what is read, and of which category it is; None if of none."""

    text: str
    label: str | None


def available(data: str | Path | None = None) -> tuple[str, ...]:
    """Return the natural data sets whose file is in the data folder."""
    folder = find_data(data)
    return tuple(name for name in NATURAL if folder is not None and (folder / _file_of(name)).is_file())


def natural_concepts(name: str, data: str | Path | None = None) -> tuple[ExperimentConcept, ...]:
    """Return what is asked of a natural data set: its categories in alphabetical order, each by its name.

    Raises
    ------
    CorpusError
        If no data folder was named, or its file is missing or damaged.
    """
    categories = sorted({row.label for row in labelled_texts(name, data) if row.label is not None})
    return tuple(_concept(category) for category in categories)


def _concept(category: str) -> ExperimentConcept:
    query = " ".join(category.lower().replace(",", " ").replace("_", " ").split())
    return ExperimentConcept(query, "and", category, (), query)


def load_natural(name: str, data: str | Path | None = None) -> Dataset:
    """Return a natural data set; documents of no category stay in the corpus, without a label."""
    rows, concepts = labelled_texts(name, data), natural_concepts(name, data)
    place = {concept.category: q for q, concept in enumerate(concepts)}
    labels = [UNLABELLED if row.label is None else place[row.label] for row in rows]
    corpus = Corpus.from_texts([row.text for row in rows])
    return Dataset(name, corpus, np.array(labels, np.int64), concepts)


def labelled_texts(name: str, data: str | Path | None = None) -> tuple[LabelledText, ...]:
    """Return the texts of a natural data set with their categories, in the order of the file."""
    return _read(require_file(_file_of(name), data), "sublabel" if name.endswith("-intents") else "label")


@lru_cache(maxsize=2)
def _read(path: Path, key: str) -> tuple[LabelledText, ...]:
    try:
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            rows = [json.loads(line) for line in lines]
        return tuple(LabelledText(row["text"], None if row[key] in _OTHERS else row[key]) for row in rows)
    except (OSError, EOFError, ValueError, KeyError) as error:
        raise CorpusError(f"{str(path)!r} is damaged ({error}). Put a whole copy there.") from error


def _file_of(name: str) -> str:
    return f"corpora/{name.partition('-')[0]}.jsonl.gz"


# --- whole corpora ----------------------------------------------------------------------------------------


ANTHOLOGY = "corpora/acl_anthology_abstracts.csv.gz"


def load_whole(
    name: str, data: str | Path | None = None, progress: DownloadProgress | None = None
) -> tuple[str, ...]:
    """Return the texts of a corpus, in the order of its source.

    Parameters
    ----------
    name : str
        One of `WHOLE`.
    data : str or Path, optional
        The data folder, see `find_data`.
    progress : callable, optional
        Told of a download: name of the file, bytes so far, bytes in all.

    Raises
    ------
    ParameterError
        If there is no corpus of that name.
    CorpusError
        If its files are missing, and cannot be downloaded.
    """
    if name not in _READERS:
        raise ParameterError(f"There is no corpus {name!r}. Choose one of {', '.join(_READERS)}.")
    return _READERS[name](data, progress)


def _newsgroups(data: str | Path | None, progress: DownloadProgress | None) -> tuple[str, ...]:
    """All twenty groups."""
    return tuple(fetch_newsgroups(None, data, progress).data)


def _tagmynews(data: str | Path | None, progress: DownloadProgress | None) -> tuple[str, ...]:
    """All categories: title and description of each item."""
    return tuple(f"{title}. {description}" for title, description, _ in tagmynews_items(data, progress))


def _anthology(data: str | Path | None, _: DownloadProgress | None) -> tuple[str, ...]:
    """Title and abstract of each article."""
    with gzip.open(require_file(ANTHOLOGY, data), "rt", encoding="utf-8", newline="") as lines:
        return tuple(f"{row['title']}. {row['abstract']}" for row in csv.DictReader(lines))


def _natural(name: str) -> Callable[[str | Path | None, DownloadProgress | None], tuple[str, ...]]:
    return lambda data, _: tuple(row.text for row in labelled_texts(name, data))


_READERS: Mapping[str, Callable[[str | Path | None, DownloadProgress | None], tuple[str, ...]]] = {
    "20news": _newsgroups,
    "tagmynews": _tagmynews,
    "acl_anthology": _anthology,
    "ohsumed23": _natural("ohsumed23"),
    "uscongress": _natural("uscongress"),
}

WHOLE = tuple(_READERS)
"""The corpora that there are."""


# --- what people ask of whole corpora ----------------------------------------------------------------------


Kind = Literal["specific", "passing"]

USUAL_FILE = Path("queries") / "staying.json"
"""Beside the data folder."""


@dataclass(frozen=True)
class StayingQuery:
    """A query as a person types it, and what is to be expected of it."""

    text: str
    kind: Kind


Queries = Mapping[str, tuple[StayingQuery, ...]]
"""What each corpus is asked."""


def read_queries(path: Path | None = None, data: str | Path | None = None) -> Queries:
    """Read the queries of a file; without one, of that beside the data folder.

    Raises
    ------
    ParameterError
        If there is no file, or it is not one of queries.
    """
    file = path or _usual_file(data)
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ParameterError(
            f"Cannot read queries from {str(file)!r} ({reason}). Name a file with --queries."
        ) from error
    if not isinstance(content, dict):
        raise _malformed(file)
    return {corpus: _of_corpus(corpus, kinds, file) for corpus, kinds in content.items() if corpus != "about"}


def _usual_file(data: str | Path | None) -> Path:
    folder = find_data(data)
    if folder is None:
        raise ParameterError(
            f"No file of queries is named. Give one with --queries, or the data folder with --data or "
            f"{DATA_VARIABLE}."
        )
    return folder.parent / USUAL_FILE


def _of_corpus(corpus: str, kinds: Any, file: Path) -> tuple[StayingQuery, ...]:
    if corpus not in WHOLE:
        raise ParameterError(
            f"{str(file)!r} has queries for {corpus!r}, which is no corpus. There are {', '.join(WHOLE)}."
        )
    if not isinstance(kinds, dict) or not set(kinds) <= set(get_args(Kind)):
        raise _malformed(file)
    if not all(
        isinstance(texts, list) and all(isinstance(t, str) for t in texts) for texts in kinds.values()
    ):
        raise _malformed(file)
    return tuple(StayingQuery(text, kind) for kind, texts in kinds.items() for text in texts)


def _malformed(file: Path) -> ParameterError:
    return ParameterError(
        f'{str(file)!r} is not a file of queries: {{"20news": {{"specific": [...], "passing": [...]}}, ...}}.'
    )


def choose_staying(queries: Queries, corpora: Sequence[str], wanted: Sequence[str]) -> dict[str, list[int]]:
    """Find the queries that are wanted of the corpora that are wanted, by their places; all if none is named.

    Raises
    ------
    ParameterError
        If the file has no such corpus, or none of those has such a query.
    """
    for corpus in corpora:
        if corpus not in queries:
            raise ParameterError(
                f"There are no queries for {corpus!r}. The file has some for {', '.join(queries)}."
            )
    asked = {corpus: queries[corpus] for corpus in corpora or queries}
    texts = {text.lower() for text in wanted}
    known = {query.text.lower() for of_corpus in asked.values() for query in of_corpus}
    for text in wanted:
        if text.lower() not in known:
            raise ParameterError(f"There is no query {text!r}. Give one of: {', '.join(sorted(known))}.")
    places = {
        corpus: [q for q, query in enumerate(of_corpus) if not texts or query.text.lower() in texts]
        for corpus, of_corpus in asked.items()
    }
    return {corpus: numbers for corpus, numbers in places.items() if numbers}
