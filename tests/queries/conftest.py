"""A stand-in for a corpus: just what a query needs of one."""

import numpy as np
import pytest
from scipy import sparse

STOP_WORDS = frozenset({"the", "of", "for", "and"})


class WordPipeline:
    """Split at spaces, lower case, no stop words, numbers or single letters."""

    def __call__(self, text):
        words = (word.strip(".,") for word in text.lower().split())
        return [w for w in words if w not in STOP_WORDS and not w.isnumeric() and len(w) > 1]

    def is_stop_word(self, token):
        return token.lower() in STOP_WORDS


class SmallCorpus:
    """Documents as a matrix, words in alphabetical order."""

    def __init__(self, texts, vocabulary=None):
        self.pipeline = WordPipeline()
        documents = [self.pipeline(text) for text in texts]
        self.vocabulary = tuple(vocabulary or sorted({word for words in documents for word in words}))
        self.word_index = {word: w for w, word in enumerate(self.vocabulary)}
        rows = [[self.word_index[word] for word in words if word in self.word_index] for words in documents]
        self.tokens = np.array([w for row in rows for w in row], np.int32)
        self.offsets = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64)
        counts = np.zeros((len(texts), len(self.vocabulary)), dtype=np.int32)
        for j, words in enumerate(documents):
            for word in words:
                if word in self.word_index:
                    counts[j, self.word_index[word]] += 1
        self.document_term_matrix = sparse.csr_array(counts)

    def indices(self, *words):
        return tuple(self.word_index[word] for word in words)


@pytest.fixture
def corpus_of():
    """Return a function from texts to a corpus."""
    return lambda *texts, **options: SmallCorpus(texts, **options)


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
    return SmallCorpus(east + sport + economy)
