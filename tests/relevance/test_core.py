"""The core of a query: grown from what names it, and put first without changing any probability."""

import numpy as np
from scipy.sparse import csr_matrix

from qdtm.relevance.core import HEAD, core_first, core_scores, naming_scores
from qdtm.relevance.second_look import Ridge

N_DOCUMENTS = 1_000


def test_a_document_is_named_by_its_words_and_by_what_it_is_like():
    counts = csr_matrix([[3, 0, 1], [0, 2, 2], [0, 0, 4], [0, 0, 4]])
    reach = np.array([0.5, 0.4, 0.1, -np.inf])
    named = naming_scores(counts, [reach], [[0]], [[0, 1]])[:, 0]
    assert np.argsort(-named, kind="stable").tolist() == [0, 1, 2, 3]


def test_the_core_grows_to_documents_of_the_same_meaning_that_do_not_name_the_query():
    rng = np.random.default_rng(0)
    meant = np.arange(N_DOCUMENTS) < 40
    vectors = 0.3 * rng.normal(size=(N_DOCUMENTS, 8))
    vectors[meant, 0] += 1.0
    named = rng.normal(size=N_DOCUMENTS)
    named[:15] += 5.0  # a third of them name it
    named[40:45] += 5.0  # and some that mean something else
    possible = np.ones((N_DOCUMENTS, 1), np.bool_)
    core = core_scores(named[:, None], [(3.0, Ridge(vectors))], possible)[:, 0]
    assert (np.argsort(-named)[:40] < 40).mean() < 0.6
    assert (np.argsort(-core)[:40] < 40).mean() > 0.7


def test_the_core_comes_first_and_no_probability_changes():
    rng = np.random.default_rng(1)
    scores = rng.normal(size=(N_DOCUMENTS, 2))
    judged = 1.0 / (1.0 + np.exp(2.0 - scores))
    core = -scores  # the core says the opposite
    reordered = core_first(judged, scores, core, HEAD)
    for q in range(2):
        assert np.array_equal(np.sort(reordered[:, q]), np.sort(judged[:, q]))
        n_lifted = round(0.2 * HEAD * N_DOCUMENTS)  # from the other end of the topic's order to the top
        lifted = np.argsort(-core[:, q])[:n_lifted]
        assert set(np.argsort(-reordered[:, q])[:n_lifted]) == set(lifted)
    beyond = np.argsort(-core[:, 0])[round(HEAD * N_DOCUMENTS) :]
    assert (np.diff(reordered[beyond, 0][np.argsort(-scores[beyond, 0])]) <= 0).all()  # in the topic's order
