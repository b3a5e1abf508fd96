r"""The paper's three corpora: texts and labels as their sources give them, and ready for a model.

In: the data folder or the original sources, and stop words. Out: `RawTexts`, nothing cleaned, whose labels
follow the order of `concepts_of` (only what belongs to the experiments is read: sixteen newsgroups of twenty,
TagMyNews without `us` and `world`); and `Dataset`, with the paper's preprocessing, labels and concepts.

Words are the tokens of the Penn Treebank's rules that are made of word characters alone. Punctuation around a
word is cut off and "it's" is "it"; what is tied together otherwise ("well-known", "comp.graphics", "and/or")
is one token, not a plain one, and so is left out. `\w+` would make two words of it. Measured against the
authors' bags of words for 14,266 newsgroup posts: these words give exactly the same bag for 85 % of the
posts, those of `\w+` for 36 %; most of the rest have an abbreviation with its full stop.
"""

from __future__ import annotations

import dataclasses
import gzip
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from experiments.datasets.concepts import ExperimentConcept, concepts_of
from experiments.datasets.files import DownloadProgress, RemoteFile, find_data, obtain, offline_error, verify
from qdtm.corpus import Corpus, TextPipeline
from qdtm.corpus.stop_word_lists import stop_words
from qdtm.errors import CorpusError
from qdtm.storage.cache import cache_directory

NEWSGROUPS_CACHE = RemoteFile(
    name="20news-bydate_py3.pkz",
    url="https://ndownloader.figshare.com/files/5975967",
    sha256="c303aee80605231222a6d2208b790239cbaa0bd3f318da540edc6c12186805b4",
)
TAGMYNEWS = RemoteFile(
    name="tagmynews_en09062011.news.gz",
    url="http://acube.di.unipi.it/repo/news.gz",
    sha256="b3af5fe45dbb68bf5badbe73c549dc11e04217b7fca26711a2d48862807a7511",
)
_QDTM_REPOSITORY = "https://raw.githubusercontent.com/Fitz-like-coding/QDTM/7bfaa6a53b79ee65d66e4b1c47e314734dca76e8/dataset/"
SNIPPETS = RemoteFile(
    name="SearchSnippets.txt",
    url=_QDTM_REPOSITORY + "SearchSnippets.txt",
    sha256="6d76e4b7fe15d2e32b7ae1b66ef8bc1865cd7e860afc5b0cc901e961457f881b",
)
SNIPPET_LABELS = RemoteFile(
    name="SearchSnippets_label.txt",
    url=_QDTM_REPOSITORY + "SearchSnippets_label.txt",
    sha256="8150bdac8987d9d074b89db2dbb3246e1c027ed8b985043be0502e16211f8c94",
)

_TAGMYNEWS_LINES = 8  # title, description, url, id, date, source, category, blank
_UNITED_STATES = re.compile(r"u\.s\.|\bu\.s\b|\bus\b")


@dataclass(frozen=True, eq=False)
class RawTexts:
    """A labelled corpus before any preprocessing.

    Attributes
    ----------
    texts : tuple of str
        One document each.
    labels : ndarray of int64, shape (n_docs,)
        The place of each document's category in `categories`.
    categories : tuple of str
        The corpus's own names.
    """

    texts: tuple[str, ...]
    labels: NDArray[np.int64]
    categories: tuple[str, ...]


def load_raw(name: str, data: str | Path | None = None, progress: DownloadProgress | None = None) -> RawTexts:
    """Return texts and labels of a corpus of the experiments.

    Parameters
    ----------
    name : {"20news", "tagmynews", "searchsnippets"}
        The corpus.
    data : str or Path, optional
        The data folder, see `find_data`; without one the corpus is downloaded once.
    progress : callable, optional
        Told of a download, see `obtain`.
    """
    categories = tuple(concept.category for concept in concepts_of(name))
    return _READERS[name](categories, data, progress)


def _read_newsgroups(
    categories: tuple[str, ...], data: str | Path | None, progress: DownloadProgress | None
) -> RawTexts:
    """Read the newsgroups of the experiments, in the order of the authors' program."""
    posts = fetch_newsgroups(categories, data, progress)
    return RawTexts(tuple(posts.data), np.asarray(posts.target, dtype=np.int64), categories)


