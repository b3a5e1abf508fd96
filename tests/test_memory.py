"""Memory is bounded, estimated before it is taken, and refused in one line."""

from __future__ import annotations

import subprocess
import sys
import textwrap

import pytest

from qdtm import memory
from qdtm.errors import OutOfMemoryError
from qdtm.fit_memory import fit_bytes


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux keeps a process to its limit of data")
def test_a_process_that_wants_too_much_memory_is_told_so() -> None:
    code = """
from qdtm.memory import limit_memory
limit_memory(200)
kept = bytearray(50 * 2**20)
try:
    bytearray(500 * 2**20)
except MemoryError:
    print("refused")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "refused"


def test_what_fits_is_let_through_and_what_does_not_is_refused_with_both_numbers(monkeypatch) -> None:
    monkeypatch.setattr(memory, "available_bytes", lambda: 500 * 2**20)
    memory.require_memory(500 * 2**20, "The fit", "use less")
    with pytest.raises(
        OutOfMemoryError, match=r"^The fit needs about 1,000 MB .* 500 MB can be had; use less\.$"
    ):
        memory.require_memory(1000 * 2**20, "The fit", "use less")
    monkeypatch.setattr(memory, "available_bytes", lambda: None)
    memory.require_memory(2**60, "The fit", "use less")


def test_a_container_and_the_system_are_asked(tmp_path, monkeypatch) -> None:
    files = {
        "/proc/meminfo": "MemAvailable: 2000 kB\nSwapFree: 1000 kB\nHugePages_Total: 0\n",
        "/proc/self/status": "Name:\tpython\nVmSize:\t 10 kB\n",
        "/sys/fs/cgroup/memory.max": "2097152\n",
        "/sys/fs/cgroup/memory.current": "1048576\n",
    }

    def read_text(self, **_):
        if str(self) not in files:
            raise FileNotFoundError
        return files[str(self)]

    monkeypatch.setattr(memory.Path, "read_text", read_text)
    monkeypatch.setattr(memory, "_limit", lambda _: None)
    assert memory.available_bytes() == 2**20
    files["/sys/fs/cgroup/memory.max"] = "max\n"
    assert memory.available_bytes() == 3000 * 1024
    monkeypatch.setattr(memory, "_limit", lambda name: 2**15 if name == "RLIMIT_AS" else None)
    assert memory.available_bytes() == 2**15 - 10 * 1024


def test_a_fit_takes_more_for_more_of_everything() -> None:
    size = {
        "n_tokens": 10**6,
        "n_documents": 10**4,
        "n_words": 5000,
        "n_topics": 50,
        "n_queries": 2,
        "n_dimensions": 100,
        "n_encoded": 400,
        "n_jobs": 2,
        "n_chains": 1,
    }
    for name in size:
        assert fit_bytes(**size | {name: 2 * size[name]}) > fit_bytes(**size)


def test_it_knows_of_what_evidence_and_background_keep() -> None:
    """Of short texts what is known of documents is most of it; long ones have tokens."""
    size = {"n_tokens": 10**6, "n_words": 5000, "n_topics": 101, "n_documents": 100_000}
    with_vectors = fit_bytes(**size)
    assert with_vectors - fit_bytes(**size, n_dimensions=0) == 100_000 * 100 * 4  # single precision
    assert with_vectors - fit_bytes(**size | {"n_topics": 1}) > 100_000 * 100 * 8  # shares of topics
    assert fit_bytes(**size, n_queries=11) - with_vectors > 10 * 100_000 * (4 * 8 + 4)  # evidence, relevance
    assert fit_bytes(**size, n_encoded=384) - with_vectors > 100_000 * 384 * (8 + 8 + 4)  # scaled in double
    assert fit_bytes(**size | {"n_documents": 10}) > (4 * 12 + 4) * 10**6


def test_shares_of_topics_are_not_kept_of_very_many_documents() -> None:
    size = {"n_tokens": 10**6, "n_words": 5000, "n_topics": 100}
    few, many = (fit_bytes(**size, n_documents=n) / n for n in (160_000, 320_000))
    assert many < few - 1_000  # bytes a document


@pytest.mark.parametrize(
    ("size", "peak"),
    [  # of planted corpora, in MB, by `python -m experiments memory`
        ((250_000, 5_000, 5_000, 1, 30), 54),
        ((1_000_000, 20_000, 5_000, 1, 30), 95),
        ((4_000_000, 80_000, 5_000, 1, 30), 349),
        ((800_000, 80_000, 5_000, 1, 30), 165),
        ((4_000_000, 400_000, 5_000, 1, 30), 703),
        ((4_000_000, 80_000, 5_000, 20, 30), 618),
    ],
)
def test_it_is_near_what_was_measured(size: tuple[int, ...], peak: int) -> None:
    names = ("n_tokens", "n_documents", "n_words", "n_queries", "n_topics")
    needed = fit_bytes(**dict(zip(names, (*size[:4], size[3] + size[4]), strict=True)))
    assert 0.7 < needed / 2**20 / peak < 1.5


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux says how much a process has taken")
def test_a_fit_takes_no_more_than_was_estimated() -> None:
    code = """
        from qdtm import QueryDrivenTopicModel
        from qdtm.corpus import load_demo_corpus
        from qdtm.memory import Path, _fields
        from qdtm.fit_memory import fit_bytes_of

        status = Path("/proc/self/status")
        QueryDrivenTopicModel("cricket", max_sweeps=3).fit(load_demo_corpus())  # what is loaded and compiled
        corpus = load_demo_corpus()
        model = QueryDrivenTopicModel("cricket", n_jobs=1, max_sweeps=3)
        before = _fields(status)["VmRSS"]
        Path("/proc/self/clear_refs").write_text("5")  # begin the peak anew
        model.fit(corpus)
        print(_fields(status)["VmHWM"] - before, fit_bytes_of(corpus, 1, model._settings()))
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=True
    )
    peak, estimated = map(int, done.stdout.split())
    assert peak <= estimated


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux keeps a process to its limit")
def test_a_fit_that_cannot_fit_says_so_before_it_starts() -> None:
    code = """
        import resource
        from qdtm import QueryDrivenTopicModel
        from qdtm.corpus import load_demo_corpus
        from qdtm.errors import OutOfMemoryError
        from qdtm.memory import _fields, Path
        corpus = load_demo_corpus()
        limit = _fields(Path("/proc/self/status"))["VmSize"] + 10 * 2**20
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
        try:
            QueryDrivenTopicModel("cricket").fit(corpus)
        except OutOfMemoryError as error:
            print(error)
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True)
    assert done.stdout.startswith("The fit needs about ")
    assert done.stdout.endswith("; use fewer words (--max-words), documents or threads (--jobs).\n"), (
        done.stderr
    )


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux keeps a process to its limit")
@pytest.mark.parametrize("megabytes", [300, 500, 700])
def test_commands_say_so_where_nothing_fits(megabytes) -> None:
    done = subprocess.run(
        ["/bin/sh", "-c", f'ulimit -v {megabytes * 1024}; exec "$0" -m qdtm demo', sys.executable],
        capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 2
    assert done.stderr == (
        f"qdtm: qdtm needs at least 900 MB of address space, and the limit is {megabytes} MB; "
        "raise it (ulimit -v).\n"
    )
