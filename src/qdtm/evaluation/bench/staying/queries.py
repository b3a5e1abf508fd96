"""What people ask of corpora: a JSON file in, the queries of each corpus out.

The file has for each corpus two lists: `specific` queries, about which the corpus has documents, most of
which name it; and `passing` ones, which a few documents mention at most. An entry `about` is for people.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from qdtm.errors import ParameterError
from qdtm.evaluation.datasets import WHOLE, find_data
from qdtm.evaluation.datasets.location import DATA_VARIABLE

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
