"""`qdtm explain`: why a document of a saved result is relevant, token by token."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from qdtm.cli.options import index_option, output_options

if TYPE_CHECKING:
    from rich.console import RenderableType

    from qdtm.results.explain import Explanation
    from qdtm.results.result import Result


@click.command()
@click.argument("directory", metavar="DIR", type=click.Path())
@click.option("--doc", "document", required=True, metavar="ID", help="The document's id.")
@click.option("-q", "--query", metavar="QUERY", help="About this query.  [the likeliest]")
@click.option("--subtopic", metavar="ID", help="How much of it is in this subtopic, such as 0.2, and why.")
@click.option(
    "-n", "--tokens", "n_tokens", type=click.IntRange(1), default=15, show_default=True, metavar="N",
    help="Tokens listed, those that carry most first.",
)  # fmt: skip
@index_option
@output_options
def explain(
    directory: str,
    document: str,
    query: str | None,
    subtopic: str | None,
    n_tokens: int,
    index: str | None,
    as_json: bool,
) -> None:
    """Say why a document is relevant: the topic of each token, and how much it adds."""
    from qdtm.cli.console import print_json, print_page
    from qdtm.cli.opening import open_result
    from qdtm.results.explain import explain_document

    result = open_result(directory, index)
    explanation = explain_document(result, document, query, subtopic=subtopic)
    if as_json:
        print_json(_json(result, explanation))
    else:
        print_page(_page(explanation, n_tokens))


def _json(result: Result, explanation: Explanation) -> dict[str, Any]:
    from dataclasses import asdict

    from qdtm.cli.json_forms import tables_json
    from qdtm.results.tables import document_table

    q = result.query_index(explanation.query)
    return tables_json(document_table(result.fit, result.corpus, explanation.document.index, q)) | {
        "topic": explanation.subtopic or str(q),
        "share": explanation.share,
        "topics": [
            {"topic": topic, "name": explanation.names.get(topic, topic), "tokens": n}
            for topic, n in explanation.topic_counts()
        ],
        "tokens": [asdict(token) for token in explanation.tokens],
    }


def _page(explanation: Explanation, n_tokens: int) -> Iterator[RenderableType]:
    from rich.padding import Padding
    from rich.text import Text

    from qdtm.cli.sections import Columns, facts, heading, passage_text, table

    yield heading(explanation.document.id, _measures(explanation))
    yield Padding(passage_text(explanation.passage(1_200)), (0, 0, 1, 2))
    yield facts(
        (f"{n} tokens", f"{topic} {explanation.names.get(topic, '')}")
        for topic, n in explanation.topic_counts()[:8]
    )
    yield Text()
    number = {"justify": "right", "no_wrap": True}
    columns: Columns = [("token", {}), ("share", number), ("topic", {"no_wrap": True}), ("why", {})]
    heaviest = sorted(explanation.tokens, key=lambda token: -token.share)[:n_tokens]
    rows = [(t.written, f"{t.share:.1%}", t.subtopic or t.topic, _why(t)) for t in heaviest]
    yield table(columns, rows) if rows else facts([("tokens", "none that the model knows")])


def _measures(explanation: Explanation) -> str:
    of = f"subtopic {explanation.subtopic}" if explanation.subtopic else "the topic"
    share = f"{explanation.share:.1%} of it in {of}"
    if explanation.relevance is None:
        return share
    return f"relevance to '{explanation.query}' {explanation.relevance:.3f}, {share}"


def _why(token: Any) -> str:
    if token.is_concept:
        return "a concept word"
    if token.pulled_by:
        return f"pulled in by '{token.pulled_by}'"
    return ""
