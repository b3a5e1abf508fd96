"""What was saved with the current schema can be loaded, and no byte of it can change unnoticed.

`tests/saved/` holds a corpus, a model with a copy of it and a model that refers to it, as they were saved
then. Models of an older schema are fitted anew.
"""

import random
import shutil
from pathlib import Path

import pytest

from qdtm import Corpus, QueryDrivenTopicModel
from qdtm.corpus.storage import VERSION as CORPUS_VERSION
from qdtm.errors import StorageError
from qdtm.results.storage import VERSION as MODEL_VERSION
from qdtm.storage.folders import REMADE

SAVED = Path(__file__).parent / "saved"
MODELS = sorted(SAVED.glob("model-*"))
CORPORA = sorted(SAVED.glob("corpus-*"))


def test_the_current_versions_are_kept():
    assert SAVED / f"model-{MODEL_VERSION}" in MODELS
    assert SAVED / f"corpus-{CORPUS_VERSION}" in CORPORA


@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.name)
def test_a_saved_model_is_loaded(path, tmp_path):
    model = QueryDrivenTopicModel.load(path)
    assert [concept.name for concept in model.concepts_] == ["cricket", "fire"]
    assert [len(topic.subtopics) for topic in model.topics_] == [2, 3]
    assert "cricket" in dict(model.topics_[0].top_words(10))
    assert model.corpus_.n_documents == 10
    assert model.corpus_.documents[0].text.startswith("Cricket test match in Sydney")
    assert len(model.documents("fire", 3)) == 3
    assert model.fit_.covers
    model.save(tmp_path / "again")
    assert QueryDrivenTopicModel.load(tmp_path / "again").concepts_ == model.concepts_


@pytest.mark.parametrize("path", CORPORA, ids=lambda path: path.name)
def test_a_saved_corpus_is_loaded(path):
    corpus = Corpus.load(path)
    assert (corpus.n_documents, corpus.documents[1].id) == (10, "doc-1")
    assert corpus.documents[0].fields == {"year": "2000", "note": "-3.5"}
    assert "cricket" in corpus.vocabulary


def test_titles_of_corpora_that_were_saved_before_there_were_any_are_how_texts_begin():
    before, now = (Corpus.load(SAVED / f"corpus-{version}").documents for version in (2, 3))
    assert (before.title_name, now.title_name) == (None, "headline")
    assert before[0].title == now[0].title == now[0].text  # which is short, and has no headline
    assert (before[1].title, now[1].title) == (before[1].text, "Report 1")


def test_a_flipped_bit_of_any_file_is_noticed(tmp_path):
    rng = random.Random(5)
    copy = shutil.copytree(SAVED / f"model-{MODEL_VERSION}", tmp_path / "model")
    for path in sorted(path for path in copy.rglob("*") if path.is_file() and path.name not in REMADE):
        whole = path.read_bytes()
        for at in {0, len(whole) - 1, *rng.sample(range(len(whole)), 6)}:
            changed = bytearray(whole)
            changed[at] ^= 1 << rng.randrange(8)
            path.write_bytes(changed)
            with pytest.raises(StorageError, match="is damaged") as caught:
                QueryDrivenTopicModel.load(copy)
            assert "\n" not in str(caught.value)
        path.write_bytes(whole)
    QueryDrivenTopicModel.load(copy)
