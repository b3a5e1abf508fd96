"""Small corpora of words, without texts and without limits to the vocabulary."""

import numpy as np
import pytest

from qdtm.corpus import Corpus, TextPipeline, VocabularyLimits
from qdtm.corpus.document_store import MemoryDocuments

STOP_WORDS = frozenset({"the", "of", "for", "and"})


PIPELINE = TextPipeline(
    language=None,
    strip_markup=False,
    stop_words=STOP_WORDS,
    lemmatizer=None,
    limits=VocabularyLimits.unlimited(),
    phrases=False,
)


def small_corpus(*texts, vocabulary=None):
    """Make a corpus of ready tokens, with a vocabulary that may have more or fewer words than they have."""
    documents = [PIPELINE(text) for text in texts]
    vocabulary = tuple(vocabulary or sorted({word for words in documents for word in words}))
    documents = [[word for word in words if word in vocabulary] for words in documents]
    tokens = np.array([vocabulary.index(word) for words in documents for word in words], np.int32)
    offsets = np.concatenate([[0], np.cumsum([len(words) for words in documents])])
    return Corpus(vocabulary, tokens, offsets, MemoryDocuments(documents), PIPELINE)


@pytest.fixture
def corpus_of():
    """Return a function from texts to a corpus."""
    return small_corpus


@pytest.fixture
def news():
    """Twenty small documents on three matters."""
    east = [
        "middle east peace israel palestinian talks",
        "israel palestinian east middle attack",
        "middle east israel army",
        "east middle israel peace peace",
        "middle east oil economy",
        "israel palestinian peace talks army attack",
    ]
    sport = [
        "cricket test match australia batsman",
        "cricket match wicket bowler australia",
        "cricket test wicket batsman batsman",
        "football match australia",
        "cricket bowler wicket australia match",
        "hockey match goal goal",
        "football goal match player",
    ]
    economy = [
        "economy bank market economic growth",
        "economist market growth bank shares",
        "bank shares market economy",
        "economic growth market australia",
        "oil market price shares",
        "bank price oil economy economic",
        "the of for and",
    ]
    return small_corpus(*east, *sport, *economy)
