"""Work that ends when nobody wants it any more."""

import asyncio

import pytest

from qdtm.progress import Cancelled, cancel_when, check_cancelled


def test_work_ends_only_where_somebody_said_when():
    check_cancelled()
    with cancel_when(lambda: False):
        check_cancelled()
    with pytest.raises(Cancelled), cancel_when(lambda: True):
        check_cancelled()
    check_cancelled()


def test_a_thread_of_the_same_task_is_ended_and_others_are_not():
    async def both() -> tuple[BaseException | None, BaseException | None]:
        async def one(wanted: bool) -> None:
            with cancel_when(lambda: not wanted):
                await asyncio.to_thread(check_cancelled)

        return tuple(await asyncio.gather(one(True), one(False), return_exceptions=True))

    kept, ended = asyncio.run(both())
    assert kept is None
    assert isinstance(ended, Cancelled)
