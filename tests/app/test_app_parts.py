"""What pages show, without any page: asking, exploring, taking away, naming."""

from __future__ import annotations

import asyncio
import errno
import json
import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from planted import nested_documents
from qdtm import QueryDrivenTopicModel
from qdtm.app.annotations import StalePageError, keep_correction
from qdtm.app.context import LastUsed
from qdtm.app.drafts import Draft, LookedUp, drafts_from_text, drafts_to_text
from qdtm.app.explorer import DocumentFilter, Explorer
from qdtm.app.findings import read_findings, write_findings
from qdtm.app.requests import Columns
from qdtm.app.templating import render
from qdtm.app.upload import Preview, columns_of_upload, preview_files
from qdtm.app.worker import FitNotes
from qdtm.corpus import Corpus
from qdtm.corpus.document_store import Document
from qdtm.corpus.readers.sources import SourceFile
from qdtm.errors import QueryError, StorageError
from qdtm.progress import Progress
from qdtm.queries import Query
from qdtm.results.journal import Journal
from qdtm.results.passages import Passage

from .texts import look_up, rows, write_table


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    table = rows()
    fields = {"published": [row[1] for row in table], "party": [row[2] for row in table]}
    return Corpus.from_texts([row[3] for row in table], ids=[row[0] for row in table], fields=fields)


@pytest.fixture(scope="module")
def model(corpus: Corpus) -> QueryDrivenTopicModel:
    fitted = QueryDrivenTopicModel(["school", "hospital"], max_sweeps=30).fit(corpus)
    return fitted.set_columns(time_column="published", group_column="party")


@pytest.fixture(scope="module")
def explorer(model: QueryDrivenTopicModel) -> Explorer:
    return Explorer(model.result_)


# --- asking ------------------------------------------------------------------------------------------------


def test_drafts_are_checked_each_and_expanded_together(corpus: Corpus) -> None:
    empty, school, unknown = look_up(corpus, [Draft(), Draft("school"), Draft("zebra")])
    assert empty.check is None
    assert school.check is not None
    assert school.concept is not None
    assert "teacher" in [word.word for word in school.concept.words]
    assert unknown.check is not None
    assert unknown.check.verdict == "absent"
    assert unknown.concept is None


def test_a_query_in_passing_shows_the_documents_that_mention_it() -> None:
    filling = "The school was quiet all the day, and nobody was there to see it. " * 8
    mention = "They spoke of <blink onclick='x'>cricket</blink> and of the school."
    corpus = Corpus.from_texts([f"{filling}{mention} {filling}"] + 7 * [filling])
    passing, school = look_up(corpus, [Draft("cricket"), Draft("school")])
    assert passing.check is not None
    assert (passing.check.verdict, passing.concept) == ("passing", None)
    assert [each.passage for each in passing.mentions] == [mention]
    assert school.mentions == ()
    shown = _answer_page(passing)
    assert "Documents that mention it" in shown
    assert "&lt;blink onclick=" in shown
    assert "<blink onclick" not in shown
    assert "Documents that mention it" not in _answer_page(school)


def _answer_page(found: LookedUp) -> str:
    values = {"answer": found.answer, "mentions": found.mentions, "problem": found.answer is None}
    return render("first_answer.html", **values, waits_for="", name="", empty=False)


@pytest.mark.parametrize("title", ["file-1", "School", ""])
def test_a_name_is_shown_once(title: str) -> None:
    document = Document(0, "file-1", "", title=title)
    shown = render("kwic_document.html", document=document, passage=Passage(()))
    assert shown.count("file-1") == 1


def test_twins_and_contradictions_are_a_line_not_an_error(corpus: Corpus) -> None:
    twins = look_up(corpus, [Draft("school"), Draft("schools")])
    assert "same after cleaning" in twins[0].problem
    nonsense = look_up(corpus, [Draft("school", exclude=("school",))])
    assert nonsense[0].concept is None


def test_a_word_taken_out_is_dropped_if_it_was_proposed_and_forgotten_if_it_was_added() -> None:
    draft = Draft("school").with_word("add", "tutor")
    assert draft.take_out("tutor") == Draft("school")
    dropped = draft.take_out("teacher")
    assert dropped.drop == ("teacher",)
    assert dropped.with_word("add", "teacher").drop == ()


