"""How much memory a fit takes, beside the estimate that is checked before it starts.

In: nothing; corpora are planted (documents of equal length, half of each from one of twenty themes, whose
words are asked for). Out: a table on the screen: the peak of a fit and its save above what the process had
with the corpus loaded, and `qdtm.sampler.footprint.fit_bytes` for it. Linux only: every size runs in a
process of its own, with an empty cache, and asks the system for its peak.

    python benchmarks/memory.py [--sizes "tokens,length,words,queries,threads,background,chains" ...]
"""

from __future__ import annotations

import argparse
import ctypes
import gc
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

SIZES = (
    "250000,50,5000,1,1,30,1",
    "1000000,50,5000,1,1,30,1",
    "4000000,50,5000,1,1,30,1",
    "4000000,50,30000,1,1,30,1",
    "4000000,50,30000,1,2,60,1",
    "800000,10,5000,1,1,30,1",
    "4000000,10,5000,1,1,30,1",
    "4000000,50,5000,8,1,30,1",
    "4000000,50,5000,20,1,30,1",
    "4000000,50,5000,1,2,30,2",
)
N_THEMES = 20
_MB = 2**20


def peak_of_fit(size: str) -> str:
    """Fit a corpus of a size and return a row of the table."""
    from qdtm import Corpus, QueryDrivenTopicModel
    from qdtm.corpus import TextPipeline, load_demo_corpus
    from qdtm.corpus.store import BagTexts, MemoryDocuments
    from qdtm.embeddings.loading import bundled_vectors
    from qdtm.sampler.footprint import fit_bytes

    n_tokens, length, n_words, n_queries, n_jobs, background, n_chains = map(int, size.split(","))
    short = {"min_sweeps": 2, "max_sweeps": 4}
    QueryDrivenTopicModel("cricket", **short).fit(load_demo_corpus())  # compile
    tokens, offsets, heads = _planted(n_tokens, length, n_words)
    words = tuple(w for w in bundled_vectors().words[500:] if w.isalpha())[:n_words]
    documents = MemoryDocuments(BagTexts(words, tokens, offsets))
    corpus = Corpus(words, tokens, offsets, documents, TextPipeline())
    model = QueryDrivenTopicModel(
        [words[w] for w in heads[:n_queries]],
        **short,
        n_jobs=n_jobs,
        n_chains=n_chains,
        n_background_topics=background,
    )
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)  # what is free already would be taken without being seen
    before = _status("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")  # begin the peak anew
    with tempfile.TemporaryDirectory() as folder:
        os.environ["QDTM_CACHE"] = f"{folder}/cache"
        model.fit(corpus).save(f"{folder}/saved")
    peak = _status("VmHWM") - before
    estimate = fit_bytes(
        n_tokens=n_tokens, n_documents=len(offsets) - 1, n_words=n_words, n_topics=n_queries + background,
        n_queries=n_queries, n_chains=n_chains, n_jobs=n_jobs,
    )  # fmt: skip
    n_topics = n_queries + background
    sizes = (n_tokens, len(offsets) - 1, n_words, n_queries, n_topics, n_jobs, n_chains)
    return f"| {' | '.join(map('{:,}'.format, sizes))} | {peak / _MB:,.0f} MB | {estimate / _MB:,.0f} MB |"


def _planted(n_tokens: int, length: int, n_words: int) -> tuple[np.ndarray, np.ndarray, list[int]]:
    """Make tokens (N,) and offsets (D + 1,), and the most frequent word of each theme."""
    rng, block = np.random.default_rng(0), n_words // (N_THEMES + 1)
    theme = np.repeat(rng.integers(0, N_THEMES, n_tokens // length), length)  # (N,): of its document
    own = theme * block + _ranks(rng, n_tokens, block)
    common = N_THEMES * block + _ranks(rng, n_tokens, n_words - N_THEMES * block)
    tokens = np.where(rng.random(n_tokens) < 0.5, own, common).astype(np.int32)
    return tokens, np.arange(0, n_tokens + 1, length), [q * block for q in range(N_THEMES)]


def _ranks(rng: np.random.Generator, n_tokens: int, n_words: int) -> np.ndarray:
    """Draw words by the law of Zipf and Mandelbrot, (N,)."""
    weights = 1.0 / (np.arange(n_words) + 10.0)
    return np.searchsorted(np.cumsum(weights / weights.sum()), rng.random(n_tokens)).clip(0, n_words - 1)


def _status(name: str) -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(name))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--sizes", nargs="+", default=SIZES)
    parser.add_argument("--one", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print(peak_of_fit(options.one))
        return
    print("| tokens | documents | words | queries | topics | threads | chains | peak | estimate |")
    print("|---:|---:|---:|---:|---:|---:|---:|---:|---:|", flush=True)
    for size in options.sizes:
        subprocess.run([sys.executable, __file__, "--one", size], check=True)


if __name__ == "__main__":
    main()
