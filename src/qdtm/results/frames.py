"""Columns in, pandas DataFrames out; pandas is an extra, and is imported when a table is asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from qdtm.errors import MissingExtraError
from qdtm.results.splits import above

if TYPE_CHECKING:
    from qdtm.results.result import Result


def data_frame(columns: Mapping[str, Sequence[Any] | Any]) -> Any:
    """Return a pandas DataFrame of columns.

    Raises
    ------
    MissingExtraError
        If pandas is not installed.
    """
    try:
        from pandas import DataFrame
    except ImportError:
        raise MissingExtraError(
            "A DataFrame needs pandas, which is not installed: pip install 'qdtm[pandas]'."
        ) from None
    return DataFrame(dict(columns))


def topic_info(result: Result, n_words: int = 10) -> Any:
    """Return a table of all topics: a row for each parent, its subtopics below it, then the background.

    Returns
    -------
    DataFrame
        Columns `id`, `parent`, `kind`, `name`, `prevalence`, `n_tokens`, `words`.
    """
    rows = []
    for parent in result.topics:
        rows.append(("parent", "", parent))
        rows += [("subtopic", above(topic.id), topic) for topic in islice(parent.walk(), 1, None)]
    rows += [("background", "", topic) for topic in result.background]
    return data_frame(
        {
            "id": [topic.id for _, _, topic in rows],
            "parent": [parent for _, parent, _ in rows],
            "kind": [kind for kind, _, _ in rows],
            "name": [topic.name for _, _, topic in rows],
            "prevalence": [topic.prevalence for _, _, topic in rows],
            "n_tokens": [topic.n_tokens for _, _, topic in rows],
            "words": [[word for word, _ in topic.top_words(n_words)] for _, _, topic in rows],
        }
    )


def document_info(result: Result, n_words: int = 10) -> Any:
    """Return a table of all documents: the user's columns, and what each has to do with each query.

    Returns
    -------
    DataFrame
        Columns `document`, the user's own, then for each query `relevance: q`, `about: q` (from the cut-off
        up), `subtopic: q`, `subtopic name: q` and `top words: q` (of the main subtopic), and `text`.
    """
    from qdtm.results.documents import distinct_names

    ours: dict[str, Any] = {}
    for q, topic in enumerate(result.topics):
        scores = result.scores(q)
        named = np.array([*(s.id for s in topic.below()), ""], object)  # the last for none: main is -1
        short = np.array([*(s.name for s in topic.below()), ""], object)
        words = [" ".join(word for word, _ in s.top_words(n_words)) for s in topic.below()]
        ours[f"relevance: {topic.name}"] = scores.relevance
        ours[f"about: {topic.name}"] = scores.about
        ours[f"subtopic: {topic.name}"] = named[scores.main]
        ours[f"subtopic name: {topic.name}"] = short[scores.main]
        ours[f"top words: {topic.name}"] = np.array([*words, ""], object)[scores.main]
    documents = list(result.corpus.documents)
    fields = result.corpus.documents.field_names
    theirs = distinct_names(fields, taken=["document", *ours, "text"])
    columns: dict[str, Any] = {"document": [document.id for document in documents]}
    for name, field in zip(theirs, fields, strict=True):
        columns[name] = [document.fields.get(field, "") for document in documents]
    return data_frame(columns | ours | {"text": [document.text for document in documents]})