def test_drafts_survive_an_address() -> None:
    drafts = (Draft("a b", "or", "rel", add=("c",)), Draft(keywords=("d", "e")))
    assert drafts_from_text(drafts_to_text(drafts)) == drafts


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[1, null]",
        '{"text": "a"}',
        "[" * 99_999,
        '[{"text": 5, "add": "x", "rule": [], "drop": [1]}]',
    ],
)
def test_any_address_gives_drafts(text: str) -> None:
    assert all(draft == Draft() for draft in drafts_from_text(text))


def test_a_query_goes_back_to_the_page_as_it_was() -> None:
    for draft in (Draft("a", "or", "rel", add=("b",)), Draft("a", expansion="none"), Draft(keywords=("c",))):
        assert Draft.of(draft.query()) == draft


def test_own_keywords_take_the_place_of_expansion() -> None:
    assert Draft(keywords=("a",), rule="or").query() == Query(keywords=("a",), rule="or")
    assert Draft("a", expansion="none").query().expansion is None


# --- exploring ---------------------------------------------------------------------------------------------


def test_documents_are_filtered_searched_and_sorted(explorer: Explorer) -> None:
    found = explorer.find(DocumentFilter(n=5))
    assert len(found.rows) == len(found.views) == 5
    assert found.n_found >= 25
    relevance = [view.relevance for view in found.views]
    assert relevance == sorted(relevance, reverse=True)
    assert explorer.find(DocumentFilter(search="ONERROR hurt")).rows == (1,)
    assert explorer.find(DocumentFilter(search="nowhere")).n_found == 0
    newest = explorer.find(DocumentFilter(sort="newest", n=90)).rows
    assert explorer.days is not None
    assert (np.diff(explorer.days[list(newest)].astype(int)) <= 0).all()
    oldest = explorer.find(DocumentFilter(sort="oldest", n=90)).rows
    assert sorted(oldest) == sorted(newest)


def test_only_the_documents_of_a_subtopic(explorer: Explorer) -> None:
    subtopic = explorer.result.topics[0].subtopics[0].id
    found = explorer.find(DocumentFilter(subtopic=subtopic, n=90))
    assert found.n_found
    assert explorer.scores(0).main[list(found.rows)].tolist() == [0] * len(found.rows)


def test_a_topic_that_is_one_group_is_a_sentence_and_can_be_split(explorer: Explorer, tmp_path: Path) -> None:
    view, result = explorer.view(0), explorer.result
    assert len(result.topics[0].subtopics) == 1
    values = {"query": view, "result": result, "q": 0, "job": SimpleNamespace(id="j", state="done")}
    values |= dict.fromkeys(("names", "notes", "acts", "undone", "hidden_by"), ()) | {"corpus": "c"}
    shown = render("topic.html", **values, damage="", last=None)
    assert "No subtopics: the documents about it are one group" in shown
    assert 'data-act="split" data-value="0.1"' in shown
    assert "<article" not in shown
    write_findings(tmp_path, result)
    found = read_findings(tmp_path)[0]
    assert found.subtopics == ()
    assert found.one_group.startswith("the documents about it are one group")


def test_an_act_is_kept_unless_the_page_is_stale(explorer: Explorer, tmp_path: Path) -> None:
    result = explorer.result
    keep_correction(tmp_path, result, lambda shown: shown.rename("0.1", "Mine"))
    with pytest.raises(StalePageError, match="here is how it is now"):
        keep_correction(tmp_path, result, lambda shown: shown.rename("0.1", "Other"))
    now = result.with_history(Journal(tmp_path).history)
    Journal(tmp_path).append("tag", {"row": 1})  # which corrects nothing
    keep_correction(tmp_path, now, lambda shown: shown.rename("0", "All"))
    with pytest.raises(QueryError, match="no subtopic"):
        keep_correction(
            tmp_path, now.with_history(Journal(tmp_path).history), lambda shown: shown.hide("0.77")
        )
    assert [act.kind for act in Journal(tmp_path).acts] == ["rename", "tag", "rename"]


# --- files -------------------------------------------------------------------------------------------------


def preview_file(path: Path) -> Preview:
    return preview_files([SourceFile(str(path), path.stat().st_size, path.name)])


