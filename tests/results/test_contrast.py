"""Two queries held against each other: the formula, the sides, and what refuses to be compared."""

import json
from dataclasses import replace

import numpy as np
import pytest

from qdtm.errors import QueryError
from qdtm.results.contrast import SURE, closest_pairs, contrast_queries, contrast_words, weighted_log_odds
from qdtm.results.result import Result
from qdtm.results.storage import save_model

from .synthetic import make_corpus, make_fit


@pytest.fixture(scope="module")
def result():
    """Two queries that share few words, and counts large enough to be sure of some."""
    corpus = make_corpus()
    fit = make_fit(corpus)
    return Result(replace(fit, word_topic=fit.word_topic * 40), corpus)


def test_the_formula_by_hand():
    n_a, n_b, prior = np.array([8.0, 1.0]), np.array([2.0, 4.0]), np.array([1.0, 1.0])
    log_odds, error = weighted_log_odds(n_a, n_b, prior)
    assert log_odds[0] == pytest.approx(np.log(9 / 2) - np.log(3 / 5))
    assert error[0] == pytest.approx(np.sqrt(1 / 9 + 1 / 3))
    np.testing.assert_allclose(weighted_log_odds(n_b, n_a, prior)[0], -log_odds)


def test_words_are_on_the_side_that_has_more_of_them(result):
    found = contrast_queries(result, "cricket", "fire")
    assert found.left_words
    assert found.right_words
    for word in found.left_words:
        assert word.z > SURE
        assert word.n_left > word.n_right
    for word in found.right_words:
        assert word.z < -SURE
    z = [word.z for word in found.left_words]
    assert z == sorted(z, reverse=True)
    assert "cricket" in [word.word for word in found.left_words]
    assert "fire" in [word.word for word in found.right_words]


def test_turned_round_it_is_the_same(result):
    one, other = contrast_queries(result, 0, 1), contrast_queries(result, 1, 0)
    assert {w.word for w in one.left_words} == {w.word for w in other.right_words}
    assert (one.n_left, one.n_right, one.n_both) == (other.n_right, other.n_left, other.n_both)
    assert one.overlap == pytest.approx(other.overlap)
    assert {near.id for near in one.left_subtopics} == {near.id for near in other.right_subtopics}


def test_documents_are_of_one_of_the_other_or_of_both(result):
    found = contrast_queries(result, 0, 1, n_documents=99)
    left, right = (result.relevance(q).about for q in (0, 1))
    assert {d.index for d in found.left_documents} == set(np.flatnonzero(left & ~right).tolist())
    assert {d.index for d in found.right_documents} == set(np.flatnonzero(right & ~left).tolist())
    assert {d.index for d in found.both_documents} == set(np.flatnonzero(left & right).tolist())
    assert (found.n_left, found.n_both) == (len(found.left_documents), len(found.both_documents))


def test_little_evidence_is_not_certain(result):
    thin = replace(result.fit, word_topic=result.fit.word_topic / 400)
    assert not contrast_queries(Result(thin, result.corpus), 0, 1).left_words
    assert len(contrast_words(result, 0, 1)) <= len(result.fit.vocabulary)


def test_words_overlap_no_more_where_topics_are_rare(result):
    rare = Result(replace(result.fit, word_topic=result.fit.word_topic / 400), result.corpus)
    overlap = contrast_queries(result, 0, 1).overlap
    assert overlap == pytest.approx(contrast_queries(rare, 0, 1).overlap)
    shares = result.fit.word_topic[:, :2] / result.fit.word_topic[:, :2].sum(axis=0)
    assert overlap == pytest.approx(np.sqrt(shares.prod(axis=1)).sum(), abs=1e-6)


def test_subtopics_name_the_nearest_on_the_other_side(result):
    found = contrast_queries(result, 0, 1)
    assert {near.id for near in found.left_subtopics} == {"0.1", "0.2"}
    overlaps = [near.overlap for near in found.left_subtopics]
    assert overlaps == sorted(overlaps, reverse=True)
    assert all(near.nearest.startswith("1.") and 0 <= near.overlap <= 1 for near in found.left_subtopics)
    assert list(closest_pairs(result)) == [(0, 1)]


@pytest.mark.parametrize(("left", "right"), [("cricket", "cricket"), ("cricket", "rain"), (0, 0)])
def test_what_cannot_be_contrasted_is_said(result, left, right):
    with pytest.raises(QueryError):
        contrast_queries(result, left, right)


def test_on_the_command_line_and_in_the_report(result, tmp_path):
    from click.testing import CliRunner

    from qdtm.cli.main import cli
    from qdtm.present.report import render_report

    save_model(tmp_path / "m", result.fit, result.corpus)
    run = CliRunner().invoke(cli, ["contrast", str(tmp_path / "m"), "cricket", "1", "--json"])
    assert run.exit_code == 0, run.output
    described = json.loads(run.stdout)
    assert (described["left"], described["right"]) == ("cricket", "fire")
    shown = CliRunner().invoke(cli, ["contrast", str(tmp_path / "m"), "cricket", "fire"])
    assert "cricket  and not 'fire'" in shown.stdout
    assert CliRunner().invoke(cli, ["contrast", str(tmp_path / "m"), "cricket", "rain"]).exit_code == 2
    page = render_report(result)
    assert 'id="contrasts"' in page


def test_the_figure_draws_both_sides(result):
    pytest.importorskip("plotly", reason="plotly is not installed")
    from qdtm.present.figures import contrast

    bars = contrast(result, 0, 1).data[0]
    assert min(bars.x) < 0 < max(bars.x)
    assert len(bars.error_x.array) == len(bars.x)
