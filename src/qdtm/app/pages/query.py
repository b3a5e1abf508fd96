"""The query page: type, see at once what the corpus says, mend the concept words, start the fit."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import quote

from nicegui import ui

from qdtm.app.context import AppContext, OpenCorpus
from qdtm.app.corpora import DEMO, AboutCorpus, read_about
from qdtm.app.drafts import (
    CHOICES,
    MAX_QUERIES,
    Choice,
    Draft,
    LookedUp,
    WordList,
    drafts_from_text,
    drafts_to_text,
)
from qdtm.app.pages.frame import button, frame, page, while_waiting
from qdtm.app.pages.live import AnswerPanel, Stage, look_up
from qdtm.app.requests import FitRequest
from qdtm.app.templating import Panel, guarded
from qdtm.app.workspace import NotFoundError
from qdtm.errors import QdtmError
from qdtm.present.report_builder import evidence_sentences
from qdtm.queries import Query, as_queries

_EXAMPLES = ("cricket", "israel palestinian", "afghanistan", "asylum seekers")
_RULES = {"and": "all words (AND)", "or": "any word (OR)"}
_CHAINS = {1: "one run", 4: "4 runs: which subtopics are firm?", 8: "8 runs"}
_EXPANSIONS = {
    "kld": "distinctive words (KLD)",
    "fre": "frequent words (FRE)",
    "rel": "related meaning (REL)",
    "none": "only my own words",
}


def register(context: AppContext) -> None:
    """Add the page."""

    @page("/ask/{corpus_id}")
    async def ask(corpus_id: str, ask: str = "", add_to: str = "") -> None:
        about = read_about(context.workspace, corpus_id)
        base = _base(context, corpus_id, add_to) if add_to else None
        with frame(f"Query · {about.name}", "Query"):
            opened = await while_waiting("Opening the corpus …", lambda: context.opened.corpus(corpus_id))
            Panel("about_corpus.html", about=about)
            await QueryPage(context, about, opened, drafts_from_text(ask) or (Draft(),), base).build()


@dataclass(frozen=True)
class Base:
    """A result to which queries are added: its job, and how it was asked."""

    id: str
    request: FitRequest

    @property
    def drafts(self) -> list[Draft]:
        """Its queries as they would stand on the page."""
        return [Draft.of(query) for query in self.request.queries]


def _base(context: AppContext, corpus_id: str, job_id: str) -> Base:
    job = context.jobs.get(job_id)
    if not isinstance(job.request, FitRequest) or not job.has_result or job.request.corpus != corpus_id:
        raise NotFoundError("There is no such result to add a query to.")
    return Base(job.id, job.request)


class QueryPage:
    """The queries of one visitor, from the first letter to the start of a fit."""

    def __init__(
        self,
        context: AppContext,
        about: AboutCorpus,
        opened: OpenCorpus,
        drafts: tuple[Draft, ...],
        base: Base | None = None,
    ) -> None:
        self._context, self._about, self._opened, self._base = context, about, opened, base
        self._rows = [QueryRow(self, draft) for draft in drafts]
        self._turn = 0

    async def build(self) -> None:
        """Make the elements."""
        known = [query.name for query in self._base.request.queries] if self._base else []
        examples = [text for text in _EXAMPLES if self._about.id == DEMO and text not in known]
        Panel("ask.html", {"example": self._take_example}, examples=examples, known=known)
        self._list = ui.element("div").classes("asked")
        if self._base is None:
            self._build_settings()
        with ui.element("div").classes("actions start-bar"):
            self._start = button("Find the topics", lambda: guarded(self._fit), id="find-topics")
            button("Add another query", lambda: guarded(self._add), plain=True, id="another-query")
            self._foot = Panel("fit_note.html", asked=0)
        for row in self._rows:
            with self._list:
                row.build()
        await self.look_up()

    def _build_settings(self) -> None:
        with ui.element("details").classes("settings"):
            Panel("settings_summary.html", tag="summary", text="Settings")
            with ui.element("div").classes("fields-row"):
                self._seed = ui.number("Random seed", value=0, min=0, max=2**31, precision=0).props(
                    "outlined dense"
                )
                self._subtopics = ui.checkbox("Split topics into subtopics", value=True)
                self._chains = ui.select(_CHAINS, label="Runs", value=1).props("outlined dense options-dense")
                self._chains.classes("choice")

    @property
    def drafts(self) -> list[Draft]:
        """The queries as they stand."""
        return [row.draft for row in self._rows]

    async def look_up(self) -> None:
        """Ask the corpus again; an answer that is overtaken by a newer question is not shown."""
        self._turn += 1
        turn, drafts = self._turn, self.drafts
        known = self._base.drafts if self._base else []
        to = f"&add_to={self._base.id}" if self._base else ""
        ui.navigate.history.replace(f"/ask/{self._about.id}?ask={quote(drafts_to_text(drafts))}{to}")

        def is_wanted() -> bool:
            return turn == self._turn and not self._list.is_deleted

        async for stage in look_up(self._opened, [*known, *drafts], is_wanted):
            looked = stage.looked[len(known) :]
            for row, found in zip(self._rows, looked, strict=True):
                row.show(found, stage)
            self._show_foot(looked, stage)

    def _show_foot(self, looked: Sequence[LookedUp], stage: Stage) -> None:
        asked = [found for row, found in zip(self._rows, looked, strict=True) if not row.draft.is_empty]
        ready = bool(asked) and all(found.concept is not None for found in asked)
        self._start.props(remove="disabled") if ready else self._start.props("disabled")
        mend = not all(found.is_answerable and not found.problem for found in asked)
        answers = [found.answer for found in asked if found.answer]
        self._foot.show(
            asked=len(asked), mend=mend, answers=answers, learned=stage.share, waits_for=stage.waits_for
        )

    async def _take_example(self, text: str) -> None:
        if text in _EXAMPLES:
            await self._rows[0].set_text(text)

    async def _add(self) -> None:
        known = self._base.request.queries if self._base else ()
        if len(known) + len(self._rows) >= MAX_QUERIES:
            raise QdtmError(f"A fit takes {MAX_QUERIES} queries at most.")
        row = QueryRow(self, Draft())
        self._rows.append(row)
        with self._list:
            row.build()
        await self.look_up()
        row.focus()

    async def remove(self, row: QueryRow) -> None:
        """Take a query off the page; the last one is only emptied."""
        if len(self._rows) == 1:
            row.draft = Draft()
            await row.set_text("")
            return
        self._rows.remove(row)
        row.delete()
        await self.look_up()

    async def sentences(self, row: QueryRow, word: str) -> tuple[Any, ...]:
        """Return sentences that support a concept word."""
        concept = row.found.concept
        chosen = next((each for each in concept.words if each.word == word), None) if concept else None
        if chosen is None:
            return ()

        def read() -> tuple[Any, ...]:
            documents = self._opened.corpus.documents.select(chosen.documents[:4])
            return tuple(evidence_sentences(self._opened.aligner, documents, chosen.index, concept))

        return await asyncio.to_thread(read)

    def _fit(self) -> None:
        queries = tuple(draft.query() for draft in self.drafts if not draft.is_empty)
        if not queries:
            raise QdtmError("Type a query first.")
        request = self._request(queries) if self._base is None else _more(self._base, queries)
        ui.navigate.to(f"/fit/{self._context.jobs.submit(request)}")

    def _request(self, queries: tuple[Query, ...]) -> FitRequest:
        return FitRequest(
            self._about.id,
            self._about.name,
            queries,
            seed=int(self._seed.value or 0),
            subtopics=bool(self._subtopics.value),
            n_chains=int(self._chains.value or 1),
            n_jobs=self._context.threads,
            columns=self._about.columns,
            language=self._about.language,
        )


def _more(base: Base, queries: tuple[Query, ...]) -> FitRequest:
    """Ask for more queries beside those that a result has."""
    asked = base.request
    n_added = asked.n_added + len(queries)
    return replace(asked, queries=as_queries([*asked.queries, *queries]), base=base.id, n_added=n_added)


class QueryRow:
    """One query on the page: its text, its settings, and what the corpus says."""

    def __init__(self, page: QueryPage, draft: Draft) -> None:
        self._page, self.draft = page, draft
        self.found, self._is_stale = LookedUp(), False
        self._open_word = ""
        self._sentences: tuple[Any, ...] = ()

    def build(self) -> None:
        """Make the elements."""
        self._box = ui.element("section").classes("asked-query").props('aria-label="Query"')
        with self._box:
            with ui.element("div").classes("fields-row"):
                self._text = (
                    ui.input("Query", value=self.draft.text, on_change=self._typed)
                    .props("outlined debounce=250 maxlength=500 autocomplete=off autofocus")
                    .classes("query-text")
                )
                self._rule = self._choice("Documents with", _RULES, self.draft.rule, self._set_rule)
                self._expansion = self._choice(
                    "Concept words", _EXPANSIONS, self.draft.expansion, self._set_expansion
                )
            self._answer = Panel(
                "looked_up.html",
                {
                    "drop": self._drop,
                    "restore": lambda word: self._change(self.draft.without_word(word)),
                    "evidence": self._show_evidence,
                    "use": self._use_suggestion,
                    "reading": self._set_reading,
                    "remove": lambda _: self._page.remove(self),
                },
            )
            with ui.element("div").classes("fields-row words-row"):
                self._word_input("Add a concept word", "add")
                self._word_input("Exclude documents with", "exclude")
            self._first = AnswerPanel()

    def _choice(
        self, label: str, options: dict[str, str], value: str, on_change: Callable[[str], Any]
    ) -> ui.select:
        select = ui.select(options, label=label, value=value, on_change=lambda e: guarded(on_change, e.value))
        return select.props("outlined options-dense").classes("choice")

    def _word_input(self, label: str, where: WordList) -> None:
        async def add() -> None:
            words = (field.value or "").replace(",", " ").split()
            field.set_value("")
            draft = self.draft
            for word in words[:20]:
                draft = draft.with_word(where, word)
            await self._change(draft)

        field = ui.input(label).props("outlined dense maxlength=200 autocomplete=off").classes("word-input")
        field.on("keydown.enter", lambda: guarded(add))
        with field.add_slot("append"):
            button("Add", lambda: guarded(add), plain=True)

    # --- changes -----------------------------------------------------------------------------------------

    async def _typed(self) -> None:
        await guarded(self._change, replace(self.draft, text=self._text.value or "", reading=0))

    async def set_text(self, text: str) -> None:
        """Put a text into the field."""
        self._text.set_value(text)
        await self._change(replace(self.draft, text=text, reading=0))

    async def _drop(self, word: str) -> None:
        """Leave a concept word out; without a word of its text, another query is asked."""
        concept = self.found.concept
        draft = self.draft.take_out(word) if concept is None else self.draft.without_own_word(concept, word)
        if draft.text != self.draft.text:
            await self.set_text(draft.text)
        else:
            await self._change(draft)

    async def _use_suggestion(self, pair: str) -> None:
        wrong, _, right = pair.partition(" ")
        words = [right if word.casefold() == wrong.casefold() else word for word in self.draft.text.split()]
        await self.set_text(" ".join(words))

    async def _set_rule(self, value: str) -> None:
        await self._change(replace(self.draft, rule="or" if value == "or" else "and", reading=0))

    async def _set_reading(self, value: str) -> None:
        concept = self.found.concept
        numbers = {str(number): number for number in range(len(concept.readings) + 1)} if concept else {}
        chosen = numbers.get(value, 0)
        await self._change(replace(self.draft, reading=0 if chosen == self.draft.reading else chosen))

    async def _set_expansion(self, value: str) -> None:
        chosen: Choice = next((choice for choice in CHOICES if choice == value), "kld")
        await self._change(replace(self.draft, expansion=chosen))

    async def _change(self, draft: Draft) -> None:
        self.draft = draft
        await self._page.look_up()

    async def _show_evidence(self, word: str) -> None:
        self._open_word = "" if word == self._open_word else word
        self._sentences = await self._page.sentences(self, self._open_word) if self._open_word else ()
        self._show()

    # --- showing -----------------------------------------------------------------------------------------

    def show(self, found: LookedUp, stage: Stage) -> None:
        """Show what the corpus says; while the answer is looked for, the last one stays, faintly."""
        waits = found.is_answerable and stage.waits_for in ("learning", "answer")
        last = self.found
        if waits and last.concept is not None:
            found = replace(found, concept=last.concept, examples=last.examples, answer=last.answer)
        elif stage.waits_for == "readings" and found.concept and last.concept and found.check == last.check:
            concept = replace(found.concept, readings=last.concept.readings)
            found = replace(found, concept=concept, examples=last.examples)
        self.found, self._is_stale = found, waits
        self._first.show_found(found, stage)
        known = [word.word for word in found.concept.words] if found.concept else []
        if self._open_word not in known:
            self._open_word, self._sentences = "", ()
        self._show()

    def _show(self) -> None:
        self._answer.show(
            draft=self.draft,
            found=self.found,
            open_word=self._open_word,
            sentences=self._sentences,
            stale=self._is_stale,
        )

    def focus(self) -> None:
        """Put the cursor into the field."""
        self._text.run_method("focus")

    def delete(self) -> None:
        """Take it off the page."""
        self._box.delete()
