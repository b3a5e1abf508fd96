"""The estimator, from texts to topics, documents and saved folders."""

from __future__ import annotations

import hashlib
import inspect
import io
import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import Pipeline

import ctrl_c
from planted import plant_parts
from qdtm import Corpus, Query, QueryDrivenTopicModel, TextPipeline
from qdtm.errors import EmbeddingError, ParameterError, QueryError
from qdtm.progress import Progress
from qdtm.reprs import counted

FIRE = "fire bushfire firefighter smoke wind forest flame burn hectare blaze"
SPORT = "cricket batsman bowler wicket match innings captain century umpire test"
VOTES = "election minister parliament vote labour tax budget campaign poll senate"
GENERAL = "people day year time week place report number"
SUBJECTS = (FIRE, SPORT, VOTES)


def write_texts(n_each: int = 20, seed: int = 0) -> list[str]:
    """Sixty short texts on three subjects in turn, among general words."""
    rng = np.random.default_rng(seed)
    return [
        " ".join([*rng.choice(subject.split(), 9), *rng.choice(GENERAL.split(), 4)])
        for _ in range(n_each)
        for subject in SUBJECTS
    ]


TEXTS = write_texts()
QUERIES = ["fire", "cricket match"]
FAST = {"min_sweeps": 8, "max_sweeps": 16}

VECTORS = {word: [-0.1 * i, -1.0] for i, word in enumerate(f"{SPORT} {VOTES} {GENERAL}".split())}
VECTORS |= {word: [1.0, 0.1 * i] for i, word in enumerate(FIRE.split())}
"""Vectors in which the words about fire are near to each other and far from all others."""


def make(queries: Any = QUERIES, **parameters: Any) -> QueryDrivenTopicModel:
    return QueryDrivenTopicModel(queries, **(FAST | parameters))


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return Corpus.from_texts(TEXTS)


@pytest.fixture(scope="module")
def model(corpus: Corpus) -> QueryDrivenTopicModel:
    """A fitted model of two queries, for tests that only look."""
    return make().fit(corpus)


def assert_shares(shares: np.ndarray) -> None:
    assert shares.dtype == np.float64
    assert (shares >= 0).all()
    np.testing.assert_allclose(shares.sum(axis=1), 1.0, atol=1e-9)


def folder_digests(path: Path) -> dict[str, str]:
    """The sha256 of every file in a folder."""
    files = sorted(file for file in path.rglob("*") if file.is_file())
    return {str(file.relative_to(path)): hashlib.sha256(file.read_bytes()).hexdigest() for file in files}


def python(code: str, *arguments: object, **environment: str) -> str:
    """Run code in a new process and return what it prints."""
    done = subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def digests(tmp_path_factory) -> dict[str, str]:
    path = tmp_path_factory.mktemp("saved") / "model"
    make().fit(TEXTS).save(path)
    return folder_digests(path)


