"""An excluded word keeps documents out of the concept, all the way: "jaguar" without cars."""

import numpy as np
import pytest

from qdtm import Corpus, Query, QueryDrivenTopicModel
from qdtm.queries.selection import choose_concepts, document_evidence

CAT = ["jaguar prey forest river night cat", "jaguar cat jungle prey hunt", "jaguar hunt river jungle cub",
       "forest cat prey cub jaguar", "jungle night jaguar hunt forest"]  # fmt: skip
CAR = ["jaguar car engine road dealer", "car engine jaguar driver speed", "jaguar dealer car price engine",
       "speed road car jaguar driver", "price car jaguar dealer speed"]  # fmt: skip
OTHER = ["vote party law tax minister", "minister vote debate law party", "tax debate party vote law"]


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return Corpus.from_texts([text for texts in (CAT * 3, CAR * 3, OTHER * 5) for text in texts])


@pytest.fixture(scope="module", params=["in the text", "as a list"])
def query(request) -> Query:
    return Query("jaguar -car") if request.param == "in the text" else Query("jaguar", exclude=("car",))


def with_car(corpus: Corpus) -> np.ndarray:
    column = corpus.document_term_matrix[:, corpus.vocabulary.index("car")]
    return np.asarray(column.todense()).ravel() > 0


def test_the_word_is_no_concept_word_and_its_documents_cannot_be_about_it(corpus, query):
    (concept,) = choose_concepts(corpus, [query])
    assert "jaguar" in [word.word for word in concept.words]
    assert "car" not in [word.word for word in concept.words]
    evidence = document_evidence(corpus, query)
    assert (evidence.probability[with_car(corpus)] == 0).all()
    assert evidence.n_about > 10
    assert concept.retrieved == len(CAT * 3)


def test_its_documents_come_last_with_relevance_0(corpus, query):
    model = QueryDrivenTopicModel([query], max_sweeps=20).fit(corpus)
    ranked = model.documents(0, None)
    excluded = with_car(corpus)
    assert all(row.relevance == 0 for row in ranked if excluded[row.index])
    assert not any(excluded[row.index] for row in ranked[: len(CAT)])  # each stands for its copies
    assert not model.relevance(0).about[excluded].any()


def test_a_document_that_one_query_excludes_is_not_lost_to_the_others():
    rng = np.random.default_rng(0)
    fruit, tools, weather = ([f"{theme}{letter}" for letter in "abcdefgh"] for theme in ("fr", "to", "we"))

    def texts(n: int, *parts: tuple[list[str], int], also: str = "") -> list[str]:
        return [" ".join([*(w for words, m in parts for w in rng.choice(words, m)), also]) for _ in range(n)]

    both = texts(15, (fruit, 5), (tools, 4), also="xylophone")  # more of the one, enough of the other
    rest = texts(40, (fruit, 8), also="apple"), texts(40, (tools, 8), also="hammer"), texts(20, (weather, 9))
    corpus = Corpus.from_texts([*both, *(text for several in rest for text in several)])
    fitted = [
        QueryDrivenTopicModel([query, "hammer"], embeddings=None, max_sweeps=20).fit(corpus)
        for query in ("apple", "apple -xylophone")
    ]
    contested, left = (model.relevance("hammer").scores[: len(both)] for model in fitted)
    assert not fitted[1].relevance(0).scores[: len(both)].any()
    assert (contested < 0.5).all()
    assert (left > 0.5).all()