def fetch_newsgroups(
    categories: tuple[str, ...] | None, data: str | Path | None, progress: DownloadProgress | None = None
) -> Any:
    """Fetch newsgroups (None: all twenty) through scikit-learn: headers, footers and quotes are taken off.

    scikit-learn keeps the posts in a pickle. One that lies in a data folder may come from anywhere, so it is
    checked before scikit-learn sees it; one in our cache was made there by scikit-learn itself, from an
    archive whose checksum it verified.
    """
    from sklearn.datasets import fetch_20newsgroups

    home, is_given = _newsgroups_home(data)
    if progress is not None and not (home / NEWSGROUPS_CACHE.name).is_file():
        progress(NEWSGROUPS_CACHE.name, 0, None)
    try:
        return fetch_20newsgroups(
            data_home=home,
            subset="all",
            categories=None if categories is None else list(categories),
            shuffle=True,
            random_state=1,
            remove=("headers", "footers", "quotes"),
            download_if_missing=not is_given,
        )
    except OSError as error:
        raise offline_error(NEWSGROUPS_CACHE.name, NEWSGROUPS_CACHE.url, error) from error


def _newsgroups_home(data: str | Path | None) -> tuple[Path, bool]:
    """Return the folder where scikit-learn is to look, and whether the posts are there, checked."""
    folder = find_data(data)
    if folder is not None and (given := folder / "corpora" / NEWSGROUPS_CACHE.name).is_file():
        return verify(given, NEWSGROUPS_CACHE.sha256).parent, True
    return cache_directory() / "corpora", False


def _read_tagmynews(
    categories: tuple[str, ...], data: str | Path | None, progress: DownloadProgress | None
) -> RawTexts:
    """Read TagMyNews: title and description of each item, with the United States spelled "usa"."""
    texts, labels = [], []
    for title, description, category in tagmynews_items(data, progress):
        if category in categories:
            texts.append(_UNITED_STATES.sub("usa", f"{title} {description}"))
            labels.append(categories.index(category))
    return RawTexts(tuple(texts), np.array(labels, dtype=np.int64), categories)


def tagmynews_items(
    data: str | Path | None, progress: DownloadProgress | None = None
) -> Iterator[tuple[str, str, str]]:
    """Yield title, description and category of every item of TagMyNews, in the order of the file."""
    with gzip.open(obtain(TAGMYNEWS, data, progress), "rt", encoding="utf-8", newline="\r\n") as stream:
        lines = [line.rstrip("\r\n") for line in stream]
    for start in range(0, len(lines) - _TAGMYNEWS_LINES + 1, _TAGMYNEWS_LINES):
        title, description, *_, category, _blank = lines[start : start + _TAGMYNEWS_LINES]
        yield title, description, category


def _read_snippets(
    categories: tuple[str, ...], data: str | Path | None, progress: DownloadProgress | None
) -> RawTexts:
    """Read SearchSnippets: a snippet a line, and its category as a number from 1 a line."""
    texts = obtain(SNIPPETS, data, progress).read_text(encoding="utf-8").split("\n")
    numbers = obtain(SNIPPET_LABELS, data, progress).read_text(encoding="utf-8").split()
    if len(texts) != len(numbers):
        raise CorpusError(
            f"SearchSnippets has {len(texts):,} snippets and {len(numbers):,} labels. "
            "Delete both files and try again."
        )
    return RawTexts(tuple(texts), np.array(numbers, dtype=np.int64) - 1, categories)


_READERS: dict[str, Callable[[tuple[str, ...], str | Path | None, DownloadProgress | None], RawTexts]] = {
    "20news": _read_newsgroups,
    "tagmynews": _read_tagmynews,
    "searchsnippets": _read_snippets,
}


# --- words -----------------------------------------------------------------------------------------------


# What stands alone wherever it is met; a comma or colon is part of a number such as 10,000.
_SEPARATORS = re.compile(r"""[;@#$%&?!\[\](){}<>"“”«»‘]|--|\.\.\.|''|``|[,:](?!\d)""")
_FULL_STOP = re.compile(r"(?<=[^.\s])\.(?=[’'»”]*(?:\s|$))")
_CLITICS = re.compile(r"(?<=[^'\s])(?:'s|'m|'d|'ll|'re|'ve|n't|')(?=\s|$)", re.IGNORECASE)
_PLAIN = re.compile(r"(?<!\S)\w+(?!\S)")


def treebank_words(text: str) -> list[str]:
    """Return the plain words of a text.

    Examples
    --------
    >>> treebank_words("The well-known U.S. team's captain (Smith) didn't score, 10,000 saw.")
    ['The', 'team', 'captain', 'Smith', 'did', 'score', 'saw']
    """
    for cut in (_SEPARATORS, _FULL_STOP, _CLITICS):
        text = cut.sub(" ", text)
    return _PLAIN.findall(text)


# --- data sets --------------------------------------------------------------------------------------------


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
