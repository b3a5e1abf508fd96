"""Small corpora for word vectors."""

import pytest

from qdtm import Corpus


@pytest.fixture
def tokens_of():
    """Return a function from lists of words to a corpus."""
    return lambda *documents: Corpus.from_tokens(documents)
