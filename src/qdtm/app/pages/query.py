"""The page to ask on: type, see at once what the corpus answers, mend the concept words, follow the fit."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

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
from qdtm.app.pages.fit import FitList
from qdtm.app.pages.frame import button, frame, page, text, while_waiting
from qdtm.app.pages.live import AnswerPanel, Stage, look_up
from qdtm.app.requests import FitRequest
from qdtm.app.templating import Panel, guarded
from qdtm.app.workspace import NotFoundError
from qdtm.errors import QdtmError
from qdtm.present.report_builder import evidence_sentences
from qdtm.queries import Query, as_queries

_EXAMPLES = ("cricket", "israel palestinian", "afghanistan", "asylum seekers")
_LONGEST = 500
_MOST_SEED = 2**31
_ON_ENTER = "(event) => { if (!event.isComposing) emit(event.target.value); }"
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
    async def ask(
        corpus_id: str,
        ask: str = "",
        add_to: str = "",
        fit: str = "",
        seed: int = 0,
        runs: int = 1,
        split: int = 1,
    ) -> None:
        about = read_about(context.workspace, corpus_id)
        base = _base(context, corpus_id, add_to) if add_to else None
        settings = Settings(
            seed if 0 <= seed <= _MOST_SEED else 0, runs if runs in _CHAINS else 1, bool(split)
        )
        with frame(f"Ask · {about.name}", "Ask"):
            opened = await while_waiting("Opening the corpus …", lambda: context.opened.corpus(corpus_id))
            drafts = drafts_from_text(ask) or (Draft(),)
            await QueryPage(context, about, opened, drafts, settings, base).build(fit.split("~"))


@dataclass(frozen=True)
class Settings:
    """How to fit: the random seed, how many runs, whether topics are split."""

    seed: int = 0
    runs: int = 1
    split: bool = True

    @property
    def address(self) -> dict[str, int]:
        """What of it stands in an address: all that is not as usual."""
        values = {"seed": self.seed, "runs": self.runs, "split": int(self.split)}
        usual = {"seed": 0, "runs": 1, "split": 1}
        return {name: value for name, value in values.items() if value != usual[name]}


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
    """The queries of one visitor, from the first letter to the result, and beside them the answers."""

    def __init__(
        self,
        context: AppContext,
        about: AboutCorpus,
        opened: OpenCorpus,
        drafts: tuple[Draft, ...],
        settings: Settings,
        base: Base | None = None,
    ) -> None:
        self._context, self._about, self._opened, self._base = context, about, opened, base
        self._settings = settings
        self._rows = [QueryRow(self, draft) for draft in drafts]
        self._turn = 0
        self._is_ready = self._is_settled = False
        self._wants_fit = False  # Enter was pressed before the answer was there

    async def build(self, fits: list[str]) -> None:
        """Make the elements: the queries, the answers beside them, and the fits that are followed."""
        Panel("about_corpus.html", about=self._about)
        Panel("ask.html", known=self._known)
        with ui.element("div").classes("ask"):
            with ui.element("section").classes("asking").props("aria-label=Query"):
                self._examples = Panel("examples.html", {"example": self._take_example})
                self._list = ui.element("div").classes("asked")
                button("Add another query", lambda: guarded(self._add), plain=True, id="another-query")
                if self._base is None:
                    self._build_settings()
            with ui.element("section").classes("answers").props("aria-label=Answer"):
                self._fits = FitList(self._context, self._about.id, fits, self._note_address)
                self._answers = ui.element("div")
        with ui.element("div").classes("actions start-bar"):
            self._start = button("Find the topics", lambda: guarded(self.ask), id="find-topics")
            self._note = Panel("ask_note.html", asked=0).props("role=status").classes("small ask-note")
        for row in self._rows:
            row.build(self._list, self._answers)
        await self.look_up()

    @property
    def _known(self) -> list[str]:
        """The queries that the result has to which others are added."""
        return [query.name for query in self._base.request.queries] if self._base else []

    def _build_settings(self) -> None:
        now = self._settings
        with ui.element("details").classes("settings").props("open" if now.address else ""):
            text("Settings of the fit", "summary")
            with ui.element("div").classes("fields-row"):
                seed = ui.number("Random seed", value=now.seed, min=0, max=_MOST_SEED, precision=0)
                seed.props("outlined dense").classes("choice")
                runs = ui.select(_CHAINS, label="Runs", value=now.runs)
                runs.props("outlined dense options-dense").classes("choice")
                split = ui.checkbox("Split topics into subtopics", value=now.split)

        def change() -> None:
            number = min(max(int(seed.value or 0), 0), _MOST_SEED)
            self._settings = Settings(number, int(runs.value or 1), bool(split.value))
            self._note_address()

        for field in (seed, runs, split):
            field.on_value_change(change)

    @property
    def drafts(self) -> list[Draft]:
        """The queries as they stand."""
        return [row.draft for row in self._rows]

    def _note_address(self) -> None:
        """Keep in the address what is asked, and which fits are followed."""
        values: dict[str, Any] = {"ask": drafts_to_text(self.drafts), **self._settings.address}
        if self._base:
            values["add_to"] = self._base.id
        if self._fits.ids:
            values["fit"] = "~".join(self._fits.ids)
        ui.navigate.history.replace(f"/ask/{self._about.id}?{urlencode(values)}")

    async def look_up(self, *, then_fit: bool = False) -> None:
        """Ask the corpus again; an answer that is overtaken by a newer question is not shown."""
        self._turn += 1
        self._wants_fit = then_fit
        self._is_ready = self._is_settled = False
        turn, drafts = self._turn, self.drafts
        known = self._base.drafts if self._base else []
        self._note_address()
        read_about(self._context.workspace, self._about.id)  # it may have been removed in another tab

        def is_wanted() -> bool:
            return turn == self._turn and not self._list.is_deleted

        async for stage in look_up(self._opened, [*known, *drafts], is_wanted):
            looked = stage.looked[len(known) :]
            for row, found in zip(self._rows, looked, strict=True):
                row.show(found, stage, several=len(self._rows) > 1)
            self._show_note(looked, stage)
            if self._wants_fit and (self._is_ready or self._is_settled):
                self.ask()

    def _show_note(self, looked: Sequence[LookedUp], stage: Stage) -> None:
        """Say in a line what is known, once it is: whoever listens hears no steps on the way."""
        asked = [found for row, found in zip(self._rows, looked, strict=True) if not row.draft.is_empty]
        waits = stage.waits_for in ("learning", "answer")
        self._is_ready = bool(asked) and not waits and all(found.concept is not None for found in asked)
        self._is_settled = not waits
        self._start.props(remove="disabled") if self._is_ready else self._start.props("disabled")
        self._examples.show(examples=() if any(asked) else self._untried)
        if not waits:
            mend = not all(found.is_answerable and not found.problem for found in asked)
            answers = [found.answer for found in asked if found.answer]
            self._note.show(asked=len(asked), mend=mend, answers=answers)

    @property
    def _untried(self) -> list[str]:
        return [text for text in _EXAMPLES if self._about.id == DEMO and text not in self._known]

    async def _take_example(self, text: str) -> None:
        if text in _EXAMPLES:
            await self._rows[0].set_text(text)

    async def _add(self) -> None:
        known = self._base.request.queries if self._base else ()
        if len(known) + len(self._rows) >= MAX_QUERIES:
            raise QdtmError(f"A fit takes {MAX_QUERIES} queries at most.")
        row = QueryRow(self, Draft())
        self._rows.append(row)
        row.build(self._list, self._answers)
        await self.look_up()
        row.focus()

    async def remove(self, row: QueryRow) -> None:
        """Take a query off the page, if it is not the last."""
        if len(self._rows) > 1:
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

    def ask(self) -> None:
        """Start the fit of what is asked, now or as soon as the answer is there; the page stays as it is.

        Raises
        ------
        QdtmError
            If there is nothing to ask, or it is asked already.
        """
        self._wants_fit = not self._is_settled
        if self._wants_fit:
            return
        queries = tuple(draft.query() for draft in self.drafts if not draft.is_empty)
        if not queries:
            raise QdtmError("Type a query first.")
        if not self._is_ready:
            return  # the line at the foot says what is wrong
        request = self._request(queries) if self._base is None else _more(self._base, queries)
        same = self._fits.find(request)
        if same is not None:
            raise QdtmError(
                "This was found already; open the result." if same.has_ended else "It is under way."
            )
        self._fits.add(self._context.jobs.submit(request), request)

    def _request(self, queries: tuple[Query, ...]) -> FitRequest:
        return FitRequest(
            self._about.id,
            self._about.name,
            queries,
            seed=self._settings.seed,
            subtopics=self._settings.split,
            n_chains=self._settings.runs,
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
        self._before: Draft | None = None  # the query before a word was taken out of it
        self._several = False

    def build(self, asked: ui.element, answers: ui.element) -> None:
        """Make the elements, what is asked and its answer each in its place."""
        with asked:
            self._box = ui.element("div").classes("asked-query")
        with answers:
            self._first = AnswerPanel()
        with self._box:
            self._text = (
                ui.input("Query", value=self.draft.text, on_change=self._typed)
                .props(
                    "outlined debounce=250 maxlength=500 autocomplete=off autofocus dir=auto enterkeyhint=go"
                )
                .classes("query-text")
            )
            self._text.on("keydown.enter", lambda e: guarded(self._entered, e.args), js_handler=_ON_ENTER)
            self._answer = Panel(
                "looked_up.html",
                {
                    "drop": self._drop,
                    "undo": lambda _: self._undo(),
                    "restore": lambda word: self._change(self.draft.without_word(word)),
                    "evidence": self._show_evidence,
                    "use": self._use_suggestion,
                    "reading": self._set_reading,
                    "remove": lambda _: self._page.remove(self),
                },
            )
            self._word_input("Add a concept word", "add")
            self._build_refining()

    def _build_refining(self) -> None:
        changed = (self.draft.rule, self.draft.expansion, self.draft.exclude) != ("and", "kld", ())
        with ui.element("details").classes("settings").props("open" if changed else ""):
            text("More ways to ask", "summary")
            with ui.element("div").classes("fields-row"):
                self._choice("Documents with", _RULES, self.draft.rule, self._set_rule)
                self._choice("Concept words", _EXPANSIONS, self.draft.expansion, self._set_expansion)
                self._word_input("Exclude documents with", "exclude")

    def _choice(
        self, label: str, options: dict[str, str], value: str, on_change: Callable[[str], Any]
    ) -> ui.select:
        select = ui.select(options, label=label, value=value, on_change=lambda e: guarded(on_change, e.value))
        return select.props("outlined dense options-dense").classes("choice")

    def _word_input(self, label: str, where: WordList) -> None:
        async def add() -> None:
            words = (field.value or "").replace(",", " ").split()
            field.set_value("")
            draft = self.draft
            for word in words[:20]:
                draft = draft.with_word(where, word)
            await self._change(draft)

        field = ui.input(label).props("outlined dense maxlength=200 autocomplete=off dir=auto")
        field.classes("word-input").on("keydown.enter", lambda: guarded(add))
        with field.add_slot("append"):
            button("Add", lambda: guarded(add), plain=True)

    # --- changes -----------------------------------------------------------------------------------------

    async def _typed(self) -> None:
        if (text := self._text.value or "") != self.draft.text:
            self._before = None
            await guarded(self._change, replace(self.draft, text=text, reading=0))

    async def _entered(self, text: object) -> None:
        """Ask for what stands in the field, also if it has not been looked up yet."""
        if isinstance(text, str) and text[:_LONGEST] != self.draft.text:
            self._before, self.draft = None, replace(self.draft, text=text[:_LONGEST], reading=0)
            await self._page.look_up(then_fit=True)
        else:
            self._page.ask()

    async def set_text(self, text: str) -> None:
        """Put a text into the field."""
        self._text.set_value(text)
        await self._change(replace(self.draft, text=text, reading=0))

    async def _drop(self, word: str) -> None:
        """Leave a concept word out; without a word of its text, another query is asked."""
        concept = self.found.concept
        draft = self.draft.take_out(word) if concept is None else self.draft.without_own_word(concept, word)
        if draft.text != self.draft.text:
            self._before = self.draft
            await self.set_text(draft.text)
        else:
            await self._change(draft)

    async def _undo(self) -> None:
        """Ask again for what was asked before a word was taken out of it."""
        if self._before is not None:
            self.draft, self._before = self._before, None
            self._text.set_value(self.draft.text)
            await self._page.look_up()

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

    def show(self, found: LookedUp, stage: Stage, *, several: bool = False) -> None:
        """Show what the corpus says; while the answer is looked for, the last one stays, faintly."""
        waits = found.is_answerable and stage.waits_for in ("learning", "answer")
        last = self.found
        if waits and last.concept is not None:
            found = replace(found, concept=last.concept, examples=last.examples, answer=last.answer)
        elif stage.waits_for == "readings" and found.concept and last.concept and found.check == last.check:
            concept = replace(found.concept, readings=last.concept.readings)
            found = replace(found, concept=concept, examples=last.examples)
        self.found, self._is_stale, self._several = found, waits, several
        self._first.show_found(found, stage, name=self.draft.text if several else "")
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
            before=self._before,
            several=self._several,
        )

    def focus(self) -> None:
        """Put the cursor into the field."""
        self._text.run_method("focus")

    def delete(self) -> None:
        """Take it off the page."""
        self._box.delete()
        self._first.delete()
