"""Corpora with categories on two levels: each upper one is asked for, and the lower ones should come back.

In: the data folder, or a user's file with two columns of labels. Out: `TwoLevelDataset`, with the package's
own text pipeline, as a user would get it.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from experiments.datasets.authors import UNLABELLED
from experiments.datasets.concepts import ExperimentConcept
from experiments.datasets.files import DownloadProgress, require_file
from experiments.datasets.paper_corpora import Dataset, fetch_newsgroups
from qdtm.corpus import Corpus
from qdtm.errors import CorpusError, ParameterError

TWO_LEVEL = ("clinc150", "clinc150-words", "20news")

FEWEST_LOWER = 2
"""An upper category with fewer lower ones cannot be split, and is not asked for."""

NEWSGROUPS: Mapping[str, str] = {
    "comp": "computer",
    "rec": "sports OR car",
    "sci": "science",
    "politics": "politics",
    "religion": "religion",
}
"""The upper categories of 20 Newsgroups in a person's words. "talk" is two things, politics and religion;
what is about religion stands under three heads."""

CLINC_WORDS: Mapping[str, str] = {
    "auto_and_commute": "car OR traffic",
    "banking": "bank OR bill",
    "credit_cards": "credit card",
    "home": "list OR calendar OR music",
    "kitchen_and_dining": "food OR restaurant OR recipe",
    "meta": "settings OR volume OR language",
    "small_talk": "joke OR hobbies OR pets",
    "travel": "travel OR flight OR hotel",
    "utility": "phone OR weather OR timer",
    "work": "meeting OR insurance OR vacation",
}
"""The domains of CLINC150 in a person's words: most of their names, such as "utility" or "meta", are no words
of those who speak in them. Written down from the list of intents, and not changed after."""

_RELIGION = frozenset({"alt.atheism", "soc.religion.christian", "talk.religion.misc"})


@dataclass(frozen=True, eq=False)
class TwoLevelDataset(Dataset):
    """A data set whose categories have categories of their own.

    Attributes
    ----------
    lower : tuple of str, length D
        The lower category of each document; `labels` and `concepts` are of the upper ones.
    """

    lower: tuple[str, ...]


@dataclass(frozen=True)
class GivenCorpus:
    """A user's file with two columns of labels.

    Attributes
    ----------
    path : Path
    upper, lower : str
        The columns.
    queries : mapping of str to str, optional
        What is asked for an upper category; without one all of them are, each by its name.
    text_column : str, optional
    """

    path: Path
    upper: str
    lower: str
    queries: Mapping[str, str] | None = None
    text_column: str | None = None

    @property
    def name(self) -> str:
        """The name of its data set: that of the file."""
        return self.path.name.partition(".")[0]


def load_two_level(
    name: str, data: str | Path | None = None, progress: DownloadProgress | None = None
) -> TwoLevelDataset:
    """Return one of `TWO_LEVEL`.

    Raises
    ------
    ParameterError
        If there is none of that name.
    CorpusError
        If its files are missing or damaged.
    """
    if name in ("clinc150", "clinc150-words"):
        return _clinc(name, data)
    if name == "20news":
        return _newsgroups(data, progress)
    raise ParameterError(f"There is no two-level corpus {name!r}. Choose one of {', '.join(TWO_LEVEL)}.")


def read_two_level(given: GivenCorpus) -> TwoLevelDataset:
    """Read a user's file.

    Raises
    ------
    ParameterError
        If it lacks a column, or no upper category can be asked for.
    CorpusError
        If it cannot be read.
    """
    corpus = Corpus.read(given.path, text_column=given.text_column)
    known = corpus.documents.field_names
    for column in (given.upper, given.lower):
        if column not in known:
            raise ParameterError(f"There is no column {column!r}. Columns: {', '.join(map(repr, known))}.")
    labels = [(d.fields.get(given.upper, ""), d.fields.get(given.lower, "")) for d in corpus.documents]
    uppers, lowers = [upper for upper, _ in labels], [lower for _, lower in labels]
    queries = given.queries
    if queries is None:
        queries = {upper: query_of(upper) for upper in sorted(set(uppers)) if upper}
    return make_two_level(given.name, corpus, uppers, lowers, queries)


def make_two_level(
    name: str, corpus: Corpus, upper: Sequence[str], lower: Sequence[str], queries: Mapping[str, str]
) -> TwoLevelDataset:
    """Put labels and queries together; upper categories with fewer than two lower ones are not asked for.

    Parameters
    ----------
    name : str
    corpus : Corpus
    upper, lower : sequence of str, length D
        The categories of each document.
    queries : mapping of str to str
        What is asked for an upper category. Documents of others stay in the corpus.
    """
    below: dict[str, set[str]] = {}
    for one, other in zip(upper, lower, strict=True):
        below.setdefault(one, set()).add(other)
    asked = [category for category in queries if len(below.get(category, ())) >= FEWEST_LOWER]
    if not asked:
        raise ParameterError(f"{name!r} has no upper category with two lower ones that could be asked for.")
    place = {category: q for q, category in enumerate(asked)}
    labels = np.array([place.get(category, UNLABELLED) for category in upper], np.int64)
    concepts = tuple(ExperimentConcept(queries[c], "and", c, (), queries[c]) for c in asked)
    return TwoLevelDataset(name, corpus, labels, concepts, tuple(lower))


def read_category_queries(path: Path) -> dict[str, str]:
    """Read what is asked for each upper category: {"category": "query", ...} as JSON.

    Raises
    ------
    ParameterError
        If the file is anything else.
    """
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ParameterError(f"Cannot read queries from {str(path)!r} ({error}).") from error
    if not isinstance(content, dict) or not all(isinstance(query, str) for query in content.values()):
        raise ParameterError(f'{str(path)!r} is not a file of queries: {{"category": "query", ...}}.')
    return content


def query_of(category: str) -> str:
    """Return a category's name as a query: small letters, no punctuation; "x and y" is either."""
    words = category.lower().replace(",", " ").replace("_", " ").replace("&", " and ").split()
    return " OR ".join(part for part in " ".join(words).split(" and ") if part)


def _clinc(name: str, data: str | Path | None) -> TwoLevelDataset:
    """Read requests to an assistant: ten domains with fifteen intents each; those out of scope stay."""
    path = require_file("corpora/clinc150.jsonl.gz", data)
    try:
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            rows = [json.loads(line) for line in lines]
        texts, upper, lower = ([row[key] for row in rows] for key in ("text", "label", "sublabel"))
    except (OSError, EOFError, ValueError, KeyError) as error:
        raise CorpusError(f"{str(path)!r} is damaged ({error}). Put a whole copy there.") from error
    names = {domain: query_of(domain) for domain in sorted(set(upper)) if domain != "oos"}
    queries = CLINC_WORDS if name == "clinc150-words" else names
    return make_two_level(name, Corpus.from_texts(texts), upper, lower, queries)


def _newsgroups(data: str | Path | None, progress: DownloadProgress | None) -> TwoLevelDataset:
    """Read all twenty groups as whole texts (`whole`), with nothing else left out."""
    posts = fetch_newsgroups(None, data, progress)
    groups = [posts.target_names[label] for label in posts.target]
    corpus = Corpus.from_texts(list(posts.data))
    return make_two_level("20news", corpus, [_head_of(group) for group in groups], groups, NEWSGROUPS)


def _head_of(group: str) -> str:
    """Return the upper category of a newsgroup."""
    if group in _RELIGION:
        return "religion"
    return "politics" if group.startswith("talk.politics.") else group.partition(".")[0]
