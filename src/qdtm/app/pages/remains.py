"""A result whose corpus was removed: where that is now, and what is left of the result without it."""

from __future__ import annotations

from nicegui import ui

from qdtm.app.bin import find_binned, restore
from qdtm.app.context import AppContext
from qdtm.app.findings import TABLES, Finding, kept_documents, read_findings
from qdtm.app.jobs import RESULT, Job
from qdtm.app.requests import FitRequest
from qdtm.app.templating import Panel, tell

_PAGE, _MOST = 20, 1_000


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
