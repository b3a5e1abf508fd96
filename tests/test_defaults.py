"""What is documented of parameters and their defaults is what is coded: docstrings, pages, commands."""

from __future__ import annotations

import dataclasses
import inspect
import re
from pathlib import Path

import click
import pytest

from qdtm import QueryDrivenTopicModel, TextPipeline
from qdtm.cli.fit import _model_parameters, fit
from qdtm.cli.main import cli
from qdtm.cli.query_options import query_parameters
from qdtm.corpus import VocabularyLimits
from qdtm.queries.selection import MIN_PRECISION
from qdtm.settings import JOINING, SCHEDULES

DOCS = Path(__file__).parents[1] / "docs"
CODED = {
    name: parameter.default
    for name, parameter in inspect.signature(QueryDrivenTopicModel).parameters.items()
    if name != "queries"
}
OF_TEXTS = {
    each.name: each.default if each.default is not dataclasses.MISSING else each.default_factory()
    for kind in (TextPipeline, VocabularyLimits)
    for each in dataclasses.fields(kind)
}


def documented(docstring: str, section: str) -> dict[str, str]:
    """The names of a section of a numpydoc docstring, each with its text."""
    body = re.search(rf"^{section}\n-+\n(.*?)(?=^\w+\n-+\n|\Z)", inspect.cleandoc(docstring), re.M | re.S)
    entries = re.split(r"^(\w[\w, ]*) : (.*)\n", body[1], flags=re.M)[1:]
    named = zip(entries[::3], entries[2::3], strict=True)
    return {name: " ".join(text.split()) for names, text in named for name in names.split(", ")}


def test_the_docstring_has_every_parameter_in_order_and_no_other() -> None:
    assert list(documented(QueryDrivenTopicModel.__doc__, "Parameters")) == ["queries", *CODED]


@pytest.mark.parametrize("kind", [TextPipeline, VocabularyLimits])
def test_so_do_those_of_texts(kind: type) -> None:
    assert list(documented(kind.__doc__, "Parameters")) == [each.name for each in dataclasses.fields(kind)]


def test_numbers_of_the_docstring_are_those_of_the_code() -> None:
    text = documented(QueryDrivenTopicModel.__doc__, "Parameters")
    least, most = SCHEDULES["default"]
    assert f"by default {least} and {most} ({SCHEDULES['paper'][1]:,} with" in text["max_sweeps"]
    assert f"{JOINING[0]} and {JOINING[1]} for queries that join" in text["max_sweeps"]
    assert text["min_precision"].endswith(f"else {MIN_PRECISION}.")
    limits = documented(VocabularyLimits.__doc__, "Parameters")
    assert '`"auto"` is 3, relaxed for small corpora: 1 below 50 documents, 2 below 100.' in limits["min_df"]
    assert [VocabularyLimits().document_range(n)[0] for n in (49, 50, 99, 100)] == [1, 2, 2, 3]


def test_a_command_without_options_fits_the_estimator_without_arguments() -> None:
    context = fit.make_context("fit", ["texts.csv", "-q", "fire", "-o", "out"])
    given = query_parameters(context.params, 1) | _model_parameters(context.params)
    all_cores = {"n_jobs": -1}
    assert set(given) <= set(CODED)
    assert {name: given[name] for name in given if given[name] != CODED[name]} == all_cores


def options_with_defaults() -> list[tuple[str, str, str]]:
    """Every option of any command whose help ends in what it is if not given."""
    return [
        (command.name, option.name, found[1])
        for command in cli.commands.values()
        for option in command.params
        if isinstance(option, click.Option) and (found := re.search(r"  \[([^\]]*)\]$", option.help or ""))
    ]


def test_defaults_that_help_writes_out_are_those_of_the_code() -> None:
    seen = set()
    for command, name, written in options_with_defaults():
        if name in OF_TEXTS:
            assert written == str(OF_TEXTS[name]), (command, name)
            seen.add(name)
        elif command in ("fit", "concepts") and name == "rule":
            assert written == CODED["rule"]
            seen.add(name)
    assert seen == {"language", "min_df", "max_df", "max_words", "rule"}


def test_tables_of_the_pages_have_the_defaults_of_the_code() -> None:
    seen = set()
    for page in sorted(DOCS.rglob("*.md")):
        for table in re.findall(
            r"^\| \w+ \| default \|.*\n\|[-| ]+\|\n((?:\|.*\n)+)", page.read_text(), re.M
        ):
            for name, cell in re.findall(r"^\| `(\w+)` \| (.*?) \|", table, re.M):
                assert cell.replace("`", "").replace(",", "").startswith(_written(OF_TEXTS[name])), (
                    page,
                    name,
                )
                seen.add(name)
    assert seen == set(OF_TEXTS)


def _written(default: object) -> str:
    if isinstance(default, VocabularyLimits):
        return "VocabularyLimits()"
    return f'"{default}"' if isinstance(default, str) else str(default)
