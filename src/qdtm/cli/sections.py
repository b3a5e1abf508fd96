"""Results in, things that rich prints out: sections and tables that read well at 80 columns and piped.

All text of documents and queries goes through `one_line`, and nothing is markup.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from qdtm.cli.console import one_line
from qdtm.corpus.titles import id_beside
from qdtm.reprs import counted
from qdtm.results.documents import BELOW
from qdtm.results.one_group import one_group
from qdtm.results.stability import QueryStability, Stability, says_rhat

if TYPE_CHECKING:
    from qdtm.corpus import Corpus
    from qdtm.queries import Concept, QueryCheck, WordCheck
    from qdtm.results.codes import Codes
    from qdtm.results.documents import DocumentTable, RelevantDocument
    from qdtm.results.fit import ModelFit
    from qdtm.results.neighbours import SimilarDocument
    from qdtm.results.passages import Mention, Passage
    from qdtm.results.result import Result
    from qdtm.results.topics import Topic
    from qdtm.sampler.trace import Trace


# --- sections -----------------------------------------------------------------------------------------------

Columns = list[tuple[str, dict[str, Any]]]
"""The heads of a table's columns, with what rich should know of each."""

N_DOCUMENTS = 3
"""Documents that an answer begins with."""

_RIGHT = {"justify": "right", "no_wrap": True}
_NO_WRAP = {"no_wrap": True}

_EXCERPT = 140  # characters of a sentence in a table
_LEFT_OUT = 10  # words that are no concept words
_SMALLEST_REST = 0.0005  # a share that is not shown as 0.0%
_MARKS = ("", "", "bold", "bold underline")  # by how much a word counts
_VERDICTS = {"fine": "green", "thin": "yellow", "passing": "yellow", "absent": "red"}


# --- the parts of a page -----------------------------------------------------------------------------------


def heading(title: str, note: str = "") -> Text:
    """Return a line that starts a section."""
    return Text.assemble((one_line(title), "bold"), (f"  {one_line(note)}" if note else "", "dim"))


def facts(rows: Iterable[tuple[str, str]]) -> RenderableType:
    """Return names and values, side by side."""
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="dim", no_wrap=True)
    grid.add_column(ratio=1)
    for name, value in rows:
        grid.add_row(Text(name), Text(one_line(value)))
    return Padding(grid, (0, 0, 0, 2), expand=False)


def table(columns: Columns, rows: Iterable[Sequence[str | Text]]) -> RenderableType:
    """Return a table without lines, indented."""
    grid = Table(box=None, padding=(0, 2, 0, 0), header_style="dim", pad_edge=False)
    for name, options in columns:
        grid.add_column(Text(name), **options)
    for row in rows:
        grid.add_row(*(cell if isinstance(cell, Text) else Text(one_line(cell)) for cell in row))
    return Padding(grid, (0, 0, 0, 2), expand=False)


# --- queries and concepts ----------------------------------------------------------------------------------


def check_section(check: QueryCheck) -> RenderableType:
    """Say whether a query can be answered, and what the corpus knows of its words."""
    title = Text.assemble((one_line(check.name), "bold"), "  ", (check.shown, _VERDICTS[check.verdict]))
    by_and = counted(check.n_and, "document")
    retrieved = f"{by_and} by 'and', {check.n_or:,} by 'or'; the rule is '{check.rule}'"
    name_it = "1 document names it" if check.n_named == 1 else f"{check.n_named:,} documents name it"
    named = f"{name_it}, {check.n_mainly:,} of them more than in passing"
    known = [("reason", check.reason), ("advice", check.advice), ("named", named), ("retrieved", retrieved)]
    columns: Columns = [
        *((name, _NO_WRAP) for name in ("word", "status")),
        *((name, _RIGHT) for name in ("documents", "times")),
        ("stands for", {}),
    ]
    rows = [
        (word.word, word.status, f"{word.n_documents:,}", f"{word.n_occurrences:,}", _stands_for(word))
        for word in check.words
    ]
    return Group(title, facts(fact for fact in known if fact[1]), Text(), table(columns, rows))


