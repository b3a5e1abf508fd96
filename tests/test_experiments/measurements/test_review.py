"""Simulated readers: what they answer, when they stop, and the tables of what they met."""

import json
from dataclasses import asdict

import numpy as np

from experiments.measurements.review import Review, _reached, read_open, read_reviews, tables
from qdtm.results.hand_check import HandCheck, draw_sample
from qdtm.results.hand_check.sample import draw_round

OF = ("corpus", "query", 100, 10)


def test_a_reader_answers_all_and_looks_twice_at_what_does_not_fit():
    relevance = np.concatenate([np.full(20, 0.95), np.full(180, 0.02)])
    truth = np.arange(200) < 20
    check = HandCheck("it", draw_sample(relevance, 0.5, 60))
    right = read_open(check, truth, 0.0, np.random.default_rng(0))
    assert right.open_for() == ()
    assert all(said == truth[row] for row, said in right.said.items())
    wrong = read_open(check, truth, 0.03, np.random.default_rng(0))
    slips = [answer for answer in wrong.answers if answer.before not in (None, answer.about)]
    assert slips
    assert all((answer.about == "yes") == truth[answer.row] for answer in slips)


def test_what_was_read_is_counted_until_the_recall_was_there():
    relevance, truth = np.full(40, 0.5), np.arange(40) < 20
    sample = draw_round(draw_sample(relevance, 0.9, 0), relevance, ranked=[*range(19), 30, 19])
    check = HandCheck("it", sample)
    assert _reached(check.with_answers({row: truth[row] for row in check.open}), truth) == 19


def test_tables_are_made_from_what_was_written(tmp_path):
    reviews = [
        Review(*OF, 0.0, 0, held=(True, True, False, True, True, True)),
        Review(*OF, 0.0, 0, order="qdtm", goal="reached", n_read=25, recall=0.95),
        Review(*OF, 0.0, 0, order="qdtm", goal="certified", n_read=60, n_again=5, recall=0.9),
    ]
    path = tmp_path / "review.json"
    path.write_text(json.dumps([asdict(each) for each in reviews]))
    assert read_reviews(path) == reviews
    text = "\n".join(tables(reviews))
    assert "| 0% | 1 | 50 answers | 1.00 | 1.00 | 0.00 |" in text
    assert "| qdtm | 0% | 1 | 1.00 | 0.250 | 0.250 | 0.000 |" in text
    assert "| qdtm | 0% | 1 | 0.00 | 0.600 | 0.600 | 0.050 |" in text
