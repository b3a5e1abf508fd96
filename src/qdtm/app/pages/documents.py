"""The documents of a query on the result page: a filter in, the documents that pass it out.

What is filtered stands in the address: it can be sent, and Back goes back. A part of the page that a change
comes from is not made anew, since its handles and fields are in somebody's hand.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Any
from urllib.parse import parse_qsl

from nicegui import ui

from qdtm.app.annotations import keep_judgement
from qdtm.app.explorer import MOST_SEARCHED, DocumentFilter, Explorer, as_parameter
from qdtm.app.jobs import Job
from qdtm.app.templating import Panel, guarded
from qdtm.present.charts import histogram
from qdtm.results.documents import BELOW, View
from qdtm.results.relevance import Relevance

_PAGE = 10
_MOST_SHOWN = 500
_TAGS = 12
_GROUPS = 8  # that have a row before somebody asks for all
_SHORTCUTS = (
    ("j", "next document"),
    ("k", "previous document"),
    ("Enter", "read it"),
    ("y", "about it"),
    ("x", "not about it"),
    ("/", "search in these documents"),
    ("?", "these keys"),
)
_SORTS = {
    "relevance": "most relevant first",
    "edge": "nearest to the cut-off",
    "newest": "newest first",
    "oldest": "oldest first",
}
_CONTINUOUS = ("relevance", "time", "search")  # a drag or a word typed is one step back


@dataclass(frozen=True)
class ViewChoice:
    """A view as the page offers it: its name, which documents these are, and what to know about them."""

    view: View
    name: str
    documents: str
    help: str = ""


_VIEWS = (
    ViewChoice("about", "About it", "about it"),
    ViewChoice(
        "below", "Just below the cut-off", "just below the cut-off",
        "The next ones, were the cut-off lower: down to half of it.",
    ),
    ViewChoice(
        "named-out", "Name it, left out", "that name it and are left out",
        "They have the query’s words, mostly in passing.",
    ),
    ViewChoice(
        "unnamed-in", "Do not name it", "about it without naming it",
        "They do not have the query’s words; what else they say decides.",
    ),
    ViewChoice("near", "Near it", "near it", "Below the cut-off, and the query’s topic also holds them."),
    ViewChoice("all", "All of the corpus", "of the corpus"),
)  # fmt: skip


class DocumentsSection:
    """One visitor's look at the documents of one query.

    Parameters
    ----------
    job : Job
    explorer : Explorer
        Of its result.
    wanted : DocumentFilter
        What the address asks for.
    at : str
        The row of the document that somebody comes back from, if they do: it is among those shown.
    """

    def __init__(self, job: Job, explorer: Explorer, wanted: DocumentFilter, at: str = "") -> None:
        self._job, self._explorer, self._q = job, explorer, wanted.query
        self._filter, self._at = replace(wanted, n=_PAGE), at
        self._source = ""  # what the last change came from
        self._n_groups = _GROUPS
        self._check = explorer.result.fit.check_of(self._q)  # what people said of documents

    def build(self) -> None:
        """Make the elements."""
        actions = {
            "view": self._view, "only": self.only, "group": self.group, "word": self.word,
            "relevance": self._relevance, "time": self._time, "period": self._period,
            "clear": self._clear, "more": self._more, "groups": self._more_groups,
            "address": self._follow, "judge": self._judge, "tag": self.tag,
        }  # fmt: skip
        self._timeline = Panel("trends.html", actions)
        self._groups = Panel("groups.html", actions)
        self._histogram = Panel("relevance.html", actions)
        with ui.element("div").classes("fields-row").props("id=search"):
            self._search = ui.input("Search in these documents", value=self._filter.search)
            self._search.props("outlined dense debounce=250 clearable maxlength=200").classes("word-input")
            self._search.props('aria-keyshortcuts="/"')
            dated = self._explorer.days is not None
            orders = {sort: said for sort, said in _SORTS.items() if dated or sort in ("relevance", "edge")}
            sort = self._filter.sort if self._filter.sort in orders else "relevance"
            self._sort = ui.select(orders, label="Order", value=sort)
            self._sort.props("outlined dense options-dense").classes("choice order")
        self._search.on_value_change(lambda e: guarded(self._change, "search", {"search": e.value or ""}))
        self._sort.on_value_change(lambda e: guarded(self._change, "sort", {"sort": e.value or ""}))
        self._documents = Panel("documents.html", actions)
        Panel("shortcuts.html", shortcuts=_SHORTCUTS)

    async def show(self, explorer: Explorer | None = None) -> None:
        """Show the documents that pass, of the result as it is now if that is given."""
        if explorer is not None:
            self._explorer, self._check = explorer, explorer.result.fit.check_of(self._q)
        if self._at.isdecimal() and len(self._at) <= 18:
            rows = (await asyncio.to_thread(self._explorer.rows, self._filter)).tolist()
            place = rows.index(int(self._at)) if int(self._at) in rows[:_MOST_SHOWN] else 0
            self._filter, self._at = replace(self._filter, n=max(_PAGE, place + 1)), ""
        await self._show()

    # --- changes -----------------------------------------------------------------------------------------

    async def only(self, subtopic: str) -> None:
        """Show the documents of one subtopic; of all for an empty one."""
        await self._change("subtopic", {"subtopic": subtopic})

    async def group(self, name: str) -> None:
        """Show the documents of a group; of all if it is the one shown."""
        await self._change("group", {"group": "" if as_parameter(name) == self._filter.group else name})

    async def word(self, word: str) -> None:
        """Show the documents that have a word; all if it is the one asked for."""
        await self._change("word", {"word": "" if word == self._filter.word else word})

    async def tag(self, tag: str) -> None:
        """Show the documents that have a tag, of all of the corpus; of no tag if it is the one shown."""
        shown = tag == self._filter.tag
        await self._change("tag", {"tag": "" if shown else tag, "view": "" if shown else "all"})

    async def _view(self, view: str) -> None:
        await self._change("view", {"view": view, "least": "", "most": ""})

    async def _time(self, between: str) -> None:
        first, _, last = between.partition("..")
        await self._change("time", {"from": first, "to": last})

    async def _period(self, between: str) -> None:
        """Show the documents of one period; of all if it is the one shown."""
        first, _, last = between.partition("..")
        shown = f"{self._filter.first}..{self._filter.last}" == between
        await self._change("period", {"from": "" if shown else first, "to": "" if shown else last})

    async def _relevance(self, between: str) -> None:
        """Show what is between two handles; what a view leaves out anyway needs no saying.

        A handle that leaves the documents about it, or those just below, looks at all of the corpus.
        """
        first, _, last = between.partition("..")
        low, high = (f"{end:.2f}" for end in ends_of(self._relevance_now, self._filter.view))
        values = {"least": "" if first == low else first, "most": "" if last == high else last}
        if self._filter.view in ("about", "below") and (first < low or last > high):
            values = {"view": "all", "least": first, "most": last}
        await self._change("relevance", values)

    async def _clear(self, names: str) -> None:
        """Take parts of the filter away; all of them, if none is named."""
        empty = dict.fromkeys(names.split() or [*self._filter.to_params()], "")
        await self._change("clear", empty | ({"query": str(self._q)} if not names else {}))

    async def _follow(self, address: str) -> None:
        """Show what the address asks for: somebody went back or forth."""
        wanted = DocumentFilter.from_query(dict(parse_qsl(address.removeprefix("?"), max_num_fields=40)))
        self._filter = replace(wanted, query=self._q, n=_PAGE)
        await self._show()

    async def _more(self, _: str) -> None:
        self._filter = replace(self._filter, n=min(self._filter.n + 2 * _PAGE, _MOST_SHOWN))
        await self._show("more")

    async def _more_groups(self, _: str) -> None:
        self._n_groups = len(self._explorer.groups.names) if self._explorer.groups else _GROUPS
        await self._show()

    async def _change(self, source: str, values: dict[str, str]) -> None:
        wanted = replace(self._filter.changed(values), query=self._q, n=_PAGE)
        if wanted.to_params() == self._filter.to_params():
            return
        self._filter = wanted
        history = ui.navigate.history
        keep = source == self._source and source in _CONTINUOUS
        (history.replace if keep else history.push)(f"/result/{self._job.id}?{wanted.to_query()}")
        self._source = source
        await self._show(source)

    async def _judge(self, said: str) -> None:
        """Keep what a person says of a document; the same said again takes it back.

        The list stays as it is while it is read; relevance that learned from answers comes with a new look.
        """
        row, _, answer = said.partition(" ")
        if answer not in ("yes", "no") or not row.isdecimal() or len(row) > 18:
            return
        before = None if self._check is None else self._check.answer_of(int(row))
        kept = None if before is not None and before.about == answer else answer
        result = self._explorer.result
        self._check = await asyncio.to_thread(
            keep_judgement, self._job.folder, result, self._q, int(row), kept
        )
        await self._show("judge")

    # --- showing -----------------------------------------------------------------------------------------

    @property
    def _relevance_now(self) -> Relevance:
        return self._explorer.relevance(self._q)

    async def _show(self, source: str = "") -> None:
        """Make anew what follows from the filter, but not what the change came from."""
        wanted = self._filter
        self._documents.classes("stale" if source == "search" else "")
        try:
            values = await asyncio.to_thread(self._values, wanted)
        finally:
            self._documents.classes(remove="stale")
        if wanted is not self._filter:
            return  # it was changed again in the meantime
        self._documents.show(**values)
        if source in ("more", "judge"):
            return
        if source != "time":
            self._timeline.show(**values)
        if source != "relevance":
            self._histogram.show(**values)
        self._groups.show(**values)
        self._search.set_value(wanted.search or None if source != "search" else self._search.value)
        self._sort.set_value(wanted.sort if wanted.sort in self._sort.options else "relevance")

    def _values(self, wanted: DocumentFilter) -> dict[str, Any]:
        explorer, result = self._explorer, self._explorer.result
        counts, found = explorer.counts(wanted), explorer.find(wanted)
        relevance = self._relevance_now
        low, high = ends_of(relevance, wanted.view)
        chosen = next(each for each in _VIEWS if each.view == wanted.view)
        everything = explorer.counts(DocumentFilter(query=self._q)).views
        return {
            "job": self._job,
            "filter": wanted,
            "address": wanted.to_query(),
            "found": found,
            "verdicts": {} if self._check is None else self._check.verdicts,
            "topic": result.topics[self._q],
            "query": explorer.view(self._q),
            "columns": result.fit.presentation,
            "counts": counts,
            "views": _VIEWS,
            "view": chosen,
            "n_view": everything[wanted.view],
            "n_documents": result.corpus.n_documents,
            "most_searched": MOST_SEARCHED,
            "chips": list(chips_of(wanted, explorer)),
            "relevance": relevance,
            "histogram": histogram(counts.relevance),
            "least": max(low, wanted.least),
            "most": min(high, wanted.most),
            "trends": explorer.over_time,
            "groups": explorer.groups,
            "chosen_group": chosen_group(explorer, wanted.group),
            "n_groups": max(self._n_groups, chosen_group(explorer, wanted.group) + 1),
            "most_shown": _MOST_SHOWN,
            "tags": sorted(explorer.codes().book, key=lambda count: -count.n_documents)[:_TAGS],
            "tags_of": explorer.codes().tags_of,
        }


def ends_of(relevance: Relevance, view: View) -> tuple[float, float]:
    """Return the least and the most relevance that documents of a view can have."""
    cutoff = relevance.cutoff
    if view == "below":
        return BELOW * cutoff, cutoff
    low = cutoff if view in ("about", "unnamed-in") else 0.0
    return low, cutoff if view in ("named-out", "near") else 1.0


def chosen_group(explorer: Explorer, wanted: str) -> int:
    """Return which of the groups that have a row is asked for; -1 for none."""
    names = () if explorer.groups is None else explorer.groups.names
    return next((g for g, name in enumerate(names) if wanted and as_parameter(name) == wanted), -1)


# --- chips --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class FilterChip:
    """A part of a filter that can be taken away: what it says, and the parameters that say it."""

    name: str
    said: str
    clears: str


def chips_of(wanted: DocumentFilter, explorer: Explorer) -> Iterator[FilterChip]:
    """Yield the parts of a filter that ask for something."""
    if wanted.first is not None or wanted.last is not None:
        yield FilterChip("", period_said(wanted.first, wanted.last), "from to")
    if wanted.group:
        yield FilterChip(explorer.result.fit.presentation.group_column or "group", wanted.group, "group")
    if wanted.subtopic is not None:
        names = {each.id: each.short_name for each in explorer.result.topics[wanted.query].below()}
        said = f"{wanted.subtopic} {names.get(wanted.subtopic, '')}".strip()
        yield FilterChip("subtopic", said, "subtopic")
    if wanted.least > 0 or wanted.most < 1:
        yield FilterChip("relevance", f"{wanted.least:.2f} to {wanted.most:.2f}", "least most")
    for name, said in (("word", wanted.word), ("tag", wanted.tag), ("search", wanted.search)):
        if said:
            yield FilterChip(name, said, name)


def period_said(first: date | None, last: date | None) -> str:
    """Say a stretch of time as shortly as it can be: "2009 to 2011", "from 2009-03", "2009-03-02"."""
    whole_years = (first is None or (first.month, first.day) == (1, 1)) and (
        last is None or (last.month, last.day) == (12, 31)
    )
    whole_months = (first is None or first.day == 1) and (
        last is None or last == date.max or (last + timedelta(1)).day == 1
    )
    length = 4 if whole_years else 7 if whole_months else 10
    begin, end = ("" if day is None else day.isoformat()[:length] for day in (first, last))
    if begin and end:
        return begin if begin == end else f"{begin} to {end}"
    return f"from {begin}" if begin else f"up to {end}"
