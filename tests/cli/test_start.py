"""`qdtm --help` is instant because nothing heavy is imported before a command runs."""

import subprocess
import sys

import pytest

HEAVY = ("numpy", "scipy", "numba", "sklearn", "gensim", "pandas", "rich", "qdtm.corpus", "qdtm.results")


def test_nothing_heavy_is_imported():
    code = f"import sys, qdtm.cli.main; print([name for name in {HEAVY} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_what_only_reads_a_result_loads_neither_the_estimator_nor_the_sampler(result, tmp_path):
    commands = [
        *(["show"], ["docs"], ["explain", "--doc", "n1"], ["contrast", "fire", "cricket match"]),
        *(["compare", str(result)], ["export", "-o", str(tmp_path / "out")]),
    ]
    code = f"""
import sys
from click.testing import CliRunner
from qdtm.cli.main import cli

for name, *options in {commands}:
    done = CliRunner().invoke(cli, [name, {str(result)!r}, *options])
    found = [module for module in ("sklearn", "numba", "gensim", "qdtm.model") if module in sys.modules]
    assert done.exit_code == 0 and not found, (name, found, done.output)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_help_lists_the_commands_in_the_order_of_work(run):
    lines = run("--help").stdout.split("Commands:")[1].splitlines()
    assert [line.split()[0] for line in lines if line.strip()] == [
        *("demo", "index", "concepts", "kwic", "fit", "show", "docs", "explain", "check", "correct"),
        "codes",
        *("drill", "add", "contrast", "compare", "name", "report", "export", "transform", "app"),
    ]
    assert run().stdout == run("-h").stdout


@pytest.mark.parametrize("command", ["demo", "index", "concepts", "fit", "show", "docs", "transform"])
def test_every_command_has_help_json_and_debug(run, command):
    text = run(command, "--help").stdout
    assert "--json" in text
    assert "--debug" in text


def test_version(run):
    import qdtm

    assert run("--version").stdout.strip() == f"qdtm, version {qdtm.__version__}"
