"""Corpora as a person would bring them: every document that a source has, as text, nothing left out.

In: the data folder. Out: texts. The experiments of the paper take parts of some of them; see `raw`.
"""

from __future__ import annotations

import csv
import gzip
from collections.abc import Callable, Mapping
from pathlib import Path

from qdtm.errors import ParameterError
from qdtm.evaluation.datasets.download import DownloadProgress
from qdtm.evaluation.datasets.location import require_file
from qdtm.evaluation.datasets.natural import labelled_texts
from qdtm.evaluation.datasets.raw import fetch_newsgroups, tagmynews_items

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
