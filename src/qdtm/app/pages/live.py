"""Questions that are answered while a person types: drafts in, what is known to them out, as it comes.

One question is answered at a time for a corpus; one that is no longer asked gives up its place, and the work
on it ends.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar

from qdtm.app.context import OpenCorpus
from qdtm.app.drafts import Draft, LookedUp, answer_drafts, check_drafts
from qdtm.app.templating import Panel
from qdtm.progress import Cancelled, cancel_when

T = TypeVar("T")
Awaited = Literal["learning", "answer", "readings", ""]

_SECONDS = 0.2  # between two looks at how far the learning is


@dataclass(frozen=True)
class Stage:
    """What is known so far.

    Attributes
    ----------
    looked : tuple of LookedUp
        One a draft.
    waits_for : {"learning", "answer", "readings", ""}
        What is to come: the corpus is still learned, the answers or only readings are looked for; "" if
        everything is there.
    share : float
        How much of the corpus is learned.
    """

    looked: tuple[LookedUp, ...]
    waits_for: Awaited = ""
    share: float = 1.0


async def look_up(
    opened: OpenCorpus, drafts: Sequence[Draft], is_wanted: Callable[[], bool]
) -> AsyncIterator[Stage]:
    """Yield what the corpus says to drafts: whether it can answer, the first answers, then their readings.

    Parameters
    ----------
    is_wanted : callable
        False as soon as something else is asked; then nothing more comes.
    """
    learning = opened.learning
    try:
        checked = await _in_turn(
            opened, is_wanted, lambda: check_drafts(opened.corpus, drafts, learning.vectors)
        )
        if not any(each.is_answerable for each in checked):
            yield Stage(checked)
            return
        while is_wanted() and not learning.has_ended:
            yield Stage(checked, "learning", learning.share)
            await asyncio.sleep(_SECONDS)
        if is_wanted():
            yield Stage(checked, "answer")
        answered = await _in_turn(
            opened, is_wanted, lambda: answer_drafts(opened, drafts, checked, readings=False)
        )
        yield Stage(answered, "readings")
        yield Stage(await _in_turn(opened, is_wanted, lambda: answer_drafts(opened, drafts, checked)))
    except Cancelled:
        return


async def _in_turn(opened: OpenCorpus, is_wanted: Callable[[], bool], work: Callable[[], T]) -> T:
    """Do some work in a thread when it is its turn, as long as it is wanted."""
    async with opened.turn:
        if not is_wanted():
            raise Cancelled
        with cancel_when(lambda: not is_wanted()):
            done = await asyncio.to_thread(work)
    if not is_wanted():
        raise Cancelled
    return done


class AnswerPanel(Panel):
    """The first answer to a query on a page, or what it waits for."""

    def __init__(self) -> None:
        super().__init__("first_answer.html", answer=None, waits_for="", name="", problem=False, empty=True)

    def show_found(self, found: LookedUp, stage: Stage, *, name: str = "") -> None:
        """Show what is known; an answer that is there while another is looked for is an old one.

        Parameters
        ----------
        name : str
            To which query it is, where there are several.
        """
        waits = found.is_answerable and stage.waits_for in ("learning", "answer")
        is_asked = found.check is not None or bool(found.problem)
        self.show(
            answer=found.answer,
            waits_for=stage.waits_for if waits else "",
            percent=100 * stage.share,
            name=name,
            problem=is_asked and not waits,
            mentions=found.mentions,
            empty=not is_asked,
        )