def _doubtful_heading(title: str, check: QueryCheck) -> Text:
    """Return a line that starts a section about a query, with its verdict if there are doubts."""
    verdict = ("" if check.verdict == "fine" else f"  {check.shown}", _VERDICTS[check.verdict])
    return Text.assemble((one_line(title), "bold"), verdict)


def mentions_section(check: QueryCheck, corpus: Corpus) -> RenderableType:
    """List the documents that mention a query, with the sentence in which they do."""
    from qdtm.results.passages import mentions_of

    columns: Columns = [("document", {"max_width": 20}), ("mentions it", {})]
    rows = [(one_line(each.id, 30), _mention_text(each)) for each in mentions_of(check, corpus)]
    return table(columns, rows)


def _mention_text(mention: Mention) -> Text:
    """Return where a document mentions a query, below its title if that says something else."""
    title, passage = one_line(mention.title), one_line(mention.passage)
    if passage.startswith(title.rstrip("… ")) or not id_beside(mention.id, title):
        return Text(passage)
    return Text.assemble((title, "bold"), "\n", passage)


def readings_section(concept: Concept, corpus: Corpus) -> RenderableType:
    """List what documents mean by a query, each with the sentence of a document that names it so."""
    from qdtm.results.passages import mentions_of

    examples = mentions_of(replace(concept.check, named=concept.examples), corpus)
    columns: Columns = [("reading", _NO_WRAP), ("documents", _RIGHT), ("words", {}), ("for example", {})]
    rows = [
        (str(number), f"{reading.n_documents:,}", ", ".join(reading.words), one_line(each.passage, _EXCERPT))
        for number, (reading, each) in enumerate(zip(concept.readings, examples, strict=True), start=1)
    ]
    chosen = concept.query.reading
    said = f"reading {chosen} is asked for" if chosen else "all are asked for; choose one with --reading"
    return Group(table(columns, rows), facts([("readings", said)]))


def _stands_for(word: WordCheck) -> str:
    if word.closest:
        return "closest: " + ", ".join(word.closest)
    return ", ".join(word.matches) if word.matches != (word.word,) else ""


def concept_section(concept: Concept, corpus: Corpus, *, all_words: bool = False) -> RenderableType:
    """List the concept words of a query with what supports them, and some of those that were left out."""
    columns: Columns = [
        *((name, _NO_WRAP) for name in ("concept word", "from")),
        *((name, _RIGHT) for name in ("score", "documents", "retrieved")),
        ("supported by", {}),
    ]
    rows = [
        (
            word.word,
            word.origin,
            f"{word.score:.4f}",
            f"{word.n_documents:,}",
            f"{word.n_retrieved:,}",
            ", ".join(one_line(d.id, 30) for d in corpus.documents.select(word.documents[:3])),
        )
        for word in concept.words
    ]
    parts = [table(columns, rows)]
    if concept.without_own:
        parts += [Text(), facts([("note", concept.without_own)])]
    if concept.rejected:
        shown = concept.rejected if all_words else concept.rejected[:_LEFT_OUT]
        reasons = {word.reason: [each.word for each in shown if each.reason == word.reason] for word in shown}
        left_out = "; ".join(f"{', '.join(words)} ({reason})" for reason, words in reasons.items())
        n_more = len(concept.rejected) - len(shown)
        more = f"; and {n_more:,} more (--all-words)" if n_more else ""
        parts += [Text(), facts([("left out", left_out + more)])]
    return Group(*parts)


# --- topics ------------------------------------------------------------------------------------------------


