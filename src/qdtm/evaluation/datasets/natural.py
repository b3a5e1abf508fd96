"""Corpora with natural categories, many of them small: each is asked for by the name it has.

In: `corpora/*.jsonl.gz` of the data folder, a document a line with its labels. Out: concepts, and `Dataset`
with the package's own text pipeline, as a user would get it. None of them can be downloaded.
"""

from __future__ import annotations

import gzip
import json
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from qdtm.corpus import Corpus
from qdtm.errors import CorpusError
from qdtm.evaluation.datasets.authors import UNLABELLED
from qdtm.evaluation.datasets.experiments import ExperimentConcept
from qdtm.evaluation.datasets.loading import Dataset
from qdtm.evaluation.datasets.location import find_data, require_file

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
