"""A `Result` in, a network out (GEXF): queries, their subtopics and the documents about them, for Gephi.

A document hangs on its queries, by relevance, and on the subtopics that have a part of it, by their share;
a subtopic hangs on what it is part of. `kind` says which is which, of nodes and of edges.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from qdtm.corpus.document_store import Document
from qdtm.present.codings import Coding, Codings
from qdtm.present.legal_text import one_line, xml
from qdtm.present.theme import LIGHT, series
from qdtm.results.result import Result
from qdtm.results.topics import Topic

LEAST_SHARE = 0.1
"""Of a document, that a subtopic must have to be linked with it, unless it is the main one."""

_NODE = {"kind": "string", "id": "string", "relevance": "double", "prevalence": "double", "words": "string"}
_EDGE = {"kind": "string"}
_HEAD = (
    '<?xml version="1.0" encoding="UTF-8"?>\n<gexf xmlns="http://www.gexf.net/1.2draft" '
    'xmlns:viz="http://www.gexf.net/1.2draft/viz" version="1.2">\n'
)
_N_WORDS = 10


def write_gexf(result: Result, path: Path, *, all_documents: bool = False) -> None:
    """Write a result as a network."""
    codings = Codings(result, all_documents=all_documents)
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.write(f"{_HEAD}<meta><creator>qdtm</creator></meta>\n")
        file.write('<graph defaultedgetype="undirected" mode="static">\n')
        file.writelines((_attributes("node", _NODE), _attributes("edge", _EDGE)))
        file.write("<nodes>\n")
        for topic in result.topics:
            file.writelines(_topic_nodes(topic, None))
        edges: list[tuple[str, str, float, str]] = list(_tree(result))
        for document, coded in codings.documents():
            file.write(_document_node(document, coded))
            edges += _document_edges(document, coded, codings)
        file.write("</nodes>\n<edges>\n")
        file.writelines(_edge(number, *each) for number, each in enumerate(edges))
        file.write("</edges>\n</graph>\n</gexf>\n")


def _attributes(of: str, kinds: dict[str, str]) -> str:
    each = (f'<attribute id="{name}" title="{name}" type="{kind}"/>' for name, kind in kinds.items())
    return f'<attributes class="{of}">{"".join(each)}</attributes>\n'


# --- nodes -------------------------------------------------------------------------------------------------


def _topic_nodes(topic: Topic, color: int | None) -> Iterator[str]:
    values = {
        "kind": "query" if color is None else "subtopic",
        "id": topic.id,
        "prevalence": f"{topic.prevalence:.6f}",
        "words": ", ".join(word for word, _ in topic.top_words(_N_WORDS)),
    }
    shade = LIGHT["accent"] if color is None else series(color)
    yield _node(f"t{topic.id}", topic.short_name, values, shade, 20.0 if color is None else 12.0)
    for s, below in enumerate(topic.subtopics):
        yield from _topic_nodes(below, s if color is None else color)


def _document_node(document: Document, coded: tuple[Coding, ...]) -> str:
    best = max(coding.relevance for coding in coded)
    values = {"kind": "document", "id": document.id, "relevance": f"{best:.6f}"}
    return _node(f"d{document.index}", document.title or document.id, values, LIGHT["muted"], 4.0)


def _node(id: str, label: str, values: dict[str, str], color: str, size: float) -> str:
    shown = "".join(f'<attvalue for="{name}" value="{xml(value)}"/>' for name, value in values.items())
    red, green, blue = (int(color[at : at + 2], 16) for at in (1, 3, 5))
    looks = f'<viz:color r="{red}" g="{green}" b="{blue}"/><viz:size value="{size}"/>'
    return f'<node id="{id}" label="{xml(one_line(label))}"><attvalues>{shown}</attvalues>{looks}</node>\n'


# --- edges -------------------------------------------------------------------------------------------------


def _tree(result: Result) -> Iterator[tuple[str, str, float, str]]:
    for topic in result.topics:
        for above in topic.walk():
            whole = above.prevalence_below or 1.0
            for below in above.subtopics:
                yield f"t{below.id}", f"t{above.id}", below.prevalence / whole, "part of"


def _document_edges(
    document: Document, coded: tuple[Coding, ...], codings: Codings
) -> Iterator[tuple[str, str, float, str]]:
    source = f"d{document.index}"
    for coding in coded:
        yield source, f"t{coding.q}", coding.relevance, "about"
        for topic, share in codings.shares(document, coding.q):
            if share >= LEAST_SHARE or topic is coding.subtopic:
                yield source, f"t{topic.id}", share, "share"


def _edge(number: int, source: str, target: str, weight: float, kind: str) -> str:
    value = f'<attvalues><attvalue for="kind" value="{kind}"/></attvalues>'
    ends = f'source="{source}" target="{target}"'
    return f'<edge id="{number}" {ends} weight="{weight:.6f}">{value}</edge>\n'
