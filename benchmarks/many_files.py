"""The driver's memory while a corpus in many files is fitted on a cluster: it must not grow with the files.

    python benchmarks/many_files.py                 # 10, 20 and 40 files of 500,000 tokens, two workers
    python benchmarks/many_files.py --files 4 8 --tokens 50000 --check

Makes the files in a temporary folder (7 bytes a token), then fits the first 10, 20, ... of them, each in a
process of its own, and prints its peak memory and a checksum of the counts. `--check` fits the smallest
number of files on one machine too: the checksum must be the same.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

N_WORDS, N_TOPICS, LENGTH = 20_000, 40, 100
STORE_BYTES = 300 * 2**20


def write_files(folder: Path, n_files: int, n_tokens: int) -> None:
    """Write documents of 100 tokens, each about two of 40 topics; words and topics are Zipfian."""
    rng = np.random.default_rng(0)
    words = np.array([f"w{word:05d}" for word in range(N_WORDS)])
    weight = 1.0 / np.arange(1, N_WORDS + 1)
    order = np.stack([rng.permutation(N_WORDS) for _ in range(N_TOPICS)])  # (K, V): each topic's own ranking
    ranks = np.cumsum(weight / weight.sum())
    for number in range(n_files):
        n_documents = n_tokens // LENGTH
        topics = rng.integers(0, N_TOPICS, (n_documents, 2))
        which = topics[np.arange(n_documents)[:, None], rng.integers(0, 2, (n_documents, LENGTH))]
        drawn = np.minimum(np.searchsorted(ranks, rng.random((n_documents, LENGTH))), N_WORDS - 1)
        with (folder / f"part-{number:03d}.jsonl").open("w") as file:
            for row in words[order[which, drawn]]:
                file.write(json.dumps({"text": " ".join(row)}) + "\n")


def query() -> str:
    """A word that a few documents in a hundred have: one in the middle of a topic's ranking."""
    rng = np.random.default_rng(0)
    return f"w{rng.permutation(N_WORDS)[20]:05d}"


def fit(files: list[str], word: str, sweeps: int, n_workers: int, results: str | None) -> dict[str, object]:
    """Fit, and say how large this process became."""
    from qdtm import QueryDrivenTopicModel
    from qdtm.corpus import TextPipeline
    from qdtm.distributed import FileCorpus

    source = FileCorpus(files, "text", pipeline=TextPipeline(language=None), results=results)
    engine = {"engine": "ray", "n_jobs": n_workers} if results else {"n_jobs": n_workers}
    before, start = peak_mb(), time.perf_counter()
    model = QueryDrivenTopicModel(
        word, embeddings=None, n_background_topics=10, min_sweeps=sweeps, max_sweeps=sweeps, **engine
    )
    model.fit(source)
    counts = hashlib.sha256(model.fit_.word_topic.tobytes())
    for of_query in model.fit_.subtopic_counts:
        counts.update(of_query.tobytes())
    return {
        "files": len(files),
        "documents": model.result_.n_documents,
        "tokens": model.result_.n_tokens,
        "seconds": round(time.perf_counter() - start, 1),
        "before_mb": before,
        "peak_mb": peak_mb(),
        "sha256": counts.hexdigest()[:16],
    }


def peak_mb() -> int:
    """The most memory that this process has had, in MB; its workers do not count."""
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


def run_cell(arguments: argparse.Namespace) -> None:
    """One fit, in this process."""
    folder = Path(arguments.folder)
    files = [str(folder / f"part-{number:03d}.jsonl") for number in range(arguments.cell)]
    if arguments.local:
        print(json.dumps(fit(files, query(), arguments.sweeps, arguments.workers, None)))
        return
    import ray

    with tempfile.TemporaryDirectory(prefix="ray-", ignore_cleanup_errors=True) as place:
        ray.init(
            address="local", num_cpus=arguments.workers, object_store_memory=STORE_BYTES, _temp_dir=place,
            include_dashboard=False, log_to_driver=False, logging_level="ERROR",
        )  # fmt: skip
        results = str(folder / f"results-{arguments.cell}")
        print(json.dumps(fit(files, query(), arguments.sweeps, arguments.workers, results)))
        ray.shutdown()


def main() -> None:
    """Make the files, and run the cells."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--files", type=int, nargs="+", default=[10, 20, 40])
    parser.add_argument("--tokens", type=int, default=500_000, help="of each file")
    parser.add_argument("--sweeps", type=int, default=4)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--check", action="store_true", help="fit the fewest files on one machine too")
    parser.add_argument("--folder", help=argparse.SUPPRESS)
    parser.add_argument("--cell", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--local", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.cell:
        run_cell(arguments)
        return
    with tempfile.TemporaryDirectory(prefix="qdtm-files-") as folder:
        write_files(Path(folder), max(arguments.files), arguments.tokens)
        cells = [(n, []) for n in arguments.files]
        cells += [(min(arguments.files), ["--local"])] if arguments.check else []
        for n_files, how in cells:
            command = [sys.executable, __file__, "--folder", folder, "--cell", str(n_files), *how]
            command += ["--sweeps", str(arguments.sweeps), "--workers", str(arguments.workers)]
            found = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
            print(found.stdout.strip().splitlines()[-1], *how, flush=True)


if __name__ == "__main__":
    main()
