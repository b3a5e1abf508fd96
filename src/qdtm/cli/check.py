"""`qdtm check`: look at documents in rounds, and learn how good the relevance is and when to stop."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from qdtm.cli.failure import InterruptedFailure
from qdtm.cli.options import index_option, output_options
from qdtm.cli.report import REPORT

if TYPE_CHECKING:
    from rich.console import Console

    from qdtm.results.hand_check import HandCheck
    from qdtm.results.result import Result

_ANSWERS = {"y": "yes", "n": "no", "?": "unsure"}
_KEYS = "[y]es  [n]o  [?] not sure  [s]kip  [c]omment  [b]ack  [q]uit"
_LAST_KEYS = "That was the last one: [b]ack, [m]ore, or any other key for what the answers say"
_SETTLE_KEYS = "[y]es  [n]o  [?] not sure  [s]kip  [q]uit"
_SHARE = click.FloatRange(0, 1, min_open=True, max_open=True)


@click.command()
@click.argument("directory", metavar="DIR", type=click.Path())
@click.option("-q", "--query", metavar="QUERY", help="The query.  [the first]")
@click.option("-n", "n_documents", type=click.IntRange(10), default=50, show_default=True, metavar="N",
              help="Documents of the first round.")  # fmt: skip
@click.option("--more", is_flag=True, help="Another round of 20 documents: those that would tell most.")
@click.option("--recall", type=_SHARE, metavar="SHARE",
              help="Read on until this share of all is found for certain, such as 0.95.")  # fmt: skip
@click.option("--confidence", type=_SHARE, default=0.95, show_default=True, metavar="SHARE",
              help="How sure --recall is to be.")  # fmt: skip
@click.option("--as", "by", metavar="NAME", default="", help="Who answers; each name has its own answers.")
@click.option("--settle", is_flag=True, help="Decide about documents that people see differently.")
@click.option("--labels", type=click.Path(exists=True, dir_okay=False), metavar="FILE.csv",
              help="Take answers from a table.")  # fmt: skip
@click.option(
    "--export", type=click.Path(), metavar="FILE.csv", help="Write documents and answers as a table."
)
@click.option("--refit", type=click.Path(), metavar="DIR2",
              help="Fit the topics anew with the answers, into DIR2.")  # fmt: skip
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, metavar="N",
              help="Of a new sample.")  # fmt: skip
@click.option("--fresh", is_flag=True, help="Draw a new sample; the answers to the old one are dropped.")
@index_option
@output_options
def check(directory: str, as_json: bool, **options: Any) -> None:
    """Say of some documents of DIR whether they are about a query, and learn how good its relevance is.

    The first round is drawn by chance from above and below the cut-off, and shown without relevance; later
    ones have documents that would tell most, too. Answers are kept in DIR/check.json as they are given: quit,
    or press Ctrl-C, and the same command goes on. They give precision and recall at the cut-off and the
    number of documents about the query, with intervals; and the relevance in DIR learns from them, in the
    tables and report.html too.
    """
    from qdtm.cli.check_sections import estimate_page
    from qdtm.cli.console import notes_console, print_json, print_page
    from qdtm.cli.json_forms import hand_check_json
    from qdtm.cli.opening import open_result
    from qdtm.results.hand_check.files import begin_check

    if options["refit"] is not None:
        _refit(directory, options["refit"], options["index"])
        return
    result = open_result(directory, options["index"])
    query = 0 if options["query"] is None else options["query"]
    begun = begin_check(result, query, options["n_documents"], seed=options["seed"], fresh=options["fresh"])
    by = " ".join(options["by"].split())
    session = _Session(
        directory, result, begun, notes_console(), by, options["recall"], options["confidence"]
    )
    session.keep(begun, replacing=options["fresh"])
    if options["labels"] is not None or options["export"] is not None:
        session.exchange(options["labels"], options["export"])
    elif options["settle"]:
        session.settle()
    else:
        session.answer(more=options["more"])
    said = session.check
    _renew(directory, result, said)
    if as_json:
        print_json(hand_check_json(said, options["confidence"]))
    else:
        relevance = result.with_check(said).relevance(query)
        print_page(estimate_page(said, relevance, options["recall"], options["confidence"]))


@dataclass
class _Session:
    """One person at the keyboard, and the check as it is by now."""

    directory: str
    result: Result
    check: HandCheck
    console: Console
    by: str
    recall: float | None
    confidence: float

    def keep(self, check: HandCheck, *, replacing: bool = False) -> None:
        """Write the answers beside the result, with what others have said meanwhile."""
        from qdtm.results.hand_check.files import keep_check

        since = None if replacing else self.check
        self.check = keep_check(Path(self.directory), check, self.result.corpus.n_documents, since=since)

    # --- tables --------------------------------------------------------------------------------------------

    def exchange(self, labels: str | None, export: str | None) -> None:
        """Take answers from a table, and write the sample as one."""
        from qdtm.results.hand_check.files import read_answers, write_sample

        documents = self.result.corpus.documents
        if labels is not None:
            self.keep(read_answers(labels, self.check, documents, by=self.by))
        if export is not None:
            write_sample(export, self.check, documents)
            hint = f"fill in the column 'about' (yes, no or unsure), and give it back with --labels {export}"
            self.console.print(f"{export}: {len(self.check.sample)} documents; {hint}", soft_wrap=True)

    # --- at the keyboard -----------------------------------------------------------------------------------

    def answer(self, *, more: bool) -> None:
        """Ask until all is answered or the person has had enough; each answer is kept when it is given."""
        n_open = len(self.check.open_for(self.by))
        if n_open < len(self.check.sample) and n_open:
            done = f"{len(self.check.sample) - n_open} of {len(self.check.sample)} documents are done"
            self.console.print(f"Going on: {done}; --fresh draws a new sample.", soft_wrap=True)
        try:
            if not n_open and (more or self.recall is not None):
                self._draw()
            for _ in self._ask():
                pass
        except KeyboardInterrupt:
            pass
        if n_open := len(self.check.open_for(self.by)):
            documents = "document is" if n_open == 1 else "documents are"
            self.console.print(f"\n{n_open} {documents} open; the same command goes on.", soft_wrap=True)

    def _draw(self) -> bool:
        """Draw another round; False if the recall is certain, or everything was read."""
        from qdtm.results.hand_check.rounds import next_round

        if self.recall is not None and self.check.certificate(self.confidence).reaches(self.recall):
            return False
        self.keep(next_round(self.result, self.check, recall=self.recall))
        return bool(self.check.open_for(self.by))

    def _ask(self) -> Iterator[None]:
        """Show the documents that have no answer, and yield after each key."""
        from qdtm.cli.check_sections import document_page

        skipped: set[int] = set()
        note = ""
        while self.check.open_for(self.by):
            left = [row for row in self.check.open_for(self.by) if row not in skipped]
            if left and not note:
                for section in document_page(self.result, self.check, left[0], self.by):
                    self.console.print(section)
            if not left and skipped:
                return
            key = _key(self.console, _KEYS)
            if key == "q":
                return
            note = self._do(key, left[0], note, skipped)
            yield
            if not self.check.open_for(self.by) and not self._goes_on():
                return

    def _do(self, key: str, row: int, note: str, skipped: set[int]) -> str:
        """Do what a key says; return the comment that waits for an answer."""
        if key == "c":
            return _line(self.console, "Comment:")
        if key == "b":
            self.keep(self.check.without_last(self.by))
        elif key == "s":
            skipped.add(row)
        else:
            self.keep(self.check.answer(row, _ANSWERS[key], by=self.by, note=note))
        return ""

    def _goes_on(self) -> bool:
        """After the last document: draw more, take the last answer back, or end."""
        if self.recall is not None:
            return self._draw()
        key = _key(self.console, _LAST_KEYS)
        if key == "b":
            self.keep(self.check.without_last(self.by))
        return key == "b" or (key == "m" and self._draw())

    def settle(self) -> None:
        """Ask about the documents that people see differently."""
        from qdtm.cli.check_sections import document_page

        rows = self.check.agreement.disagreements
        if not rows:
            self.console.print("Nobody disagrees about a document that is not settled.")
        try:
            for row in rows:
                for section in document_page(self.result, self.check, row, None):
                    self.console.print(section)
                key = _key(self.console, _SETTLE_KEYS)
                if key == "q":
                    return
                if key in _ANSWERS:
                    self.keep(self.check.settle(row, _ANSWERS[key]))
        except KeyboardInterrupt:
            pass


def _key(console: Console, keys: str) -> str:
    """Return the next key of those offered; "q" at the end of what is typed."""
    while True:
        console.print(keys, style="dim", markup=False)
        typed = _typed()
        letter = typed.strip()[:1].casefold()
        if letter and f"[{letter}]" in keys:
            return letter
        if not typed or keys == _LAST_KEYS:
            return "q"


def _typed() -> str:
    """Return a key, or a line if nobody is at the keyboard; nothing at the end."""
    try:
        return str(click.getchar()) if sys.stdin.isatty() else sys.stdin.readline()
    except EOFError:  # Ctrl-D
        return ""


def _line(console: Console, prompt: str) -> str:
    """Return a line of text."""
    console.print(prompt, style="dim", end=" ")
    return sys.stdin.readline().strip()


def _refit(directory: str, output: str, index: str | None) -> None:
    """Fit the topics of a result anew with its answers, and save it elsewhere."""
    from qdtm.cli.console import notes_console
    from qdtm.cli.opening import claim_goal, open_model, save_again
    from qdtm.cli.run_fit import end_if_interrupted, showing_progress

    claim_goal(directory, output, force=False)
    model, notes = open_model(directory, index), notes_console()
    with showing_progress(model, notes):
        model.refit()
    save_again(model, directory, output, force=False, all_documents=False)
    notes.print(f"{output}: fitted with the answers; look at it with qdtm show {output}", soft_wrap=True)
    end_if_interrupted(model, output)


# --- what is kept ------------------------------------------------------------------------------------------


def _renew(directory: str, result: Result, check: HandCheck) -> None:
    """Write the tables and the report, if there is one, anew: they show what the answers say."""
    from qdtm.present.report import write_report
    from qdtm.results.storage import renew_tables

    before, checked = result.fit.check_of(result.query_index(check.query)), result.with_check(check)
    if not check.answers and (before is None or not before.answers):
        return
    report = Path(directory) / REPORT
    try:
        renew_tables(directory, checked.fit, checked.corpus)
        if report.is_file():
            write_report(checked, report)
    except KeyboardInterrupt:
        raise InterruptedFailure("interrupted; the answers are kept, and the same command goes on.") from None
