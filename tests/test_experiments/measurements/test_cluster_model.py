"""What a document costs while evidence is learned in parts is measured, and more documents cost more."""

import pytest

pytest.importorskip("ray")

from experiments.measurements.cluster import measure_looking


def test_looking_at_documents_costs_time_and_bytes():
    cost = measure_looking(400, n_words=300, n_topics=4)
    assert cost.section > 0
    assert cost.driver > 0
    assert cost.received > 8 * 400 * 10  # ten looks at least
