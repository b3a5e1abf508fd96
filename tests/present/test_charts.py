"""Drawings: names on a map do not cover each other, lines have gaps where values are missing."""

import numpy as np

from qdtm.present.charts import line_chart, map_subtopics
from qdtm.results.result import Result
from results.synthetic import make_corpus, make_fit


def test_nothing_on_a_map_covers_another():
    corpus = make_corpus()
    topics = Result(make_fit(corpus, n_subtopics=(12, 1)), corpus).topics
    drawn = map_subtopics(topics[0].subtopics)
    boxes = []
    for disc in drawn.discs:
        aside = max(disc.radius, 3.8 * len(disc.name))
        box = (disc.x - aside, disc.x + aside, disc.y - disc.radius, disc.y + disc.radius + 20)
        assert box[0] >= 0
        assert box[1] <= drawn.width
        assert box[2] >= 0
        assert box[3] <= drawn.height
        boxes.append(box)
    for i, a in enumerate(boxes):
        for b in boxes[:i]:
            assert a[1] <= b[0] or b[1] <= a[0] or a[3] <= b[2] or b[3] <= a[2]
    assert map_subtopics(topics[1].subtopics) is None


def test_a_line_with_a_gap_and_a_lone_point():
    values = np.array([0.1, 0.2, np.nan, 0.4])
    chart = line_chart(
        values, low=values - 0.05, high=values + 0.05, x_names=["a", "b", "c", "d"], percent=True
    )
    assert chart.line.count("M") == 1
    assert len(chart.dots) == 1
    assert [name for _, _, name in chart.x_labels] == ["a", "d"]


def test_nothing_to_draw():
    for values in (np.zeros(0), np.full(3, np.nan), np.ones(1)):
        assert line_chart(values).width > 0
