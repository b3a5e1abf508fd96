"""Results in, plain JSON values out: what `--json` prints.

Tables have the columns that they have in every format (`qdtm.results.tables`); all else has the names and
units of the Python results.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from qdtm.corpus import Corpus
    from qdtm.queries import Concept, QueryCheck
    from qdtm.results.hand_check import HandCheck
    from qdtm.results.result import Result
    from qdtm.results.stability import Stability
    from qdtm.results.tables import Table
    from qdtm.sampler.trace import Trace

JsonObject = dict[str, Any]


def corpus_json(corpus: Corpus) -> JsonObject:
    """Describe the size of a corpus."""
    return {"documents": corpus.n_documents, "words": corpus.n_words, "tokens": corpus.n_tokens}


def check_json(check: QueryCheck) -> JsonObject:
    """Describe whether a query can be answered."""
    return asdict(check) | {"shown": check.shown, "n_retrieved": check.n_retrieved}


def mentions_json(check: QueryCheck, corpus: Corpus) -> list[JsonObject]:
    """List the documents that mention a query in passing; none for another verdict."""
    from qdtm.results.passages import mentions_of

    if check.verdict != "passing":
        return []
    id_name = corpus.documents.id_name
    return [
        {id_name: each.id, "title": each.title, "passage": each.passage}
        for each in mentions_of(check, corpus)
    ]


def concept_json(concept: Concept, corpus: Corpus) -> JsonObject:
    """Describe how a query was understood; its words are in `concept_words`."""
    return {
        "query": concept.name,
        "rule": concept.rule,
        "extractor": concept.extractor,
        "readings": readings_json(concept, corpus),
        "reading": concept.query.reading,
    }


def readings_json(concept: Concept, corpus: Corpus) -> list[JsonObject]:
    """List what documents mean by a query, if they mean several things."""
    readings = []
    for number, reading in enumerate(concept.readings, start=1):
        typical = [document.id for document in corpus.documents.select(reading.documents)]
        readings.append({"number": number} | asdict(reading) | {"documents": typical})
    return readings


def tables_json(*tables: Table) -> JsonObject:
    """List the rows of tables, by their names: the same as in every other format."""
    return {table.name.replace(" ", "_"): list(table.records()) for table in tables}


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
            each |= {"n_found": subtopic.n_found, "firmness": subtopic.firmness}
    return described


def relevance_json(result: Result, q: int) -> JsonObject:
    """Describe how many documents are about a query, and where to cut."""
    relevance = result.relevance(q)
    return {
        "cutoff": relevance.cutoff,
        "n_listed": relevance.n_listed,
        "n_about": relevance.n_about,
        "n_about_low": relevance.n_about_interval[0],
        "n_about_high": relevance.n_about_interval[1],
        "n_named": relevance.n_named,
        "n_meant": relevance.n_meant,
        "n_near": relevance.n_near,
    }


def hand_check_json(check: HandCheck, confidence: float = 0.95) -> JsonObject:
    """Describe a hand-check and what its answers say."""
    certain = check.certificate(confidence)
    return {
        "query": check.query,
        "cutoff": check.sample.cutoff,
        "n_documents": len(check.sample),
        "n_open": len(check.open),
        **asdict(check.estimate()),
        "can_be_quoted": check.can_be_quoted,
        "next_twenty": check.estimate().next_twenty,
        "agreement": asdict(check.agreement),
        "certificate": {**asdict(certain), "recall": certain.recall},
        "answers": [asdict(answer) for answer in check.answers],
        "settled": {str(row): about for row, about in check.settled.items()},
    }


def corrections_json(result: Result) -> list[JsonObject]:
    """Describe what was corrected by hand, act by act; what does not apply any more says why."""
    from qdtm.results.corrections import corrections_of, said

    passed_over = {act.number: why for act, why in result.passed_over}
    return [
        asdict(act) | {"said": said(act), "passed_over": passed_over.get(act.number)}
        for act in corrections_of(result.history)
    ]


def result_json(result: Result, n_words: int) -> JsonObject:
    """Describe a result: its tables but for the documents, how queries were understood, convergence."""
    from qdtm.results.tables import concept_words_table, topics_table, words_table

    fit, corpus = result.fit, result.corpus
    queries = [
        concept_json(concept, corpus)
        | {
            "check": check_json(concept.check),
            "relevance": relevance_json(result, q),
            "hand_check": hand_check_json(said) if (said := result.answered_check_of(q)) else None,
            "subtopics_dropped": rest,
        }
        for q, (concept, rest) in enumerate(zip(fit.concepts, fit.subtopic_rest, strict=True))
    ]
    return {
        "corpus": {
            "documents": corpus.n_documents,
            "words": len(fit.vocabulary),
            "tokens": corpus.n_tokens,
        },
        "queries": queries,
        **tables_json(
            topics_table(fit, corpus, n_words),
            words_table(fit, n_words),
            concept_words_table(fit.concepts, corpus),
        ),
        "convergence": {
            "parents": trace_json(fit.parent_trace),
            "subtopics": [trace_json(trace) for trace in fit.subtopic_traces],
            "opened": [{"of": split.of} | trace_json(split.trace) for split in fit.splits],
        },
        "stability": None if fit.stability is None else stability_json(fit.stability),
        "corrections": corrections_json(result),
        "interrupted": fit.interrupted,
        "threshold": fit.threshold,
        "parameters": dict(fit.parameters),
        "versions": dict(fit.versions),
    }
