import gzip
import json

import numpy as np
import pytest

from experiments.datasets.authors import load_authors_bags
from qdtm.errors import CorpusError

CONCEPT_LINES = ["1 0:1", "2 1:1 2:1", "1 3:1", "1 0:1", "1 2:1"]  # the five queries of TagMyNews


def write_bags(folder, documents: list[str], labels: list[str]) -> None:
    authors = folder / "authors"
    authors.mkdir()
    (authors / "vobs_tagmynews_test.txt").write_text("ant\nbee\ncat\ndog\n")
    with gzip.open(authors / "data_tagmynews_test.txt.gz", "wt") as stream:
        stream.writelines(line + "\n" for line in CONCEPT_LINES + documents)
    (authors / "tagmynews_authors_bow_alignment.json").write_text(json.dumps({"labels": labels}))


def test_bags_become_tokens_and_offsets(tmp_path):
    write_bags(tmp_path, ["2 3:2 1:1", "0", "1 0:3"], ["sport", "health", "business"])
    bags = load_authors_bags("tagmynews", tmp_path)
    np.testing.assert_array_equal(bags.tokens, [3, 3, 1, 0, 0, 0])
    np.testing.assert_array_equal(bags.offsets, [0, 3, 3, 6])
    assert [bags.categories[label] for label in bags.labels] == ["sport", "health", "business"]
    assert [[bags.vocabulary[w] for w in words] for words in bags.concept_words][1] == ["bee", "cat"]
    assert bags.n_docs == 3


@pytest.mark.parametrize(
    ("documents", "labels", "message"),
    [
        (["1 4:1"], ["sport"], "word ids beyond its vocabulary of 4 words"),
        (["3 1:1 2:1"], ["sport"], "A bag says it has 3 words and lists 2"),
        (["1 1:1"], ["sport", "sport"], "1 documents of tagmynews and 2 labels"),
    ],
)
def test_files_that_do_not_fit_together_are_refused(tmp_path, documents, labels, message):
    write_bags(tmp_path, documents, labels)
    with pytest.raises(CorpusError, match=message):
        load_authors_bags("tagmynews", tmp_path)


@pytest.mark.parametrize(
    ("name", "n_docs", "n_words", "n_unlabelled", "words"),
    [
        ("20news", 14_269, 5_000, 3, {"strong", "theism", "nature", "atheism"}),
        ("tagmynews", 21_565, 5_000, 0, {"sale", "business", "profit", "nikkei"}),
        ("searchsnippets", 12_276, 3_827, 0, {"export", "law", "trade", "business"}),
    ],
)
def test_authors_inputs_have_the_counts_of_the_paper(data_folder, name, n_docs, n_words, n_unlabelled, words):
    bags = load_authors_bags(name, data_folder)
    assert (bags.n_docs, len(bags.vocabulary)) == (n_docs, n_words)
    assert len(bags.concept_words) == len(bags.concepts) == len(bags.categories)
    assert (bags.labels == -1).sum() == n_unlabelled
    assert words <= {bags.vocabulary[w] for w in bags.concept_words[0]}


def test_newsgroup_labels_fit_the_documents(data_folder):
    bags = load_authors_bags("20news", data_folder)
    has = np.zeros((bags.n_docs, len(bags.vocabulary)), dtype=bool)
    has[np.repeat(np.arange(bags.n_docs), np.diff(bags.offsets)), bags.tokens] = True
    hockey = [concept.query for concept in bags.concepts].index("hockey")
    labels = bags.labels[has[:, bags.vocabulary.index("hockey")]]
    assert (labels == hockey).mean() > 0.8
