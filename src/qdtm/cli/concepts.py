"""`qdtm concepts`: check queries before anything is fitted, and show their concept words with evidence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from qdtm.cli.options import (
    HeadedCommand,
    corpus_argument,
    encoder_option,
    no_cache_option,
    output_options,
    query_options,
    read_options,
    seed_option,
    text_options,
)
from qdtm.errors import QueryError

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

    from qdtm.corpus import Corpus
    from qdtm.embeddings import WordVectors
    from qdtm.queries import Concept, Query, QueryCheck


@click.command(
    cls=HeadedCommand,
    first=(
        "texts",
        "text_column",
        "title_column",
        "language",
        "rule",
        "exclude",
        "reading",
        "anyway",
        "all_words",
        "as_json",
    ),
)
@corpus_argument
@query_options
@read_options
@text_options
@seed_option
@encoder_option
@click.option("--all-words", is_flag=True, help="Name all words that were left out, not only ten.")
@no_cache_option
@output_options
def concepts(
    corpus: tuple[str, ...], seed: int, encoder: str | None, all_words: bool, as_json: bool, **options: Any
) -> None:
    """Check queries in CORPUS and show their concept words.

    CORPUS is a file, a folder, or several of these: tables (.csv, .jsonl, .xlsx, ...), documents (.pdf,
    .docx, .txt, ...), bibliographies (.ris, .bib, ...); or a saved corpus.

    Each concept word comes with its score, how many documents have it, how many of those the query retrieves,
    and the documents that support it best. Of a query that documents only mention, these are listed instead.
    Where documents mean several things by a query, these are listed too; choose one with --reading. For a
    query that documents hardly have, words near it in meaning are proposed: by word vectors, or --encoder.
    """
    from qdtm.cli.console import notes_console, warnings_as_notes
    from qdtm.cli.opening import open_corpus
    from qdtm.cli.query_options import parse_queries, query_parameters
    from qdtm.cli.run_fit import make_model

    queries = parse_queries(options)
    parameters = query_parameters(options, len(queries))
    make_model(queries, **parameters, random_state=seed, encoder=encoder)  # refuses what makes no sense
    with warnings_as_notes(notes := notes_console()):
        read = open_corpus(corpus, options, notes)
        vectors = _load_vectors(parameters.pop("embeddings"), read, queries, seed)
        checks = _check(read, queries, parameters, vectors, encoder)
        try:
            found = _expand(read, queries, checks, vectors, parameters, notes)
        except QueryError:
            _print(read, checks, [None] * len(checks), as_json, all_words=all_words)  # they say why
            raise
    checks = [_in_reading(check, concept) for check, concept in zip(checks, found, strict=True)]
    _print(read, checks, found, as_json, all_words=all_words)


def _load_vectors(
    name: str | None, corpus: Corpus, queries: Sequence[Query], seed: int
) -> WordVectors | None:
    from qdtm.embeddings import load_vectors

    words = [word for query in queries for word in query.words.lower().split()]
    return load_vectors(name, corpus, also=words, random_state=seed)


def _check(
    corpus: Corpus,
    queries: Sequence[Query],
    parameters: dict[str, Any],
    vectors: WordVectors | None,
    encoder: str | None,
) -> list[QueryCheck]:
    from qdtm.queries import check_query

    return [
        check_query(corpus, query, rule, vectors=vectors, encoder=encoder, refuse=parameters["refuse"])
        for query, rule in zip(queries, _rules(parameters["rule"], queries), strict=True)
    ]


def _rules(rule: str | list[str], queries: Sequence[Query]) -> list[Any]:
    return [rule] * len(queries) if isinstance(rule, str) else rule


def _expand(
    corpus: Corpus,
    queries: Sequence[Query],
    checks: Sequence[QueryCheck],
    vectors: WordVectors | None,
    parameters: dict[str, Any],
    notes: Console,
) -> list[Concept | None]:
    """Find the concept words of all queries but those that documents only mention."""
    from qdtm.cli.run_fit import learn_with_progress
    from qdtm.queries import choose_concepts

    if parameters["min_precision"] == "auto":
        parameters = parameters | {"min_precision": None}
    asked = [q for q, check in enumerate(checks) if check.verdict != "passing" or not parameters["refuse"]]
    rules = _rules(parameters["rule"], queries)
    parameters = parameters | {"rule": [rules[q] for q in asked], "vectors": vectors}
    found: list[Concept | None] = [None] * len(queries)
    if not asked:
        return found
    learn_with_progress(corpus, notes)
    concepts = choose_concepts(corpus, [queries[q] for q in asked], **parameters)
    for q, concept in zip(asked, concepts, strict=True):
        found[q] = concept
    return found


def _in_reading(check: QueryCheck, concept: Concept | None) -> QueryCheck:
    """Return what the corpus knows of a query in the sense that was chosen."""
    return check if concept is None or concept.query.reading is None else concept.check


def _print(
    corpus: Corpus,
    checks: Sequence[QueryCheck],
    found: Sequence[Concept | None],
    as_json: bool,
    *,
    all_words: bool,
) -> None:
    """Print the checks, and the concepts where there are any."""
    from qdtm.cli.console import print_json, print_page
    from qdtm.cli.json_forms import check_json, concept_json, corpus_json, mentions_json, tables_json
    from qdtm.results.tables import concept_words_table

    pairs = list(zip(checks, found, strict=True))
    if as_json:
        queries = [
            {"check": check_json(check), "mentions": mentions_json(check, corpus)}
            | (concept_json(concept, corpus) if concept else {"query": check.name})
            for check, concept in pairs
        ]
        words = concept_words_table([concept for concept in found if concept], corpus)
        print_json({"corpus": corpus_json(corpus), "queries": queries} | tables_json(words))
    else:
        print_page(_page(corpus, pairs, all_words=all_words))


def _page(
    corpus: Corpus, pairs: Sequence[tuple[QueryCheck, Concept | None]], *, all_words: bool
) -> Iterator[RenderableType]:
    from rich.text import Text

    from qdtm.cli.sections import check_section, concept_section, mentions_section, readings_section

    for number, (check, concept) in enumerate(pairs):
        if number:
            yield Text()
        yield check_section(check)
        if check.verdict == "passing":
            yield Text()
            yield mentions_section(check, corpus)
        if concept is not None and concept.readings:
            yield Text()
            yield readings_section(concept, corpus)
        if concept is not None:
            yield Text()
            yield concept_section(concept, corpus, all_words=all_words)
