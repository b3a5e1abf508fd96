"""Parameters as a fit records them: the estimator's values in, JSON out, and back.

Objects of the user's own, as word vectors in memory or a function that encodes, are not saved. What is left
of them says so, and whoever needs them is told to give them again before any work is done.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from qdtm.errors import ParameterError

OWN_OBJECTS = {"embeddings": "word vectors", "encoder": "an encoder"}
"""Parameters that may be objects of the user's own, and what they are."""

ADDED = "added_queries"
"""Under which name a fit records how many of its queries were added one by one; no parameter of a model."""


def n_added(parameters: Mapping[str, Any], n_queries: int) -> int:
    """Return how many of a fit's queries were added to it when it was finished."""
    known = parameters.get(ADDED, 0)
    return min(known, n_queries) if isinstance(known, int) and known > 0 else 0


@dataclass(frozen=True)
class NotSaved:
    """What is left of a parameter that was an object of the user's own: a dict of word vectors, a function.

    Parameters
    ----------
    kind : str
        The name of its type.
    """

    kind: str

    def __str__(self) -> str:
        return f"your own ({self.kind})"


def as_json(value: Any) -> Any:
    """Return a parameter as a JSON value; an object, as word vectors in memory, is recorded as not saved."""
    if isinstance(value, (str, int, float, bool, type(None))):
        return value
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, (list, tuple)):
        return [str(part) for part in value]
    return {"not_saved": value.kind if isinstance(value, NotSaved) else type(value).__name__}


def from_json(value: Any) -> Any:
    """Return a parameter as it was before `as_json`, as far as that is known."""
    return NotSaved(str(value["not_saved"])) if isinstance(value, dict) else value


def checked_record(values: Any) -> dict[str, Any]:
    """Return the parameters that a file records; raises a `ValueError` if `from_json` would not know one."""
    parameters = dict(values)
    for name, value in parameters.items():
        if isinstance(value, dict) and value.keys() != {"not_saved"}:
            raise ValueError(f"the parameter {name!r}")
    return parameters


def check_at_hand(parameters: Mapping[str, Any], needed: Collection[str], give: str) -> None:
    """Refuse work that needs objects of the user's own which were not saved.

    Parameters
    ----------
    needed : collection of str
        The parameters that it needs, some of `OWN_OBJECTS`.
    give : str
        How to give one again, such as "model.set_params({}=...)".

    Raises
    ------
    ParameterError
        One line: what is missing, and how to give it.
    """
    for name in needed:
        value = parameters[name]
        if isinstance(value, NotSaved):
            raise ParameterError(
                f"This model was fitted with {OWN_OBJECTS[name]} of {value}, not saved with it; "
                f"give the same again: {give.format(name)}."
            )
