"""What is worked out for the numbers of a file lies in a file too, with the values of memory."""

from __future__ import annotations

import errno
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from qdtm.errors import StorageError
from qdtm.storage import mapped
from qdtm.storage.mapped import (
    concatenate_beside,
    empty_beside,
    full_beside,
    is_mapped,
    map_blocks,
    places_where,
)

NUMBERS = np.arange(2 * mapped.BLOCK + 3, dtype=np.int32) % 7


@pytest.fixture(params=["memory", "file"])
def numbers(request: pytest.FixtureRequest, tmp_path: Path) -> NDArray[np.int32]:
    if request.param == "memory":
        return NUMBERS
    path = tmp_path / "numbers"
    path.write_bytes(NUMBERS.tobytes())
    return np.asarray(np.memmap(path, np.int32, "r"))


def test_what_is_beside_an_array_is_where_it_is(numbers):
    made = [
        map_blocks(lambda block: block + 1, numbers, dtype=np.uint8),
        full_beside(numbers[5:], -1, np.int64),
        concatenate_beside(numbers, np.array([8, 9], np.int32)),
        empty_beside(full_beside(numbers, 0, np.uint8), (3, 2), np.float64),  # and beside that
    ]
    assert [is_mapped(each) for each in made] == [is_mapped(numbers)] * 4
    np.testing.assert_array_equal(made[0], NUMBERS + 1)
    assert made[0].dtype == np.uint8
    assert (made[1] == -1).all()
    assert made[2].tolist()[-3:] == [int(NUMBERS[-1]), 8, 9]
    assert made[3].shape == (3, 2)
    assert type(made[0]) is np.ndarray  # what kernels are compiled for


def test_places_are_those_of_the_whole(numbers):
    found = places_where(lambda one, other: (one == 3) & (other > 0), numbers, numbers)
    np.testing.assert_array_equal(found, np.flatnonzero(NUMBERS == 3))
    assert len(places_where(lambda block: block > 9, numbers)) == 0


def test_nothing_of_a_file_is_in_memory():
    assert not is_mapped(empty_beside(np.zeros(0, np.int32), 0, np.int32))


def test_a_full_disk_is_said_in_one_line(tmp_path, monkeypatch):
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    path = tmp_path / "numbers"
    path.write_bytes(bytes(64))
    monkeypatch.setattr(mapped, "_reserve", full)
    with pytest.raises(StorageError, match=r"Cannot write 128 bytes to .*: No space left on device\."):
        empty_beside(np.memmap(path, np.int32, "r"), 32, np.int32)
