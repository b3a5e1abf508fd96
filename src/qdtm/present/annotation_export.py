"""A `Result` in, passages to judge out: tasks for Label Studio, records for Argilla.

Each passage comes with its query and the question whether it is about it; what the model thinks is a
prediction (Label Studio) or a suggestion (Argilla), with its relevance as the score.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from qdtm.corpus.document_store import Document
from qdtm.present.codings import Coding, Codings
from qdtm.present.legal_text import one_line, same_places
from qdtm.results.result import Result

ANSWERS = ("about it", "not about it")


def write_label_studio(result: Result, path: Path, *, all_documents: bool = False) -> None:
    """Write tasks with predictions, most relevant first, query by query."""
    _write(Codings(result, all_documents=all_documents), path, _task)


def write_argilla(result: Result, path: Path, *, all_documents: bool = False) -> None:
    """Write records with suggestions, most relevant first, query by query."""
    _write(Codings(result, all_documents=all_documents), path, _record)


Make = Callable[[Document, Coding, str], dict[str, Any]]


def _write(codings: Codings, path: Path, make: Make) -> None:
    model = f"qdtm {codings.result.fit.versions.get('qdtm', '')}".strip()
    pairs = (pair for q in codings.queries for pair in codings.of_query(q))
    with path.open("w", encoding="utf-8", newline="") as file:
        file.write("[")
        for number, (document, coding) in enumerate(pairs):
            content = json.dumps(make(document, coding, model), ensure_ascii=True, allow_nan=False)
            file.write((",\n" if number else "\n") + content)
        file.write("\n]\n")


def _task(document: Document, coding: Coding, model: str) -> dict[str, Any]:
    answer = {
        "from_name": "about", "to_name": "text", "type": "choices", "value": {"choices": [_answer(coding)]},
    }  # fmt: skip
    prediction = {"model_version": model, "score": round(coding.relevance, 6), "result": [answer]}
    shown = {"text": same_places(coding.passage.text), "question": _question(coding)}
    return {"data": {**shown, **dict(_known(document, coding))}, "predictions": [prediction]}


def _record(document: Document, coding: Coding, model: str) -> dict[str, Any]:
    suggestion = {"value": _answer(coding), "score": round(coding.relevance, 6), "agent": model}
    fields = {"question": _question(coding), "text": same_places(coding.passage.text)}
    return {
        "id": f"{coding.q}-{document.index}",
        "fields": fields,
        "metadata": {name: value for name, value in _known(document, coding) if value is not None},
        "suggestions": {"about": suggestion},
        "responses": {},
        "vectors": {},
    }


def _known(document: Document, coding: Coding) -> Iterator[tuple[str, str | int | float | None]]:
    yield "document", one_line(document.id)
    yield "row", document.index
    yield "title", one_line(document.title)
    yield "query", coding.query
    yield "rank", coding.rank
    yield "relevance", round(coding.relevance, 6)
    yield "subtopic", None if coding.subtopic is None else coding.subtopic.id
    yield "subtopic_name", None if coding.subtopic is None else coding.subtopic.short_name
    if coding.passage.page is not None:
        yield "page", coding.passage.page
    if coding.tags:
        yield "tags", "; ".join(coding.tags)


def _answer(coding: Coding) -> str:
    return ANSWERS[0] if coding.about else ANSWERS[1]


def _question(coding: Coding) -> str:
    return f"Is this about '{one_line(coding.query)}'?"
