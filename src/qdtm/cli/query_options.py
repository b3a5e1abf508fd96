"""What the user typed after -q, --keywords, --add, --rule and so on in, queries and parameters out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from qdtm.errors import ParameterError, QueryError

if TYPE_CHECKING:
    from qdtm.queries import Query


def parse_queries(options: Mapping[str, Any]) -> list[Query]:
    """Make queries of what was typed.

    Parameters
    ----------
    options : mapping
        The values of `query_options`: `texts`, each the text of a query; `keywords`, each "name=word,word",
        where the name of a text gives that query these words and another makes a new query; `add`, `drop`
        and `exclude`, each "name=word,word", or "word,word" if there is only one query; `reading`, each
        "name=2", or "2".

    Returns
    -------
    list of Query
        The texts in order, then the queries that have keywords only.
    """
    from qdtm.queries import as_queries

    queries = list(as_queries(_with_keywords(options["texts"], options["keywords"])))
    for field in ("add", "drop", "exclude"):
        for value in options[field]:
            q, words = _addressed(field, value, queries)
            changed: dict[str, Any] = {field: (*getattr(queries[q], field), *words)}
            queries[q] = replace(queries[q], **changed)
    for value in options.get("reading", ()):
        q, numbers = _addressed("reading", value, queries)
        queries[q] = replace(queries[q], reading=_number(value, numbers))
    return queries


def query_parameters(options: Mapping[str, Any], n_queries: int) -> dict[str, Any]:
    """Return the parameters of a model that decide what becomes of its queries."""
    return {
        "expansion": _none(options["expansion"]),
        "rule": _rule(options["rule"], n_queries),
        "refuse": not options["anyway"],
        "n_concept_words": options["n_concept_words"],
        "n_candidates": options["n_candidates"],
        "min_precision": options["min_precision"],
        "embeddings": _none(options["embeddings"]),
    }


def _rule(rules: Sequence[str], n_queries: int) -> str | list[str]:
    if len(rules) > 1 and len(rules) != n_queries:
        raise ParameterError(
            f"--rule is there {len(rules)} times for {n_queries} queries; give it once, or once a query."
        )
    return list(rules) if len(rules) > 1 else rules[0] if rules else "and"


def _none(value: str) -> str | None:
    return None if value.lower() == "none" else value


def _with_keywords(texts: Sequence[str], keywords: Sequence[str]) -> list[Query]:
    from qdtm.queries import Query

    queries = [Query(text) for text in texts]
    for value in keywords:
        name, separator, words = value.partition("=")
        if not separator or not name.strip():
            raise QueryError(
                f"--keywords is {value!r}; give a name and words, such as 'sport=cricket,tennis'."
            )
        q = _find(name, queries)
        if q is None:
            queries.append(Query(name=name, keywords=_split(words)))
        else:
            queries[q] = replace(queries[q], keywords=(*queries[q].keywords, *_split(words)))
    return queries


def _addressed(field: str, value: str, queries: Sequence[Query]) -> tuple[int, tuple[str, ...]]:
    """Return which query an edit is for, and its words."""
    name, separator, words = value.partition("=")
    if not separator and len(queries) == 1:
        return 0, _split(value)
    q = _find(name, queries) if separator else None
    if q is None:
        names = ", ".join(f"'{query.name}'" for query in queries)
        example = "2" if field == "reading" else "word"
        raise QueryError(
            f"--{field} is {value!r}; say for which query ({names}), such as '{queries[0].name}={example}'."
        )
    return q, _split(words)


def _number(value: str, numbers: Sequence[str]) -> int:
    if len(numbers) != 1 or not (numbers[0].isascii() and numbers[0].isdecimal()):
        raise QueryError(f"--reading is {value!r}; give its number, such as 2.")
    return int(numbers[0])


def _find(name: str, queries: Iterable[Query]) -> int | None:
    wanted = " ".join(name.split()).casefold()
    return next((q for q, query in enumerate(queries) if query.name.casefold() == wanted), None)


def _split(words: str) -> tuple[str, ...]:
    return tuple(word.strip() for word in words.split(",") if word.strip())
