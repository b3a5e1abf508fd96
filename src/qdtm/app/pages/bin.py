"""What was removed: the bin's page, the words that ask first, and what is left without a corpus."""

from __future__ import annotations

import asyncio

from nicegui import ui

from qdtm.app.bin import Binned, delete, find_binned, in_bin, restore
from qdtm.app.context import AppContext
from qdtm.app.corpora import read_about, remove_corpus
from qdtm.app.findings import TABLES, Finding, kept_documents, read_findings
from qdtm.app.jobs import RESULT, Job
from qdtm.app.pages.frame import Question, frame, page
from qdtm.app.requests import FitRequest
from qdtm.app.templating import Action, Panel, tell
from qdtm.app.workspace import KINDS, Kind

_PAGE, _MOST = 20, 1_000  # documents that are listed of a result whose corpus is gone
_THIRTY = "It stays in the bin for thirty days, from where you can bring it back."


def register(context: AppContext) -> None:
    """Add the page."""

    @page("/bin")
    async def bin_page() -> None:
        with frame("Bin", "Corpus"):
            _bin(context)


def _bin(context: AppContext) -> None:
    def show() -> None:
        panel.show(binned=in_bin(context.workspace))

    def back(value: str) -> None:
        kind, id = _named(value)
        restore(context.workspace, kind, id)
        tell("It is back where it was.")
        show()

    def ask(value: str) -> None:
        binned = find_binned(context.workspace, *_named(value))
        if binned is None:
            show()
            return

        async def go() -> None:
            await asyncio.to_thread(delete, context.workspace, binned.kind, binned.id)
            show()

        question.ask(f"Delete {binned.what!r} for good?", _what_goes(context, binned), "Delete for good", go)

    panel = Panel("bin.html", {"back": back, "delete": ask})
    question = Question()
    show()


def _named(value: str) -> tuple[Kind, str]:
    kind, _, id = value.partition("/")
    return next((each for each in KINDS if each == kind), "jobs"), id


def _what_goes(context: AppContext, binned: Binned) -> str:
    """Say what is lost with it."""
    if binned.kind == "jobs":
        return "The result goes, with all that was named, checked and noted in it. Nobody can bring it back."
    n = len(_results_of(context, binned.id))
    lost = f" {_n_results(n)} read their documents from it, and keep their tables alone." if n else ""
    return f"The corpus goes, with all its texts. Nobody can bring it back.{lost}"


# --- removing ----------------------------------------------------------------------------------------------


def removal(context: AppContext, show: Action) -> dict[str, Action]:
    """Return what removes results and corpora on a page, after asking; `show` shows the page anew."""
    question = Question()

    async def done(what: str) -> None:
        tell(f"{what!r} is in the bin, for thirty days.")
        shown = show("")
        if shown is not None:
            await shown

    def result(id: str) -> None:
        title = getattr(context.jobs.get(id).request, "title", "")

        async def go() -> None:
            context.jobs.remove(id)
            await done(title)

        text = f"The result goes, with all that was named, checked and noted in it. {_THIRTY}"
        question.ask(f"Remove the result {title!r}?", text, "Move to the bin", go)

    def corpus(id: str) -> None:
        about = read_about(context.workspace, id)
        n = len(_results_of(context, id))

        async def go() -> None:
            remove_corpus(context.workspace, context.jobs, id)
            await done(about.name)

        needed = (
            f" {_n_results(n)} of it can be read as before until then; afterwards their tables are left."
            if n
            else ""
        )
        text = f"The corpus of {about.n_documents:,} documents goes. {_THIRTY}{needed}"
        question.ask(f"Remove the corpus {about.name!r}?", text, "Move to the bin", go)

    return {"remove": result, "remove-corpus": corpus}


def _results_of(context: AppContext, corpus: str) -> list[Job]:
    return [job for job in context.jobs.fits() if job.request.corpus == corpus and job.has_result]


def _n_results(n: int) -> str:
    return "1 result" if n == 1 else f"{n:,} results"


# --- results whose corpus was removed ----------------------------------------------------------------------


def tell_of_corpus(context: AppContext, request: FitRequest) -> None:
    """Say that the corpus of a result is in the bin, if it is, and bring it back if that is wanted."""
    binned = find_binned(context.workspace, "corpora", request.corpus)
    if binned is None:
        return

    def back(_: str) -> None:
        restore(context.workspace, "corpora", request.corpus)
        panel.show(binned=None)
        tell("The corpus is back.")
        ui.navigate.reload()

    panel = Panel("corpus_gone.html", {"back": back}, binned=binned)


class Remains:
    """What was saved with a result whose corpus is gone for good: topics, documents, passages."""

    def __init__(self, job: Job, request: FitRequest, q: int) -> None:
        self._job, self._request, self._q, self._n = job, request, q, _PAGE
        self._panel = Panel("remains.html", {"more": self._more})
        self._show()

    def _more(self, _: str) -> None:
        self._n = min(self._n * 3, _MOST)
        self._show()

    def _show(self) -> None:
        query = self._request.queries[self._q].name
        findings = {found.query: found for found in read_findings(self._job.folder)}
        documents, n_documents = kept_documents(self._job.folder / RESULT, query, self._n)
        self._panel.show(
            job=self._job,
            q=self._q,
            corpus=self._request.corpus_name,
            names=[each.name for each in self._request.queries],
            finding=findings.get(query, Finding(query, "", (), ())),
            documents=documents,
            n_documents=n_documents,
            tables=[name for name in TABLES if (self._job.folder / RESULT / name).is_file()],
        )
