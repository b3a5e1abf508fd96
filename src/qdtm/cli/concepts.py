"""`qdtm concepts`: check queries before anything is fitted, and show their concept words with evidence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from qdtm.cli.options import output_options, query_options, read_options, seed_option, text_options
from qdtm.errors import QueryError

if TYPE_CHECKING:
    from rich.console import RenderableType

    from qdtm.concepts import Concept, Query, QueryCheck
    from qdtm.corpus import Corpus
    from qdtm.embeddings import WordVectors


@click.command()
@click.argument("corpus", type=click.Path())
@query_options
@read_options
@text_options
@seed_option
@output_options
def concepts(corpus: str, seed: int, as_json: bool, **options: Any) -> None:
    """Check queries in CORPUS and show their concept words.

    CORPUS is a .csv, .tsv, .jsonl or .txt file (a document a line), a folder of .txt files, or a saved
    corpus.

    Each concept word comes with its score, how many documents have it, how many of those the query retrieves,
    and the documents that support it best.
    """
    from qdtm.cli.console import notes_console, warnings_as_notes
    from qdtm.cli.opening import open_corpus
    from qdtm.cli.queries import parse_queries, query_parameters

    queries = parse_queries(options)
    parameters = query_parameters(options, len(queries))
    with warnings_as_notes(notes := notes_console()):
        read = open_corpus(corpus, options, notes)
        vectors = _load_vectors(parameters.pop("embeddings"), read, queries, seed)
        checks = _check(read, queries, parameters["rule"], vectors)
        try:
            found = _expand(read, queries, vectors, parameters)
        except QueryError:
            _print(read, checks, (), as_json)  # they say why
            raise
    _print(read, checks, found, as_json)


def _load_vectors(
    name: str | None, corpus: Corpus, queries: Sequence[Query], seed: int
) -> WordVectors | None:
    from qdtm.embeddings import load_vectors

    words = [word for query in queries for word in query.text.lower().split()]
    return load_vectors(name, corpus, also=words, random_state=seed)


def _check(
    corpus: Corpus, queries: Sequence[Query], rule: Any, vectors: WordVectors | None
) -> list[QueryCheck]:
    from qdtm.concepts import check_query

    rules = [rule] * len(queries) if isinstance(rule, str) else rule
    return [check_query(corpus, q, r, vectors=vectors) for q, r in zip(queries, rules, strict=True)]


def _expand(
    corpus: Corpus, queries: Sequence[Query], vectors: WordVectors | None, parameters: dict[str, Any]
) -> tuple[Concept, ...]:
    from qdtm.concepts import choose_concepts

    if parameters["min_pointing"] == "auto":
        parameters = parameters | {"min_pointing": None}
    return choose_concepts(corpus, queries, vectors=vectors, **parameters)


def _print(corpus: Corpus, checks: Sequence[QueryCheck], found: Sequence[Concept], as_json: bool) -> None:
    """Print the checks, and the concepts if there are any."""
    from qdtm.cli.console import print_json, print_page
    from qdtm.cli.json_forms import check_json, concept_json, corpus_json

    expanded: Sequence[Concept | None] = found or [None] * len(checks)
    pairs = list(zip(checks, expanded, strict=True))
    if as_json:
        queries = [
            {"check": check_json(check), "concept": concept_json(concept, corpus) if concept else None}
            for check, concept in pairs
        ]
        print_json({"corpus": corpus_json(corpus), "queries": queries})
    else:
        print_page(_page(corpus, pairs))


def _page(corpus: Corpus, pairs: Sequence[tuple[QueryCheck, Concept | None]]) -> Iterator[RenderableType]:
    from rich.text import Text

    from qdtm.cli.views import check_section, concept_section

    for number, (check, concept) in enumerate(pairs):
        if number:
            yield Text()
        yield check_section(check)
        if concept is not None:
            yield Text()
            yield concept_section(concept, corpus)
