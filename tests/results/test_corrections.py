"""Corrections by hand: what acts make of a fit, and that each of them can be undone."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from qdtm.errors import QdtmError, QueryError
from qdtm.model import QueryDrivenTopicModel
from qdtm.present.methods import methods_paragraph
from qdtm.results.corrections import correct_result, corrections_of, said, summary, typed
from qdtm.results.result import Result

from .synthetic import opened


@pytest.fixture
def result(fit, corpus):
    """Two queries; the second has the subtopics 1.1, 1.2 and 1.3, nothing is corrected."""
    return Result(fit, corpus)


def open_at_random(fit, corpus, id):
    return opened(fit, corpus, id)


def ids(result, q=1):
    return sorted(topic.id for topic in result.topics[q].below())


def counts_of(result, id):
    """Return the counts of the words of a subtopic right below its query."""
    numbers = [topic.id for topic in result.topics[int(id[0])].subtopics]
    return result.fit.subtopic_counts[int(id[0])][:, numbers.index(id)]


def same(left, right):
    """Whether two results show the same."""
    return (
        ids(left) == ids(right)
        and [topic.name for topic in left.all_topics()] == [topic.name for topic in right.all_topics()]
        and all(map(np.array_equal, left.fit.subtopic_counts, right.fit.subtopic_counts))
        and np.array_equal(left.fit.token_subtopics, right.fit.token_subtopics)
        and _corrected(left) == _corrected(right)
    )


def _corrected(result):
    known = result.fit.corrections
    return known.merged, known.hidden, known.names, known.dropped_words


def test_merged_subtopics_are_added_up_under_the_first(result):
    merged = result.merge(["1.3", "1.1"])
    assert ids(merged) == ["1.2", "1.3"]
    np.testing.assert_array_equal(
        counts_of(merged, "1.3"), counts_of(result, "1.1") + counts_of(result, "1.3")
    )
    np.testing.assert_array_equal(counts_of(merged, "1.2"), counts_of(result, "1.2"))
    assert merged.fit.corrections.merged == {"1.3": ("1.1",)}
    assert result.fit.corrections.merged == {}  # what was there stays


def test_a_hidden_subtopic_leaves_its_documents_about_the_query(result):
    hidden = result.hide("1.2")
    assert ids(hidden) == ["1.1", "1.3"]
    assert [each.id for each in hidden.fit.corrections.hidden] == ["1.2"]
    np.testing.assert_array_equal(hidden.relevance(1).scores, result.relevance(1).scores)
    share = counts_of(result, "1.2").sum() / result.fit.subtopic_counts[1].sum()
    assert hidden.fit.subtopic_rest[1] == pytest.approx(float(share))
    assert (hidden.fit.token_subtopics == -1).sum() > (result.fit.token_subtopics == -1).sum()


def test_a_dropped_word_is_shown_no_more_and_no_number_changes(result):
    word = result.topic("1.1").top_words(1)[0][0]
    dropped = result.drop_word("1.1", word)
    assert word not in dict(dropped.topic("1.1").top_words(100))
    assert word in dict(dropped.topic("1").top_words(100))
    np.testing.assert_array_equal(dropped.fit.word_topic, result.fit.word_topic)
    np.testing.assert_array_equal(dropped.relevance(1).scores, result.relevance(1).scores)
    with pytest.raises(QueryError, match="is not among the words of"):
        dropped.drop_word("1.1", word)


def test_a_split_is_found_once_and_closes_when_it_is_undone(result):
    split = result.split("1.2", opener=open_at_random)
    assert ids(split) == ["1.1", "1.2", "1.2.1", "1.2.2", "1.3"]
    back = split.undo()
    assert ids(back) == ["1.1", "1.2", "1.3"]
    assert ids(back.redo()) == ids(split)  # from what was found before: no opener is at hand
    with pytest.raises(QueryError, match="has been split already"):
        split.split("1.2")


def test_what_was_open_below_merged_subtopics_closes(result):
    split = result.split("1.2", opener=open_at_random)
    assert ids(split.merge(["1.1", "1.2"])) == ["1.1", "1.3"]
    assert ids(split.hide("1.2.1")) == ["1.1", "1.2", "1.2.2", "1.3"]


@pytest.mark.parametrize(
    "acts",
    [
        [("rename", "1.1", "by hand")],
        [("merge", "1.1", "1.2"), ("hide", "1.3")],
        [("hide", "1.1"), ("rename", "1.2", "x"), ("drop-word", "1", "fire")],
        [("rename", "1.3", "x"), ("merge", "1.1", "1.2", "1.3")],
    ],
)
def test_each_act_can_be_undone_and_done_again(result, acts):
    steps = [result]
    for kind, *values in acts:
        steps.append(correct_result(steps[-1], kind, values))
    assert [typed(act) for act in corrections_of(steps[-1].history)] == acts
    back = steps[-1]
    for step in reversed(steps[:-1]):
        back = back.undo()
        assert same(back, step)
    for step in steps[1:]:
        back = back.redo()
        assert same(back, step)


def test_an_act_in_the_middle_is_undone_and_what_stood_on_it_is_passed_over(result):
    split = result.split("1.2", opener=open_at_random)
    named = split.rename("1.2.1", "deep").rename("1.1", "stays")
    first = corrections_of(named.history)[0].number
    undone = named.undo(first)
    assert undone.topic("1.1").label == "stays"
    ((act, why),) = undone.passed_over
    assert typed(act) == ("rename", "1.2.1", "deep")
    assert "1.2.1" in why


def test_corrections_are_saved_and_told_in_the_methods(result, tmp_path):
    corrected = result.merge(["1.1", "1.2"]).hide("1.3").rename("1.1", "by hand").drop_word("0", "cricket")
    told = (
        "Two subtopics were merged into one, one subtopic was hidden, one word was dropped from what is "
        "shown of topics and one topic was named by hand."
    )
    assert summary(corrected.fit, corrected.history) == told
    assert told in methods_paragraph(corrected)
    QueryDrivenTopicModel.of(corrected).save(tmp_path / "saved")
    loaded = Result.load(tmp_path / "saved")
    assert same(loaded, corrected)
    assert same(loaded.undo().undo().undo().undo(), result)
    assert [said(act) for act in corrections_of(loaded.history)] == [
        "1.2 was merged into 1.1",
        "1.3 was hidden",
        "1.1 was named “by hand”",
        "“cricket” was dropped from the words of 0",
    ]


@pytest.mark.parametrize(
    ("kind", "values", "message"),
    [
        ("merge", ("1.1",), "Give merge SUBTOPIC SUBTOPIC"),
        ("merge", ("1.1", "1.1"), "Give two subtopics or more"),
        ("merge", ("1.1", "0.1"), "not parts of the same topic"),
        ("hide", ("1",), "'1' is a topic; give the id of a subtopic, such as '1.1'"),
        ("hide", ("1.9",), "There is no subtopic '1.9' in this model"),
        ("rename", ("7", "x"), "7"),
        ("drop-word", ("1.1", "zebra"), "'zebra' is not among the words of 1.1"),
        ("drop-word", ("9", "fire"), "There is no topic '9'"),
        ("undo", (), "There is nothing to undo"),
        ("undo", ("x",), "give a whole number"),
        ("redo", (), "There is nothing to do again"),
        ("paint", ("1.1",), "'paint' is no correction"),
    ],
)
def test_mistakes_say_the_way_out(result, kind, values, message):
    with pytest.raises(QdtmError, match=message):
        correct_result(result, kind, values)


def test_what_is_gone_says_where_it_went(result):
    merged = result.merge(["1.1", "1.2"]).hide("1.3")
    with pytest.raises(QueryError, match=r"'1\.2' any more: it was merged into 1\.1"):
        merged.hide("1.2")
    with pytest.raises(QueryError, match=r"'1\.3' any more: it was hidden"):
        merged.merge(["1.1", "1.3"])


def test_a_line_that_lacks_something_is_passed_over(result):
    history = result.history.append("merge", {"subtopics": "1.1"}).append("hide", {})
    shown = result.with_history(history)
    assert [why for _, why in shown.passed_over] == [
        "A merge lacks its subtopics.",
        "A correction lacks its subtopic.",
    ]
    assert same(replace(shown, passed_over=()), result)


def test_answers_and_tags_are_told_in_the_methods(result):
    from qdtm.results.hand_check.hand_check import judge

    checked = result.with_check(judge(result, 1, 3, "yes"))
    checked = checked.with_check(judge(checked, 1, 0, "no"))
    assert "By hand 2 documents were said to be about “fire” (1) or not (1)." in methods_paragraph(checked)
    coded = result.tagged(3, "wind").tagged(3, "wind", passage=(0, 4)).tagged(4, "enemy")
    assert "By hand 2 documents (1 passage) got 2 tags." in methods_paragraph(coded)
    assert "By hand" not in methods_paragraph(result)
