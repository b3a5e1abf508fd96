import pytest

from qdtm.evaluation.datasets.treebank import treebank_words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a dog, a cat: two (2) pets!", ["a", "dog", "a", "cat", "two", "2", "pets"]),
        ("well-known and/or comp.graphics don_t", ["don_t"]),
        ("It's theirs, isn't it? They'll go.", ["It", "theirs", "is", "it", "They", "go"]),
        ("players' 'quoted' word", ["players", "word"]),
        ("at 10:30, 5,000 paid $20; 50% left", ["at", "paid", "20", "50", "left"]),
        ("mail me@home now...then -- end.", ["mail", "me", "home", "now", "then", "end"]),
        ("one\ntwo.\nthree.", ["one", "two", "three"]),
        ("", []),
    ],
)
def test_plain_words(text, words):
    assert treebank_words(text) == words
