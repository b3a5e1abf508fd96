"""How much memory a fit takes, beside the bound that is checked before it starts.

In: nothing; corpora are synthesised (words by Zipf's law, documents of equal length). Out: a table on the
screen: the peak of a fit and its save above what the process had with the corpus loaded, and
`qdtm.fit_memory.fit_bytes` for it. Linux only: every size runs in a process of its own, which asks the
system for its peak.

    python -m experiments memory [--sizes "tokens,length,words,queries,threads,background,chains" ...]
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

SIZES = (
    "1000000,50,5000,1,1,30,1",
    "4000000,50,5000,1,1,30,1",
    "4000000,50,30000,1,1,30,1",
    "4000000,50,30000,1,2,60,1",
    "4000000,10,5000,1,1,30,1",
    "4000000,50,5000,8,1,30,1",
    "4000000,50,5000,1,2,30,2",
)
_MB = 2**20


def peak_of_fit(size: str) -> str:
    """Fit a corpus of a size and return a row of the table."""
    from qdtm import Corpus, QueryDrivenTopicModel
    from qdtm.corpus import TextPipeline, load_demo_corpus
    from qdtm.corpus.document_store import BagTexts, MemoryDocuments
    from qdtm.fit_memory import fit_bytes

    n_tokens, length, n_words, n_queries, n_jobs, background, n_chains = map(int, size.split(","))
    short: dict[str, Any] = {"min_sweeps": 2, "max_sweeps": 4}
    QueryDrivenTopicModel("cricket", **short).fit(load_demo_corpus())  # compile
    tokens = (np.random.default_rng(0).zipf(1.3, n_tokens) % n_words).astype(np.int32)
    offsets = np.arange(0, n_tokens + 1, length)
    words = tuple(f"w{w:06d}" for w in range(n_words))
    documents = MemoryDocuments(BagTexts(words, tokens, offsets))
    corpus = Corpus(words, tokens, offsets, documents, TextPipeline())
    model = QueryDrivenTopicModel(
        list(words[100 : 100 + n_queries]),
        **short,
        n_jobs=n_jobs,
        n_chains=n_chains,
        n_background_topics=background,
    )
    before = _status("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")  # begin the peak anew
    with tempfile.TemporaryDirectory() as folder:
        model.fit(corpus).save(f"{folder}/saved")
    peak = _status("VmHWM") - before
    bound = fit_bytes(
        n_tokens=n_tokens, n_documents=len(offsets) - 1, n_words=n_words, n_topics=n_queries + background,
        n_queries=n_queries, n_chains=n_chains, n_jobs=n_jobs,
    )  # fmt: skip
    sizes = (n_tokens, len(offsets) - 1, n_words, n_queries + background, n_jobs, n_chains)
    return f"| {' | '.join(map('{:,}'.format, sizes))} | {peak / _MB:,.0f} MB | {bound / _MB:,.0f} MB |"


def _status(name: str) -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(name))


def measure_memory(arguments: Sequence[str]) -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(
        prog="python -m experiments memory", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("--sizes", nargs="+", default=SIZES)
    parser.add_argument("--one", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.one:
        print(peak_of_fit(options.one))
        return
    print("| tokens | documents | words | topics | threads | chains | peak | bound |")
    print("|---:|---:|---:|---:|---:|---:|---:|---:|", flush=True)
    for size in options.sizes:
        subprocess.run([sys.executable, "-m", "experiments", "memory", "--one", size], check=True)