def topic_section(
    result: Result, q: int, n_words: int = 10, n_subtopics: int | None = None, n_documents: int = 0
) -> RenderableType:
    """Answer a query: how many documents are about it, the first of them, its subtopics, its words."""
    topic = result.topics[q]
    heading = _doubtful_heading(topic.name, result.fit.concepts[q].check)
    parts: list[RenderableType] = [heading, Text(answer(result, q))]
    if n_documents:
        parts += [Text(), documents_section(shown_subtopics(worth_reading(result, q, n_documents), result))]
    if topic.subtopics:
        n_shown = len(topic.subtopics[:n_subtopics])
        parts += [Text(), tree_table(result, topic, n_words, n_shown), not_shown(topic, n_shown)]
    return Group(*parts, Text(), facts(fact for fact in _known(result, q, n_words) if fact[1]))


def answer(result: Result, q: int) -> str:
    """Say in a sentence or two how many documents are about a query."""
    relevance, n_documents = result.relevance(q), result.corpus.n_documents
    said = [relevance.summary(), relevance.near_summary()]
    if result.is_too_small_to_split:
        said.append(f"{n_documents:,} documents are too few to split into subtopics")
    return " ".join(f"{each}." for each in said if each)


def _known(result: Result, q: int, n_words: int) -> Iterator[tuple[str, str]]:
    """Yield what else is known of a query: what a person said, doubts, words, readings."""
    topic, concept, said = result.topics[q], result.fit.concepts[q], result.answered_check_of(q)
    yield "checked", said.summary() if said is not None else ""
    yield "reason", concept.check.reason if concept.check.verdict != "fine" else ""
    hidden = result.fit.corrections.hidden_below(topic.id)
    yield "hidden", ", ".join(f"{each.id} {each.name} ({each.share:.1%})" for each in hidden)
    yield "topic words", _words(topic, n_words)
    yield "concept words", ", ".join(word.word for word in concept.words)
    yield "note", concept.without_own[:-1]
    if concept.split:
        yield "readings", f"{concept.split[:-1]}; choose one with --reading."
    elif concept.query.reading is not None:
        yield "reading", chosen_reading(concept)


def chosen_reading(concept: Concept) -> str:
    """Say in which sense a query was asked."""
    number = concept.query.reading or 0
    reading = concept.readings[number - 1]
    words = ", ".join(reading.words)
    return f"{number} of {len(concept.readings)}: {words} ({reading.n_documents:,} documents)"


def tree_table(result: Result, topic: Topic, n_words: int, n_subtopics: int | None = None) -> RenderableType:
    """List the subtopics of a topic: documents, share, in how many runs each is found, name and words.

    The last line is about what is in none of them, if there is any. A topic that is one group has no table.
    """
    if undivided := one_group(result, topic):
        return facts([("subtopics", f"none: {undivided}")])
    stability, mainly = result.stability, _documents_in(result, topic)
    known = stability is not None and any(stability.of(each.id) for each in topic.subtopics)
    share = f"share of {topic.id}" if "." in topic.id else "share"  # beside others it is of the whole topic
    columns: Columns = [
        ("subtopic", _NO_WRAP),
        *((name, _RIGHT) for name in ("documents", share)),
        *([("found in", _RIGHT)] if known else []),
        ("name: words, the most distinctive first", {}),
    ]
    level = topic.id.count(".") + 1
    rows: list[Sequence[str | Text]] = [
        (
            Text("  " * (each.id.count(".") - level) + each.id),
            f"{mainly[each.id]:,}",
            f"{each.prevalence / topic.prevalence_below:.1%}",
            *([_found_in(stability, each)] if known else []),
            _marked_words(each, n_words),
        )
        for subtopic in topic.subtopics[:n_subtopics]
        for each in subtopic.walk()
    ]
    n_none = mainly[topic.id] - sum(mainly[each.id] for each in topic.subtopics)
    if n_none or topic.rest >= _SMALLEST_REST:
        hidden = ", or hidden" if result.fit.corrections.hidden_below(topic.id) else ""
        few = ", or found by too few runs" if known else ""
        leads = all(mainly[each.id] for each in topic.subtopics)  # else those that lead nowhere are shown
        unled = ", or the main one of no document" if "." in topic.id and leads else ""
        why = Text(f"too small{few}{unled}{hidden}", "dim")
        rows.append(("none", f"{n_none:,}", f"{topic.rest:.1%}", *([""] if known else []), why))
    return table(columns, rows)


