"""`qdtm explain`: why a document of a saved result is relevant, word by word."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from qdtm.cli.options import check_subtopics, index_option, output_options

if TYPE_CHECKING:
    from rich.console import RenderableType

    from qdtm.results.explain import ExplainedWord, Explanation
    from qdtm.results.result import Result
    from qdtm.results.tables import Table

_RIGHT = {"justify": "right", "no_wrap": True}


@click.command()
@click.argument("directory", metavar="DIR", type=click.Path())
@click.option("--doc", "document", required=True, metavar="ID", help="The document's id.")
@click.option("-q", "--query", metavar="QUERY", help="About this query.  [the likeliest]")
@click.option(
    "--subtopic", metavar="ID", callback=check_subtopics,
    help="How much of it is in this subtopic, such as 0.2, and why.",
)  # fmt: skip
@click.option(
    "-n", "--words", "n_words", type=click.IntRange(1), default=15, show_default=True, metavar="N",
    help="Words listed, those that carry most first.",
)  # fmt: skip
@index_option
@output_options
def explain(
    directory: str,
    document: str,
    query: str | None,
    subtopic: str | None,
    n_words: int,
    index: str | None,
    as_json: bool,
) -> None:
    """Say why a document is relevant: its words, how much each adds, and their topics.

    Relevance, whether the document is about the query, and its subtopic are those of `qdtm docs`.
    """
    from qdtm.cli.console import print_json, print_page
    from qdtm.cli.opening import open_result
    from qdtm.results.explain import explain_document

    result = open_result(directory, index)
    explanation = explain_document(result, document, query, subtopic=subtopic)
    if as_json:
        print_json(_json(result, explanation))
    else:
        print_page(_page(result, explanation, n_words))


def _json(result: Result, explanation: Explanation) -> dict[str, Any]:
    from dataclasses import asdict

    from qdtm.cli.json_forms import tables_json

    q = result.query_index(explanation.query)
    return tables_json(_table(result, explanation)) | {
        "topic": explanation.subtopic or str(q),
        "share": explanation.share,
        "topics": [
            {"topic": topic, "name": explanation.names.get(topic, topic), "words": n}
            for topic, n in explanation.topic_counts()
        ],
        "words": [asdict(word) for word in explanation.words()],
        "tokens": [asdict(token) for token in explanation.tokens],
    }


def _table(result: Result, explanation: Explanation) -> Table:
    """Return what the document has to do with the query, as in every other list."""
    from qdtm.results.tables import document_table

    q = result.query_index(explanation.query)
    return document_table(result.fit, result.corpus, explanation.document.index, q)


def _page(result: Result, explanation: Explanation, n_words: int) -> Iterator[RenderableType]:
    from rich.padding import Padding
    from rich.text import Text

    from qdtm.cli.sections import Columns, facts, heading, passage_text, table
    from qdtm.corpus.titles import id_beside

    document = explanation.document
    title = document.title or document.id
    yield heading(title, id_beside(document.id, title))
    yield facts([(explanation.query, _measures(result, explanation))])
    yield Padding(passage_text(explanation.passage(1_200)), (1, 0, 1, 2))
    columns: Columns = [("word", {}), ("times", _RIGHT), ("share", _RIGHT), ("topic", {}), ("why", {})]
    words = explanation.words()[:n_words]
    rows = [(w.written, f"{w.times:,}", f"{w.share:.1%}", ", ".join(w.topics), _why(w)) for w in words]
    yield table(columns, rows) if rows else facts([("words", "none that the model knows")])
    yield Text()
    yield facts(
        (f"{n:,} word" if n == 1 else f"{n:,} words", f"in {topic} {explanation.names.get(topic, '')}")
        for topic, n in explanation.topic_counts()[:8]
    )


def _measures(result: Result, explanation: Explanation) -> str:
    """Say how relevant a document is, as `qdtm docs` does."""
    from qdtm.results.one_group import one_group

    (row,) = _table(result, explanation).records()
    about = "about it" if row["about"] else "not about it"
    named = "names it" if row["names_it"] else "does not name it"
    undivided = one_group(result, result.topics[result.query_index(explanation.query)])
    has_one = row["subtopic"] and not undivided
    subtopic = f", subtopic {row['subtopic']} {row['subtopic_name']}" if has_one else ""
    return f"relevance {row['relevance']:.3f}: {about}, {named}{subtopic}"


def _why(word: ExplainedWord) -> str:
    if word.is_concept:
        return "a concept word"
    return f"pulled in by '{word.pulled_by}'" if word.pulled_by else ""
