"""Questions that are answered while a person types: what comes when, and what does not come any more."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest

pytest.importorskip("nicegui", reason="needs the extra 'app'")

from qdtm.app import context as learning_module
from qdtm.app.context import Learning, OpenCorpus
from qdtm.app.drafts import Draft
from qdtm.app.pages import live
from qdtm.app.pages.live import Stage, look_up
from qdtm.app.templating import render
from qdtm.corpus import Corpus
from qdtm.errors import CorpusError
from qdtm.results.passages import Aligner, whole

from .texts import open_corpus, rows

SHOWN = {"name": "", "problem": False, "mentions": (), "empty": False}


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return Corpus.from_texts([row[3] for row in rows()], ids=[row[0] for row in rows()])


@pytest.fixture(scope="module")
def opened(corpus: Corpus) -> OpenCorpus:
    found = open_corpus(corpus)
    assert found.learning.views is not None  # learned
    return found


async def stages(
    opened: OpenCorpus, drafts: Sequence[Draft], is_wanted: Callable[[], bool] = lambda: True
) -> list[Stage]:
    return [stage async for stage in look_up(opened, drafts, is_wanted)]


def test_the_check_comes_first_then_the_answer_then_readings(opened: OpenCorpus) -> None:
    turn = replace(opened, turn=asyncio.Lock())
    found = asyncio.run(stages(turn, [Draft("school"), Draft()]))
    assert [stage.waits_for for stage in found] == ["answer", "readings", ""]
    checked, answered = found[0].looked[0], found[-1].looked[0]
    assert (checked.is_answerable, checked.concept, checked.answer) == (True, None, None)
    assert answered.answer is not None
    assert answered.answer.summary.startswith("30 of 90 documents are about it")
    assert {bar.word for bar in answered.answer.words} >= {"school", "teacher", "pupil"}
    assert len(answered.answer.documents) == 5
    assert found[-1].looked[1].check is None


def test_what_cannot_be_answered_waits_for_nothing(opened: OpenCorpus) -> None:
    (only,) = asyncio.run(stages(replace(opened, turn=asyncio.Lock()), [Draft("zebra")]))
    assert (only.waits_for, only.looked[0].answer) == ("", None)


def test_only_the_newest_of_many_questions_is_answered(
    opened: OpenCorpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a person types: each question is asked while the one before is worked on."""
    asked: list[str] = []
    real = live.answer_drafts

    def answer(opened: OpenCorpus, drafts: Sequence[Draft], *rest: object, **options: bool) -> object:
        asked.append(drafts[0].text)
        return real(opened, drafts, *rest, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(live, "answer_drafts", answer)
    shown: list[str] = []

    async def type_all() -> None:
        own, newest = replace(opened, turn=asyncio.Lock()), [0]

        async def ask(turn: int, text: str) -> None:
            newest[0] = turn
            async for stage in look_up(own, [Draft(text)], lambda: newest[0] == turn):
                if stage.looked[0].answer:
                    shown.append(text)

        texts = ["tax", "school", "hospital", "nurse", "doctor"]
        async with own.turn:  # somebody else's question is worked on
            tasks = [asyncio.create_task(ask(turn, text)) for turn, text in enumerate(texts, start=1)]
            await asyncio.sleep(0)
        await asyncio.gather(*tasks)

    asyncio.run(type_all())
    assert set(asked) == {"doctor"}
    assert shown == ["doctor", "doctor"]  # without readings, and with them


def test_who_goes_away_takes_no_answer_from_others_who_ask_the_same(opened: OpenCorpus) -> None:
    """Whatever the work on it has come to: it shares what is remembered of the corpus with theirs."""
    undisturbed = asyncio.run(stages(replace(opened, turn=asyncio.Lock()), [Draft("teacher")]))[-1]
    n_looks = 0

    def leaves_at(look: int) -> tuple[list[Stage], list[Stage]]:
        nonlocal n_looks
        n_looks = 0

        def is_wanted() -> bool:
            nonlocal n_looks
            n_looks += 1
            return n_looks < look

        async def both() -> tuple[list[Stage], list[Stage]]:
            own = open_corpus(opened.corpus)  # nothing is remembered
            assert own.learning.views is not None
            own.learning.views._remembered.clear()
            one = asyncio.create_task(stages(own, [Draft("teacher")], is_wanted))
            two = asyncio.create_task(stages(own, [Draft("teacher")]))
            return await one, await two

        return asyncio.run(both())

    for look in range(1, 100):
        gone, stays = leaves_at(look)
        assert stays[-1].looked == undisturbed.looked
        if n_looks < look:
            break
    assert look > 10  # between any two steps of the work, and between the work and the showing
    assert gone[-1].looked == undisturbed.looked


def test_a_task_that_ends_while_it_works_gives_up_its_turn(
    opened: OpenCorpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, may_end = threading.Event(), threading.Event()
    real = live.check_drafts

    def check(*arguments: Any) -> object:
        begun.set()
        may_end.wait()
        return real(*arguments)

    async def end_the_first() -> list[Stage]:
        own = replace(opened, turn=asyncio.Lock())
        monkeypatch.setattr(live, "check_drafts", check)
        one = asyncio.create_task(stages(own, [Draft("school")]))
        two = asyncio.create_task(stages(own, [Draft("school")]))
        await asyncio.to_thread(begun.wait)
        one.cancel()
        await asyncio.wait({one})
        may_end.set()
        return await two

    assert [stage.waits_for for stage in asyncio.run(end_the_first())] == ["answer", "readings", ""]


def test_a_corpus_that_is_still_learned_says_how_far_it_is(
    corpus: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Slow(Learning):
        """Is half way through as long as nobody has looked three times."""

        looks = 0

        @property
        def has_ended(self) -> bool:
            self.looks += 1
            self.share = 0.5
            return self.looks > 3

    monkeypatch.setattr(live, "_SECONDS", 0.0)
    opened = OpenCorpus(corpus, Aligner(corpus), Slow(corpus))
    found = asyncio.run(stages(opened, [Draft("school")]))
    assert [stage.waits_for for stage in found] == ["learning"] * 3 + ["answer", "readings", ""]
    page = render("first_answer.html", answer=None, waits_for="learning", percent=50.0, **SHOWN)
    assert "Learning what the corpus is about … 50 %" in page


def test_a_corpus_that_cannot_be_learned_says_so_in_a_line(
    corpus: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise CorpusError("There is nothing to learn.")

    monkeypatch.setattr(learning_module, "background_of", fail)
    found = asyncio.run(stages(open_corpus(corpus), [Draft("school")]))
    assert found[-1].looked[0].problem == "There is nothing to learn."
    assert found[-1].looked[0].answer is None


def test_a_first_answer_is_escaped(opened: OpenCorpus) -> None:
    found = asyncio.run(stages(replace(opened, turn=asyncio.Lock()), [Draft("school")]))
    answer = found[-1].looked[0].answer
    assert answer is not None
    document = next(each for each in opened.corpus.documents if "<script>" in each.text)
    shown = replace(answer.documents[0], id="<b>", passage=whole(document.text, []))
    page = render(
        "first_answer.html",
        answer=replace(answer, documents=(shown,)),
        waits_for="",
        percent=0,
        **{**SHOWN, "name": "<i>"},
    )
    assert "&lt;script&gt;" in page
    assert "<script" not in page
    assert "<b>" not in page
    assert "<i>" not in page


def test_a_word_of_the_query_that_is_taken_out_changes_the_query(opened: OpenCorpus) -> None:
    def without(draft: Draft, word: str) -> Draft:
        found = asyncio.run(stages(replace(opened, turn=asyncio.Lock()), [draft]))
        concept = found[-1].looked[0].concept
        assert concept is not None
        return draft.without_own_word(concept, word)

    assert without(Draft("Schools teacher", reading=0), "school") == Draft("teacher")
    assert without(Draft("school teacher"), "pupil") == Draft("school teacher", drop=("pupil",))
    assert without(Draft("school"), "school") == Draft("school", drop=("school",))  # nothing would be left
    assert without(Draft('"school" teacher'), "school").drop == ("school",)
    assert without(Draft("school OR teacher"), "school").drop == ("school",)
