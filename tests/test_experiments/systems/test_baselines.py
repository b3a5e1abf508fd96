"""Every row of the baselines through the one protocol, on a tiny data set."""

import importlib

import numpy as np
import pytest

from experiments.bench.paper_tables import Figure, TableResult, parent_figures, summarise_table
from experiments.harness.cells import Cell
from experiments.metrics.labels import mean_precision_at_k
from experiments.systems.baselines import break_ties, margins
from experiments.systems.registry import ROWS, SystemOptions, make_system, make_systems
from qdtm.errors import MissingExtraError

from ..bench.fakes import TinyWorkbench, tiny_dataset

FEW = SystemOptions(max_sweeps=20)
EXTRAS = ("tomotopy", "torch", "transformers", "topica", "corextopic", "turftopic", "bertopic")


@pytest.mark.parametrize("name", ["islda", "sclda", "dflda", "lda", "seeded-lda", "avitm"])
def test_a_topic_row_has_two_readings(name):
    if name in ("lda", "seeded-lda"):
        pytest.importorskip("tomotopy", reason="needs the extra 'experiments'")
    if name == "avitm":
        pytest.importorskip("torch", reason="needs the extra 'experiments'")
    dataset = tiny_dataset()
    outcome = make_system(name, "table1", FEW).fit(dataset, 0)
    assert outcome.topics.shape == (2, dataset.corpus.n_words)
    assert outcome.shares.shape == outcome.own.shares.shape == (24, 3)
    assert outcome.scores.shape == outcome.own.scores.shape == (24, 2)
    metrics = {figure.metric for figure in parent_figures(outcome, dataset, TinyWorkbench().windows("x"))}
    assert metrics == {
        "accuracy_own", "accuracy_mixed", "coherence", "precision_at_k_own", "precision_at_k_mixed",
    }  # fmt: skip
    if name in ("islda", "sclda"):
        assert mean_precision_at_k(outcome.scores, dataset.labels) == 1.0


def test_the_better_reading_is_compared():
    def result(seed, own, mixed):
        figures = (Figure("accuracy_own", own), Figure("accuracy_mixed", mixed), Figure("coherence", 0.5))
        return TableResult(Cell("table1", "20news", "lda", seed), figures, 1.0)

    rows = summarise_table([result(0, 0.6, 0.9), result(1, 0.8, 0.6)])
    assert [(row.metric, row.mean) for row in rows] == [
        ("accuracy", pytest.approx(0.75)),
        ("coherence", 0.5),
        ("accuracy_own", pytest.approx(0.7)),
        ("accuracy_mixed", pytest.approx(0.75)),
    ]
    assert [row.paper for row in rows] == [0.65, 0.42, None, None]


@pytest.mark.parametrize("name", ["bm25", "ql", "bm25-expert", "ql-expert"])
def test_retrieval_finds_the_documents_with_the_words(name):
    outcome = make_system(name, "table1", FEW).fit(tiny_dataset(), 0)
    assert mean_precision_at_k(outcome.scores, tiny_dataset().labels) == 1.0
    assert outcome.shares is None
    assert outcome.topics is None


def test_equally_good_documents_come_in_random_order():
    scores = np.zeros((100, 2))
    scores[7] = 1.0
    first, again, other = (break_ties(scores, seed) for seed in (0, 0, 1))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)
    assert (first.argmax(axis=0) == 7).all()
    assert sorted(first[:, 0]) == list(range(100))


def test_htm_has_parents_with_subtopics():
    pytest.importorskip("tomotopy", reason="needs the extra 'experiments'")
    dataset = tiny_dataset()
    outcome = make_system("htm", "table3", FEW).fit(dataset, 0, subtopics=True)
    assert outcome.topics.shape == (2, dataset.corpus.n_words)
    assert [group.probabilities.shape[1] for group in outcome.subtopics] == [dataset.corpus.n_words] * 2


@pytest.fixture
def nothing_extra(monkeypatch):
    """No package of an extra can be imported."""
    import_module = importlib.import_module

    def refuse(name, *args):
        if name.partition(".")[0] in EXTRAS:
            raise ImportError(name)
        return import_module(name, *args)

    monkeypatch.setattr("experiments.baselines.topic_fit.import_module", refuse)
    monkeypatch.setattr("qdtm.embeddings.onnx_encoder.find_spec", lambda _: None)


NEEDY = ("lda", "hdp", "bert", "sbert", "avitm", "htm", "htm-gamma-1", "seeded-lda", "keyatm",
         "topica-seeded-lda", "corex", "keynmf", "bertopic")  # fmt: skip
EXTRA_OF = {**dict.fromkeys(NEEDY, "experiments"), "qdtm-encoder": "encoder"}


@pytest.mark.parametrize("row", ROWS)
def test_without_extras_a_row_runs_or_names_the_one_that_it_needs(nothing_extra, row):
    table = ROWS[row].tables[0]
    if row not in EXTRA_OF:
        assert make_system(row, table, FEW).name == row
        return
    with pytest.raises(MissingExtraError) as told:
        make_system(row, table, FEW)
    (line,) = str(told.value).splitlines()
    assert line.endswith(f"which is not installed: pip install 'qdtm[{EXTRA_OF[row]}]'.")


def test_usual_rows_that_cannot_be_run_are_left_out_with_a_warning(nothing_extra):
    with pytest.warns(UserWarning, match="is left out") as told:
        systems = make_systems((), "table1", FEW)
    assert str(told[0].message).startswith("The row 'lda' is left out. This model needs 'tomotopy'")
    assert "lda" not in systems
    assert {"islda", "sclda", "dflda", "qdtm-kld"} <= set(systems)


def test_a_margin_is_over_the_best_other_concept():
    scores = np.array([[0.9, 0.2, 0.5], [0.3, 0.3, 0.1]])
    assert margins(scores) == pytest.approx(np.array([[0.4, -0.7, -0.4], [0.0, 0.0, -0.2]]))
    assert np.array_equal(margins(scores[:, :1]), scores[:, :1])  # a query asked alone
