"""How the cost of a sweep grows: with the tokens of a corpus, and with its topics.

In: nothing; corpora are synthesised (planted topics over 5,000 words, documents of 50 tokens). Out: a table
as Markdown, and with `--write` the page docs/results/scaling.md and its plot. Times are of the CPU, so that
other work on the machine counts little.

    python -m experiments scaling [--tokens 100000 1000000 ...] [--topics 20 100 500] [--write]

Every size runs in a process of its own, so that its peak memory can be told.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np

from experiments.pages import RESULTS
from qdtm.sampler.assignment import assign
from qdtm.sampler.chain import Chain, open_chain
from qdtm.sampler.engines import Threads
from qdtm.sampler.problem import Priors
from qdtm.sampler.subtopics import subtopic_rules

TOKENS = (100_000, 1_000_000, 10_000_000, 50_000_000)
TOPICS = (20, 100, 500)
N_WORDS, DOCUMENT = 5_000, 50
PAGE, PLOT = RESULTS / "scaling.md", RESULTS / "scaling.svg"


@dataclass(frozen=True)
class Cost:
    """What a sweep over one corpus takes."""

    n_tokens: int
    n_topics: int
    n_shards: int
    one_thread_ns: float  # per token and sweep
    speed_up: float  # of two threads at best: what is outside the shards has one
    peak_mb: float


def planted_chain(n_tokens: int, n_topics: int) -> Chain:
    """A corpus in which each topic has words of its own, started where it was planted."""
    rng = np.random.default_rng(0)
    n_documents = n_tokens // DOCUMENT
    home = rng.integers(0, n_topics, n_documents)
    topics = np.repeat(home, DOCUMENT).astype(np.int32)
    strays = rng.random(len(topics), np.float32) < 0.2
    topics[strays] = rng.integers(0, n_topics, int(strays.sum()))
    words_each = N_WORDS // n_topics
    tokens = (topics * words_each + rng.zipf(1.5, len(topics)) % words_each).astype(np.int32)
    offsets = np.arange(0, len(tokens) + 1, DOCUMENT)
    rules = subtopic_rules(np.arange(N_WORDS, dtype=np.int32), N_WORDS, Priors(beta=0.1))
    return open_chain(Threads(), assign(tokens, offsets, topics), rules, 0, (1,))


def measure(n_tokens: int, n_topics: int) -> Cost:
    """Time sweeps of one corpus on one thread and on two."""
    chain = planted_chain(n_tokens, n_topics)
    chain.step()  # compile
    sweeps = max(1, min(10, 5_000_000 // n_tokens))
    repeats = 1 if n_tokens > 10**7 else 3
    one, _ = min(_seconds(chain, sweeps) for _ in range(repeats))
    evidence = np.ones((len(chain.assignment.offsets) - 1, chain.n_parents), np.float32)
    chain.shards = Threads(2).place(chain.assignment, chain.shards.n_shards, N_WORDS, evidence_jq=evidence)
    two, outside = min(_seconds(chain, sweeps) for _ in range(repeats))
    speed_up = min(2.0, one / (outside + (two - outside) / 2)) if chain.shards.n_shards > 1 else 1.0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return Cost(n_tokens, n_topics, chain.shards.n_shards, one / n_tokens * 1e9, speed_up, peak)


def _seconds(chain: Chain, sweeps: int) -> tuple[float, float]:
    """CPU seconds that a sweep takes on all threads, and on the thread that leads them."""
    start, start_here = time.process_time(), time.thread_time()
    for _ in range(sweeps):
        chain.step()
    return (time.process_time() - start) / sweeps, (time.thread_time() - start_here) / sweeps


def measure_apart(n_tokens: int, n_topics: int) -> Cost:
    """`measure` in a process of its own."""
    command = [sys.executable, "-m", "experiments", "scaling", "--one", str(n_tokens), str(n_topics)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return Cost(**json.loads(done.stdout))


def table(costs: Sequence[Cost]) -> str:
    """The costs as Markdown."""
    lines = [
        "| tokens | topics | shards | ns a token | a sweep | 2 threads at best | peak memory |",
        "|---:|---:|---:|---:|---:|---:|---:|",
    ]
    lines += [
        f"| {c.n_tokens:,} | {c.n_topics} | {c.n_shards} | {c.one_thread_ns:.0f} "
        f"| {c.one_thread_ns * c.n_tokens / 1e9:.3f} s | {c.speed_up:.2f} times | {c.peak_mb:,.0f} MB |"
        for c in costs
    ]
    return "\n".join(lines) + "\n"


def plot(costs: Sequence[Cost]) -> str:
    """Seconds a sweep over tokens, a line for each number of topics, on logarithmic axes (SVG)."""
    width, height, left, bottom = 560, 320, 60, 40
    x_range = np.log10([min(c.n_tokens for c in costs), max(c.n_tokens for c in costs)])
    seconds = [c.one_thread_ns * c.n_tokens / 1e9 for c in costs]
    y_range = np.array([np.floor(np.log10(min(seconds))), np.ceil(np.log10(max(seconds)))])

    def at(n_tokens: float, value: float) -> str:
        x = left + (width - left - 90) * (np.log10(n_tokens) - x_range[0]) / max(np.ptp(x_range), 1e-9)
        y = (height - bottom) - (height - bottom - 20) * (np.log10(value) - y_range[0]) / np.ptp(y_range)
        return f"{x:.1f},{y:.1f}"

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" '
        'font-size="11"><title>Seconds a sweep on one thread</title>'
    ]
    for power in np.arange(y_range[0], y_range[1] + 1):
        x, y = at(10 ** x_range[0], 10**power).split(",")
        parts.append(f'<line x1="{x}" y1="{y}" x2="{width - 90}" y2="{y}" stroke="#ddd"/>')
        parts.append(f'<text x="8" y="{y}">{10.0**power:g} s</text>')
    for n_tokens in sorted({c.n_tokens for c in costs}):
        x, _ = at(n_tokens, 10 ** y_range[0]).split(",")
        parts.append(f'<text x="{x}" y="{height - 20}" text-anchor="middle">{n_tokens:,}</text>')
    shades = ("#1b9e77", "#7570b3", "#d95f02")
    for shade, n_topics in zip(shades, sorted({c.n_topics for c in costs}), strict=False):
        own = [c for c in costs if c.n_topics == n_topics]
        points = [at(c.n_tokens, c.one_thread_ns * c.n_tokens / 1e9) for c in own]
        parts.append(f'<polyline points="{" ".join(points)}" fill="none" stroke="{shade}" stroke-width="2"/>')
        x, y = points[-1].split(",")
        parts.append(f'<text x="{float(x) + 6:.1f}" y="{y}" fill="{shade}">{n_topics} topics</text>')
    parts.append(f'<text x="{width / 2}" y="{height - 5}" text-anchor="middle">tokens</text></svg>\n')
    return "\n".join(parts)


def write(costs: Sequence[Cost]) -> None:
    """Write the page and its plot."""
    made = "Measured and written by `python -m experiments scaling --write`."
    text = f"# How the cost of a sweep grows\n\n{made}\n\n![Seconds a sweep]({PLOT.name})\n\n{table(costs)}"
    PAGE.write_text(text, encoding="utf-8")
    PLOT.write_text(plot(costs), encoding="utf-8")


def measure_scaling(arguments: Sequence[str]) -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(
        prog="python -m experiments scaling", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("--tokens", type=int, nargs="+", default=TOKENS)
    parser.add_argument("--topics", type=int, nargs="+", default=TOPICS)
    parser.add_argument("--write", action="store_true", help=f"write {PAGE.name} and {PLOT.name}")
    parser.add_argument("--one", type=int, nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.one:
        print(json.dumps(asdict(measure(*options.one))))
        return
    costs = []
    for n_topics in options.topics:
        for n_tokens in options.tokens:
            costs.append(measure_apart(n_tokens, n_topics))
            print(table(costs[-1:]).splitlines()[-1], flush=True)
    if options.write:
        write(costs)
