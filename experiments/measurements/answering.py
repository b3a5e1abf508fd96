"""A corpus learned once, then asked: what learning and a query cost beside a topic model of the whole corpus.

    python -m experiments answering [CORPUS] [-q QUERY ...] [--sweeps 100] [--jobs N] [--peers]

In: a file or an index, and queries; by default all of 20 Newsgroups, headers, footers and quotes taken off,
from the data folder (QDTM_DATA), and three queries from specific to broad. Out: a table on the screen:
learning the background, then for each query the first answer and the whole fit with subtopics, in seconds by
the clock and of CPU, in one run; with `--peers`, beside tomotopy's Hierarchical Dirichlet Process on the same
tokens, one worker, `--sweeps` sweeps, which is what a person would train instead. Nothing is read from the
cache or kept in it. How the cost of a query grows is in its columns: documents that name it, documents that
are swept, their tokens.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from experiments.datasets.natural import load_whole
from qdtm import Corpus, QueryDrivenTopicModel
from qdtm.corpus import load_demo_corpus
from qdtm.first_answer import first_answer
from qdtm.sampler.background import background_of
from qdtm.sampler.chain import Chain
from qdtm.sampler.engines import Threads
from qdtm.settings import n_threads
from qdtm.storage.cache import without_cache

QUERIES = ("space shuttle", "gun control", "religion")


def timed(work: Callable[[], Any]) -> tuple[Any, float, float]:
    """Return what work gives, the seconds by the clock and those of CPU."""
    clock, cpu = time.perf_counter(), time.process_time()
    found = work()
    return found, time.perf_counter() - clock, time.process_time() - cpu


def read(path: Path | None) -> Corpus:
    """Read a file, load an index, or take 20 Newsgroups."""
    if path is None:
        return Corpus.from_texts(load_whole("20news", None, None))
    return Corpus.load(path) if (path / "qdtm.json").is_file() else Corpus.read(path)


def learn(corpus: Corpus, n_jobs: int) -> int:
    """Learn the background; return the number of its topics."""
    with Threads(n_jobs) as engine:
        return background_of(corpus, engine).n_topics


@contextmanager
def swept_tokens() -> Iterator[list[int]]:
    """Note how many tokens the chains of a fit sweep over, parents first."""
    seen: list[int] = []
    usual = Chain.__init__

    def noted(chain: Chain, *args: Any, **options: Any) -> None:
        seen.append(options.get("n_tokens", 0))
        usual(chain, *args, **options)

    setattr(Chain, "__init__", noted)  # noqa: B010
    try:
        yield seen
    finally:
        setattr(Chain, "__init__", usual)  # noqa: B010


def train_tomotopy(corpus: Corpus, sweeps: int) -> int:
    """Train the Hierarchical Dirichlet Process of tomotopy on the same tokens; return its topics."""
    import tomotopy

    model = tomotopy.HDPModel(initial_k=100, eta=0.1, seed=0)
    model.optim_interval = 0
    words = np.array(corpus.vocabulary, object)
    for document in np.split(words[corpus.tokens], corpus.offsets[1:-1]):
        if len(document):
            model.add_doc(document.tolist())
    model.train(sweeps, workers=1)
    return int(model.live_k)


def measure_answering(arguments: Sequence[str]) -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(
        prog="python -m experiments answering",
        description=__doc__,
        formatter_class=argparse.RawTextHelpFormatter,
    )
    parser.add_argument("corpus", type=Path, nargs="?")
    parser.add_argument("-q", "--query", action="append")
    parser.add_argument("--sweeps", type=int, default=100)
    parser.add_argument("--jobs", type=int, default=-1)
    parser.add_argument("--peers", action="store_true")
    given = parser.parse_args(arguments)
    n_jobs = n_threads(given.jobs)
    with without_cache():
        QueryDrivenTopicModel("cricket").fit(load_demo_corpus())  # compile
        corpus, clock, cpu = timed(partial(read, given.corpus))
        print(f"{corpus}, {n_jobs} threads\n")
        rows: list[tuple[str, float, float, str]] = []
        rows.append(("reading the corpus", clock, cpu, ""))
        n_topics, clock, cpu = timed(lambda: learn(corpus, n_jobs))
        rows.append(("learning the background", clock, cpu, f"{n_topics} topics"))
        for query in given.query or QUERIES:
            answer, clock, cpu = timed(partial(first_answer, corpus, query))
            rows.append((f"'{query}', first answer", clock, cpu, answer.relevance.summary()))
            with swept_tokens() as seen:
                model = QueryDrivenTopicModel(query, n_jobs=n_jobs)
                _, clock, cpu = timed(partial(model.fit, corpus))
            assert model.fit_.strength is not None
            n_named = int(np.sum(model.fit_.strength > 0))
            note = f"{n_named:,} name it, {seen[0]:,} tokens swept, {seen[1]:,} split"
            rows.append((f"'{query}', fit", clock, cpu, note))
        if given.peers:
            found, clock, cpu = timed(lambda: train_tomotopy(corpus, given.sweeps))
            rows.append((f"tomotopy HDP, {given.sweeps} sweeps, one worker", clock, cpu, f"{found} topics"))
    for name, clock, cpu, note in rows:
        print(f"{name:40} {clock:7.1f} s {cpu:7.1f} s of CPU  {note}")
