"""What the user typed after -q, --keywords, --add, --drop and --exclude in, `Query` objects out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from qdtm.errors import QueryError

if TYPE_CHECKING:
    from qdtm.concepts import Query

Edit = Literal["add", "drop", "exclude"]


def parse_queries(
    texts: Sequence[str],
    keywords: Sequence[str],
    add: Sequence[str] = (),
    drop: Sequence[str] = (),
    exclude: Sequence[str] = (),
) -> list[Query]:
    """Make queries of what was typed.

    Parameters
    ----------
    texts : sequence of str
        Each the text of a query.
    keywords : sequence of str
        Each "name=word,word". The name of a text gives that query these words; another makes a new query.
    add, drop, exclude : sequence of str
        Each "name=word,word", or "word,word" if there is only one query.

    Returns
    -------
    list of Query
        The texts in order, then the queries that have keywords only.
    """
    from qdtm.concepts import as_queries

    queries = list(as_queries(_with_keywords(texts, keywords)))
    edits: tuple[tuple[Edit, Sequence[str]], ...] = (("add", add), ("drop", drop), ("exclude", exclude))
    for field, values in edits:
        for value in values:
            q, words = _addressed(field, value, queries)
            queries[q] = replace(queries[q], **{field: (*getattr(queries[q], field), *words)})
    return queries


def _with_keywords(texts: Sequence[str], keywords: Sequence[str]) -> list[Query]:
    from qdtm.concepts import Query

    queries = [Query(text) for text in texts]
    for value in keywords:
        name, separator, words = value.partition("=")
        if not separator or not name.strip():
            raise QueryError(f"--keywords is {value!r}; give a name and words, such as 'sport=cricket,tennis'.")
        q = _find(name, queries)
        if q is None:
            queries.append(Query(name=name, keywords=_split(words)))
        else:
            queries[q] = replace(queries[q], keywords=(*queries[q].keywords, *_split(words)))
    return queries


def _addressed(field: Edit, value: str, queries: Sequence[Query]) -> tuple[int, tuple[str, ...]]:
    """Return which query an edit is for, and its words."""
    name, separator, words = value.partition("=")
    if not separator and len(queries) == 1:
        return 0, _split(value)
    q = _find(name, queries) if separator else None
    if q is None:
        names = ", ".join(f"'{query.name}'" for query in queries)
        raise QueryError(f"--{field} is {value!r}; say for which query ({names}), such as '{queries[0].name}=word'.")
    return q, _split(words)


def _find(name: str, queries: Iterable[Query]) -> int | None:
    wanted = " ".join(name.split()).casefold()
    return next((q for q, query in enumerate(queries) if query.name.casefold() == wanted), None)


def _split(words: str) -> tuple[str, ...]:
    return tuple(word.strip() for word in words.split(",") if word.strip())