def _documents_in(result: Result, topic: Topic) -> dict[str, int]:
    """How many documents are about a query, or mainly in a subtopic and in those below it, by id."""
    q = result.query_of(topic.id) if "." in topic.id else int(topic.id)
    scores = result.scores(q)
    mainly = {id: int(scores.mainly_in(s).sum()) for s, id in enumerate(scores.ids)}
    return mainly | {str(q): int(scores.about.sum())}


def not_shown(topic: Topic, n_shown: int) -> RenderableType:
    """Say how much of a topic is in subtopics that are not listed."""
    smaller = topic.subtopics[n_shown:]
    if not smaller:
        return facts([])
    share = sum(subtopic.prevalence for subtopic in smaller) / topic.prevalence_below
    return facts([("and", f"{len(smaller)} smaller, with a share of {share:.1%} together")])


def _found_in(stability: Stability | None, subtopic: Topic) -> str:
    """Say in how many runs a subtopic is found; nothing for one below another."""
    known = None if stability is None else stability.of(subtopic.id)
    return "" if known is None else f"{known.n_found} of {len(known.likeness)}"


def _marked_words(subtopic: Topic, n: int) -> Text:
    """Return the name of a subtopic in bold, its most distinctive words, and its most probable others."""
    marks = list(subtopic.label_words)
    others = [word for word, _ in subtopic.top_words(n) if word not in marks][: max(0, n - len(marks))]
    words = ", ".join(map(one_line, [*marks, *others]))
    return Text.assemble((one_line(subtopic.short_name), "bold"), ": ", words)


def corrections_page(result: Result) -> Iterator[RenderableType]:
    """Yield what was corrected by hand, act by act; nothing if nothing was."""
    from qdtm.results.corrections import corrections_of, said

    passed_over = {act.number: why for act, why in result.passed_over}
    acts = corrections_of(result.history)
    if acts:
        rows = [
            (f"{act.number}", act.at[:16].replace("T", " "), _act(said(act), passed_over.get(act.number)))
            for act in acts
        ]
        yield heading("Corrected by hand", "the last one is undone by `qdtm correct DIR undo`")
        yield table([("act", _RIGHT), ("when", _NO_WRAP), ("what", {})], rows)
        yield Text()
    if result.history.damage:
        yield Text(result.history.damage)
        yield Text()


def _act(said: str, passed_over: str | None) -> str:
    return said if passed_over is None else f"{said}: does not apply any more ({passed_over})"


def background_section(topics: Sequence[Topic], n_words: int) -> RenderableType:
    """List the topics of the rest of the corpus."""
    columns: Columns = [("id", _NO_WRAP), ("share", _RIGHT), ("words", {})]
    rows = [(topic.id, f"{topic.prevalence:.1%}", _words(topic, n_words)) for topic in topics]
    return Group(heading("the rest of the corpus", "background topics"), table(columns, rows))


def convergence_section(fit: ModelFit) -> RenderableType:
    """Say how the sampler went."""
    rows = [("parent topics", _convergence(fit.parent_trace))]
    for q, (concept, trace) in enumerate(zip(fit.concepts, fit.subtopic_traces, strict=False)):
        ended = "from groups that runs agree on" if fit.is_split_by_groups(q) else None
        rows.append((one_line(f"subtopics of '{concept.name}'", 40), _convergence(trace, ended)))
    rows += [(f"subtopics of {split.of}", _convergence(split.trace)) for split in fit.splits]
    return Group(heading("convergence"), facts(rows))


