import pytest

from qdtm.corpus import Corpus, TextPipeline
from qdtm.queries.text_search import TextSearch


def search_of(texts, **pipeline):
    return TextSearch.of(Corpus.from_texts(texts, pipeline=TextPipeline(**pipeline)))


@pytest.fixture(scope="module")
def search():
    texts = ["The mice of the town ran to the women's house in 2019."] * 4
    return search_of([*texts, "A mouse; a WOMAN; the second.", "Of seconds, 2019a and houses.", ""])


def test_words_keep_their_order_and_lose_their_number(search):
    assert search.words("The Mice’s women's HOUSES, in 2019!") == [
        "the",
        "mouse",
        "woman",
        "house",
        "in",
        "2019",
    ]


@pytest.mark.parametrize(
    ("word", "documents"),
    [
        ("mouse", [0, 1, 2, 3, 4]),
        ("Mice", [0, 1, 2, 3, 4]),
        ("second", [4, 5]),
        ("2019", [0, 1, 2, 3]),
        ("cat", []),
        ("мышь", []),
    ],
)
def test_documents_with_a_word(search, word, documents):
    assert search.documents_with(word).tolist() == documents
    assert search.documents_with(word) is search.documents_with(word)


def test_frequent_stop_words_connect(search):
    assert search.is_connective("The")
    assert not search.is_connective("third")
    assert search.has_texts


def test_ready_tokens_are_no_texts():
    assert not TextSearch.of(Corpus.from_tokens([["mouse", "town"], ["town"]])).has_texts


def test_lemmas_of_ones_own():
    search = search_of(["the running of the dogs", "they ran"], lemmatizer=lambda word: word[:3])
    assert search.words("Runners") == ["run"]
    assert search.documents_with("runner").tolist() == [0]


def test_a_language_without_lemmas():
    search = search_of(["die Häuser und das Haus", "das Hauses"], language="german")
    assert search.documents_with("Haus").tolist() == [0]


def test_words_without_spaces_between_them():
    search = search_of(["气候变化很快", "天气"], language=None, tokenizer=list, min_token_length=1)
    assert search.words("气候") == ["气", "候"]
    assert search.documents_with("候").tolist() == [0]
