"""What became of the documents, written by the workers that have them: a Parquet file for each file."""

from __future__ import annotations

import os
from pathlib import Path

from qdtm.corpus.indexing import count_matrix
from qdtm.distributed.counting import FileShare
from qdtm.distributed.parts import parts_of, read_again
from qdtm.distributed.spreading import SpreadCorpus
from qdtm.distributed.workers import Memory
from qdtm.results.document_files import write_document_file
from qdtm.results.elsewhere import DocumentFiles, is_url
from qdtm.results.fit import ModelFit


def write_results(
    corpus: SpreadCorpus, fit: ModelFit, folder: str | os.PathLike[str] | None
) -> DocumentFiles:
    """Let the workers write what became of their documents.

    Parameters
    ----------
    corpus : SpreadCorpus
    fit : ModelFit
    folder : str or path, optional
        A folder or URL that all workers can write to; without, nothing is written.
    """
    if folder is None:
        return DocumentFiles("", (), corpus.n_documents, corpus.n_tokens)
    place = os.fspath(folder)
    place = place if is_url(place) else str(Path(place).absolute())
    workers = corpus.workers
    shared = [workers.share(value) for value in (corpus.vocabulary, fit, place)]
    calls = [workers.call(w, _write, share, *shared) for w, share in enumerate(corpus.shares)]
    workers.fetch(calls)
    names = tuple(_name(number) for number in range(len(corpus.parts)))
    return DocumentFiles(place, names, corpus.n_documents, corpus.n_tokens)


def _name(number: int) -> str:
    return f"part-{number:05d}.parquet"


# --- on a worker -------------------------------------------------------------------------------------------


def _write(memory: Memory, share: FileShare, vocabulary: tuple[str, ...], fit: ModelFit, folder: str) -> None:
    read_again(memory, share, vocabulary)
    for part in parts_of(memory):
        counts = count_matrix(part.tokens, part.offsets, part.n_words)
        write_document_file(f"{folder}/{_name(part.number)}", fit, counts, part.name, part.ids)
