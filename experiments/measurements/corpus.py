"""How fast a corpus is read, indexed, asked and scored, and how large the result of a query is.

    python -m experiments corpus [--documents 1000000] [--json]
    python -m experiments result-size [--documents 100000]

In: a number of documents, which are made up (seeded) from the words of the bundled vectors. Out of the first:
for each stage the seconds, the CPU seconds, the documents a second, the ratio to CountVectorizer on the same
texts and the peak memory, as a table or JSON; every stage runs in a process of its own, so that its peak is
its own. Out of the second: MB of `corpus/`, `model.safetensors`, `documents.csv` and all, for a result that
refers to its index, one with a copy, and one with all documents.
"""

from __future__ import annotations

import argparse
import csv
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from qdtm import Corpus, QueryDrivenTopicModel

N_SUBJECTS = 200
WORDS_OF_A_SUBJECT = 200
MEAN_LENGTH = 21
QUERY = "football"
N_TOPICS = 50
_AT_ONCE = 20_000

BASELINE = "CountVectorizer"


@dataclass(frozen=True)
class Stage:
    """What was measured of one stage."""

    name: str
    seconds: float
    cpu_seconds: float
    documents_per_second: float
    times_as_fast_as_count_vectorizer: float
    peak_megabytes: float


# --- documents that are made up --------------------------------------------------------------------------


def write_documents(path: Path, n_documents: int, seed: int = 0) -> None:
    """Write a CSV of short documents: Zipf's law, a subject for each, and one word in fifty a rare name."""
    from qdtm.embeddings.loading import bundled_vectors

    words = np.array(bundled_vectors().words, dtype=object)
    rng = np.random.default_rng(seed)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "text", "month", "source"])
        for first in range(0, n_documents, _AT_ONCE):
            texts = made_up_texts(words, min(_AT_ONCE, n_documents - first), rng)
            for j, text in enumerate(texts, start=first):
                writer.writerow([j, text, f"2020-{1 + j % 12:02d}", "abcde"[j % 5]])


def made_up_texts(words: np.ndarray, n_texts: int, rng: np.random.Generator) -> Iterator[str]:
    """Yield texts of about 21 words, frequent words first in `words`."""
    lengths = rng.poisson(MEAN_LENGTH - 3, n_texts) + 3
    ends = np.cumsum(lengths)
    share = np.cumsum(1.0 / (np.arange(len(words)) + 2.7) ** 1.05)
    drawn = np.searchsorted(share, rng.random(ends[-1]) * share[-1])  # (N,)
    subject = np.repeat(rng.integers(0, N_SUBJECTS, n_texts), lengths)
    on_subject = rng.random(ends[-1]) < 0.3
    of_subject = rng.zipf(1.6, int(on_subject.sum())) % WORDS_OF_A_SUBJECT
    drawn[on_subject] = 200 + subject[on_subject] * WORDS_OF_A_SUBJECT + of_subject
    tokens = words[drawn]
    rare = np.flatnonzero(rng.random(ends[-1]) < 0.02)
    tokens[rare] = [f"x{name:x}" for name in rng.integers(0, 4_000_000, len(rare))]
    for start, end in zip(ends - lengths, ends, strict=True):
        text = ", ".join((" ".join(tokens[start : start + 7]), " ".join(tokens[start + 7 : end])))
        yield text.capitalize() + "."


# --- stages ----------------------------------------------------------------------------------------------


def count_vectorizer(folder: Path) -> None:
    """Read the texts with csv and count their words with scikit-learn."""
    from sklearn.feature_extraction.text import CountVectorizer

    with (folder / "texts.csv").open(encoding="utf-8", newline="") as file:
        texts = (row["text"] for row in csv.DictReader(file))
        CountVectorizer(stop_words="english", min_df=3, max_features=30_000).fit_transform(texts)


def index(folder: Path) -> None:
    """Read, split, count and save: `qdtm index`."""
    from qdtm import Corpus

    Corpus.read(folder / "texts.csv").save(folder / "index", force=True)


def load(folder: Path) -> None:
    """Load the index, every file checked."""
    from qdtm import Corpus

    Corpus.load(folder / "index")


def query(folder: Path) -> Callable[[], None]:
    """Check a query and find its concept words, the first time after loading."""
    from qdtm import Corpus
    from qdtm.queries import build_concepts, check_query

    corpus = Corpus.load(folder / "index")

    def ask() -> None:
        check_query(corpus, QUERY)
        build_concepts(corpus, QUERY)

    return ask


