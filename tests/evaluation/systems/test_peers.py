"""Rows of other people's packages, where they are installed."""

import numpy as np
import pytest

from qdtm.errors import MissingExtraError
from qdtm.evaluation.metrics import mean_precision_at_k
from qdtm.evaluation.systems import SystemOptions, make_system

from ..bench.fakes import tiny_dataset

PACKAGES = {
    "keyatm": "topica",
    "topica-seeded-lda": "topica",
    "corex": "corextopic",
    "keynmf": "turftopic",
    "bertopic": "bertopic",
}
FEW = SystemOptions(max_sweeps=30)


@pytest.mark.parametrize("name", ["keyatm", "topica-seeded-lda", "corex"])
def test_a_row_with_keywords_finds_the_documents(name):
    pytest.importorskip(PACKAGES[name], reason="needs the extra 'peers'")
    dataset = tiny_dataset()
    outcome = make_system(name, "table1", FEW).fit(dataset, 0)
    assert outcome.topics.shape == (2, dataset.corpus.n_words)
    assert mean_precision_at_k(outcome.scores, dataset.labels) == 1.0
    again = make_system(name, "table1", FEW).fit(dataset, 0)
    assert np.array_equal(outcome.scores, again.scores)


@pytest.mark.parametrize("name", PACKAGES)
def test_a_missing_package_is_named_with_its_extra(name, monkeypatch):
    def refuse(module):
        raise ImportError(module)

    monkeypatch.setattr("qdtm.evaluation.baselines.extras.import_module", refuse)
    with pytest.raises(MissingExtraError, match=rf"{PACKAGES[name]}.*pip install 'qdtm\[peers\]'"):
        make_system(name, "table1", FEW)
