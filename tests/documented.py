"""Examples in the documents: Python sessions and commands in a page are run, and must print what it says."""

import contextlib
import csv
import doctest
import re
import shlex

from click.testing import CliRunner

from qdtm.cli.main import cli
from qdtm.corpus import load_demo_corpus


def blocks(text, language):
    return re.findall(rf"^```{language}\n(.*?)^```", text, flags=re.DOTALL | re.MULTILINE)


def run_python(text, name):
    """Run all Python sessions of a page as one; return how many failed, how many were run, and a report."""
    session = "\n".join(blocks(text, "pycon"))
    examples = doctest.DocTestParser().get_doctest(session, {}, name, name, 0)
    report = []
    failed, attempted = doctest.DocTestRunner().run(examples, out=report.append)
    return failed, attempted, "".join(report)


def commands(text):
    """Return the commands of a page's console blocks, each with what it prints."""
    shown = []
    for block in blocks(text, "console"):
        parts = re.split(r"^\$ (.*)\n", block, flags=re.MULTILINE)
        shown += zip(parts[1::2], parts[2::2], strict=True)
    return shown


def run_command(command, folder, typed=None):
    """Run a command of a page on a screen of 100 columns, with what a person types; return what it prints."""
    program, *arguments = shlex.split(command)
    assert program == "qdtm"
    with contextlib.chdir(folder):
        run = CliRunner(env={"COLUMNS": "100"}).invoke(cli, arguments, input=typed, prog_name="qdtm")
    assert run.exit_code == 0, f"{run.stderr}\n{run.exception!r}"
    return run.stdout


def is_shown(printed, shown):
    """Say whether a command printed what a page shows; three dots stand for what the page leaves out."""
    return doctest.OutputChecker().check_output(shown, printed, doctest.ELLIPSIS)


def write_articles(path):
    """Write the demo's articles as a .csv file, as a reader of the pages has one."""
    documents = list(load_demo_corpus().documents)
    with path.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["id", "text", *documents[0].fields])
        rows.writerows([each.id, each.text, *each.fields.values()] for each in documents)
