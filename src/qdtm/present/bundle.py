"""A `Result` in, all that is published with a paper out: what was asked, with what, what came, and how again.

Texts and passages are left out, which may not be the author's to publish; the documents' table has their ids,
relevance and the user's own columns. The same result gives the same bytes.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from qdtm.present.charts import map_subtopics
from qdtm.present.legal_text import DistinctNames, file_name, one_line
from qdtm.present.methods import BIBTEX, CITATION, methods_paragraph
from qdtm.present.program import program
from qdtm.present.report_builder import Limits, ViewBuilder, phase_views
from qdtm.present.svg import line_svg, map_svg, words_svg
from qdtm.present.trend_views import trend_views
from qdtm.recorded import n_added
from qdtm.results.corrections import corrections_of, typed
from qdtm.results.hand_check.files import write_answers
from qdtm.results.result import Result
from qdtm.results.table_formats import save_csv
from qdtm.results.tables import Row, Table, result_tables

CHECKSUMS = "SHA256SUMS"
_LEFT_OUT = ("text", "passage")
_MOST_SUBTOPICS = 11  # beside their query on one figure

_README = """{title}

Made with qdtm {version}, {citation}

README.txt        this
methods.txt       what was done, as a paragraph for a paper
settings.json     queries, every parameter, the seed, the text pipeline, versions, the corpus' fingerprint
tables/           topics, words, concept words and documents as .csv (UTF-8); no texts, no passages;
                  all answers, if documents were checked by hand
figures/          drawings as .svg
references.bib    the paper of the model, and the program
make_again.py     makes the same result from the same file: pip install "qdtm=={version}", put the name of
                  the file into it, and run it
SHA256SUMS        checksums of all other files: sha256sum -c SHA256SUMS

The ids of topics: "0" is that of the first query, "0.1" its largest subtopic, "b1" the largest topic of the
rest of the corpus. Relevance is the probability that a document is about a query.
"""


def write_bundle(result: Result, folder: Path, *, all_documents: bool = False) -> None:
    """Fill a folder with everything to publish with a paper."""
    for name in ("tables", "figures"):
        (folder / name).mkdir()
    texts = {
        "README.txt": _readme(result),
        "methods.txt": methods_paragraph(result) + "\n\n" + CITATION + "\n",
        "settings.json": json.dumps(_settings(result), indent=2, ensure_ascii=False) + "\n",
        "references.bib": f"{BIBTEX}\n\n{_software(result)}\n",
        "make_again.py": program(result),
        **{f"figures/{name}.svg": drawing for name, drawing in _figures(result)},
    }
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8", errors="replace", newline="")
    for table in result_tables(result.fit, result.corpus, result.codes, all_documents=all_documents):
        save_csv(_without_texts(table), folder / "tables" / f"{table.name.replace(' ', '_')}.csv")
    answered = [check for check in result.fit.checks if check.answers]
    if answered:
        write_answers(folder / "tables" / "answers.csv", answered, result.corpus.documents)
    (folder / CHECKSUMS).write_text("".join(_checksums(folder)), encoding="utf-8", newline="")


def _checksums(folder: Path) -> Iterator[str]:
    """Yield what `sha256sum -c` reads."""
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            with path.open("rb") as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()
            yield f"{digest}  {path.relative_to(folder).as_posix()}\n"


# --- texts -------------------------------------------------------------------------------------------------


def _readme(result: Result) -> str:
    title = one_line(", ".join(topic.name for topic in result.topics))
    return _README.format(title=title, version=_version(result), citation=CITATION)


def _settings(result: Result) -> dict[str, Any]:
    """Return everything that decides about the result, and what tells whether it is the same."""
    fit, corpus = result.fit, result.corpus
    return {
        "queries": [asdict(concept.query) for concept in fit.concepts],
        "added_queries": n_added(fit.parameters, fit.n_queries),
        "opened_subtopics": [split.of for split in fit.splits],
        "labels": dict(fit.presentation.labels),
        "corrections": [list(typed(act)) for act in corrections_of(result.history)],
        "parameters": dict(fit.parameters),
        "seed": fit.parameters.get("random_state"),
        "text_pipeline": corpus.pipeline.to_json(),
        "corpus": {
            "documents": corpus.n_documents,
            "words": corpus.n_words,
            "tokens": int(corpus.n_tokens),
            "fingerprint_sha256": fit.corpus_fingerprint,
        },
        "cutoffs": {topic.id: float(result.relevance(q).cutoff) for q, topic in enumerate(result.topics)},
        "versions": dict(fit.versions),
    }


def _version(result: Result) -> str:
    return result.fit.versions.get("qdtm", "")


def _software(result: Result) -> str:
    return (
        "@software{qdtm,\n"
        '    title = "qdtm: query-driven topic modelling",\n'
        '    author = "{the qdtm authors}",\n'
        f'    version = "{_version(result)}",\n'
        "}"
    )


def _without_texts(table: Table) -> Table:
    """Return a table without the texts of documents; a column of the user's own of that name is kept."""
    kept = [c for c, each in enumerate(table.columns) if each.name not in _LEFT_OUT or each.kind == "own"]

    def rows() -> Iterator[Row]:
        return ([row[c] for c in kept] for row in table.rows())

    return replace(table, columns=tuple(table.columns[c] for c in kept), rows=rows)


# --- figures -----------------------------------------------------------------------------------------------


def _figures(result: Result) -> Iterator[tuple[str, str]]:
    """Yield drawings with their names: of each query its words, its map, its course; of the sampler."""
    trends, names = ViewBuilder(result, Limits()).over_time, DistinctNames()
    for q, topic in enumerate(result.topics):
        stem = names.name(_stem(f"{q} {topic.name}"))
        shown = topic.subtopics[:_MOST_SUBTOPICS]
        yield f"{stem}-words", words_svg([topic, *shown], f"Words of '{topic.name}' and its subtopics")
        drawn = map_subtopics(shown)
        if drawn is not None:
            yield f"{stem}-subtopics", map_svg(drawn, f"Subtopics of '{topic.name}'")
        for trend in trend_views(trends, topic):
            title = f"{trend.name} over time"
            yield f"{stem}-over-time-{trend.id}", line_svg(trend.chart, title, trend.color)
    for phase in phase_views(result):
        name = names.name(_stem(f"convergence {phase.name}"))
        yield name, line_svg(phase.chart, f"Log-likelihood: {phase.name}")


def _stem(text: str) -> str:
    """Return what a figure is called, without blanks: TeX minds them."""
    return file_name(text, "figure").replace(" ", "-")
