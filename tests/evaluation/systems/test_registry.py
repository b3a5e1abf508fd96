import pytest

from qdtm.errors import ParameterError
from qdtm.evaluation.paper import PRINTED_NAMES
from qdtm.evaluation.systems import ROWS, Row, SystemOptions, make_system, register, rows_of
from qdtm.evaluation.systems.registry import default_rows_of, make_systems


def echo(name, options):
    return (name, options)


@pytest.fixture
def rows(monkeypatch):
    monkeypatch.setattr("qdtm.evaluation.systems.registry.ROWS", dict(ROWS))


def test_the_papers_rows_are_the_default_and_a_fair_encoder():
    usual = default_rows_of("table1")
    assert "sbert" in usual
    assert [name for name in usual if name != "sbert"] == [name for name in PRINTED_NAMES if name != "htm"]
    assert default_rows_of("table3") == ("htm", "qdtm-kld")
    assert default_rows_of("topics") == ("qdtm-kld",)


def test_a_new_row_is_found_by_name_and_made_when_asked_for(rows):
    register(Row("later", f"{__name__}:echo", ("table1",)))
    options = SystemOptions("paper", 5)
    assert rows_of("table1")[-1] == "later"
    assert "later" not in rows_of("table3")
    assert make_systems(("later",), "table1", options) == {"later": ("later", options)}


def test_two_rows_of_one_name_are_refused(rows):
    with pytest.raises(ParameterError, match="row 'qdtm-kld' already"):
        register(Row("qdtm-kld", "x:y", ()))


def test_an_unknown_row_is_refused_with_the_known_ones():
    with pytest.raises(ParameterError, match=r"table3 has no row 'lada'. Choose one of htm, htm-gamma-1"):
        make_system("lada", "table3", SystemOptions())
