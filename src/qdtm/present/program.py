"""A `Result` in, the Python program that makes it again from the user's own file out."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from inspect import signature
from typing import Any

from qdtm.corpus.document_store import DOCUMENT, DocumentStore
from qdtm.corpus.readers.records import text_columns_of
from qdtm.corpus.text import TextPipeline
from qdtm.queries.query import Query
from qdtm.recorded import NotSaved, from_json, n_added
from qdtm.results.corrections import SPLIT, corrections_of, typed
from qdtm.results.result import Result

_QUERY_FIELDS = ("name", "rule", "expansion", "keywords", "add", "drop", "exclude", "reading")


@dataclass(frozen=True)
class Source:
    """Where a corpus was read from, as far as that is known.

    Attributes
    ----------
    name : str
        Of the file.
    text_column, id_column, title_column : str or None
        None where there is none, or it is found.
    is_demo : bool
        Whether it is the corpus of `qdtm demo`.
    """

    name: str = "your-file.csv"
    text_column: str | Sequence[str] | None = None
    id_column: str | None = None
    title_column: str | None = None
    is_demo: bool = False


def program(result: Result, source: Source | None = None) -> str:
    """Return a Python program that makes a result again, and says so if the texts are others.

    Parameters
    ----------
    result : Result
    source : Source, optional
        Without, the program has a place for the name of the file.
    """
    source = source or _source(result.corpus.documents)
    queries = [concept.query for concept in result.fit.concepts]
    n_first = len(queries) - n_added(result.fit.parameters, len(queries))
    lines = [
        *_reading(result, source),
        f'if corpus.fingerprint != "{result.fit.corpus_fingerprint}":',
        '    print("These are not the texts that the result was made of.")',
        "queries = [",
        *(f"    {_call(query)}," for query in queries[:n_first]),
        "]",
        "model = QueryDrivenTopicModel(",
        "    queries,",
        *_parameters(result.fit.parameters),
        ")",
        "model.fit(corpus)",
        *(f"model.add_query({_call(query)})" for query in queries[n_first:]),
        *_corrections(result),
        "for topic in model.topics_:",
        "    print(topic.name, topic.top_words(10))",
        "    for subtopic in topic.subtopics:",
        '        print("  ", subtopic.id, subtopic.top_words(10))',
        'model.save("result")',
    ]
    return "\n".join(lines) + "\n"


# --- parts -------------------------------------------------------------------------------------------------


def _source(documents: DocumentStore) -> Source:
    """Return what documents remember of the file that they were read from."""
    texts = text_columns_of(documents.text_name or "")
    return Source(
        text_column=(list(texts) if len(texts) > 1 else texts[0]) or None,
        id_column=None if documents.id_name == DOCUMENT else documents.id_name,
    )


def _reading(result: Result, source: Source) -> Iterator[str]:
    """Yield the lines that read the corpus."""
    if source.is_demo:
        yield "from qdtm import Query, QueryDrivenTopicModel"
        yield "from qdtm.corpus import load_demo_corpus"
        yield "\ncorpus = load_demo_corpus()"
        return
    pipeline = list(_pipeline(result.corpus.pipeline))
    yield f"from qdtm import Corpus, Query, QueryDrivenTopicModel{', TextPipeline' if pipeline else ''}"
    if any("VocabularyLimits" in line for line in pipeline):
        yield "from qdtm.corpus import VocabularyLimits"
    yield "\ncorpus = Corpus.read("
    yield f"    {source.name!r},  # your file"
    found = "" if source.text_column else "  # the column of the texts, if it is not found"
    yield f"    text_column={source.text_column!r},{found}"
    if source.id_column:
        yield f"    id_column={source.id_column!r},"
    if source.title_column:
        yield f"    title_column={source.title_column!r},"
    yield from (["    pipeline=TextPipeline(", *pipeline, "    ),"] if pipeline else [])
    yield ")"


def _pipeline(pipeline: TextPipeline) -> Iterator[str]:
    """Yield the steps of a pipeline that are not as by default."""
    usual, steps = TextPipeline().to_json(), pipeline.to_json()
    limits = {name: value for name, value in steps["limits"].items() if value != usual["limits"][name]}
    for name, value in steps.items():
        if name == "limits" or value == usual.get(name):
            continue
        if isinstance(value, dict):
            yield f"        # {name}=...,  # your own ({value.get('function')}): give it again"
        else:
            yield f"        {name}={value!r},"
    if limits:
        given = ", ".join(f"{name}={value!r}" for name, value in limits.items())
        yield f"        limits=VocabularyLimits({given}),"


def _parameters(parameters: Mapping[str, Any]) -> Iterator[str]:
    """Yield the parameters that are not as by default, and the seed."""
    from qdtm.model import QueryDrivenTopicModel

    defaults = signature(QueryDrivenTopicModel).parameters
    for name, recorded in parameters.items():
        value = from_json(recorded)
        if name not in defaults or (value == defaults[name].default and name != "random_state"):
            continue
        if isinstance(value, NotSaved):
            yield f"    # {name}=...,  # {value}: give the same again"
        else:
            yield f"    {name}={value!r},"


def _corrections(result: Result) -> Iterator[str]:
    """Yield what was done by hand, in its order."""
    acts, passed_over = corrections_of(result.history), [act for act, _ in result.passed_over]
    by_acts = {act.values.get("subtopic") for act in acts if act.kind == SPLIT}
    yield from (f'model.drill_down("{s.of}")' for s in result.fit.splits if s.of not in by_acts)
    if labels := dict(result.as_found.presentation.labels):
        yield f"model.set_topic_labels({labels!r})"
    for act in acts:
        if act not in passed_over:
            yield _correction(*typed(act))


def _correction(kind: str, *values: str) -> str:
    method, given = ("drill_down", values) if kind == SPLIT else ("correct", (kind, *values))
    return f"model.{method}({', '.join(json.dumps(value, ensure_ascii=False) for value in given)})"


def _call(query: Query) -> str:
    """Return the call that makes a query; what is as by default is left out."""
    default = Query("x")
    given = [f"text={query.text!r}"] if query.text else []
    for name in _QUERY_FIELDS:
        value = getattr(query, name)
        as_by_default = value == (query.text if name == "name" else getattr(default, name))
        if not as_by_default:
            given.append(f"{name}={value!r}")
    return f"Query({', '.join(given)})"