def transform(folder: Path) -> Callable[[], None]:
    """Split new texts and give them topic shares, with a made-up model of 50 topics."""
    from qdtm import Corpus
    from qdtm.results.distributions import document_topics

    corpus = Corpus.load(folder / "index")
    with (folder / "texts.csv").open(encoding="utf-8", newline="") as file:
        texts = [row["text"] for row in csv.DictReader(file)]
    word_topic = np.random.default_rng(0).random((corpus.n_words, N_TOPICS), dtype=np.float32)

    def score() -> None:
        document_topics(corpus.encode_counts(texts), word_topic)

    return score


STAGES: dict[str, Callable[[Path], object]] = {
    BASELINE: count_vectorizer,
    "index": index,
    "load": load,
    "check and expand": query,
    "transform": transform,
}
"""A stage is what is timed, or prepares it and returns what is timed."""


# --- measuring -------------------------------------------------------------------------------------------


def run_stage(name: str, folder: Path) -> tuple[float, float, float]:
    """Run a stage in this process; return seconds, CPU seconds and peak megabytes."""
    started, cpu = time.perf_counter(), time.process_time()
    prepared = STAGES[name](folder)
    if callable(prepared):
        started, cpu = time.perf_counter(), time.process_time()
        prepared()
    seconds, cpu = time.perf_counter() - started, time.process_time() - cpu
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # kilobytes, but bytes on a Mac
    return seconds, cpu, peak / (1e6 if sys.platform == "darwin" else 1e3)


def measure(folder: Path, n_documents: int) -> list[Stage]:
    """Run every stage in a process of its own."""
    stages: list[Stage] = []
    for name in STAGES:
        command = [sys.executable, "-m", "experiments", "corpus", "--stage", name, "--folder", str(folder)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        seconds, cpu, peak = json.loads(done.stdout)
        of_baseline = stages[0].cpu_seconds if stages else cpu
        stages.append(Stage(name, seconds, cpu, n_documents / seconds, of_baseline / cpu, peak))
    return stages


def print_table(stages: list[Stage]) -> None:
    """Print what was measured."""
    print("| stage | seconds | CPU seconds | documents a second | CountVectorizer = 1 | peak MB |")
    print("|---|---:|---:|---:|---:|---:|")
    for stage in stages:
        rates = f"{stage.documents_per_second:,.0f} | {stage.times_as_fast_as_count_vectorizer:.1f}"
        print(
            f"| {stage.name} | {stage.seconds:.2f} | {stage.cpu_seconds:.2f} | {rates} "
            f"| {stage.peak_megabytes:,.0f} |"
        )


def measure_corpus(arguments: Sequence[str]) -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(
        prog="python -m experiments corpus",
        description=__doc__,
        formatter_class=argparse.RawTextHelpFormatter,
    )
    parser.add_argument("--documents", type=int, default=1_000_000)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--stage", choices=list(STAGES), help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.stage:
        print(json.dumps(run_stage(options.stage, options.folder)))
        return
    with tempfile.TemporaryDirectory() as name:
        write_documents(Path(name) / "texts.csv", options.documents)
        stages = measure(Path(name), options.documents)
    if options.json:
        print(json.dumps([asdict(stage) for stage in stages], indent=2))
    else:
        print_table(stages)


# --- the size of a result --------------------------------------------------------------------------------


KINDS = {"now": {}, "--standalone": {"standalone": True}, "--all-documents": {"all_documents": True}}
PARTS = ("corpus", "model.safetensors", "documents.csv", ".")


def megabytes(path: Path) -> float:
    """Return the size of a file, or of all files in a folder."""
    files = [path] if path.is_file() else [file for file in path.rglob("*") if file.is_file()]
    return sum(file.stat().st_size for file in files) / 1e6


def measure_result_size(arguments: Sequence[str]) -> None:
    """Index, fit and save."""
    parser = argparse.ArgumentParser(
        prog="python -m experiments result-size", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("--documents", type=int, default=100_000)
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        write_documents(folder / "texts.csv", options.documents)
        Corpus.read(folder / "texts.csv").save(folder / "index")
        corpus = Corpus.load(folder / "index")
        model = QueryDrivenTopicModel(QUERY, max_sweeps=20, min_sweeps=10).fit(corpus)
        n_about, n_topics = int(model.relevance().about.sum()), model.fit_.n_topics
        print(f"{corpus!r}, {n_topics} topics, {n_about:,} about {QUERY!r}")
        print(f"the index: {megabytes(folder / 'index'):.1f} MB\n")
        print("| | `corpus/` | `model.safetensors` | `documents.csv` | all |\n|---|---:|---:|---:|---:|")
        for kind, how in KINDS.items():
            model.save(folder / "result", force=True, **how)
            sizes = (f"{megabytes(folder / 'result' / part):.1f}" for part in PARTS)
            print(f"| {kind} | {' | '.join(sizes)} |")
