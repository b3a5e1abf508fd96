"""Random streams: SplitMix64, and one stream for each name."""

from itertools import product

import numpy as np
import pytest

from qdtm.sampler.kernels import open_stream, uniform

from .naive import Stream


def draws(state: int, n: int) -> list[float]:
    numbers = []
    for _ in range(n):
        state, number = uniform(np.uint64(state))
        numbers.append(number)
    return numbers


@pytest.mark.parametrize(
    ("seed", "published"),
    [
        (0, [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F, 0xF88BB8A8724C81EC]),
        (1234567, [6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431]),
    ],
)
def test_published_values_of_splitmix64(seed: int, published: list[int]) -> None:
    assert draws(seed, 4) == [(whole >> 11) / 2**53 for whole in published]
    twin = Stream(seed)
    assert [twin.whole() for _ in published] == published


def test_equals_whole_number_arithmetic_past_the_wrap() -> None:
    for state in (2**64 - 1, 2**63, 0x9E3779B97F4A7C15, 3):
        twin = Stream(state)
        assert draws(state, 50) == [twin.uniform() for _ in range(50)]


def test_returns_the_state_to_go_on_from() -> None:
    first, _ = uniform(np.uint64(7))
    assert int(first) == 7 + 0x9E3779B97F4A7C15
    assert draws(7, 3)[1:] == draws(int(first), 2)


def test_numbers_are_even_and_unrelated() -> None:
    """Chi-square over 64 bins below its 99.9 % point (103.4), in [0, 1), neighbours uncorrelated."""
    numbers = np.array(draws(int(open_stream(3, 1)[0]), 20_000))
    assert numbers.min() >= 0.0
    assert numbers.max() < 1.0
    bins = np.bincount((numbers * 64).astype(int), minlength=64)
    expected = len(numbers) / 64
    assert ((bins - expected) ** 2 / expected).sum() < 103.4
    assert abs(np.corrcoef(numbers[1:], numbers[:-1])[0, 1]) < 0.03


def test_streams_of_neighbouring_names_are_unrelated() -> None:
    """The first numbers of a thousand shards are as even as one stream's."""
    firsts = np.array([draws(int(open_stream(0, 1, 2, shard)[0]), 1)[0] for shard in range(1000)])
    bins = np.bincount((firsts * 16).astype(int), minlength=16)
    assert ((bins - 62.5) ** 2 / 62.5).sum() < 37.7  # 99.9 % point for 15 degrees of freedom
    assert abs(np.corrcoef(firsts[1:], firsts[:-1])[0, 1]) < 0.1


def test_a_stream_depends_on_every_part_of_its_name() -> None:
    names = list(product(range(3), repeat=4))  # (seed, phase, sweep, shard)
    states = {int(open_stream(*name)[0]) for name in names}
    assert len(states) == len(names)


def test_a_shorter_name_is_another_stream() -> None:
    names = [(5,), (5, 0), (5, 0, 0), (5, 0, 0, 0)]
    assert len({int(open_stream(*name)[0]) for name in names}) == len(names)


def test_the_same_name_gives_the_same_stream() -> None:
    first, second = open_stream(11, 1, 2), open_stream(11, 1, 2)
    assert first.dtype == np.uint64
    assert first.shape == (1,)
    assert first[0] == second[0]
    first += np.uint64(1)  # a kernel advances its own copy
    assert open_stream(11, 1, 2)[0] == second[0]
