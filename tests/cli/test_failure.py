"""Every failure is one line on stderr with the right exit code, and nothing on stdout."""

import errno
import subprocess
import sys

import click
import pytest
from click.testing import CliRunner

from qdtm.cli.failure import debug_option
from qdtm.cli.main import CommandGroup
from qdtm.errors import CorpusError


def run_raising(error, *args):
    @click.command()
    @debug_option
    def fail():
        raise error

    group = CommandGroup("qdtm")
    group.add_command(fail)
    return CliRunner().invoke(group, ["fail", *args])


@pytest.mark.parametrize(
    ("error", "code", "line"),
    [
        (CorpusError("no such \x1b[31mfile\nhere"), 2, "qdtm: no such file here"),
        (click.UsageError("bad option."), 2, "qdtm: bad option. See 'qdtm fail --help'."),
        (click.FileError("a.csv", "gone"), 2, "qdtm: Could not open file 'a.csv': gone"),
        (KeyboardInterrupt(), 130, "qdtm: interrupted; nothing was written."),
        (
            MemoryError(),
            2,
            "qdtm: there is not enough memory for this; try a smaller vocabulary (--max-words).",
        ),
        (
            OSError(errno.ENAMETOOLONG, "File name too long", "a" * 500),
            2,
            f"qdtm: cannot use '{'a' * 100}...': File name too long.",
        ),
        (KeyError("x"), 1, "qdtm: unexpected KeyError: 'x'; use --debug to see where."),
    ],
)
def test_one_line_and_a_code(error, code, line):
    result = run_raising(error)
    assert (result.exit_code, result.stdout, result.stderr) == (code, "", line + "\n")


@pytest.mark.parametrize("error", [CorpusError("x"), KeyError("x")])
def test_debug_raises(error):
    assert run_raising(error, "--debug").exception is error


@pytest.mark.parametrize(
    "args", [("--nothing",), ("fot",), ("fit",), ("docs", "x", "-n", "many"), ("docs", "x", "-n", 0)]
)
def test_usage_errors(run, args):
    result = run(*args, code=2)
    assert result.stdout == ""
    assert result.stderr.startswith("qdtm: ")
    assert result.stderr.count("\n") == 1
    assert "--help'" in result.stderr


def test_a_closed_pipe_is_no_error(result):
    """As in `qdtm docs RESULT | head -0`: quiet, with the exit code of a program that SIGPIPE ends."""
    code = (
        "import os, sys; reader, writer = os.pipe(); os.close(reader); os.dup2(writer, 1); "
        "from qdtm.cli.main import main; main()"
    )
    command = [sys.executable, "-c", code, "docs", str(result), "--json"]
    done = subprocess.run(command, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr) == (141, "")
