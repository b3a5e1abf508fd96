import pytest

from experiments.paper import PRINTED_NAMES
from experiments.systems.registry import ROWS, Row, SystemOptions, make_system, make_systems, rows_of
from qdtm.errors import MissingExtraError, ParameterError


def echo(name, options):
    return (name, options)


def missing(name, options):
    raise MissingExtraError(f"{name} needs a package")


def usual(table):
    return [name for name, row in ROWS.items() if table in row.in_default]


def test_the_papers_rows_are_the_default_and_a_fair_encoder():
    assert "sbert" in usual("table1")
    assert [name for name in usual("table1") if name != "sbert"] == [
        name for name in PRINTED_NAMES if name != "htm"
    ]
    assert usual("table3") == ["htm", "qdtm-kld"]
    assert usual("topics") == ["qdtm-kld"]


def test_a_row_is_found_by_name_and_made_when_asked_for(monkeypatch):
    monkeypatch.setitem(ROWS, "later", Row(f"{__name__}:echo", ("table1",)))
    options = SystemOptions("paper", 5)
    assert rows_of("table1")[-1] == "later"
    assert "later" not in rows_of("table3")
    assert make_systems(("later",), "table1", options) == {"later": ("later", options)}


def test_a_usual_row_that_cannot_be_run_is_left_out_and_a_named_one_refused(monkeypatch):
    rows = {"here": Row(f"{__name__}:echo", ("table1",), ("table1",)),
            "away": Row(f"{__name__}:missing", ("table1",), ("table1",))}  # fmt: skip
    monkeypatch.setattr("experiments.systems.registry.ROWS", rows)
    with pytest.warns(UserWarning, match="The row 'away' is left out. away needs a package"):
        assert list(make_systems((), "table1", SystemOptions())) == ["here"]
    with pytest.raises(MissingExtraError):
        make_systems(("away",), "table1", SystemOptions())


def test_an_unknown_row_is_refused_with_the_known_ones():
    with pytest.raises(ParameterError, match=r"table3 has no row 'lada'. Choose one of htm, htm-gamma-1"):
        make_system("lada", "table3", SystemOptions())
