"""The topic's part of the result page: its words, its subtopics, and what is corrected by hand."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import urlencode

from nicegui import ui

from qdtm.app.annotations import StalePageError, keep_correction
from qdtm.app.context import AppContext
from qdtm.app.drafts import Draft, drafts_to_text
from qdtm.app.explorer import Explorer
from qdtm.app.jobs import Job
from qdtm.app.pages.frame import NameDialog, button, dialog
from qdtm.app.requests import FitRequest
from qdtm.app.templating import Action, Panel, tell
from qdtm.results.corrections import DROP_WORD, HIDE, corrections_of, said, undone_corrections
from qdtm.results.journal import Act, History, Journal
from qdtm.results.result import Result

_ASKED_WORDS = 8
_LONGEST_NAME = 200


class TopicSection:
    """One visitor's look at the topic of one query, which can be corrected.

    Parameters
    ----------
    context : AppContext
    job : Job
    request : FitRequest
    explorer : Explorer
    q : int
    actions : mapping of str to callable
        What else a click in it does, such as "documents" with the id of a subtopic.
    changed : callable
        Is given the result as it is after a correction.
    """

    def __init__(
        self,
        context: AppContext,
        job: Job,
        request: FitRequest,
        explorer: Explorer,
        q: int,
        actions: dict[str, Action],
        changed: Callable[[Explorer], Awaitable[None]],
    ) -> None:
        self._context, self._job, self._request = context, job, request
        self._explorer, self._q = explorer, q
        self._actions, self._changed = actions, changed
        self._last: Act | None = None
        self._chosen = ""

    async def build(self) -> None:
        """Make the elements."""
        own: dict[str, Action] = {
            "rename": self._ask_name,
            "merge": self._ask_merge,
            "hide": self._hide,
            "split": self._split,
            "drop-word": self._drop_word,
            "undo": self._undo,
            "redo": self._redo,
            "ask": self._ask,
            "ask-again": self._ask_again,
        }
        self._panel = Panel("topic.html", self._actions | own)
        self._naming = NameDialog(
            "Name this subtopic", "Name (empty: from its words)", _LONGEST_NAME, self._rename
        )
        self._build_merging()
        await self.show()

    async def values(self) -> dict[str, Any]:
        """Return what the templates show."""
        view = await asyncio.to_thread(self._explorer.view, self._q)
        result = self._explorer.result
        return {
            "job": self._job,
            "corpus": self._request.corpus,
            "result": result,
            "query": view,
            "q": self._q,
            "notes": self._explorer.notes,
            "names": [topic.name for topic in result.topics],
            "columns": result.fit.presentation,
        }

    async def show(self) -> None:
        """Show the topic as it is now."""
        history = await asyncio.to_thread(lambda: Journal(self._job.folder).history)
        self._panel.show(**await self.values(), **self._corrections(history))

    def _corrections(self, history: History) -> dict[str, Any]:
        acts, last = corrections_of(history), self._last
        why = {act.number: reason for act, reason in self._explorer.result.passed_over}
        return {
            "acts": [(act, said(act), why.get(act.number)) for act in acts],
            "undone": [(act, said(act)) for act in undone_corrections(history)],
            "damage": history.damage,
            "last": None if last is None else (last, said(last), last in acts),
            "hidden_by": {act.values.get("subtopic"): act.number for act in acts if act.kind == HIDE},
            "asks_again": last is not None and last.kind == DROP_WORD and last in acts,
        }

    # --- corrections -------------------------------------------------------------------------------------

    async def _correct(self, make: Callable[[Result], Result], last: Act | None = None) -> None:
        """Do something to the result; everybody who opens it from now on sees it."""
        result = self._explorer.result
        try:
            corrected = await asyncio.to_thread(keep_correction, self._job.folder, result, make)
        except StalePageError as error:
            self._last = None
            await self.reopen()
            tell(str(error))
            return
        self._last = last or next(iter(corrections_of(corrected.history)[-1:]), None)
        self._context.opened.remember(self._job.id, corrected)
        await self.reopen()
        ui.run_javascript("document.getElementById('undo-last')?.focus({preventScroll: true})")

    async def reopen(self) -> None:
        """Show the result as it is now."""
        self._explorer = await asyncio.to_thread(self._context.opened.result, self._job.id)
        await self.show()
        await self._changed(self._explorer)

    async def _hide(self, id: str) -> None:
        await self._correct(lambda result: result.hide(id))

    async def _split(self, id: str) -> None:
        await self._correct(lambda result: result.split(id))

    async def _drop_word(self, value: str) -> None:
        id, _, word = value.partition(" ")
        await self._correct(lambda result: result.drop_word(id, word))

    async def _undo(self, number: str) -> None:
        act = self._act(number, corrections_of)
        if act is not None:
            await self._correct(lambda result: result.undo(act.number), act)

    async def _redo(self, number: str) -> None:
        act = self._act(number, undone_corrections)
        if act is not None:
            await self._correct(lambda result: result.redo(act.number), act)

    def _act(self, number: str, among: Callable[[History], tuple[Act, ...]]) -> Act | None:
        """Return the act of a number; None, and say so, if it is not there any more."""
        acts = among(Journal(self._job.folder).history)
        found = next((act for act in acts if str(act.number) == number), None)
        if found is None:
            tell("That was done elsewhere meanwhile.")
        return found

    # --- asking again ------------------------------------------------------------------------------------

    def _ask(self, id: str) -> None:
        """Ask for a subtopic as a query of its own: its most telling words are the keywords, any will do."""
        topic = self._explorer.result.topic(id)
        words = dict.fromkeys([*topic.label_words, *(word for word, _ in topic.top_words(_ASKED_WORDS))])
        self._go([Draft(rule="or", keywords=tuple(words)[:_ASKED_WORDS])])

    def _ask_again(self, number: str) -> None:
        """Ask the query of a dropped word again, without it among the concept words."""
        act = self._act(number, corrections_of)
        topic = "" if act is None else str(act.values.get("topic"))
        if act is None or topic.startswith("b"):
            return
        asked = self._explorer.result.query_of(topic)
        drafts = [Draft.of(query) for query in self._request.queries]
        drafts[asked] = drafts[asked].with_word("drop", str(act.values.get("word")))
        self._go(drafts)

    def _go(self, drafts: list[Draft]) -> None:
        ui.navigate.to(f"/ask/{self._request.corpus}?{urlencode({'ask': drafts_to_text(drafts)})}")

    # --- dialogs -----------------------------------------------------------------------------------------

    def _ask_name(self, id: str) -> None:
        topic = self._explorer.result.topic(id)
        self._chosen = topic.id
        self._naming.ask(topic.label or "")

    async def _rename(self, name: str) -> None:
        id = self._chosen
        if name != (self._explorer.result.topic(id).label or ""):
            await self._correct(lambda result: result.rename(id, name))

    def _build_merging(self) -> None:
        with dialog("Merge subtopics") as self._merging:
            self._siblings = Panel("merge.html", {"merge-with": self._merge})
            with ui.element("div").classes("actions"):
                button("Cancel", self._merging.close, plain=True)

    def _ask_merge(self, id: str) -> None:
        topic, result = self._explorer.result.topic(id), self._explorer.result
        above = result.topic(id.rpartition(".")[0])
        self._chosen = topic.id
        siblings = [each for each in above.subtopics if each.id != id]
        self._siblings.show(topic=topic, siblings=siblings)
        self._merging.open()

    async def _merge(self, other: str) -> None:
        """Merge the chosen subtopic and another; the one that comes first in the list keeps its id."""
        self._merging.close()
        ids = [topic.id for topic in self._explorer.result.all_topics()]
        both = sorted((self._chosen, other), key=lambda id: ids.index(id) if id in ids else len(ids))
        await self._correct(lambda result: result.merge(both))
