"""Files on workers make the corpus that one machine makes of the same texts."""

import numpy as np
import pytest
from tests.distributed.conftest import assert_same

from qdtm.corpus import Corpus, TextPipeline, VocabularyLimits
from qdtm.distributed import FileCorpus
from qdtm.distributed.files import SourceFile
from qdtm.distributed.parts import ask
from qdtm.distributed.spreading import share_out, spread_corpus
from qdtm.distributed.workers import SerialWorkers


def _numbers(part):
    return part.tokens, np.diff(part.offsets), part.first_document, part.ids


def test_the_parts_are_the_corpus(spread, whole):
    parts = ask(spread.workers, _numbers)

    assert spread.vocabulary == whole.vocabulary
    assert_same(np.concatenate([tokens for tokens, *_ in parts]), whole.tokens)
    assert_same(np.concatenate([lengths for _, lengths, *_ in parts]), whole.document_lengths)
    assert [first for _, _, first, _ in parts] == [0, 70, 71, 180, 260]
    assert [id for *_, ids in parts for id in ids] == [f"doc {j}" for j in range(len(whole))]


def test_what_is_counted_over_all(spread, whole):
    assert spread.n_documents == whole.n_documents
    assert spread.n_tokens == whole.n_tokens
    assert_same(spread.collection.word_counts, whole.word_counts)
    assert_same(spread.collection.document_frequency, whole.document_frequency)
    assert repr(spread).startswith("SpreadCorpus(5 files, 351 documents")


@pytest.mark.parametrize(
    "limits",
    [
        VocabularyLimits(min_df=5, max_df=0.2),
        VocabularyLimits(max_words=100),
        VocabularyLimits(max_words=1_000, min_df=1),  # a tie at the cut is decided by the alphabet
        VocabularyLimits.unlimited(),
    ],
)
def test_the_limits_cut_as_on_one_machine(files, texts, limits):
    pipeline = TextPipeline(limits=limits)
    source = FileCorpus(files.files, "text", pipeline=pipeline)

    spread = spread_corpus(source, SerialWorkers(3))

    assert spread.vocabulary == Corpus.from_texts(texts, pipeline=pipeline).vocabulary


def test_files_are_shared_out_in_order_by_size():
    files = [SourceFile(name, size) for name, size in [("a", 10), ("b", 30), ("c", 20), ("d", 20)]]
    shares = share_out(files, 2)
    assert [[file.name for _, file in share] for share in shares] == [["a", "b"], ["c", "d"]]
    assert [number for share in shares for number, _ in share] == [0, 1, 2, 3]


@pytest.mark.parametrize("n_workers", [1, 2, 5])
def test_every_file_has_a_worker(n_workers):
    files = [SourceFile("huge", 1_000), SourceFile("empty", 0)]
    assert sum(map(len, share_out(files, n_workers))) == 2