def _convergence(trace: Trace, ended: str | None = None) -> str:
    unsettled = "too few to tell whether settled" if trace.is_too_short else "not settled"
    settled = "settled" if trace.settled else f"{unsettled} (--max-sweeps)"
    end = ended or ("interrupted" if trace.interrupted else settled)
    likelihood = f", log likelihood {trace.log_likelihood[-1]:.3f} a token" if len(trace.sweeps) else ""
    return f"{trace.n_sweeps:,} sweeps, {end}, {trace.n_samples:,} samples{likelihood}"


def _words(topic: Topic, n: int) -> str:
    return ", ".join(word for word, _ in topic.top_words(n))


# --- texts -------------------------------------------------------------------------------------------------


def passage_text(passage: Passage) -> Text:
    """Return a passage on one line with its page, words marked the more they count; "…" where it goes on."""
    text = Text()
    for piece in passage.pieces:
        shown = one_line(piece.text)
        text.append(" " if piece.text[:1].isspace() and shown and text.plain[-1:] != " " else "")
        text.append(shown, _MARKS[piece.level])
        text.append(" " if piece.text[-1:].isspace() else "")
    text = text[len(text.plain) - len(text.plain.lstrip()) :]
    text.rstrip()
    text = Text.assemble("… " * passage.cut_before, text, " …" * passage.cut_after)
    return text.append(f"  {passage.place}", "dim") if passage.place else text


# --- documents ---------------------------------------------------------------------------------------------


def worth_reading(result: Result, q: int | str, n: int) -> DocumentTable:
    """Return the most relevant documents; of those below the cut-off only what names the query or is near."""
    found = result.documents(q, n)
    least = BELOW * result.relevance(q).cutoff
    return replace(
        found, rows=tuple(row for row in found if row.about or row.names_it or row.relevance >= least)
    )


def shown_subtopics(documents: DocumentTable, result: Result) -> DocumentTable:
    """Return documents without their subtopic where the topic is one group, which has none to show."""
    if not one_group(result, result.topics[result.query_index(documents.query)]):
        return documents
    return replace(documents, rows=tuple(replace(row, subtopic=None) for row in documents))


def documents_section(documents: DocumentTable, *, by_subtopic: bool = False) -> RenderableType:
    """List documents, the most relevant first, or those with the largest share in their subtopic.

    A line stands between those about the query and those below the cut-off, where the list has both.
    """
    if not documents:
        return facts([("documents", "none")])
    columns: Columns = [("relevance", _RIGHT), ("document, and the passage that makes it relevant", {})]
    rows: list[tuple[str | Text, ...]] = [
        (f"{row.relevance:.3f}", document_text(row.title, row.id, row.marked, *_placed(row)))
        for row in documents
    ]
    n_about = sum(row.about for row in documents)
    if not by_subtopic and n_about < len(rows):
        rows.insert(n_about, ("", Text("below the cut-off, not counted as about it:", "dim")))
    if by_subtopic:
        columns.insert(0, ("share", _RIGHT))
        rows = [
            (f"{document.subtopic_share:.3f}", *row) for document, row in zip(documents, rows, strict=True)
        ]
    return table(columns, rows)


def similar_section(documents: Sequence[SimilarDocument]) -> RenderableType:
    """List documents that are like one, the most similar first, with the words that both have."""
    if not documents:
        return facts([("documents", "none has its words")])
    rows = [
        (
            f"{each.similarity:.3f}",
            Text.assemble(_named(each.title, each.id), "\n", ", ".join(each.words)),
        )
        for each in documents
    ]
    return table([("alike", _RIGHT), ("document, and the words that both have", {})], rows)


def codebook_section(codes: Codes) -> RenderableType:
    """List the user's tags with their counts."""
    columns: Columns = [("tag", {}), ("documents", _RIGHT), ("passages", _RIGHT)]
    rows = [(one_line(count.tag), f"{count.n_documents:,}", f"{count.n_passages:,}") for count in codes.book]
    return table(columns, rows)


