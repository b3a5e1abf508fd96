import gzip
import json

import numpy as np
import pytest

from qdtm.errors import CorpusError
from qdtm.evaluation.datasets import NATURAL, load_natural, natural_concepts
from qdtm.evaluation.datasets.natural import available

ROWS = [
    {"text": "Malaria in children", "label": "Parasitic Diseases", "sublabel": "b_two"},
    {"text": "The heart and its signs", "label": "Conditions, Signs and small_talk", "sublabel": "a"},
    {"text": "Nothing of the kind", "label": "oos", "sublabel": "oos"},
    {"text": "Hearts of children", "label": "Parasitic Diseases", "sublabel": "a"},
    {"text": "Other hearts", "label": "other", "sublabel": "a"},
]


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "corpora").mkdir()
    for name in ("ohsumed23", "clinc150"):
        with gzip.open(tmp_path / "corpora" / f"{name}.jsonl.gz", "wt", encoding="utf-8") as file:
            file.writelines(json.dumps(row) + "\n" for row in ROWS)
    return tmp_path


def test_categories_are_asked_for_by_their_names_in_alphabetical_order(folder):
    concepts = natural_concepts("ohsumed23", folder)
    assert [concept.query for concept in concepts] == [
        "conditions signs and small talk",
        "parasitic diseases",
    ]
    assert {(concept.rule, concept.phrase == concept.query) for concept in concepts} == {("and", True)}
    assert [concept.category for concept in natural_concepts("clinc150-intents", folder)] == ["a", "b_two"]


def test_documents_of_no_category_stay_without_a_label(folder):
    dataset = load_natural("ohsumed23", folder)
    np.testing.assert_array_equal(dataset.labels, [1, 0, -1, 1, -1])
    assert dataset.corpus.n_documents == 5
    assert "the" not in dataset.corpus.vocabulary  # the usual pipeline
    np.testing.assert_array_equal(load_natural("clinc150-intents", folder).labels, [1, 0, -1, 0, 0])


def test_a_missing_or_damaged_file_is_one_clear_line(folder, cache_folder):
    assert available(folder) == ("ohsumed23", "clinc150-domains", "clinc150-intents")
    assert available() == ()
    with pytest.raises(CorpusError, match=r"^'corpora/uscongress.jsonl.gz' is not in the data folder"):
        load_natural("uscongress", folder)
    with pytest.raises(CorpusError, match=r"^'corpora/uscongress.jsonl.gz' is needed\. Name the folder"):
        load_natural("uscongress")
    (folder / "corpora" / "uscongress.jsonl.gz").write_bytes(gzip.compress(b'{"text": 1}'))
    with pytest.raises(CorpusError, match=r"uscongress.jsonl.gz' is damaged \('label'\)"):
        load_natural("uscongress", folder)


@pytest.mark.parametrize(
    ("name", "n_documents", "n_concepts", "n_unlabelled"),
    [
        ("ohsumed23", 7_400, 23, 0),
        ("clinc150-domains", 23_700, 10, 1_200),
        ("clinc150-intents", 23_700, 150, 1_200),
        ("uscongress", 4_449, 19, 30),
    ],
)
def test_real_corpora_have_their_categories(data_folder, name, n_documents, n_concepts, n_unlabelled):
    if name not in available(data_folder):
        pytest.skip(f"the data folder does not have {name}")
    dataset = load_natural(name, data_folder)
    assert dataset.corpus.n_documents == n_documents
    assert len(dataset.concepts) == n_concepts == len(np.unique(dataset.labels[dataset.labels >= 0]))
    assert np.count_nonzero(dataset.labels < 0) == n_unlabelled
    assert name in NATURAL
