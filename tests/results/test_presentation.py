"""The user's names for topics."""

from dataclasses import replace

import pytest

from qdtm.errors import ParameterError
from qdtm.results.fit import Presentation, checked_labels
from qdtm.results.topics import build_topics

IDS = ["0", "0.1", "0.2", "b1"]


def test_labels_are_one_line_of_text():
    assert checked_labels({"0.1": " the \n Ashes ", "b1": None}, IDS) == {"0.1": "the Ashes", "b1": ""}


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ({"0.11": "x"}, "no topic '0.11'.*Closest: '0.1'"),
        ({"0.1": 3}, "label of topic '0.1' is 3"),
        ({"0.1": "x" * 201}, "201 characters"),
        (["a", "b"], "give {topic id: label}"),
    ],
)
def test_bad_labels(labels, message):
    with pytest.raises(ParameterError, match=message):
        checked_labels(labels, IDS)


def test_topics_carry_their_labels(fit):
    shown = Presentation({"0": "the game", "0.2": "rain", "b2": "rest"})
    parents, background = build_topics(replace(fit, presentation=shown))
    assert (parents[0].name, parents[0].label) == ("the game", "the game")
    assert parents[0].subtopics[1].name == parents[0].subtopics[1].short_name == "rain"
    first = parents[0].subtopics[0]
    assert first.name == f"cricket: {first.short_name}"
    assert set(first.short_name.split(", ")) <= {word for word, _ in first.top_words(20)}
    assert [topic.name for topic in background] == ["background 1", "rest"]
