import pytest

from .synthetic import make_corpus, make_fit


@pytest.fixture(scope="session")
def corpus():
    return make_corpus()


@pytest.fixture(scope="session")
def fit(corpus):
    return make_fit(corpus)