def coded_section(result: Result, tag: str | None = None) -> RenderableType:
    """List what the user tagged and noted, or what has one tag."""
    from qdtm.results.tables import codes_table

    rows = []
    for row in codes_table(result.codes, result.corpus).records():
        if tag in (None, row["tag"]):
            said = row["tag"] if row["tag"] is not None else f"note: {row['note']}"
            passage = [] if row["passage"] is None else ["\n", one_line(row["passage"])]
            rows.append((one_line(said), Text.assemble(_named(row["title"], row["document"]), *passage)))
    return table([("tag or note", {"max_width": 30}), ("document, and the passage", {})], rows)


def _placed(row: RelevantDocument) -> Iterator[str]:
    """Yield in which subtopic a document is, and how many copies it stands for."""
    if row.subtopic:
        yield f"subtopic {row.subtopic}"
    if row.n_copies:
        yield row.copies_said


def _named(title: str, id: str, *more: str) -> Text:
    """Return the title of a document, and beside it its id, if that says more, and what else is known."""
    beside = " · ".join(map(one_line, filter(None, (id_beside(id, title), *more))))
    return Text.assemble((one_line(title), "bold"), "  " if title and beside else "", (beside, "dim"))


def document_text(title: str, id: str, passage: Passage, *more: str) -> Text:
    """Return a document in a list: its title, which one it is, and a passage below that does not repeat it.

    A title that is cut from the text is left out where the passage begins so too.
    """
    below = passage.after(title)
    named = _named("" if below.begins_with(title) else title, id, *more)
    return Text.assemble(named, "\n", passage_text(below))


def result_page(
    result: Result,
    *,
    n_words: int = 10,
    n_subtopics: int | None = None,
    n_documents: int = 0,
    background: bool = False,
) -> Iterator[RenderableType]:
    """Yield the sections that show a result, with an empty line after each."""
    for q in range(result.fit.n_queries):
        yield topic_section(result, q, n_words, n_subtopics, n_documents)
        yield Text()
    if background and result.background:
        yield background_section(result.background, n_words)
        yield Text()


# --- what runs agree on -------------------------------------------------------------------------------------
#
# The stability of a result in, a section of a page out: what independent runs agree on.


def stability_page(stability: Stability | None) -> Iterator[RenderableType]:
    """Yield the sections about whole runs beside the first, if there were any, an empty line after each."""
    if stability is None or stability.n_chains < 2:
        return
    yield _runs(stability)
    yield Text()
    for query in stability.queries:
        if query.subtopics:
            yield _query(query)
            yield Text()


def _runs(stability: Stability) -> RenderableType:
    n, asked = stability.n_chains, stability.n_asked
    runs = f"{n} independent runs" if n == asked else f"{n} of {asked} runs complete"
    low, high = min(stability.log_likelihood), max(stability.log_likelihood)
    likelihood = f"{low:.3f} to {high:.3f} a token; {says_rhat(stability.rhat)}"
    shares = [
        (query.name, "{:.1%} to {:.1%} of the corpus; ".format(*query.range_of_share) + says_rhat(query.rhat))
        for query in stability.queries
    ]
    return Group(heading("how firm this is", runs), facts([("log likelihood", likelihood), *shares]))


def _query(query: QueryStability) -> RenderableType:
    fewest, most = query.interval
    number = f"{fewest} subtopics in each run" if fewest == most else f"{fewest} to {most} subtopics in a run"
    columns: Columns = [
        ("subtopic", _NO_WRAP),
        ("found in", _RIGHT),
        ("score", _RIGHT),
        ("words that always belong, (only sometimes)", {}),
    ]
    rows = []
    for each in query.subtopics:
        words = ", ".join(each.always) or "none"
        sometimes = f" ({', '.join(each.sometimes[:5])})" if each.sometimes else ""
        found = f"{each.n_found} of {len(each.likeness)}"
        rows.append((each.id, found, f"{each.score:.2f}", words + sometimes))
    return Group(heading(query.name, number), table(columns, rows))