@pytest.fixture(scope="module")
def saved(model: QueryDrivenTopicModel, tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("saved") / "model"
    model.save(path)
    return path


@pytest.fixture
def seen(cold_cache: Path) -> list[Progress]:
    seen: list[Progress] = []
    make("fire", progress=seen.append).fit(TEXTS)
    assert cold_cache.exists()
    make(QUERIES, progress=seen.append, preset="paper", n_jobs=1).fit(TEXTS)  # one query after the other
    return seen


class TestEstimator:
    """scikit-learn's conventions."""

    def test_the_constructor_only_assigns(self) -> None:
        names = list(inspect.signature(QueryDrivenTopicModel).parameters)
        values = {name: object() for name in names}
        model = QueryDrivenTopicModel(**values)
        assert vars(model) == values

    def test_parameters_can_be_read_and_set(self) -> None:
        model = make(random_state=3)
        assert model.get_params()["random_state"] == 3
        assert model.set_params(random_state=4, queries="tax") is model
        assert (model.random_state, model.queries) == (4, "tax")

    def test_clone(self, model: QueryDrivenTopicModel) -> None:
        copy = clone(model)
        assert copy.get_params() == model.get_params()
        assert not hasattr(copy, "fit_")

    def test_fit_returns_the_model(self, corpus: Corpus) -> None:
        model = make()
        assert model.fit(corpus) is model

    def test_fit_leaves_the_parameters_alone(self, corpus: Corpus) -> None:
        model = make()
        before = dict(model.get_params())
        model.fit(corpus)
        assert model.get_params() == before
        assert model.queries is before["queries"]

    @pytest.mark.parametrize(
        "name", ["components_", "topics_", "background_topics_", "concepts_", "doc_topic_"]
    )
    def test_nothing_to_read_before_a_fit(self, name: str) -> None:
        with pytest.raises(NotFittedError):
            getattr(make(), name)

    @pytest.mark.parametrize(
        "call",
        [
            lambda model: model.transform(TEXTS),
            lambda model: model.documents(),
            lambda model: model.get_feature_names_out(),
            lambda model: model.save("nowhere"),
        ],
        ids=["transform", "documents", "get_feature_names_out", "save"],
    )
    def test_nothing_to_ask_before_a_fit(self, call) -> None:
        with pytest.raises(NotFittedError):
            call(make())
        assert not Path("nowhere").exists()

    def test_feature_names(self, model: QueryDrivenTopicModel) -> None:
        names = model.get_feature_names_out()
        assert len(names) == model.fit_.n_topics == model.transform(TEXTS).shape[1]
        assert list(names[:3]) == ["fire", "cricket match", "background 1"]
        assert names[-1] == f"background {model.fit_.n_topics - 2}"
        assert model.n_features_in_ == len(model.corpus_.vocabulary)

    def test_no_two_feature_names_are_alike(self, corpus: Corpus) -> None:
        names = make(Query("fire", name="background 1")).fit(corpus).get_feature_names_out()
        assert len(set(names)) == len(names)
        assert names[0] == "background 1"

    def test_the_repr_tells_fitted_from_not(self, model: QueryDrivenTopicModel) -> None:
        assert repr(QueryDrivenTopicModel("fire")) == "QueryDrivenTopicModel('fire')"
        assert repr(make("fire")) == "QueryDrivenTopicModel('fire', max_sweeps=16, min_sweeps=8)"
        n_about = [round(model.relevance(q).n_about) for q in range(2)]
        n_subtopics = [counted(len(topic.subtopics), "subtopic") for topic in model.topics_]
        assert repr(model) == (
            f"QueryDrivenTopicModel('fire': {n_about[0]} of 60 documents, {n_subtopics[0]}; "
            f"'cricket match': {n_about[1]} of 60 documents, {n_subtopics[1]})"
        )

    def test_the_repr_of_large_parameters_fits_a_screen(self) -> None:
        assert len(repr(make([f"query {i}" for i in range(99)], embeddings=VECTORS))) <= 200
        assert "queries=" in repr(Pipeline([("topics", make("fire"))]))

    @pytest.mark.parametrize("attribute", ["concepts_", "topics_", "queries"])
    def test_reprs_of_what_is_found_fit_a_screen(self, model: QueryDrivenTopicModel, attribute) -> None:
        assert all(len(repr(each)) <= 200 for each in getattr(model, attribute))

    def test_progress_is_shown_where_somebody_looks(self, corpus: Corpus, monkeypatch) -> None:
        class Terminal(io.StringIO):
            def isatty(self) -> bool:
                return True

        for progress, is_shown in (("auto", True), (None, False)):
            monkeypatch.setattr(sys, "stderr", terminal := Terminal())
            make("fire", progress=progress).fit(corpus)
            assert ("parents" in terminal.getvalue()) is is_shown
            assert not terminal.getvalue().strip("\r").endswith("topics")  # the line is taken away
        monkeypatch.setattr(sys, "stderr", terminal := Terminal())
        thread = threading.Thread(target=make("fire").fit, args=(corpus,))
        thread.start()
        thread.join()
        monkeypatch.setattr(sys, "stderr", piped := io.StringIO())
        make("fire").fit(corpus)
        assert terminal.getvalue() == piped.getvalue() == ""

    def test_progress_must_be_one_of_three(self) -> None:
        with pytest.raises(ParameterError, match="progress is 'bar'"):
            make("fire", progress="bar").fit(TEXTS)
        assert make().set_params(progress=None).progress is None

    def test_in_a_pipeline_of_scikit_learn(self, model: QueryDrivenTopicModel) -> None:
        pipeline = Pipeline([("topics", make())])
        np.testing.assert_array_equal(pipeline.fit_transform(TEXTS), model.doc_topic_)

    def test_output_as_a_table(self, model: QueryDrivenTopicModel) -> None:
        pytest.importorskip("pandas")
        frame = make().set_output(transform="pandas").fit(TEXTS).transform(TEXTS[:3])
        assert list(frame.columns) == list(model.get_feature_names_out())
        np.testing.assert_array_equal(frame.to_numpy(), model.doc_topic_[:3])


class TestShares:
    """Topic shares of documents, old and new."""

    def test_shape_and_row_sums(self, corpus: Corpus) -> None:
        model = make()
        shares = model.fit_transform(corpus)
        assert shares.shape == (60, model.fit_.n_topics)
        assert_shares(shares)

    def test_columns_are_in_the_order_of_the_queries(self) -> None:
        subject = np.arange(60) % 3
        for queries, order in ((["fire", "election"], (0, 2)), (["election", "fire"], (2, 0))):
            shares = make(queries).fit_transform(TEXTS)
            for column, of_subject in enumerate(order):
                own, other = shares[subject == of_subject, column], shares[subject != of_subject, column]
                assert own.min() > other.max()

    def test_fit_transform_is_fit_and_transform(self, model: QueryDrivenTopicModel, corpus: Corpus) -> None:
        shares = make().fit_transform(corpus)
        np.testing.assert_array_equal(shares, model.transform(corpus))
        np.testing.assert_array_equal(shares, model.transform(TEXTS))
        np.testing.assert_array_equal(shares, model.doc_topic_)

    def test_what_fit_transform_returns_may_be_changed(self, corpus: Corpus) -> None:
        model = make()
        model.fit_transform(corpus)[:] = 0.0
        assert_shares(model.doc_topic_)

    def test_unknown_words_are_ignored(self, model: QueryDrivenTopicModel) -> None:
        known, mixed = model.transform(["fire and smoke", "qwertz fire yxcvb and smoke, asdfgh"])
        np.testing.assert_array_equal(known, mixed)
        assert known[0] > 0.5

    def test_documents_without_a_known_word_get_the_topics_shares(self, model: QueryDrivenTopicModel) -> None:
        shares = model.transform(["", "qwertz", None])
        assert_shares(shares)
        sizes = [topic.n_tokens for topic in (*model.topics_, *model.background_topics_)]
        np.testing.assert_allclose(shares, np.tile(sizes / np.sum(sizes), (3, 1)), rtol=1e-6)

    def test_no_new_documents(self, model: QueryDrivenTopicModel) -> None:
        assert model.transform([]).shape == (0, model.fit_.n_topics)

    def test_new_documents_do_not_depend_on_each_other(self, model: QueryDrivenTopicModel) -> None:
        together = model.transform(TEXTS)
        np.testing.assert_array_equal(
            np.vstack([model.transform([text]) for text in TEXTS[:5]]), together[:5]
        )

    def test_an_empty_document_in_the_corpus(self) -> None:
        model = make()
        shares = model.fit_transform(["", *TEXTS, "the of and"])
        assert shares.shape[0] == 62
        assert_shares(shares)

    @pytest.mark.parametrize("kind", ["texts", "iterator", "frame"])
    def test_whatever_holds_the_documents(self, kind: str, model: QueryDrivenTopicModel) -> None:
        source: Any = {
            "texts": lambda: TEXTS,
            "iterator": lambda: iter(TEXTS),
            "frame": lambda: pytest.importorskip("pandas").DataFrame({"text": TEXTS}),
        }[kind]()
        np.testing.assert_array_equal(make().fit_transform(source), model.doc_topic_)

    def test_ready_tokens_are_the_same_as_texts_without_phrases(self) -> None:
        pipeline = TextPipeline(phrases=False)
        shares = make(pipeline=pipeline).fit_transform(TEXTS)
        np.testing.assert_array_equal(make().fit_transform([pipeline(text) for text in TEXTS]), shares)

    def test_a_pipeline_of_the_users(self) -> None:
        upper = TextPipeline.plain(tokenizer=lambda text: text.upper().split())
        model = make("FIRE", pipeline=upper, embeddings=None).fit(TEXTS)
        assert "FIRE" in model.corpus_.vocabulary
        np.testing.assert_array_equal(model.transform(["fire smoke"]), model.transform(["FIRE SMOKE"]))


class TestTopics:
    """Topics, subtopics and concepts."""

    def test_components(self, model: QueryDrivenTopicModel) -> None:
        assert model.components_.shape == (model.fit_.n_topics, len(model.corpus_.vocabulary))
        assert_shares(model.components_)
        assert (model.components_ > 0).all()

    def test_topics_say_what_components_say(self, model: QueryDrivenTopicModel) -> None:
        topics = (*model.topics_, *model.background_topics_)
        assert len(topics) == model.fit_.n_topics
        for row, topic in zip(model.components_, topics, strict=True):
            np.testing.assert_allclose(topic.probabilities, row, rtol=1e-6)

    def test_names_and_order(self, model: QueryDrivenTopicModel) -> None:
        assert [(topic.id, topic.name) for topic in model.topics_] == [("0", "fire"), ("1", "cricket match")]
        assert [concept.name for concept in model.concepts_] == QUERIES
        sizes = [topic.n_tokens for topic in model.background_topics_]
        assert sizes == sorted(sizes, reverse=True)

    def test_top_words_are_of_the_subject(self, model: QueryDrivenTopicModel) -> None:
        for topic, subject in zip(model.topics_, SUBJECTS, strict=False):
            top = [word for word, _ in topic.top_words(5)]
            assert set(top) <= set(subject.split())

    def test_concept_words_carry_their_evidence(self, model: QueryDrivenTopicModel) -> None:
        for concept in model.concepts_:
            for word in concept.words:
                assert model.corpus_.vocabulary[word.index] == word.word
                assert 1 <= word.n_retrieved <= word.n_documents
                for j in word.documents:
                    assert word.word in model.corpus_.pipeline(model.corpus_.documents[j].text)

    def test_prevalence_is_the_share_of_tokens(self, model: QueryDrivenTopicModel) -> None:
        topics = (*model.topics_, *model.background_topics_)
        assert sum(topic.prevalence for topic in topics) == pytest.approx(1.0)
        assert sum(topic.n_tokens for topic in topics) == pytest.approx(model.corpus_.n_tokens)

    def test_subtopics_are_numbered_by_size(self) -> None:
        model = QueryDrivenTopicModel("planet", embeddings=None).fit(plant_parts(3, n_parts=3))
        assert len(model.topics_[0].subtopics) == 3
        for q, topic in enumerate(model.topics_):
            sizes = [subtopic.n_tokens for subtopic in topic.subtopics]
            assert sizes == sorted(sizes, reverse=True)
            assert [s.id for s in topic.subtopics] == [f"{q}.{n}" for n in range(1, len(sizes) + 1)]

    def test_tokens_of_documents_about_a_query_are_in_a_subtopic_or_the_rest(
        self, model: QueryDrivenTopicModel
    ) -> None:
        fit, document = model.fit_, np.repeat(np.arange(len(TEXTS)), model.corpus_.document_lengths)
        for q in range(2):
            is_about = model.relevance(q).about[document] & (fit.token_topics == q)
            kept = fit.subtopic_counts[q].sum() / is_about.sum()
            assert kept + fit.subtopic_rest[q] == pytest.approx(1.0, abs=1e-5)
            assert (fit.token_subtopics[(fit.token_topics == q) & ~is_about] == -1).all()
        assert (fit.token_subtopics[fit.token_topics >= 2] == -1).all()

    def test_small_subtopics_are_dropped(self) -> None:
        """A large share of the parent keeps a subtopic, so only small ones of a large parent can go."""
        everything, large = (make("fire", min_prevalence=share).fit(TEXTS) for share in (0.0, 0.9))
        counts, kept = everything.fit_.subtopic_counts[0], large.fit_.subtopic_counts[0]
        enough = counts.sum(axis=0) >= 0.05 * (everything.fit_.token_topics == 0).sum()
        np.testing.assert_array_equal(kept, counts[:, enough])

    def test_without_subtopics(self, model: QueryDrivenTopicModel) -> None:
        bare = make(subtopics=False).fit(TEXTS)
        assert all(topic.subtopics == () for topic in bare.topics_)
        assert bare.fit_.subtopic_traces == ()
        assert (bare.fit_.token_subtopics == -1).all()
        np.testing.assert_array_equal(bare.doc_topic_, model.doc_topic_)
        assert bare.documents("fire")[0].subtopic is None


class TestDocuments:
    """The documents behind a topic."""

    def test_by_name_and_by_position(self, model: QueryDrivenTopicModel) -> None:
        assert model.documents("cricket match") == model.documents(1) == model.documents(np.int64(1))
        assert model.documents() == model.documents(query="fire", n=10)

    def test_the_most_relevant_come_first(self, model: QueryDrivenTopicModel) -> None:
        table = model.documents("fire", n=60)
        relevance = [document.relevance for document in table]
        rounded = [round(each, 9) for each in relevance]  # less is no reason for a rank
        assert rounded == sorted(rounded, reverse=True)
        assert sorted(document.index for document in table) == list(range(60))
        assert relevance == [model.relevance("fire").scores[document.index] for document in table]
        assert all(document.text == TEXTS[document.index] for document in table)
        assert {document.index % 3 for document in table[:15]} == {0}

    def test_of_a_subtopic(self, model: QueryDrivenTopicModel) -> None:
        (first, *_) = model.topics_[0].subtopics
        table = model.documents("fire", subtopic=first.id)
        assert {document.subtopic for document in table} == {first.id}

    def test_capitals_and_blanks_do_not_matter(self, model: QueryDrivenTopicModel) -> None:
        assert model.documents(" Fire") == model.documents("fire")

    @pytest.mark.parametrize("query", ["smoke", "fires", 2, -1, 0.0, None, True])
    def test_a_query_that_is_not_there(self, model: QueryDrivenTopicModel, query: Any) -> None:
        with pytest.raises(QueryError) as error:
            model.documents(query)
        assert (
            str(error.value)
            == f"There is no query {query!r} in this model. Its queries: fire, cricket match."
        )

    def test_a_subtopic_that_is_not_there(self, model: QueryDrivenTopicModel) -> None:
        with pytest.raises(QueryError, match=r"has no subtopic '1\.1'; it has"):
            model.documents("fire", subtopic="1.1")

    @pytest.mark.parametrize("n", [0, -1, 2.5, True, "ten"])
    def test_a_number_that_makes_no_sense(self, model: QueryDrivenTopicModel, n: Any) -> None:
        with pytest.raises(ParameterError, match="The number of documents is"):
            model.documents("fire", n=n)


class TestQueries:
    """What a user may ask."""

    @pytest.mark.parametrize(
        ("queries", "names"),
        [
            ("fire", ["fire"]),
            (["fire", "tax"], ["fire", "tax"]),
            (("fire",), ["fire"]),
            (Query("fire", name="Flames"), ["Flames"]),
            ({"flames": ["fire", "smoke"]}, ["flames"]),
            ({"flames": ["fire"], "sport": "cricket match"}, ["flames", "sport"]),
            (["fire", {"sport": ["wicket", "bowler"]}, Query("tax")], ["fire", "sport", "tax"]),
            ("bushf*", ["bushf*"]),
        ],
    )
    def test_forms(self, queries: Any, names: list[str]) -> None:
        model = make(queries).fit(TEXTS)
        assert [topic.name for topic in model.topics_] == names

    def test_words_of_the_user_are_taken_as_they_are(self) -> None:
        model = make({"flames": ["fire", "smoke"]}).fit(TEXTS)
        assert {word.word for word in model.concepts_[0].words} == {"fire", "smoke"}
        assert model.concepts_[0].extractor is None

    @pytest.mark.parametrize("expansion", ["kld", "fre", "rel"])
    def test_expansion(self, expansion: str) -> None:
        model = make("fire", expansion=expansion, n_concept_words=4).fit(TEXTS)
        (concept,) = model.concepts_
        assert concept.extractor == expansion
        assert 2 <= len(concept.words) <= 5
        assert {word.word for word in concept.words} <= set(FIRE.split()) | set(GENERAL.split())

    def test_no_expansion(self) -> None:
        model = make("fire smoke", expansion=None).fit(TEXTS)
        assert [word.word for word in model.concepts_[0].words] == ["fire", "smoke"]

    def test_a_rule_for_each(self) -> None:
        model = make(["fire smoke", "bowler umpire"], rule=["or", "and"]).fit(TEXTS)
        assert [concept.rule for concept in model.concepts_] == ["or", "and"]
        assert model.concepts_[0].check.n_retrieved == model.concepts_[0].check.n_or

    def test_tied_words_are_in_their_topic_only(self, model: QueryDrivenTopicModel) -> None:
        fit = model.fit_
        for q, concept in enumerate(model.concepts_):
            ours = np.isin(model.corpus_.tokens, concept.tied_indices)
            assert ours.any()
            assert (fit.token_topics[ours] == q).all()

    @pytest.mark.parametrize(
        ("parameters", "expected"),
        [
            ({"queries": None}, "Queries cannot be None; give a text"),
            ({"queries": []}, "There is no query; give at least one"),
            ({"queries": ""}, "A query is empty; give it a word"),
            ({"queries": ["fire", "Fire"]}, "The query 'Fire' is there twice; remove one"),
            ({"queries": ["fire smoke", "smoke fire"]}, "are the same after cleaning; remove one."),
            ({"queries": "firre"}, "is in no document"),
            ({"queries": "the of"}, "'the' is a stop word"),
        ],
    )
    def test_bad_queries(self, parameters: dict[str, Any], expected: str) -> None:
        with pytest.raises(QueryError) as error:
            make(**parameters).fit(TEXTS)
        assert expected in str(error.value)
        assert "\n" not in str(error.value)

    @pytest.mark.parametrize(
        ("parameters", "expected"),
        [
            ({"expansion": "bm25"}, "The expansion is 'bm25'; give 'kld', 'fre', 'rel' or None."),
            ({"expansion": float("nan")}, "The expansion is nan; give"),
            ({"rule": "xor"}, "The rule is 'xor'; give 'and' or 'or'."),
            ({"rule": ["and"]}, "There are 1 rules for 2 queries; give one, or one a query."),
            ({"rule": 5}, "The rule is 5; give 'and' or 'or'"),
            ({"rule": None}, "The rule is None; give 'and' or 'or'"),
            ({"n_concept_words": 0}, "n_concept_words is 0; give a whole number above 0."),
            ({"n_concept_words": 2.5}, "n_concept_words is 2.5; give"),
            ({"n_candidates": -1}, "n_candidates is -1; give"),
            ({"n_candidates": float("nan")}, "n_candidates is nan; give"),
            ({"alpha": -1}, "alpha is -1; give a number above 0."),
            ({"beta": float("nan")}, "beta is nan; give a number."),
            ({"max_sweeps": "ten"}, "max_sweeps is 'ten'; give a whole number from 1 up."),
        ],
    )
    def test_bad_parameters(self, parameters: dict[str, Any], expected: str) -> None:
        with pytest.raises(ParameterError) as error:
            make(**parameters).fit(TEXTS)
        assert str(error.value).startswith(expected)
        assert "\n" not in str(error.value)

    def test_a_fit_that_fails_leaves_the_last_one_in_place(self) -> None:
        model = make().fit(TEXTS)
        before = model.fit_
        with pytest.raises(ParameterError):
            model.set_params(alpha=-1).fit(TEXTS)
        assert model.fit_ is before


class TestPromotion:
    """Word vectors and what they do."""

    def test_vectors_of_the_user(self) -> None:
        queries = {"fire": ["fire"]}
        model = make(queries, embeddings=VECTORS, similarity_threshold=0.5).fit(TEXTS)
        fit, corpus = model.fit_, model.corpus_
        assert fit.threshold == 0.5
        promoting = {corpus.vocabulary[w] for w in corpus.tokens[fit.token_promoted > 0]}
        assert promoting
        assert promoting <= set(FIRE.split()) - {"fire"}
        assert fit.promoted_mass[corpus.word_index["fire"], 0] > 0
        assert fit.promoted_mass.sum() == fit.promoted_mass[corpus.word_index["fire"], 0]

    @pytest.mark.parametrize("embeddings", ["glove", "corpus"])
    def test_named_vectors(self, embeddings: str) -> None:
        model = make(embeddings=embeddings).fit(TEXTS)
        assert 0.0 <= model.fit_.threshold <= 1.0
        assert model.fit_.token_promoted.any()
        assert_shares(model.components_)

    @pytest.mark.parametrize("parameters", [{"embeddings": None}, {"promotion_weight": 0}])
    def test_nothing_promotes(self, parameters: dict[str, Any]) -> None:
        fit = make(**parameters).fit(TEXTS).fit_
        assert not fit.token_promoted.any()
        assert not fit.promoted_mass.any()
        assert fit.threshold is None

    def test_without_filtering_every_related_word_promotes(self) -> None:
        parameters: dict[str, Any] = {"embeddings": VECTORS, "similarity_threshold": 0.5}
        model = make({"fire": ["fire"]}, word_filtering=False, **parameters).fit(TEXTS)
        fit, corpus = model.fit_, model.corpus_
        related = np.isin(corpus.tokens, [corpus.word_index[word] for word in FIRE.split()[1:]])
        np.testing.assert_array_equal(fit.token_promoted.astype(bool), related & (fit.token_topics == 0))

    @pytest.mark.parametrize(
        ("embeddings", "expected"),
        [
            (5, "Word vectors cannot be a int; give 'glove', 'corpus', a path"),
            ("nowhere/vectors.txt", "Word vectors 'nowhere/vectors.txt' are not there; give"),
            ({}, "The dict of word vectors is empty; give"),
            ({"fire": "hot"}, "The vector of 'fire' is not a list of numbers."),
        ],
    )
    def test_bad_vectors(self, embeddings: Any, expected: str) -> None:
        with pytest.raises(EmbeddingError) as error:
            make(embeddings=embeddings).fit(TEXTS)
        assert str(error.value).startswith(expected)


class TestPresets:
    """The default and the paper's way."""

    @pytest.mark.usefixtures("cold_cache")
    @pytest.mark.parametrize("preset", ["default", "paper"])
    def test_a_background_is_learned_first_and_once(self, preset: str) -> None:
        """The paper's start does without, but relevance is judged by it."""
        stages: list[str] = []
        model = make("fire", preset=preset, progress=lambda p: stages.append(p.stage)).fit(TEXTS)
        assert stages[0] == "background"
        stages.clear()
        model.fit(TEXTS)
        assert stages[0] == "parents"

    def test_a_lone_query_starts_beside_the_background_and_as_in_the_paper_beside_one_topic(self) -> None:
        first: dict[str, int] = {}
        for preset in ("default", "paper"):
            make(
                "fire",
                preset=preset,
                progress=lambda p, of=preset: first.setdefault(f"{of} {p.stage}", p.n_topics),
            ).fit(TEXTS)
        assert first["default parents"] > first["paper parents"]

    def test_the_paper_keeps_to_the_smallest_prevalence(self) -> None:
        fit = make("fire", preset="paper", min_prevalence=0.9).fit(TEXTS).fit_
        assert fit.subtopic_counts[0].shape[1] == 0
        assert fit.subtopic_rest == (1.0,)

    @pytest.mark.usefixtures("cold_cache")
    def test_the_number_of_background_topics_may_be_given(self) -> None:
        first: list[int] = []
        make("fire", n_background_topics=7, progress=lambda p: first.append(p.n_topics)).fit(TEXTS)
        assert 1 < first[0] <= 9

    def test_sweeps_are_recorded(self) -> None:
        fit = make(preset="paper", min_sweeps=20, max_sweeps=20).fit(TEXTS).fit_
        assert [trace.n_sweeps for trace in (fit.parent_trace, *fit.subtopic_traces)] == [20, 20, 20]


class TestReproducibility:
    """Same seed, same bytes."""

    def test_the_same_seed_gives_the_same_bytes(self, digests: dict[str, str], tmp_path: Path) -> None:
        make().fit(TEXTS).save(tmp_path / "model")
        assert folder_digests(tmp_path / "model") == digests

    @pytest.mark.parametrize("n_jobs", [1, 2, 5])
    def test_threads_do_not_matter(self, digests: dict[str, str], tmp_path: Path, n_jobs: int) -> None:
        make(n_jobs=n_jobs).fit(TEXTS).save(tmp_path / "model")
        assert folder_digests(tmp_path / "model") == digests

    def test_fitting_twice_gives_the_same_bytes(self, digests: dict[str, str], tmp_path: Path) -> None:
        model = make().fit(write_texts(seed=5))
        model.fit(TEXTS).save(tmp_path / "model")
        assert folder_digests(tmp_path / "model") == digests

    def test_another_process_gives_the_same_bytes(self, digests: dict[str, str], tmp_path: Path) -> None:
        code = (
            "import json, sys; from qdtm import QueryDrivenTopicModel\n"
            "texts, queries, fast = json.loads(sys.argv[2])\n"
            "QueryDrivenTopicModel(queries, **fast).fit(texts).save(sys.argv[1])"
        )
        python(code, tmp_path / "model", json.dumps([TEXTS, QUERIES, FAST]), PYTHONHASHSEED="7")
        assert folder_digests(tmp_path / "model") == digests

    def test_another_seed_gives_another_sample(self, model: QueryDrivenTopicModel) -> None:
        other = make(random_state=1).fit(TEXTS)
        assert (other.fit_.token_topics != model.fit_.token_topics).any()


class TestSaving:
    """A saved model is the model."""

    NEW = ("Fire and smoke over the forest", "The umpire counted wickets", "qwertz", "")

    def test_loaded_it_says_the_same(self, model: QueryDrivenTopicModel, saved: Path) -> None:
        loaded = QueryDrivenTopicModel.load(saved)
        np.testing.assert_array_equal(loaded.components_, model.components_)
        np.testing.assert_array_equal(loaded.doc_topic_, model.doc_topic_)
        assert loaded.concepts_ == model.concepts_
        assert loaded.documents("cricket match") == model.documents("cricket match")
        assert list(map(repr, loaded.topics_)) == list(map(repr, model.topics_))

    def test_a_new_process_gives_equal_numbers(self, model: QueryDrivenTopicModel, saved: Path) -> None:
        code = (
            "import json, sys; from qdtm import QueryDrivenTopicModel\n"
            "model = QueryDrivenTopicModel.load(sys.argv[1])\n"
            "print(json.dumps(model.transform(json.loads(sys.argv[2])).tolist()))"
        )
        found = json.loads(python(code, saved, json.dumps(self.NEW)))
        assert found == model.transform(list(self.NEW)).tolist()

    def test_the_parameters_come_back(self, saved: Path) -> None:
        loaded = QueryDrivenTopicModel.load(saved)
        expected = make().get_params() | {"queries": [Query(text) for text in QUERIES]}
        assert loaded.get_params() == expected

    def test_refitted_it_gives_the_same_again(self, saved: Path, tmp_path: Path) -> None:
        QueryDrivenTopicModel.load(saved).fit(TEXTS).save(tmp_path / "again")
        assert folder_digests(tmp_path / "again") == folder_digests(saved)

    def test_parameters_of_numpy_and_paths_come_back_plain(self, tmp_path: Path) -> None:
        vectors = tmp_path / "vectors.txt"
        vectors.write_text("".join(f"{word} {i} 1\n" for i, word in enumerate(FIRE.split())), "utf-8")
        given = {
            "random_state": np.int64(3),
            "alpha": np.float32(2.0),
            "embeddings": vectors,
            "rule": ("or", "and"),
        }
        make(**given).fit(TEXTS).save(tmp_path / "model")
        loaded = QueryDrivenTopicModel.load(tmp_path / "model")
        assert (loaded.random_state, loaded.alpha) == (3, 2.0)
        assert (type(loaded.random_state), type(loaded.alpha)) == (int, float)
        assert (loaded.embeddings, loaded.rule) == (str(vectors), ["or", "and"])
        assert loaded.fit(TEXTS).fit_.word_topic.any()

    def test_a_model_of_ready_tokens(self, tmp_path: Path) -> None:
        model = make("fire").fit([text.split() for text in TEXTS])
        model.save(tmp_path / "model")
        loaded = QueryDrivenTopicModel.load(tmp_path / "model")
        new = [["fire", "unheard"], []]
        np.testing.assert_array_equal(loaded.transform(new), model.transform(new))


class TestRefit:
    """Nothing of an earlier fit stays."""

    def test_cached_results_are_replaced(self) -> None:
        model = make().fit(TEXTS)
        seen = (model.components_, model.topics_, model.background_topics_, model.doc_topic_, model.concepts_)
        model.set_params(queries=["tax", "fire", "wicket"]).fit(TEXTS[:45])
        again = (
            model.components_,
            model.topics_,
            model.background_topics_,
            model.doc_topic_,
            model.concepts_,
        )
        assert all(new is not old for new, old in zip(again, seen, strict=True))
        assert [topic.name for topic in model.topics_] == ["tax", "fire", "wicket"]
        assert model.doc_topic_.shape == (45, model.fit_.n_topics)
        assert model.components_.shape[1] == model.n_features_in_ == len(model.corpus_.vocabulary)
        fresh = make(["tax", "fire", "wicket"]).fit(TEXTS[:45])
        np.testing.assert_array_equal(model.doc_topic_, fresh.doc_topic_)


class TestProgress:
    """What the user's function is told."""

    def test_stages_come_in_their_order(self, seen: list[Progress]) -> None:
        stages = list(dict.fromkeys((p.stage, p.query) for p in seen))
        assert stages == [
            ("background", None),
            ("parents", None),
            ("subtopics", "fire"),
            ("subtopics", "cricket match"),
        ]

    def test_sweeps_count_up_from_1_within_their_bound(self, seen: list[Progress]) -> None:
        for before, now in zip([None, *seen], seen, strict=False):
            goes_on = before and (before.stage, before.query) == (now.stage, now.query) and now.sweep != 1
            assert now.sweep == (before.sweep + 1 if goes_on else 1)
            assert now.sweep <= now.max_sweeps

    def test_numbers_make_sense(self, seen: list[Progress]) -> None:
        assert all(p.n_topics >= 1 for p in seen)
        likelihoods = [p.log_likelihood for p in seen if p.log_likelihood is not None]
        assert len(likelihoods) > 3
        assert all(np.isfinite(value) and value < 0 for value in likelihoods)

    def test_who_watches_does_not_matter(self, model: QueryDrivenTopicModel) -> None:
        watched = make(progress=lambda _: None).fit(TEXTS)
        np.testing.assert_array_equal(watched.fit_.token_topics, model.fit_.token_topics)

    def test_its_errors_come_through(self) -> None:
        before = signal.getsignal(signal.SIGINT)

        def fail(_: Progress) -> None:
            raise ZeroDivisionError

        model = make(progress=fail)
        with pytest.raises(ZeroDivisionError):
            model.fit(TEXTS)
        assert not hasattr(model, "fit_")
        assert signal.getsignal(signal.SIGINT) is before


class TestInterruption:
    """Ctrl-C ends a fit with what it has."""

    @staticmethod
    def interrupted(stage: str, sweep: int, *, times: int = 1, **parameters: Any) -> QueryDrivenTopicModel:
        """Fit, with Ctrl-C pressed in the middle of a stage."""

        pressed: list[Progress] = []

        def press(progress: Progress) -> None:
            if (progress.stage, progress.sweep) == (stage, sweep) and not pressed:
                pressed.append(progress)  # side by side, another query may come here too: one Ctrl-C is meant
                for _ in range(times):
                    ctrl_c.press()

        return make(**({"min_sweeps": 200, "max_sweeps": 400} | parameters), progress=press)

    def assert_usable(self, model: QueryDrivenTopicModel, tmp_path: Path) -> None:
        assert model.fit_.interrupted
        assert "interrupted" in repr(model.fit_)
        assert_shares(model.doc_topic_)
        assert_shares(model.components_)
        assert len(model.documents("fire", n=3)) == 3
        assert [word for word, _ in model.topics_[0].top_words(3)]
        model.save(tmp_path / "model")
        loaded = QueryDrivenTopicModel.load(tmp_path / "model")
        assert loaded.fit_.interrupted
        np.testing.assert_array_equal(loaded.doc_topic_, model.doc_topic_)

    @pytest.mark.usefixtures("cold_cache")
    def test_in_the_background_there_is_nothing_yet(self) -> None:
        before = signal.getsignal(signal.SIGINT)
        with pytest.raises(KeyboardInterrupt):
            self.interrupted("background", 6, n_background_topics=4).fit(TEXTS)
        assert signal.getsignal(signal.SIGINT) is before

    @pytest.mark.parametrize("stage", ["parents", "subtopics"])
    def test_it_ends_cleanly(self, stage: str, tmp_path: Path) -> None:
        before = signal.getsignal(signal.SIGINT)
        model = self.interrupted(stage, 6, n_background_topics=4, n_jobs=1).fit(TEXTS)
        assert signal.getsignal(signal.SIGINT) is before
        self.assert_usable(model, tmp_path)

    def test_in_phase_1_there_are_no_subtopics(self) -> None:
        model = self.interrupted("parents", 6).fit(TEXTS)
        assert model.fit_.parent_trace.n_sweeps == 6
        assert model.fit_.subtopic_traces == ()
        assert all(topic.subtopics == () for topic in model.topics_)

    @pytest.mark.parametrize("n_jobs", [1, 2])
    def test_in_phase_2_the_parents_are_whole(self, n_jobs: int) -> None:
        endless = {"min_sweeps": 400, "max_sweeps": 400}
        model = self.interrupted("subtopics", 6, n_jobs=n_jobs, **endless).fit(TEXTS)
        fit = model.fit_
        assert not fit.parent_trace.interrupted
        assert fit.parent_trace.n_sweeps == 400
        assert [trace.interrupted for trace in fit.subtopic_traces] == [True, True]
        assert all(trace.n_sweeps < 400 for trace in fit.subtopic_traces)
        assert (fit.token_subtopics[fit.token_topics < 2] >= -1).all()
        assert any(topic.subtopics for topic in model.topics_)

    def test_a_second_one_interrupts_as_usual(self) -> None:
        before = signal.getsignal(signal.SIGINT)
        model = self.interrupted("parents", 6, times=2)
        with pytest.raises(KeyboardInterrupt):
            model.fit(TEXTS)
        assert not hasattr(model, "fit_")
        assert signal.getsignal(signal.SIGINT) is before

    def test_a_fit_that_is_left_alone_is_not_marked(self, model: QueryDrivenTopicModel) -> None:
        assert not model.fit_.interrupted


def test_a_count_is_surer_of_queries_that_cover_the_corpus() -> None:
    covering = make(["fire", "cricket", "election"]).fit(TEXTS).relevance("fire")
    alone = make("fire").fit(TEXTS).relevance()
    assert covering.strength is None
    assert alone.strength is not None
    assert (alone.strength > 0).tolist() == alone.names.tolist()


@pytest.mark.parametrize("bound", [0.0, 10.0])
def test_whether_queries_cover_the_corpus_is_decided_once(bound, monkeypatch, tmp_path) -> None:
    """Before the fit, by the evidence; what is shown of it, now or after loading, says the same."""
    monkeypatch.setattr("qdtm.queries.selection.FULL_COVER", bound)
    model = make(["fire", "cricket"]).fit(TEXTS)
    monkeypatch.undo()
    model.save(tmp_path / "saved")
    for seen in (model, QueryDrivenTopicModel.load(tmp_path / "saved")):
        assert seen.fit_.covers == (bound == 0.0)
        assert (seen.relevance("fire").strength is None) == (bound == 0.0)
