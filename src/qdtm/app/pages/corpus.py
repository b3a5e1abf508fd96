"""The first page, with what there is; and the page that shows a corpus being read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from nicegui import ui

from qdtm.app.context import AppContext
from qdtm.app.corpora import DEMO, DEMO_NAME, Whereabouts, list_corpora, where_is
from qdtm.app.findings import Finding, read_findings
from qdtm.app.jobs import Job
from qdtm.app.pages.bin import removal
from qdtm.app.pages.frame import frame, page, show_problem, text
from qdtm.app.pages.upload import build_upload
from qdtm.app.requests import FitRequest, IndexRequest
from qdtm.app.templating import Action, Panel, guarded
from qdtm.app.workspace import BIN, KINDS, NotFoundError

_N_LISTED, _N_FILTERED, _MOST_LISTED = 30, 8, 1_000  # at first, from which up there is a filter, at most
_SECONDS = 0.3
_SECONDS_HOME = 2.0  # between two looks at what goes on


def register(context: AppContext) -> None:
    """Add the pages."""

    @page("/")
    async def home() -> None:
        with frame("Start", "Corpus"):
            _home(context)

    @page("/reading/{job_id}")
    async def reading(job_id: str) -> None:
        with frame("Reading", "Corpus"):
            _reading(context, job_id)


# --- start -------------------------------------------------------------------------------------------------


def _home(context: AppContext) -> None:
    fits = list(context.jobs.fits())
    demo: dict[str, Action] = {"demo": lambda _: _open_demo(context)}
    Panel("home.html", is_new=not fits)
    with ui.element("div").classes("starts"):
        with ui.element("section").classes("q-card start").props('aria-label="Demo"'):
            Panel("demo.html", demo).show()
        with ui.element("section").classes("q-card start").props('aria-label="Your own texts"'):
            build_upload(context)
    HomeLists(context, demo).build(len(fits))


@dataclass(frozen=True)
class ListedFit:
    """A fit in the list: what was found, and where its corpus is."""

    job: Job
    findings: tuple[Finding, ...]
    corpus: Whereabouts


class HomeLists:
    """The results and corpora of the workspace, as they are now."""

    def __init__(self, context: AppContext, actions: Mapping[str, Action]) -> None:
        self._context, self._actions = context, actions
        self._n, self._wanted = _N_LISTED, ""
        self._seen: tuple[object, ...] = ()

    def build(self, n_fits: int) -> None:
        """Make the elements; what goes on in the background is followed."""
        removal_of = removal(self._context, lambda _: self._show())
        text("Results", "h2").classes("later")
        if n_fits > _N_FILTERED:
            field = ui.input("Filter by query or corpus", on_change=lambda e: guarded(self._filter, e.value))
            field.props("outlined dense debounce=250 clearable maxlength=200 dir=auto").classes("word-input")
        self._fits = Panel("recent.html", {**self._actions, **removal_of, "all": self._show_all})
        self._corpora = Panel("corpora.html", removal_of)
        self._show()
        ui.timer(_SECONDS_HOME, self._look)

    def _look(self) -> None:
        """Show what has changed, if something has: reading hundreds of results takes its time."""
        if self._seen != self._stamp():
            self._show()

    def _stamp(self) -> tuple[object, ...]:
        root, jobs = self._context.workspace.root, self._context.jobs
        folders = [root / kind for kind in KINDS] + [root / BIN / kind for kind in KINDS]
        changed = (folder.stat().st_mtime_ns if folder.is_dir() else 0 for folder in folders)
        return (*changed, *map(jobs.state, self._open))

    def _filter(self, text: str | None) -> None:
        self._wanted = (text or "").strip().casefold()
        self._show()

    def _show_all(self, _: str) -> None:
        self._n = _MOST_LISTED
        self._show()

    def _show(self) -> None:
        workspace = self._context.workspace
        every = list(self._context.jobs.fits())
        found = [job for job in every if self._wanted in _searched(job)]
        rows = [
            ListedFit(job, read_findings(job.folder), where_is(workspace, job.request.corpus))
            for job in found[: self._n]
        ]
        self._fits.show(fits=rows, n_found=len(found), n_fits=len(every))
        self._open = [job.id for job in every if not job.has_ended]
        self._seen = self._stamp()
        corpora = [about for about in list_corpora(workspace) if about.id != DEMO]
        n_binned = sum(len(workspace.binned_ids(kind)) for kind in KINDS)
        self._corpora.show(corpora=corpora[:_MOST_LISTED], n_binned=n_binned)


def _searched(job: Job) -> str:
    """Return where a filter looks."""
    request = job.request
    return f"{request.title} {request.corpus_name}".casefold() if isinstance(request, FitRequest) else ""


def _open_demo(context: AppContext) -> None:
    """Go to the demo articles; the first time they may still be read."""
    folder = context.workspace.folder("corpora", DEMO)
    if (folder / "about.json").exists():
        ui.navigate.to(f"/ask/{DEMO}")
        return
    folder.mkdir(exist_ok=True)
    reading = (job for job in map(context.jobs.get, context.workspace.ids("jobs")) if _reads_demo(job))
    job = next(reading, None)
    id = job.id if job else context.jobs.submit(IndexRequest(DEMO, DEMO_NAME, demo=True))
    ui.navigate.to(f"/reading/{id}")


def _reads_demo(job: Job) -> bool:
    return isinstance(job.request, IndexRequest) and job.request.demo and not job.has_ended


# --- reading -----------------------------------------------------------------------------------------------


def _reading(context: AppContext, job_id: str) -> None:
    request = context.jobs.get(job_id).request
    if not isinstance(request, IndexRequest):
        raise NotFoundError("There is no such corpus.")
    panel = Panel("reading.html", {"stop": lambda _: context.jobs.cancel(job_id)})

    def look() -> None:
        job = context.jobs.get(job_id)
        if job.state == "done":
            timer.cancel()
            ui.navigate.to(f"/ask/{request.corpus}")
        elif job.has_ended:
            timer.cancel()
            panel.delete()
            show_problem(job.message or "The reading was interrupted; upload the file again.")
        else:
            panel.show(name=request.name, state=job.state, progress=job.progress)

    timer = ui.timer(_SECONDS, look)
    look()
