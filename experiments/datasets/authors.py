"""The inputs of the paper's own experiments: the authors' bags of words with their KLD concept words.

In: `authors/` of the data folder and, for the labels of 20 Newsgroups, the corpus itself. Out: `AuthorsBags`.
The files hold a bag a line, `n index:count ...`; the first Q lines are the concept words of the queries, the
rest are documents.
"""

from __future__ import annotations

import gzip
import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from experiments.datasets.concepts import ExperimentConcept, concepts_of
from experiments.datasets.files import require_file
from experiments.datasets.paper_corpora import load_raw
from qdtm.errors import CorpusError

#: The label of a document that could not be traced to the corpus it came from; metrics leave it out.
UNLABELLED = -1


@dataclass(frozen=True, eq=False)
class AuthorsBags:
    """The authors' preprocessed corpus. Word order inside a document is lost; a document may be empty.

    Attributes
    ----------
    name : str
        The corpus.
    vocabulary : tuple of str
        The words, in alphabetical order.
    tokens : ndarray of int32, shape (n_tokens,)
        Word ids, document after document.
    offsets : ndarray of int64, shape (n_docs + 1,)
        Document j is `tokens[offsets[j]:offsets[j + 1]]`.
    labels : ndarray of int64, shape (n_docs,)
        The place of each document's category in `categories`, or -1 where it is not known.
    categories : tuple of str
        The corpus's own names.
    concepts : tuple of ExperimentConcept
        Query q belongs to category q.
    concept_words : tuple of ndarray of int32
        The word ids of the authors' KLD concept words, one array per query.
    """

    name: str
    vocabulary: tuple[str, ...]
    tokens: NDArray[np.int32]
    offsets: NDArray[np.int64]
    labels: NDArray[np.int64]
    categories: tuple[str, ...]
    concepts: tuple[ExperimentConcept, ...]
    concept_words: tuple[NDArray[np.int32], ...]

    @property
    def n_docs(self) -> int:
        """Number of documents."""
        return len(self.labels)


def load_authors_bags(name: str, data: str | Path | None = None) -> AuthorsBags:
    """Return the authors' own input for a corpus.

    Parameters
    ----------
    name : {"20news", "tagmynews", "searchsnippets"}
        The corpus.
    data : str or Path, optional
        The data folder, see `find_data`.

    Raises
    ------
    CorpusError
        If the files are missing or do not fit together.
    """
    concepts = concepts_of(name)
    vocabulary = tuple(
        require_file(f"authors/vobs_{name}_test.txt", data).read_text(encoding="utf-8").splitlines()
    )
    bags = _read_bags(require_file(f"authors/data_{name}_test.txt.gz", data), len(vocabulary))
    concept_words, documents = bags[: len(concepts)], bags[len(concepts) :]
    labels = _labels(name, data)
    if len(labels) != len(documents):
        raise CorpusError(f"authors/ has {len(documents):,} documents of {name} and {len(labels):,} labels.")
    return AuthorsBags(
        name=name,
        vocabulary=vocabulary,
        tokens=np.concatenate(documents),
        offsets=np.cumsum([0, *map(len, documents)], dtype=np.int64),
        labels=labels,
        categories=tuple(concept.category for concept in concepts),
        concepts=concepts,
        concept_words=tuple(concept_words),
    )


def _read_bags(path: Path, n_words: int) -> list[NDArray[np.int32]]:
    """Read one array of word ids per line, each id as often as it is counted."""
    with gzip.open(path, "rt", encoding="ascii") as stream:
        bags = [_parse_bag(line) for line in stream]
    if max(bag.max(initial=-1) for bag in bags) >= n_words:
        raise CorpusError(f"{str(path)!r} has word ids beyond its vocabulary of {n_words:,} words.")
    return bags


def _parse_bag(line: str) -> NDArray[np.int32]:
    """Turn `n index:count ...` into word ids."""
    n_distinct, *pairs = line.replace(":", " ").split()
    counts = np.array(pairs, dtype=np.int32).reshape(-1, 2)
    if len(counts) != int(n_distinct):
        raise CorpusError(f"A bag says it has {n_distinct} words and lists {len(counts)}.")
    return np.repeat(counts[:, 0], counts[:, 1])


def _labels(name: str, data: str | Path | None) -> NDArray[np.int64]:
    """Return the label of each of the authors' documents through the alignment with the raw corpus."""
    alignment = json.loads(
        require_file(f"authors/{name}_authors_bow_alignment.json", data).read_text("utf-8")
    )
    if name == "20news":
        labels = load_raw(name, data).labels
        return np.array([UNLABELLED if i is None else labels[i] for i in alignment], dtype=np.int64)
    if name == "tagmynews":
        categories = [concept.category for concept in concepts_of(name)]
        return np.array([categories.index(label) for label in alignment["labels"]], dtype=np.int64)
    return np.array(alignment["labels"], dtype=np.int64) - 1
