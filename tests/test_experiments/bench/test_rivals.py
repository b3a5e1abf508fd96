import warnings

import numpy as np
import pytest

from experiments.bench import rivals
from experiments.bench.rivals import Part, make_rival, make_rivals, split_with_rivals
from experiments.metrics.labels import agreement
from qdtm.corpus import Corpus
from qdtm.errors import MissingExtraError, ParameterError

from .planted_levels import planted_dataset


@pytest.fixture(scope="module")
def part():
    dataset = planted_dataset()
    rows = np.flatnonzero(dataset.labels == 0)
    return Part(dataset.corpus, rows, n_same=2, n_true=3), np.array(dataset.lower)[rows]


@pytest.mark.parametrize("name", ["kmeans-svd", "lda-true", "hdp"])
def test_planted_kinds_come_back(part, name):
    if name != "kmeans-svd":
        pytest.importorskip("tomotopy")
    documents, lower = part
    main = make_rival(name).split(documents, 0)
    assert agreement(main, lower).ami > 0.7
    assert (main == make_rival(name).split(documents, 0)).all()


def test_each_is_told_its_number(part):
    pytest.importorskip("tomotopy")
    documents, _ = part
    main = split_with_rivals(
        documents.whole, documents.rows, n_same=2, n_true=3, names=["lda-same", "lda-true", "kmeans-glove"]
    )
    assert {name: len(np.unique(found)) for name, found in main.items()} == {
        "lda-same": 2, "lda-true": 3, "kmeans-glove": 3,
    }  # fmt: skip


def test_a_document_without_words_is_in_no_part():
    corpus = Corpus.from_texts(["bread flour oven"] * 4 + [""] + ["wicket bowler innings"] * 4)
    main = make_rival("kmeans-svd").split(Part(corpus, np.arange(9), 2, 2), 0)
    assert main[4] == -1
    assert len(set(main[:4])) == len(set(main[5:])) == 1
    assert main[0] != main[8]


def test_what_is_not_installed_is_left_out_with_a_line(monkeypatch):
    def missing(module):
        raise MissingExtraError(f"needs {module}")

    monkeypatch.setattr(rivals, "require", missing)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        assert list(make_rivals()) == ["kmeans-glove", "kmeans-svd"]
    assert "The row 'lda-same' is left out. needs tomotopy" in str(told[0].message)
    with pytest.raises(MissingExtraError):
        make_rivals(["bertopic"])
    with pytest.raises(ParameterError, match="There is no row 'magic'"):
        make_rival("magic")
