"""What the user says about how a result is to be shown: names, columns, which documents are listed.

In: the user's words. Out: `Presentation`, which is saved with a fit. No number depends on it.
"""

from __future__ import annotations

import difflib
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from qdtm.errors import ParameterError

MAX_LABEL = 200
"""Characters of a label; what is longer is a text, not a name."""


@dataclass(frozen=True)
class Presentation:
    """How a result is shown.

    Attributes
    ----------
    labels : mapping of str to str
        The user's names for topics, by id ("0", "0.2", "b1").
    time_column : str or None
        The user's column with dates.
    date_format : str or None
        How its dates are written, as in `datetime.strptime`, where that should not be found out.
    group_column : str or None
        The user's column with groups (parties, authors, ...).
    all_documents : bool
        Whether `documents.csv` has all documents, not only those that are about a query.
    """

    labels: Mapping[str, str] = field(default_factory=dict)
    time_column: str | None = None
    date_format: str | None = None
    group_column: str | None = None
    all_documents: bool = False

    def to_json(self) -> dict[str, Any]:
        """Return it in a form that JSON can hold."""
        return {
            "labels": dict(self.labels),
            "time_column": self.time_column,
            "date_format": self.date_format,
            "group_column": self.group_column,
            "all_documents": self.all_documents,
        }

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Presentation:
        """Return what `to_json` described; anything else raises."""
        labels = {str(topic): str(label) for topic, label in dict(values["labels"]).items()}
        columns = {name: values[name] for name in ("time_column", "date_format", "group_column")}
        if not all(value is None or isinstance(value, str) for value in columns.values()):
            raise ValueError("the name of a column is not a text")
        if not isinstance(values["all_documents"], bool):
            raise ValueError("whether all documents are listed is neither true nor false")
        return cls(labels, **columns, all_documents=values["all_documents"])


def checked_labels(labels: Any, ids: Collection[str]) -> dict[str, str]:
    """Return labels for topics, cleaned; an empty one (or None) takes a label away.

    Parameters
    ----------
    labels : mapping of str to str or None
        By topic id.
    ids : collection of str
        The topics there are.

    Raises
    ------
    ParameterError
        If there is no such topic, or the label is not a short text.
    """
    if not isinstance(labels, Mapping):
        raise ParameterError(f"Labels are {labels!r}; give {{topic id: label}}, such as {{'0.1': 'tennis'}}.")
    return {_known(topic, ids): _clean(topic, label) for topic, label in labels.items()}


def _known(topic: object, ids: Collection[str]) -> str:
    if str(topic) in ids:
        return str(topic)
    closest = difflib.get_close_matches(str(topic), ids, n=1)
    hint = f" Closest: {closest[0]!r}." if closest else ""
    raise ParameterError(f"There is no topic {topic!r} to label.{hint}")


def _clean(topic: object, label: object) -> str:
    if label is not None and not isinstance(label, str):
        raise ParameterError(f"The label of topic {topic!r} is {label!r}; give a text.")
    text = " ".join((label or "").split())
    if len(text) > MAX_LABEL:
        raise ParameterError(
            f"The label of topic {topic!r} has {len(text)} characters; give at most {MAX_LABEL}."
        )
    return text
