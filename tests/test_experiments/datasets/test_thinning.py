import numpy as np
import pytest

from experiments.datasets.thinning import kept_documents, thin

from ..bench.planted import THEMES, planted_dataset


@pytest.mark.parametrize("share", [0.01, 0.05, 0.1])
def test_the_category_has_the_share_and_all_others_stay(share):
    labels = np.repeat([0, 1, 2], [500, 300, 1200])
    kept = kept_documents(labels, 1, share, seed=3)
    left = labels[kept]
    assert (left == 1).mean() == pytest.approx(share, rel=0.05)
    assert (left != 1).sum() == 1700
    assert (np.diff(kept) > 0).all()


def test_the_seed_chooses_and_a_rare_category_stays():
    labels = np.repeat([0, 1], [300, 1000])
    first, same, other = (kept_documents(labels, 0, 0.05, seed) for seed in (0, 0, 1))
    assert np.array_equal(first, same)
    assert not np.array_equal(first, other)
    assert len(kept_documents(labels, 0, 0.9, 0)) == 1300


def test_documents_keep_their_words_and_labels():
    dataset = planted_dataset()
    thinned = thin(dataset, 1, 0.1, seed=0)
    kept = kept_documents(dataset.labels, 1, 0.1, seed=0)
    assert np.array_equal(thinned.labels, dataset.labels[kept])
    for row, j in ((0, kept[0]), (len(kept) - 1, kept[-1])):
        assert _words(thinned.corpus, row) == _words(dataset.corpus, j)


def test_a_smaller_share_keeps_a_part_of_a_larger_one():
    labels = np.repeat([0, 1], [300, 1000])
    few, more = (set(kept_documents(labels, 0, share, 4)) for share in (0.02, 0.1))
    assert few < more


def test_words_that_are_gone_are_not_in_the_vocabulary_and_texts_stay_with_their_documents():
    dataset = planted_dataset()
    thinned = thin(dataset, 1, 0.005, seed=0)
    [only] = np.flatnonzero(thinned.labels == 1)
    kept = kept_documents(dataset.labels, 1, 0.005, seed=0)
    left = set(_words(thinned.corpus, only))
    assert set(THEMES["cricket"]) & set(thinned.corpus.vocabulary) == set(THEMES["cricket"]) & left
    assert thinned.corpus.vocabulary == tuple(sorted(thinned.corpus.vocabulary))
    assert thinned.corpus.documents[int(only)].text == dataset.corpus.documents[int(kept[only])].text


def _words(corpus, j):
    return [corpus.vocabulary[w] for w in corpus.tokens[corpus.offsets[j] : corpus.offsets[j + 1]]]