def test_a_preview_guesses_what_the_columns_are(tmp_path: Path) -> None:
    preview = preview_file(write_table(tmp_path / "a.csv"))
    assert preview.columns == ("key", "published", "party", "body")
    assert len(preview.rows) == 8
    assert preview.guess == Columns(text="body", time="published")
    (tmp_path / "b.txt").write_text("one\ntwo\n")
    assert preview_file(tmp_path / "b.txt").rows == (("one",), ("two",))
    (tmp_path / "c.jsonl").write_text('{"id": 7, "text": "one"}\n')
    assert preview_file(tmp_path / "c.jsonl").guess == Columns(text="text", id="id")
    (tmp_path / "d.csv").write_text("title,body\nSnow falls,All is white.\nFire burns,All is red.\n")
    assert preview_file(tmp_path / "d.csv").guess == Columns(text=("title", "body"), title="title")


def test_columns_that_the_table_has_not_are_none() -> None:
    assert columns_of_upload({"text": "body", "id": "(none)"}, ["body"]) == Columns(text="body")


def test_what_was_used_last_is_made_once_and_forgets_the_oldest() -> None:
    made: list[int] = []
    kept: LastUsed[int] = LastUsed(2)
    for key in (1, 2, 1, 3, 1, 2):
        kept.get(key, lambda key=key: made.append(key) or key)  # type: ignore[misc]
    assert made == [1, 2, 3, 2]


def test_a_fit_notes_its_words_and_asks_to_stop_once(tmp_path: Path) -> None:
    interrupts = []
    notes = FitNotes(tmp_path / "progress.json", lambda: True, ("a", "b", "c"))
    for sweep in (1, 2):
        try:
            notes(Progress("parents", None, sweep, 300, 4, -7.0, ((2, 0),)))
        except KeyboardInterrupt:
            interrupts.append(sweep)
    assert interrupts == [1]
    noted = json.loads((tmp_path / "progress.json").read_text())
    assert noted["leading_words"] == [["c", "a"]]
    assert noted["curves"] == {"parent topics": [[1, -7.0]]}
    notes = FitNotes(tmp_path / "progress.json", lambda: False, ("a", "b", "c"))
    notes(Progress("subtopics", "q", 1, 300, 2, -7.0, ((1,), (2, 0))))
    assert json.loads((tmp_path / "progress.json").read_text())["subtopics"] == {"q": [["b"], ["c", "a"]]}


# --- going deeper ------------------------------------------------------------------------------------------


def test_a_split_is_kept_beside_the_result(tmp_path: Path) -> None:
    corpus = Corpus.from_tokens(nested_documents())
    options = {"expansion": None, "embeddings": None, "random_state": 1}
    result = QueryDrivenTopicModel("ship", min_sweeps=40, max_sweeps=80, **options).fit(corpus).result_
    with pytest.raises(QueryError, match=r"no subtopic '0\.77'"):
        keep_correction(tmp_path, result, lambda shown: shown.split("0.77"))
    assert Journal(tmp_path).acts == ()
    keep_correction(tmp_path, result, lambda shown: shown.split("0.1"))
    deep = Explorer(result.with_history(Journal(tmp_path).history))
    card = deep.view(0).subtopics[0]
    assert [below.id for below in card.below][:2] == ["0.1.1", "0.1.2"]
    found = deep.find(DocumentFilter(subtopic="0.1", n=500))
    assert {view.branch for view in found.views} == {"0.1"}
    assert {view.subtopic for view in found.views} >= {"0.1.1"}
    only = deep.find(DocumentFilter(subtopic="0.1.1", n=500))
    assert 0 < only.n_found <= found.n_found


def test_files_that_the_disk_refuses_are_one_line_on_the_page() -> None:
    pytest.importorskip("nicegui", reason="needs the extra 'app'")
    from qdtm.app.pages.upload import _Arriving

    async def refused() -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    async def upload() -> None:
        arriving = _Arriving(cast(Any, None))
        arriving._tasks.append(asyncio.ensure_future(refused()))
        with pytest.raises(StorageError, match="could not be kept: No space left on device"):
            await arriving.finish()
        await arriving.finish()  # nothing is left of it

    asyncio.run(upload())
