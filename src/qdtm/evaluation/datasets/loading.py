"""The corpora of the experiments, ready for a model: the paper's preprocessing, labels and concepts.

In: texts and labels (`load_raw`) and stop words. Out: `Dataset`.
"""

import dataclasses
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from qdtm.corpus import Corpus, TextPipeline
from qdtm.corpus.stopwords import stop_words
from qdtm.evaluation.datasets.download import DownloadProgress
from qdtm.evaluation.datasets.experiments import ExperimentConcept, concepts_of
from qdtm.evaluation.datasets.location import find_data
from qdtm.evaluation.datasets.raw import load_raw
from qdtm.evaluation.datasets.treebank import treebank_words

STOP_WORDS = "nlp/qdtm_authors_stopwords.en.txt"
MIN_TOKENS, MAX_TOKENS = 3, 300  # words in a document; others are left out of the experiments


@dataclass(frozen=True, eq=False)
class Dataset:
    """A corpus of the experiments.

    Attributes
    ----------
    name : str
        "20news", "tagmynews" or "searchsnippets".
    corpus : Corpus
        The documents, with their category as a field.
    labels : ndarray of int64, shape (n_docs,)
        The place in `concepts` of what each document is about.
    concepts : tuple of ExperimentConcept
        What is asked of the corpus: one query per category.
    """

    name: str
    corpus: Corpus
    labels: NDArray[np.int64]
    concepts: tuple[ExperimentConcept, ...]


def load_dataset(
    name: str, data: str | Path | None = None, progress: DownloadProgress | None = None
) -> Dataset:
    """Return a corpus of the experiments with the paper's preprocessing.

    Parameters
    ----------
    name : {"20news", "tagmynews", "searchsnippets"}
        The corpus.
    data : str or Path, optional
        The data folder, see `find_data`; without one the corpus is downloaded once.
    progress : callable, optional
        Told of a download: name of the file, bytes so far, bytes in all.

    Raises
    ------
    ParameterError
        If there is no corpus of that name.
    CorpusError
        If its files are altered, or cannot be downloaded.
    """
    raw = load_raw(name, data, progress)
    pipeline = experiment_pipeline(data)
    documents = [pipeline(text) for text in raw.texts]
    kept = [j for j, words in enumerate(documents) if MIN_TOKENS <= len(words) <= MAX_TOKENS]
    corpus = Corpus.from_tokens(
        [documents[j] for j in kept],
        texts=[raw.texts[j] for j in kept],
        fields={"category": [raw.categories[raw.labels[j]] for j in kept]},
        limits=pipeline.limits,
        pipeline=pipeline,
    )
    return Dataset(name, corpus, raw.labels[kept], concepts_of(name))


def experiment_pipeline(data: str | Path | None = None) -> TextPipeline:
    """Return the paper's preprocessing, with the authors' 575 stop words if the data folder has them.

    Without them English stop words of the package stand in, which are fewer: the corpora then have the same
    documents within a few, and some more frequent words.
    """
    folder = find_data(data)
    if folder is not None and (folder / STOP_WORDS).is_file():
        words = frozenset((folder / STOP_WORDS).read_text(encoding="utf-8").split())
    else:
        words = stop_words("english")
    return dataclasses.replace(TextPipeline.paper(words), tokenizer=treebank_words)
