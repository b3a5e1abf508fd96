"""Results in, plain JSON values out: what `--json` prints. Names and units as in the Python results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from qdtm.concepts import Concept, QueryCheck
    from qdtm.corpus import Corpus
    from qdtm.results import DocumentTable, Stability, Topic, Trace
    from qdtm.results.checks import HandCheck
    from qdtm.results.result import Result

JsonObject = dict[str, Any]


def corpus_json(corpus: Corpus) -> JsonObject:
    """Describe the size of a corpus."""
    return {"documents": corpus.n_documents, "words": corpus.n_words, "tokens": corpus.n_tokens}


def check_json(check: QueryCheck) -> JsonObject:
    """Describe whether a query can be answered."""
    return asdict(check) | {"shown": check.shown, "n_retrieved": check.n_retrieved}


def mentions_json(check: QueryCheck, corpus: Corpus) -> list[JsonObject]:
    """List the documents that mention a query in passing; none for another verdict."""
    from qdtm.results.mentions import mentions_of

    return [asdict(mention) for mention in mentions_of(check, corpus)] if check.verdict == "passing" else []


def concept_json(concept: Concept, corpus: Corpus) -> JsonObject:
    """Describe a concept: its words, each with its score and the documents that support it."""
    words = []
    for word in concept.words:
        documents = corpus.documents.select(word.documents)
        words.append(asdict(word) | {"documents": [{"index": d.index, "id": d.id} for d in documents]})
    return {
        "name": concept.name,
        "rule": concept.rule,
        "extractor": concept.extractor,
        "words": words,
        "rejected": [asdict(word) for word in concept.rejected],
        "readings": readings_json(concept, corpus),
        "reading": concept.query.reading,
    }


def readings_json(concept: Concept, corpus: Corpus) -> list[JsonObject]:
    """List what documents mean by a query, if they mean several things."""
    readings = []
    for number, reading in enumerate(concept.readings, start=1):
        documents = corpus.documents.select(reading.documents)
        typical = [{"index": d.index, "id": d.id} for d in documents]
        readings.append({"number": number} | asdict(reading) | {"documents": typical})
    return readings


def topic_json(topic: Topic, n_words: int) -> JsonObject:
    """Describe a topic and its subtopics."""
    described: JsonObject = {
        "id": topic.id,
        "name": topic.name,
        "prevalence": topic.prevalence,
        "n_tokens": topic.n_tokens,
        "words": [{"word": word, "probability": p} for word, p in topic.top_words(n_words)],
    }
    if topic.subtopics:
        described["subtopics"] = [topic_json(subtopic, n_words) for subtopic in topic.subtopics]
    return described


def trace_json(trace: Trace) -> JsonObject:
    """Describe how a phase of the sampler went."""
    return {
        "n_sweeps": trace.n_sweeps,
        "settled": trace.settled,
        "interrupted": trace.interrupted,
        "n_samples": trace.n_samples,
        "sweeps": trace.sweeps.tolist(),
        "log_likelihood": trace.log_likelihood.tolist(),
        "n_topics": trace.n_topics.tolist(),
        "n_tables": trace.n_tables.tolist(),
    }


def stability_json(stability: Stability) -> JsonObject:
    """Describe what independent runs agree on."""
    described = stability.to_json() | {"n_chains": stability.n_chains}
    for query, values in zip(stability.queries, described["queries"], strict=True):
        values["interval"] = list(query.interval)
        for subtopic, each in zip(query.subtopics, values["subtopics"], strict=True):
            each |= {"n_found": subtopic.n_found, "verdict": subtopic.verdict}
    return described


def relevance_json(result: Result, q: int) -> JsonObject:
    """Describe how many documents are about a query, and where to cut."""
    relevance = result.relevance(q)
    return {
        "cutoff": relevance.cutoff,
        "n_listed": relevance.n_listed,
        "n_about": relevance.n_about,
        "n_about_interval": list(relevance.n_about_interval),
        "n_named": relevance.n_named,
        "n_meant": relevance.n_meant,
        "n_near": relevance.n_near,
    }


def hand_check_json(check: HandCheck) -> JsonObject:
    """Describe a hand-check and what its answers say."""
    return {
        "query": check.query,
        "cutoff": check.sample.cutoff,
        "n_documents": len(check.sample),
        "n_open": len(check.open),
        **asdict(check.estimate()),
        "recalibration": asdict(check.recalibration),
    }


def result_json(result: Result, n_words: int) -> JsonObject:
    """Describe a result: topics, concept words, relevance, convergence."""
    fit = result.fit
    queries = [
        {
            "concept": concept_json(concept, result.corpus),
            "check": check_json(concept.check),
            "topic": topic_json(topic, n_words),
            "relevance": relevance_json(result, q),
            "hand_check": hand_check_json(said) if (said := result.answered_check_of(q)) else None,
            "subtopics_dropped": rest,
        }
        for q, (concept, topic, rest) in enumerate(
            zip(fit.concepts, result.topics, fit.subtopic_rest, strict=True)
        )
    ]
    return {
        "corpus": {
            "documents": result.corpus.n_documents,
            "words": len(fit.vocabulary),
            "tokens": result.corpus.n_tokens,
        },
        "queries": queries,
        "background": [topic_json(topic, n_words) for topic in result.background],
        "convergence": {
            "parents": trace_json(fit.parent_trace),
            "subtopics": [trace_json(trace) for trace in fit.subtopic_traces],
            "opened": [{"of": split.of} | trace_json(split.trace) for split in fit.splits],
        },
        "stability": None if fit.stability is None else stability_json(fit.stability),
        "interrupted": fit.interrupted,
        "threshold": fit.threshold,
        "parameters": dict(fit.parameters),
        "versions": dict(fit.versions),
    }


def documents_json(tables: Sequence[DocumentTable]) -> JsonObject:
    """Describe the most relevant documents of each query."""
    return {
        "queries": [
            {
                "query": table.query,
                "documents": [asdict(row) | {"fields": dict(row.fields)} for row in table],
            }
            for table in tables
        ]
    }
