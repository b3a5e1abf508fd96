"""A million documents: the page stays small, and tables are written row by row."""

import numpy as np
import pytest

from qdtm.corpus import Corpus, TextPipeline
from qdtm.corpus.document_store import Document
from qdtm.present.export import export_result
from qdtm.present.report import write_report
from qdtm.results.result import Result
from results.synthetic import make_fit

LENGTH = 10
WORDS = tuple(f"word{w:04d}" for w in range(2_000))


class MadeUp:
    """Documents that exist only while they are looked at."""

    id_name = "document"
    field_names = ("year", "party")

    def __init__(self, tokens):
        self.tokens = tokens

    def __len__(self):
        return len(self.tokens) // LENGTH

    def __getitem__(self, j):
        words = self.tokens[j * LENGTH : (j + 1) * LENGTH]
        fields = {"year": str(1990 + j % 30), "party": "ABC"[j % 3]}
        return Document(j, f"d{j}", " ".join(WORDS[w] for w in words), fields)

    def __iter__(self):
        return (self[j] for j in range(len(self)))

    def select(self, rows):
        return (self[j] for j in rows)


@pytest.mark.slow
def test_a_million_documents(tmp_path):
    n = 1_000_000
    tokens = (len(WORDS) * np.random.default_rng(0).random(n * LENGTH) ** 2).astype(np.int32)
    offsets = np.arange(0, n * LENGTH + 1, LENGTH)
    corpus = Corpus(WORDS, tokens, offsets, MadeUp(tokens), TextPipeline(language=None))
    fit = make_fit(corpus, queries=["word0000", "word0500"], n_subtopics=(5, 5), n_background=8)
    result = Result(fit, corpus).with_columns(time_column="year", group_column="party")
    page = write_report(result, tmp_path / "report.html")
    assert page.stat().st_size < 5_000_000
    assert "1,000,000 documents" in page.read_text("utf-8")
    tables = export_result(result, tmp_path / "tables", all_documents=True)
    with (tables / "documents.csv").open(encoding="utf-8-sig") as file:
        assert sum(1 for _ in file) == 2 * n + 1
