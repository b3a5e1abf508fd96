"""Topics over time and by group: documents as counted by hand, intervals that hold them, nothing lost."""

import numpy as np
import pytest

from qdtm.errors import ParameterError
from qdtm.results.result import Result
from qdtm.results.trends import share_interval, topics_over_time, topics_per_class

from .synthetic import make_corpus, make_fit, opened


@pytest.fixture(scope="module")
def result(fit, corpus):
    return Result(fit, corpus)


def by_hand(result, rows, q):
    """How many of some documents are about query q: from the cut-off up."""
    relevance = result.relevance(q)
    return int((relevance.scores[rows] >= relevance.cutoff).sum())


def test_documents_from_the_cutoff_up_are_counted(result):
    trends = topics_over_time(result, "year", "year")
    assert trends.bins == ("2000", "2001", "2002")
    assert trends.n_documents.tolist() == [4, 3, 3]
    for q in range(2):
        column = trends.topics.index(str(q))
        expected = [by_hand(result, np.arange(b, 10, 3), q) for b in range(3)]
        assert trends.about[:, column].tolist() == expected
        np.testing.assert_allclose(trends.share[:, column], np.array(expected) / [4, 3, 3])
        assert trends.about[:, column].sum() == result.relevance(q).n_listed
    assert (trends.low <= trends.share + 1e-12).all()
    assert (trends.share <= trends.high + 1e-12).all()


def test_a_group_without_a_document_about_it_has_none(result):
    about = result.relevance(0).about
    assert 0 < about.sum() < len(about)
    trends = topics_per_class(result, np.where(about, "in", "out").tolist())
    share = dict(zip(trends.bins, trends.share[:, 0], strict=True))
    assert share == {"in": 1.0, "out": 0.0}
    out = trends.bins.index("out")
    assert not trends.about[out, :3].any()
    assert not trends.low[out, :3].any()


def test_subtopics_have_the_documents_whose_main_subtopic_they_are(result):
    trends = topics_over_time(result, "year", "year")
    assert trends.topics == ("0", "0.1", "0.2", "1", "1.1", "1.2", "1.3")
    scores = result.scores(1)
    for s in range(3):
        expected = [(scores.main[np.arange(b, 10, 3)] == s).sum() for b in range(3)]
        assert trends.about[:, trends.topics.index(f"1.{s + 1}")].tolist() == expected
    assert (trends.about[:, 4:].sum(axis=1) <= trends.about[:, 3]).all()


def test_the_interval_holds_the_sum_of_relevances(result):
    trends = topics_per_class(result, ["all"] * 10)
    for q in range(2):
        column = trends.topics.index(str(q))
        mean = result.relevance(q).scores.mean()
        assert trends.low[0, column] < mean < trends.high[0, column]


def test_the_interval_is_wilsons_where_relevances_are_certain():
    about = np.array([[0.0], [5.0], [10.0]])
    share, low, high = share_interval(about, about, about, np.array([[10], [10], [10]]))
    np.testing.assert_allclose(share[:, 0], [0.0, 0.5, 1.0])
    np.testing.assert_allclose(low[:, 0], [0.0, 0.2366, 0.7225], atol=1e-4)  # as in Newcombe (1998)
    np.testing.assert_allclose(high[:, 0], [0.2775, 0.7634, 1.0], atol=1e-4)


def test_doubt_about_relevance_widens_the_interval():
    n = np.array([[100]])
    certain = share_interval(*(np.array([[20.0]]),) * 3, n)
    doubtful = share_interval(np.array([[20.0]]), np.array([[12.0]]), np.array([[31.0]]), n)
    assert doubtful[0] == certain[0]
    assert doubtful[1] < certain[1]
    assert doubtful[2] > certain[2]


def test_a_subtopic_has_the_documents_of_those_below_it(fit, corpus):
    deep = Result(opened(fit, corpus, "1.2"), corpus)
    trends = topics_per_class(deep, ["all"] * 10)
    about = dict(zip(trends.topics, trends.about[0], strict=True))
    assert about["1.2"] >= about["1.2.1"] + about["1.2.2"]
    assert about["1.2"] == topics_per_class(Result(fit, corpus), ["all"] * 10).about[0, 5] > 0


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


def test_a_few_old_documents_do_not_make_decades_of_the_others(result):
    assert topics_over_time(result, ["1963"] + ["2001"] * 4 + ["2020"] * 5).bins[0] == "1963"
    assert topics_over_time(result, ["1863"] + ["2001"] * 9).bins[0] == "1860s"


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
    assert list(frame.columns) == [
        "bin",
        "start",
        "topic",
        "name",
        "n_documents",
        "about",
        "share",
        "low",
        "high",
    ]
    assert len(frame) == 3 * 7
    assert "start" not in topics_per_class(result, "year").to_frame()
