"""`python -m experiments`: the list of commands is there at once, and every one of them can be imported."""

import subprocess
import sys
from importlib import import_module
from pathlib import Path

import click
import pytest

from experiments.__main__ import COMMANDS, experiments

ROOT = Path(__file__).parents[2]


def test_the_help_lists_every_command_and_imports_none():
    program = (
        "import sys; from experiments.__main__ import experiments\n"
        "try: experiments(['--help'])\n"
        "finally: assert not {'numpy', 'numba', 'sklearn'} & set(sys.modules), 'heavy'\n"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    for name, entry in COMMANDS.items():
        assert f"  {name} " in done.stdout
        assert entry.about in " ".join(done.stdout.split())


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_says_what_it_does(run, name):
    entry = COMMANDS[name]
    found = getattr(import_module(f"experiments.{entry.module}"), entry.name)
    if not isinstance(found, click.Command):
        pytest.importorskip("ray") if name in ("engines", "cluster-model") else None
    assert f"{name} [" in " ".join(run(name, "--help").stdout.split())


def test_an_unknown_command_is_refused_in_one_line(run):
    assert "No such command 'table2'" in run("table2", code=2).stderr


def test_the_library_never_imports_experiments():
    for path in (ROOT / "src").rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        assert "import experiments" not in text, path
        assert "from experiments" not in text, path


def test_all_commands_are_in_the_group():
    assert experiments.list_commands(None) == list(COMMANDS)
