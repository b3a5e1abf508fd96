"""Pieces of texts: of one length, none twice, whole ones before those that overlap; commands are timed."""

import subprocess

import pytest

from experiments.measurements.million import PIECE, cost_of, pieces

TEXTS = [" ".join(f"{text}{word}" for word in range(2 * PIECE + 5)) for text in "abc"]


def test_pieces_are_of_one_length_and_none_comes_twice():
    found = pieces(TEXTS, 9)
    assert len(set(found)) == len(found) == 9
    assert {len(piece.split()) for piece in found} == {PIECE}


def test_pieces_that_overlap_come_last_and_order_is_the_same_each_time():
    found = pieces(TEXTS, 100)
    assert found == pieces(TEXTS, 100)
    assert len({word for piece in found[:6] for word in piece.split()}) == 6 * PIECE
    assert len(found) == 15


def test_a_command_has_its_seconds_and_its_memory_and_one_that_fails_is_an_error():
    cost = cost_of("version", ["--version"])
    assert min(cost.seconds, cost.cpu_seconds) > 0
    assert cost.peak_megabytes > 10
    with pytest.raises(subprocess.CalledProcessError):
        cost_of("nothing", ["no-such-command"])
