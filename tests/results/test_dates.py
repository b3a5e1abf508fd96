"""Dates as people write them."""

import datetime

import numpy as np
import pytest

from qdtm.errors import ParameterError
from qdtm.results.dates import read_dates


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2001-03-04", "2001-03-04"),
        ("2001-03-04T23:10:00Z", "2001-03-04"),
        ("2001-03-04 23:10", "2001-03-04"),
        ("20010304", "2001-03-04"),
        ("2001", "2001-01-01"),
        ("2001-03", "2001-03-01"),
        ("25/04/2001", "2001-04-25"),
        ("04/25/2001 11:30 PM", "2001-04-25"),
        ("25.04.2001", "2001-04-25"),
        ("4 March 2001", "2001-03-04"),
        ("Mar 4, 2001", "2001-03-04"),
        ("Sun, 04 Mar 2001 10:00:00 +0100", "2001-03-04"),
        ("Sun Mar 04 10:00:00 +0000 2001", "2001-03-04"),
        ("983700000", "2001-03-04"),
        (datetime.date(2001, 3, 4), "2001-03-04"),
        (np.datetime64("2001-03-04"), "2001-03-04"),
    ],
)
def test_ways_to_write_a_day(text, day):
    assert str(read_dates([text]).days[0]) == day


def test_missing_and_unreadable_values_are_counted():
    dates = read_dates(["2001-03-04", "", None, float("nan"), "soon", " 2001-03-05 "])
    assert (dates.n_missing, dates.n_unreadable) == (3, 1)
    assert np.isnat(dates.days).tolist() == [False, True, True, True, True, False]


def test_the_column_decides_about_day_and_month():
    assert [str(day) for day in read_dates(["03/04/2001", "25/04/2001"]).days] == ["2001-04-03", "2001-04-25"]
    assert [str(day) for day in read_dates(["03/04/2001", "04/25/2001"]).days] == ["2001-03-04", "2001-04-25"]
    assert str(read_dates(["04/04/2001"]).days[0]) == "2001-04-04"


def test_a_column_that_can_be_read_both_ways_is_asked_about():
    with pytest.raises(ParameterError, match=r"day first or month first .*'03/04/2001'.*date_format"):
        read_dates(["03/04/2001", "05/06/2001"], column="when")
    assert str(read_dates(["03/04/2001"], "%m/%d/%Y").days[0]) == "2001-03-04"


@pytest.mark.parametrize("values", [["soon", "later"], ["", None], []])
def test_no_date_at_all(values):
    with pytest.raises(ParameterError, match="No date in 'when' can be read"):
        read_dates(values, column="when")
