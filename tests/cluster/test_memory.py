"""What a fit takes, and what is said if it is not there."""

from __future__ import annotations

import pytest

from qdtm.cluster.engine import Need, check_memory
from qdtm.errors import ClusterError

GB = 2**30
NEED = Need(n_tokens=10**9, n_documents=10**7, n_words=30_000, n_columns=1_000, n_workers=64)


def nodes(n: int, memory: float, store: float) -> list[dict[str, float]]:
    return [{"memory": memory, "object_store_memory": store}] * n


def test_a_worker_holds_its_tokens_and_the_counts() -> None:
    assert NEED.worker_bytes == 250 * 2**20 + (10**10 + 12 * 10**7) // 64 + 16 * 30_000 * 1_000


def test_twice_the_workers_halve_the_tokens_and_not_the_counts() -> None:
    more = Need(10**9, 10**7, 30_000, 1_000, 128)
    assert NEED.worker_bytes / 2 < more.worker_bytes < NEED.worker_bytes


def test_what_fits_passes() -> None:
    check_memory(NEED, nodes(8, 16 * GB, GB))


@pytest.mark.parametrize(
    ("machines", "said"),
    [
        (
            nodes(4, 2 * GB, GB),
            r"needs about .* GB on 64 workers, and the cluster has 8\.0 GB; add mach",
        ),
        (nodes(8, 16 * GB, 2**20), r"for objects on each machine, and one has 0\.0 GB; start Ray with more"),
    ],
)
def test_what_does_not_is_refused_in_one_line(machines: list[dict[str, float]], said: str) -> None:
    with pytest.raises(ClusterError, match=said) as error:
        check_memory(NEED, machines)
    assert "\n" not in str(error.value)
