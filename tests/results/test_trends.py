"""Topics over time and by group: shares as counted by hand, intervals that hold them, nothing lost."""

import numpy as np
import pytest

from qdtm.errors import ParameterError
from qdtm.results.result import Result
from qdtm.results.trends import topics_over_time, topics_per_class

from .synthetic import make_corpus, make_fit, opened


@pytest.fixture(scope="module")
def result(fit, corpus):
    return Result(fit, corpus)


def by_hand(result, rows, q):
    """The share of some documents that is about query q."""
    return float(result.fit.scored.relevance[rows, q].mean())


def test_shares_by_year(result):
    trends = topics_over_time(result, "year", "year")
    assert trends.bins == ("2000", "2001", "2002")
    assert trends.n_documents.tolist() == [4, 3, 3]
    for b in range(3):
        rows = np.arange(b, 10, 3)
        assert trends.share[b, 0] == pytest.approx(by_hand(result, rows, 0))
        assert trends.share[b, trends.topics.index("1")] == pytest.approx(by_hand(result, rows, 1))
    assert (trends.low <= trends.share + 1e-12).all()
    assert (trends.share <= trends.high + 1e-12).all()


def test_subtopics_have_the_documents_whose_main_subtopic_they_are(result):
    trends = topics_over_time(result, "year", "year")
    assert trends.topics == ("0", "0.1", "0.2", "1", "1.1", "1.2", "1.3")
    scores = result.scores(1)
    for s in range(3):
        mine = np.where(scores.main == s, scores.relevance, 0.0)
        expected = [mine[np.arange(b, 10, 3)].mean() for b in range(3)]
        np.testing.assert_allclose(trends.share[:, trends.topics.index(f"1.{s + 1}")], expected)
    assert (trends.share[:, 4:].sum(axis=1) <= trends.share[:, 3] + 1e-12).all()


def test_a_subtopic_has_the_documents_of_those_below_it(fit, corpus):
    deep = Result(opened(fit, corpus, "1.2"), corpus)
    trends = topics_per_class(deep, ["all"] * 10)
    share = dict(zip(trends.topics, trends.share[0], strict=True))
    assert share["1.2"] >= share["1.2.1"] + share["1.2.2"] - 1e-12
    assert share["1.2"] == pytest.approx(topics_per_class(Result(fit, corpus), ["all"] * 10).share[0, 5])


def test_the_same_seed_gives_the_same_interval(result):
    first, again = (topics_over_time(result, "year", "decade", random_state=3) for _ in range(2))
    np.testing.assert_array_equal(first.low, again.low)
    other = topics_over_time(result, "year", "decade", random_state=4)
    assert (first.low != other.low).any()


@pytest.mark.parametrize(
    ("bins", "names"),
    [
        ("day", ["2001-01-30", "2001-01-31", "2001-02-01"]),
        ("week", ["2001-01-29"]),
        ("month", ["2001-01", "2001-02"]),
        ("quarter", ["2001 Q1"]),
        ("year", ["2001"]),
        ("decade", ["2000s"]),
        (2, ["2001-01-30", "2001-02-01"]),
    ],
)
def test_periods(result, bins, names):
    dates = ["2001-01-30"] * 5 + ["2001-02-01"] * 5
    trends = topics_over_time(result, dates, bins)
    assert list(trends.bins) == names
    assert trends.n_documents.sum() == 10


def test_an_empty_period_is_a_gap(result):
    trends = topics_over_time(result, ["2001"] * 5 + ["2003"] * 5, "year")
    assert trends.n_documents.tolist() == [5, 0, 5]
    assert np.isnan(trends.share[1]).all()


def test_missing_dates_are_left_out_and_counted(result):
    dates = ["2001", "", "soon", None, *["2002"] * 6]
    trends = topics_over_time(result, dates)
    assert trends.n_left_out == 3
    assert trends.n_documents.sum() == 7


def test_groups_largest_first_and_small_ones_together():
    texts = [f"fire wind {'cricket' * (j % 2)} match" for j in range(60)]
    corpus = make_corpus(texts)
    result = Result(make_fit(corpus, queries=["fire"], n_subtopics=(2,)), corpus)
    groups = ["big"] * 30 + [f"small {j}" for j in range(25)] + [""] * 5
    trends = topics_per_class(result, groups)
    assert trends.bins[0] == "big"
    assert trends.bins[-1] == "(other)"
    assert len(trends.bins) == 21
    assert trends.n_documents.sum() == 55
    assert trends.n_left_out == 5


def test_many_documents_are_put_together_without_changing_shares(monkeypatch, result):
    exact = topics_per_class(result, "year")
    monkeypatch.setattr("qdtm.results.trends.MAX_GROUPS", 2)
    grouped = topics_per_class(result, "year")
    np.testing.assert_allclose(grouped.share, exact.share)


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda r: topics_over_time(r), "There are no timestamps"),
        (lambda r: topics_over_time(r, "yeer"), "Closest: 'year'"),
        (lambda r: topics_over_time(r, "year", "fortnight"), "bins is 'fortnight'"),
        (lambda r: topics_over_time(r, "year", 0), "bins is 0"),
        (lambda r: topics_over_time(r, ["2001"]), "1 timestamps for 10 documents"),
        (lambda r: topics_over_time(r, ["0001-01-01", *["2001"] * 9], "day"), "periods"),
        (lambda r: topics_over_time(r, ["x"] * 10), "No date"),
        (lambda r: topics_per_class(r, [""] * 10), "is empty"),
    ],
)
def test_bad_input(result, ask, message):
    with pytest.raises(ParameterError, match=message):
        ask(result)


def test_as_a_table(result):
    frame = topics_over_time(result, "year").to_frame()
    assert list(frame.columns) == ["bin", "start", "topic", "name", "n_documents", "share", "low", "high"]
    assert len(frame) == 3 * 7
    assert "start" not in topics_per_class(result, "year").to_frame()
