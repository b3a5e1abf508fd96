"""Tags and notes: acts in, codes out; and documents like one."""

from __future__ import annotations

import numpy as np
import pytest

from qdtm.corpus import Corpus, TextPipeline
from qdtm.errors import ParameterError, QueryError
from qdtm.results.codes import (
    CODE,
    NOTE,
    TAG,
    CodeCount,
    Codes,
    clean_tag,
    code_values,
    note_values,
    tag_values,
)
from qdtm.results.journal import Act, History
from qdtm.results.result import Result

from .synthetic import make_fit


@pytest.fixture
def result(corpus, fit):
    return Result(fit, corpus)


def test_a_tag_is_on_a_document_or_on_a_passage(result):
    coded = result.tagged(2, "  Asylum \n law ").tagged(2, "asylum LAW", passage=(0, 4)).tagged(5, "Border")
    assert coded.codes.book == (CodeCount("Asylum law", 1, 1), CodeCount("Border", 1, 0))
    assert coded.codes.rows("Asylum law").tolist() == [2]
    assert coded.codes.tags_of(2) == ("Asylum law",)
    assert [code.span for code in coded.codes.codes_of(2)] == [None, (0, 4)]
    assert not result.codes
    gone = coded.untagged(2, "asylum law", passage=(0, 4)).untagged(5, "border")
    assert gone.codes.book == (CodeCount("Asylum law", 1, 0),)


def test_a_note_takes_the_place_of_another_and_an_empty_one_takes_it_away(result):
    noted = result.noted(1, "first").noted(1, "second\n\nline").noted(1, "here", passage=(1, 3))
    assert [note.text for note in noted.codes.notes_of(1)] == ["second\n\nline", "here"]
    assert [note.text for note in noted.noted(1, "  ").codes.notes] == ["here"]


def test_tags_are_renamed_merged_removed_and_all_of_it_undone(result):
    coded = result.tagged(0, "a").tagged(1, "b").tagged(1, "a", passage=(0, 2))
    merged = coded.recoded("a", "B")
    assert merged.codes.book == (CodeCount("b", 2, 1),)
    assert merged.tagged(3, "a").codes.tags == ("a", "b")  # a new one of the old name
    assert merged.with_history(merged.history.undo()).codes == coded.codes
    assert coded.recoded("a", "A").codes.tags == ("A", "b")
    assert coded.recoded("A").codes.tags == ("b",)


def test_what_a_person_gives_is_bounded_in_one_line(result):
    assert clean_tag("é" * 100) == "é" * 100
    for tag in ("", " \n", "x" * 101):
        with pytest.raises(ParameterError, match="give 1 to 100 characters"):
            result.tagged(0, tag)
    with pytest.raises(ParameterError, match="give at most 10,000"):
        result.noted(0, "x" * 10_001)
    with pytest.raises(ParameterError, match="select at least one"):
        result.tagged(0, "a", passage=(3, 3))
    with pytest.raises(ParameterError, match="the text has"):
        result.tagged(0, "a", passage=(0, 10**6))
    with pytest.raises(QueryError, match=r"no tag 'bordr'.*Closest: 'Border'"):
        result.tagged(0, "Border").recoded("bordr", "x")


@pytest.mark.parametrize(
    "values",
    [
        {},
        {"row": "1", "tag": "a"},
        {"row": True, "tag": "a"},
        {"row": -1, "tag": "a"},
        {"row": 99, "tag": "a"},
        {"row": 1, "tag": ["a"]},
        {"row": 1, "tag": "a", "start": 3},
        {"row": 1, "tag": "a", "start": 3, "end": 2},
        {"row": 1, "tag": "a", "start": 0.5, "end": 2},
    ],
)
def test_acts_that_make_no_sense_are_passed_over(values):
    acts = [Act(i, "2026-01-01T00:00:00+00:00", "", kind, values) for i, kind in enumerate((TAG, NOTE, CODE))]
    assert not Codes.of(acts, 10)


def test_many_acts_are_applied_fast_enough_to_be_applied_at_all():
    history = History(
        tuple(
            Act(i + 1, "2026-01-01T00:00:00+00:00", "", TAG, tag_values(i % 500, None, f"t{i % 200}"))
            for i in range(20_000)
        )
    )
    assert len(Codes.of(history.acts, 500).tags) == 200


def test_codes_are_saved_with_a_result(result, tmp_path):
    result.tagged(0, "a").noted(0, "n", passage=(0, 1)).save(tmp_path / "r", standalone=True)
    again = Result.load(tmp_path / "r")
    assert again.codes.tags == ("a",)
    assert again.codes.notes[0].span == (0, 1)


def test_documents_of_a_tag_are_listed(result):
    listed = result.tagged(4, "a").tagged(7, "a").documents(0, None, tag="A")
    assert {row.index for row in listed} == {4, 7}
    with pytest.raises(QueryError, match="no tag"):
        result.documents(0, tag="a")


def test_values_say_where_and_what():
    assert tag_values(3, (1, 2), "a") == {"row": 3, "start": 1, "end": 2, "tag": "a"}
    assert note_values(3, None, " n ") == {"row": 3, "text": "n"}
    assert code_values("a", " ") == {"tag": "a", "to": ""}


# --- documents like one ------------------------------------------------------------------------------------


def naive_similarity(corpus: Corpus, row: int) -> np.ndarray:
    counts = corpus.document_term_matrix.toarray().astype(float)
    rarity = np.log((1 + len(counts)) / (1 + (counts > 0).sum(axis=0))) + 1
    weights = np.where(counts > 0, 1 + np.log(np.maximum(counts, 1)), 0) * rarity
    unit = weights / np.maximum(np.linalg.norm(weights, axis=1, keepdims=True), 1e-12)
    return unit @ unit[row]


def test_documents_like_one_are_the_nearest_by_tf_idf(result):
    expected = naive_similarity(result.corpus, 3)
    found = result.similar(3, 5)
    assert all(each.similarity == pytest.approx(expected[each.index], abs=1e-5) for each in found)
    first = result.corpus.first_copy
    others = [j for j in np.argsort(-expected, kind="stable") if first[j] != first[3]]
    assert found[0].similarity == pytest.approx(expected[others[0]], abs=1e-5)
    assert all(set(each.words) <= set(result.corpus.vocabulary) for each in found)


def test_copies_and_documents_without_a_word_in_common_are_not_like_it():
    texts = ["fire in the wind tonight", "fire in the wind tonight", "fire and wind", "cricket match", ""]
    corpus = Corpus.from_texts(texts, pipeline=TextPipeline())
    alike = Result(make_fit(corpus, queries=["fire"], n_subtopics=(1,)), corpus)
    assert [each.index for each in alike.similar(0)] == [2]
    assert alike.similar(4) == ()
    for n in (0, True, 10**6):
        with pytest.raises(ParameterError, match="whole number"):
            alike.similar(0, n)
