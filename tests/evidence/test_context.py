"""The company that a query's words keep: out of fold, blind to the words themselves, and bounded."""

import numpy as np
import pytest

from qdtm.corpus.indexing import hash_documents
from qdtm.evidence import evidence
from qdtm.evidence.corpus_views import ContextRows
from qdtm.evidence.evidence import N_FOLDS, context_scores
from qdtm.evidence.views import tfidf

from .worlds import plant_names


@pytest.fixture(scope="module")
def planted():
    return plant_names(0, {"cat": 120, "ship": 240}, {"cat": 0.4})


def ask(corpus, strength=None, **changed):
    named = corpus.word_index["named"]
    counts = corpus.document_term_matrix
    if strength is None:
        strength = 0.8 * (np.asarray(counts[:, [named]].toarray()).ravel() > 0)
    context = ContextRows(tfidf(counts), [named])
    return context_scores(context, strength, changed.get("hashes", corpus.document_hashes))


def test_it_tells_the_theme_also_of_documents_that_do_not_name_it(planted):
    corpus, themes = planted
    scores = ask(corpus)
    unnamed = corpus.document_term_matrix[:, [corpus.word_index["named"]]].toarray().ravel() == 0
    of_theme, others = scores[(themes == "cat") & unnamed], scores[themes == "ship"]
    assert of_theme.min() > others.max()


def test_it_is_blind_to_the_querys_words(planted):
    """Names that are scattered at random keep no company, however often they are said."""
    corpus, _ = plant_names(1, {"cat": 200, "ship": 200}, {"cat": 0.3, "ship": 0.3})
    scores = ask(corpus)
    named = corpus.document_term_matrix[:, [corpus.word_index["named"]]].toarray().ravel() > 0
    assert abs(scores[named].mean() - scores[~named].mean()) < 0.5 * scores.std()


def test_a_document_is_scored_by_other_folds(planted):
    """Where all of a fold are called names that are none, the scores of that fold stay as they are."""
    corpus, _ = planted
    folds = corpus.document_hashes % np.uint64(N_FOLDS)
    named = corpus.document_term_matrix[:, [corpus.word_index["named"]]].toarray().ravel() > 0
    strength = 0.8 * named
    misled = np.where(folds == 2, 0.8 * ~named, strength)
    before, after = ask(corpus, strength), ask(corpus, misled)
    np.testing.assert_array_equal(before[folds == 2], after[folds == 2])
    assert (before[folds == 1] != after[folds == 1]).any()


def test_copies_are_in_one_fold_and_have_one_score(planted):
    corpus, _ = planted
    tokens, offsets = corpus.tokens, corpus.offsets
    first = tokens[: offsets[3]]
    hashes = hash_documents(
        np.concatenate([first, first]).astype(np.int32),
        np.concatenate([offsets[:4], offsets[1:4] + offsets[3]]),
    )
    assert (hashes[:3] == hashes[3:]).all()
    from scipy import sparse

    counts = sparse.vstack([corpus.document_term_matrix, corpus.document_term_matrix[:40]]).tocsr()
    strength = 0.8 * (counts[:, [corpus.word_index["named"]]].toarray().ravel() > 0)
    both = np.concatenate([corpus.document_hashes, corpus.document_hashes[:40]])
    scores = context_scores(ContextRows(tfidf(counts), [corpus.word_index["named"]]), strength, both)
    np.testing.assert_array_equal(scores[:40], scores[-40:])


def test_the_same_again(planted):
    corpus, _ = planted
    np.testing.assert_array_equal(ask(corpus), ask(corpus))


def test_too_few_names_teach_nothing(planted):
    corpus, _ = planted
    strength = np.zeros(corpus.n_documents)
    strength[:4] = 1.0
    assert ask(corpus, strength) is None
    strength[:] = 0.0
    in_one_fold = np.flatnonzero(corpus.document_hashes % np.uint64(N_FOLDS) == 0)[:8]
    strength[in_one_fold] = 1.0
    assert ask(corpus, strength) is None
    assert (
        ask(corpus, np.full(corpus.n_documents, 0.9)) is None
    )  # all name it: there is nothing to tell them from


def test_what_is_learned_from_is_bounded(planted, monkeypatch):
    corpus, themes = planted
    sizes = []
    fit = evidence._fit

    def noting(features, strength):
        sizes.append((int((strength > 0).sum()), int((strength == 0).sum())))
        return fit(features, strength)

    monkeypatch.setattr(evidence, "_fit", noting)
    monkeypatch.setattr(evidence, "MOST_OTHERS", 60)
    monkeypatch.setattr(evidence, "MOST_NAMERS", 20)
    scores = ask(corpus)
    assert len(sizes) == N_FOLDS
    assert max(named for named, _ in sizes) <= 20
    assert max(others for _, others in sizes) <= 60
    assert scores[themes == "cat"].mean() > scores[themes == "ship"].mean() + 1.0


def test_the_sample_follows_the_content_and_not_the_order():
    rng = np.random.default_rng(0)
    hashes = rng.integers(0, 2**63, 100).astype(np.uint64)
    chosen = rng.random(100) < 0.7
    order = rng.permutation(100)
    found = {hashes[j] for j in evidence._sample(chosen, hashes, 20)}
    assert found == {hashes[order][j] for j in evidence._sample(chosen[order], hashes[order], 20)}
    assert found == set(np.sort(hashes[chosen])[:20])
