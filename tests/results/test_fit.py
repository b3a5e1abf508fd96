"""A fit whose parts do not fit together cannot be made."""

from dataclasses import replace

import numpy as np
import pytest

from .synthetic import make_fit, make_trace


def test_shape_properties(fit):
    assert (fit.n_queries, fit.n_topics, fit.n_background) == (2, 4, 2)
    assert repr(fit) == "ModelFit('cricket', 'fire', 2 background topics)"


def test_interrupted_in_either_phase(corpus, fit):
    assert not fit.interrupted
    assert replace(fit, parent_trace=make_trace(interrupted=True)).interrupted
    traces = (make_trace(), make_trace(interrupted=True))
    assert replace(fit, subtopic_traces=traces).interrupted


def test_subtopics_may_be_missing(corpus):
    fit = make_fit(corpus, n_subtopics=(0, 0), subtopic_traces=())
    assert [counts.shape[1] for counts in fit.subtopic_counts] == [0, 0]


def changed(array, index, value):
    array = array.copy()
    array[index] = value
    return array


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"concepts": ()}, "no query"),
        (lambda f: {"subtopic_counts": f.subtopic_counts[:1]}, "each of the 2 queries"),
        ({"subtopic_rest": (0.0, float("nan"))}, "between 0 and 1"),
        (lambda f: {"subtopic_traces": f.subtopic_traces[:1]}, "1 traces for 2 queries"),
        (lambda f: {"word_topic": f.word_topic[:-1]}, "word_topic has shape"),
        (lambda f: {"word_topic": f.word_topic[:, :1]}, "word_topic has shape"),
        (lambda f: {"word_topic": changed(f.word_topic, (0, 0), np.nan)}, "not a number"),
        (lambda f: {"word_topic": changed(f.word_topic, (0, 0), -1)}, "negative"),
        (lambda f: {"promoted_mass": f.promoted_mass[:, :1]}, "promoted_mass has shape"),
        (lambda f: {"subtopic_counts": (f.subtopic_counts[0], np.zeros((3, 2)))}, "another vocabulary"),
        ({"beta": 0.0}, "beta is 0.0"),
        ({"beta": float("nan")}, "beta is nan"),
        ({"beta": 1e308}, r"beta is 1e\+308"),
        (lambda f: {"token_topics": f.token_topics[:-1]}, "differ in length"),
        (lambda f: {"token_topics": changed(f.token_topics, 0, 4)}, "topic does not exist"),
        (lambda f: {"token_topics": changed(f.token_topics, 0, -1)}, "topic does not exist"),
        (lambda f: {"token_subtopics": changed(f.token_subtopics, 0, 3)}, "subtopic does not exist"),
        (lambda f: {"token_subtopics": changed(f.token_subtopics, 0, -2)}, "subtopic does not exist"),
    ],
)
def test_refuses_parts_that_do_not_fit(fit, change, message):
    with pytest.raises(ValueError, match=message):
        replace(fit, **(change(fit) if callable(change) else change))


def test_a_background_token_has_no_subtopic(fit):
    token = int(np.flatnonzero(fit.token_topics >= fit.n_queries)[0])
    with pytest.raises(ValueError, match="subtopic does not exist"):
        replace(fit, token_subtopics=changed(fit.token_subtopics, token, 0))


def test_a_concept_word_is_in_the_vocabulary(fit):
    concept = fit.concepts[0]
    stray = replace(concept, words=(replace(concept.words[0], index=len(fit.vocabulary)),))
    with pytest.raises(ValueError, match="concept word is not in the vocabulary"):
        replace(fit, concepts=(stray, fit.concepts[1]))


def test_trace_refuses_gaps():
    with pytest.raises(ValueError, match="differ in length"):
        make_trace(3, sweeps=np.arange(2))
    with pytest.raises(ValueError, match="not finite"):
        make_trace(3, log_likelihood=np.array([-1.0, np.nan, -1.0]))


def test_trace_says_how_it_ended():
    assert repr(make_trace()) == "Trace(15 sweeps, settled, 2 samples)"
    assert "interrupted" in repr(make_trace(interrupted=True))
    assert "not settled" in repr(make_trace(settled=False))
