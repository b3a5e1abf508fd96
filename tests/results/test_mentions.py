import pytest

from qdtm.corpus import Corpus
from qdtm.queries import check_query
from qdtm.results.passages import LONGEST, mentions_of

FILLING = "The town was quiet all the day. " * 8
TEXTS = [
    f"{FILLING}They spoke of cricket. {FILLING}",
    f"{FILLING}The market was open. The stock market was not. {FILLING}",
    FILLING + "word " * 100 + "zebras " + "word " * 100,
    f"{FILLING}A second reading of the amendment. {FILLING}",
]


@pytest.fixture(scope="module")
def corpus():
    return Corpus.from_texts(TEXTS, ids=["a", "b", "c", "d"])


@pytest.mark.parametrize(
    ("query", "document", "passage"),
    [
        ("cricket", "a", "They spoke of cricket."),
        ("stock market", "b", "The stock market was not."),
        ('"stock market"', "b", "The stock market was not."),
        ("second amendment", "d", "A second reading of the amendment."),
    ],
)
def test_the_sentence_that_mentions_a_query(corpus, query, document, passage):
    (mention,) = mentions_of(check_query(corpus, query), corpus)
    assert (mention.id, mention.passage) == (document, passage)


def test_a_long_passage_is_cut(corpus):
    (mention,) = mentions_of(check_query(corpus, "zebra"), corpus)
    assert mention.index == 2
    assert "zebras" in mention.passage
    assert mention.passage.startswith("… ")
    assert len(mention.passage) <= LONGEST + 4
    assert set(mention.passage.split()) == {"…", "word", "zebras"}


def test_a_gap_between_passages_is_marked_once():
    texts = [f"The queen {'stayed away, ' * 20}as ever. {FILLING}It was the king's {'own, ' * 30}hat."]
    corpus = Corpus.from_texts([*texts, FILLING])
    (mention,) = mentions_of(check_query(corpus, "queen hat"), corpus)
    assert mention.passage.count("…") == 2
    assert "… …" not in mention.passage
