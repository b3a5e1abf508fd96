"""A small table of made-up news, a result fitted on it, and a way to run `qdtm` on them."""

import csv

import pytest
from click.testing import CliRunner

from qdtm.cli.main import cli

FIRE = ["Bushfire near the town, firefighters fight the fire in strong wind",
        "A fire burns in the forest and firefighters say the wind is the enemy",
        "Fire crews saved the forest town from the bushfire",
        "Smoke and wind: the fire season starts with a bushfire",
        "Firefighters rest after the fire, the wind has turned",
        "The forest fire burns on, smoke over the town"]  # fmt: skip
SPORT = ["The batsman hit a century in the cricket match",
         "The bowler took five wickets and the cricket match was won",
         "Rain stopped the cricket match, no wicket fell",
         "A century for the captain, the bowler injured, cricket goes on",
         "The captain of the cricket team praised the batsman",
         "Wickets fell and the match was lost by the team"]  # fmt: skip
POLITICS = ["The minister lost the election after the debate in parliament",
            "The election was won by labour, the minister said in parliament",
            "A debate about taxes before the election, the voters decide",
            "Parliament voted on the budget and the taxes of the minister",
            "Voters and taxes: the budget debate goes on in parliament",
            "The labour minister wants a budget for the voters"]  # fmt: skip

TEXTS = [text for three in zip(FIRE, SPORT, POLITICS, strict=True) for text in three]


@pytest.fixture
def run():
    """Return a function that runs `qdtm` and gives its result."""

    def run_qdtm(*args, code=0):
        result = CliRunner().invoke(cli, [str(arg) for arg in args], prog_name="qdtm")
        assert result.exit_code == code, f"{result.exit_code}: {result.output}\n{result.exception!r}"
        return result

    return run_qdtm


def write_csv(path, texts=TEXTS):
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["nr", "title", "body", "year"])
        for number, text in enumerate(texts, start=1):
            writer.writerow([f"n{number}", f"[bold]No. {number}[/bold]", text, 2000 + number % 3])
    return path


@pytest.fixture(scope="session")
def news(tmp_path_factory):
    return write_csv(tmp_path_factory.mktemp("texts") / "news.csv")


@pytest.fixture(scope="session")
def fast():
    """Options that make a fit quick."""
    return ("--text-column", "body", "--max-sweeps", 12, "--min-sweeps", 4)


@pytest.fixture(scope="session")
def result(news, fast, tmp_path_factory):
    """A saved result of two queries."""
    path = tmp_path_factory.mktemp("results") / "result"
    args = ["fit", news, "-q", "fire", "-q", "cricket match", "-o", path, "--id-column", "nr", *fast]
    done = CliRunner().invoke(cli, [str(arg) for arg in args])
    assert done.exit_code == 0, done.output
    return path
