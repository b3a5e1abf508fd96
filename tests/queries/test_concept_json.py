import json

import pytest

from qdtm.errors import StorageError
from qdtm.queries import Query, build_concepts, concept_from_json, concept_to_json


@pytest.fixture
def concepts(news):
    queries = [
        Query("econom* -cricket", name="money", rule="or", add=["oil"], drop=["price"]),
        {"sport": ["goal", "tenis", "footbal", "hockey"]},
        "middle east palestinean",
    ]
    return build_concepts(news, queries, refuse=False)


def test_concepts_come_back_equal(concepts):
    for concept in concepts:
        saved = json.dumps(concept_to_json(concept), allow_nan=False)
        assert concept_from_json(json.loads(saved)) == concept


@pytest.mark.parametrize(
    "damage", ["missing", "extra", "wrong kind", "wrong query", "no mapping", "no word", "NaN"]
)
def test_damage_is_one_line(concepts, damage):
    values = json.loads(json.dumps(concept_to_json(concepts[0])))
    if damage == "missing":
        del values["check"]
    elif damage == "extra":
        values["words"][0]["colour"] = "red"
    elif damage == "wrong kind":
        values["words"] = 7
    elif damage == "wrong query":
        values["query"]["rule"] = "xor"
    elif damage == "no word":
        values["words"][0]["word"] = ["fire"]
    elif damage == "NaN":
        values["words"][0]["score"] = float("nan")
    else:
        values = []
    with pytest.raises(StorageError, match="A saved concept is damaged"):
        concept_from_json(values)
