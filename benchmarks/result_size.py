"""How large the result of one query is beside its index: bytes of each file, as a table.

In: a number of documents, made up as in `benchmarks/corpus.py`. Out: MB of `corpus/`, `model.safetensors`,
`documents.csv` and all, for a result that refers to its index, one with a copy, and one with all documents.

    python benchmarks/result_size.py [--documents 100000]
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from corpus import QUERY, write_documents
from qdtm import Corpus, QueryDrivenTopicModel

KINDS = {"now": {}, "--standalone": {"standalone": True}, "--all-documents": {"all_documents": True}}
PARTS = ("corpus", "model.safetensors", "documents.csv", ".")


def megabytes(path: Path) -> float:
    """Return the size of a file, or of all files in a folder."""
    files = [path] if path.is_file() else [file for file in path.rglob("*") if file.is_file()]
    return sum(file.stat().st_size for file in files) / 1e6


def main() -> None:
    """Index, fit and save."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--documents", type=int, default=100_000)
    options = parser.parse_args()
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


if __name__ == "__main__":
    main()
