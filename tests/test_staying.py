"""The answer stays with the query, in whole fits of planted corpora."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from evidence.worlds import own_words, write_many
from qdtm import Corpus, QueryDrivenTopicModel
from qdtm.errors import PassingQueryError
from qdtm.sampler import engines

QUICK = {"embeddings": None, "max_sweeps": 40, "subtopics": False}


def ask(corpus: Corpus, query: str, **options) -> QueryDrivenTopicModel:
    return QueryDrivenTopicModel(query, **QUICK, **options).fit(corpus)


@pytest.fixture(scope="module")
def passing() -> tuple[Corpus, np.ndarray]:
    """Five long reports of rugby mention the name in passing, and a third of the corpus is rugby."""
    documents, themes = write_many(0, {"rugby": 200, "ship": 200, "tree": 200})
    rng = np.random.default_rng(1)
    for j in np.flatnonzero(themes == "rugby")[:5]:
        documents[j] = rng.permutation([*(documents[j] * 3), "named"]).tolist()
    return Corpus.from_tokens(documents), themes


class TestInPassing:
    """A word that is only mentioned inside another theme."""

    def test_it_is_refused_with_what_was_found(self, passing) -> None:
        with pytest.raises(PassingQueryError, match=r"^Query 'named': 5 of 600 documents mention 'named'"):
            ask(passing[0], "named")

    def test_asked_all_the_same_it_does_not_return_the_theme(self, passing) -> None:
        corpus, themes = passing
        model = ask(corpus, "named", refuse=False)
        relevance = model.relevance()
        named = corpus.document_term_matrix[:, [corpus.word_index["named"]]].toarray().ravel() > 0
        assert relevance.n_about <= 1.5 * 5
        assert (relevance.scores[~named] <= 0.5).all()
        assert model.topics_[0].prevalence < 0.1
        assert (themes == "rugby").mean() > 0.3


@pytest.fixture(scope="module")
def fitted() -> QueryDrivenTopicModel:
    """Questions about LINQ, three of four of which say so, and about Oracle; both talk of tables."""
    rng = np.random.default_rng(0)
    shared, linq, oracle = own_words("sql"), own_words("linq", 12), own_words("oracle", 12)
    documents = []
    for j in range(600):
        own = linq if j < 60 else oracle if j < 300 else own_words("other")
        common = shared if j < 300 else own
        words = [str(rng.choice(common if rng.random() < 0.6 else own)) for _ in range(24)]
        documents.append([*words, "named", "named"] if j < 60 and j % 4 else words)
    return ask(Corpus.from_tokens(documents), "named")


class TestNeighbours:
    """Two themes that share most of their words."""

    def test_the_list_is_what_was_asked_for(self, fitted) -> None:
        relevance = fitted.relevance()
        listed = np.flatnonzero(relevance.about)
        assert np.mean(listed < 60) > 0.9
        assert len(listed) >= 40
        assert relevance.n_about < 2 * 60

    def test_so_is_the_topic(self, fitted) -> None:
        (topic,) = fitted.topics_
        top = [word for word, _ in topic.top_words(10)]
        assert not any(word.startswith(("oracle", "other")) for word in top)
        assert topic.prevalence < 2 * 60 / 600

    def test_one_that_does_not_name_it_is_never_the_surest(self, fitted) -> None:
        relevance = fitted.relevance()
        named = fitted.fit_.strength[:, 0] > 0
        assert relevance.scores[~named].max() < relevance.scores[named].max()


class TestExcluding:
    """Documents with a word that the user excludes."""

    def test_they_stay_out_of_everything(self) -> None:
        documents, themes = write_many(2, {"cat": 150, "ship": 250}, {"cat": 0.5})
        for j in np.flatnonzero(themes == "cat")[::3]:
            documents[j] = [*documents[j], "barred"]
        corpus = Corpus.from_tokens(documents)
        model = ask(corpus, "named -barred")
        barred = corpus.document_term_matrix[:, [corpus.word_index["barred"]]].toarray().ravel() > 0
        assert (model.relevance().scores[barred] == 0).all()
        assert not model.relevance().about[barred].any()
        assert "barred" not in [word.word for word in model.concepts_[0].words]
        assert model.relevance().n_about > 40


@pytest.mark.parametrize("queries", ["named", ["cat00 OR cat01 OR cat02", "ship00 OR ship01 OR ship02"]])
def test_a_whole_fit_has_the_same_bytes_at_any_number_of_threads(
    queries, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of one query, and of queries that cover the corpus; in several shards, evidence and relevance too."""
    monkeypatch.setattr(engines, "TOKENS_A_SHARD", 2_000)
    monkeypatch.setattr(engines, "TOKENS_A_WORD", 1)
    documents, _ = write_many(3, {"cat": 150, "ship": 200}, {"cat": 0.5})
    saved = []
    for n_jobs in (1, 2):
        monkeypatch.setenv("QDTM_CACHE", str(tmp_path / f"cache{n_jobs}"))
        options = {"max_sweeps": 12, "n_jobs": n_jobs}
        path = tmp_path / f"saved{n_jobs}"
        QueryDrivenTopicModel(queries, **options).fit(Corpus.from_tokens(documents)).save(path)
        saved.append({file.name: file.read_bytes() for file in path.rglob("*") if file.is_file()})
    assert saved[0] == saved[1]
    assert "model.safetensors" in saved[0]
