"""Groups that chains agree on: planted ones come back, chance and junk do not."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics import adjusted_mutual_info_score

from planted import plant_groups, plant_vectors
from qdtm.sampler.consensus import N_CHAINS, agree, draw, group_documents, k_means
from qdtm.sampler.document_vectors import mean_word_vectors


def pure(labels, truth):
    """Whether each group has documents of one planted group only."""
    return len({(int(a), int(b)) for a, b in zip(labels, truth, strict=True)}) == len(np.unique(labels))


@pytest.mark.parametrize("n_groups", [2, 4, 7])
def test_planted_groups_come_back(n_groups):
    counts, truth = plant_groups(n_groups=n_groups)
    found = group_documents(counts, np.ones(len(truth)), (0,))
    assert found.n_groups == n_groups
    assert pure(found.labels, truth)
    assert len(found.chains) == N_CHAINS


def test_what_has_no_groups_is_not_split():
    counts, truth = plant_groups(n_groups=1, each=200)
    assert group_documents(counts, np.ones(len(truth)), (0,)).n_groups == 1


def test_few_documents_and_empty_ones_are_one_group():
    counts, truth = plant_groups(each=1)
    assert group_documents(counts, np.ones(len(truth)), (0,)).n_groups == 1
    assert group_documents(sparse.csr_matrix((30, 5), dtype=np.int64), np.ones(30), (0,)).n_groups == 1


def test_another_seed_finds_the_same_and_the_same_seed_the_same_bytes():
    counts, truth = plant_groups(n_groups=4)
    first, again, other = (group_documents(counts, np.ones(len(truth)), (seed,)) for seed in (0, 0, 1))
    assert first.labels.tobytes() == again.labels.tobytes()
    assert first.mixture.log_words.tobytes() == again.mixture.log_words.tobytes()
    assert pure(other.labels, first.labels)


def test_groups_are_numbered_by_size():
    big, truth = plant_groups(n_groups=2, each=60)
    counts = big[: 60 + 25]
    found = group_documents(counts, np.ones(85), (0,))
    assert np.bincount(found.labels).tolist() == [60, 25]
    assert pure(found.labels, truth[:85])


def test_a_strange_document_is_no_group():
    counts, truth = plant_groups()
    junk = sparse.csr_matrix(np.full((1, counts.shape[1] + 300), 3))
    wider = sparse.vstack([sparse.hstack([counts, np.zeros((len(truth), 300))]), junk]).tocsr()
    found = group_documents(wider, np.ones(len(truth) + 1), (0,))
    assert found.n_groups == 3
    assert pure(found.labels[:-1], truth)


def test_the_majority_decides():
    chains = np.array([[0, 0, 0, 1, 1, 1], [0, 0, 0, 1, 1, 1], [0, 1, 0, 1, 0, 1]])
    assert agree(chains).tolist() in ([0, 0, 0, 1, 1, 1], [1, 1, 1, 0, 0, 0])
    assert agree(np.zeros((3, 2), np.int64)).tolist() == [-1, -1]  # too few to be a group


def test_heavy_documents_are_drawn_oftener():
    weights = np.where(np.arange(100) < 50, 1.0, 0.1)
    drawn = np.concatenate([draw(weights, 30, np.random.default_rng(seed)) for seed in range(50)])
    assert (drawn < 50).mean() > 0.8
    assert len(np.unique(draw(weights, 100, np.random.default_rng(0)))) == 100


def test_k_means_labels_are_all_in_use():
    rng = np.random.default_rng(0)
    vectors = np.repeat(np.eye(3), 5, axis=0)
    labels = k_means(vectors, 10, rng)  # more groups than different vectors
    assert sorted(np.unique(labels).tolist()) == list(range(len(np.unique(labels)))) == [0, 1, 2]


def test_documents_are_grouped_by_an_encoders_vectors_alone():
    vectors, truth = plant_vectors()
    nothing = sparse.csr_matrix(
        np.random.default_rng(1).integers(0, 2, (len(truth), 30))
    )  # which tells nothing
    found, again = (
        group_documents(nothing, np.ones(len(truth)), (0,), vectors, encoded=True) for _ in range(2)
    )
    assert found.n_groups == 4
    assert len({(int(a), int(b)) for a, b in zip(found.labels, truth, strict=True)}) == 4
    assert found.labels.tobytes() == again.labels.tobytes()


def test_vectors_of_words_tell_groups_apart_that_words_alone_do_not():
    rng = np.random.default_rng(0)
    truth = np.repeat(np.arange(4), 60)
    meaning = np.repeat(np.eye(4, 12, dtype=np.float32), 200, axis=0)  # two hundred words of each meaning
    words = 200 * truth[:, None] + rng.integers(0, 200, (len(truth), 3))  # of which a document has three
    rows = np.repeat(np.arange(len(truth)), 3)
    counts = sparse.csr_matrix((np.ones(rows.size, np.int64), (rows, words.ravel())), (len(truth), 800))
    vectors = mean_word_vectors(counts, meaning + 0.1 * rng.normal(size=meaning.shape).astype(np.float32))
    assert group_documents(counts, np.ones(len(truth)), (0,)).n_groups == 1
    found = group_documents(counts, np.ones(len(truth)), (0,), vectors)
    assert found.n_groups == 4
    assert adjusted_mutual_info_score(truth, found.labels) > 0.95
