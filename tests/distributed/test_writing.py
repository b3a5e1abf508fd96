"""What becomes of documents that no machine holds: Parquet files, and the tables that are made of them."""

from dataclasses import replace

import numpy as np
import pytest

from qdtm import QueryDrivenTopicModel
from qdtm.distributed.spreading import spread_corpus
from qdtm.distributed.workers import SerialWorkers
from qdtm.distributed.writing import write_results
from qdtm.errors import ClusterError, ParameterError, QueryError, StorageError
from qdtm.results.elsewhere import DocumentFiles
from qdtm.results.result import Result
from qdtm.results.scores import score_documents

parquet = pytest.importorskip("pyarrow.parquet")


@pytest.fixture(scope="module")
def here(whole):
    """A result with its documents, which are not judged: workers cannot do that."""
    model = QueryDrivenTopicModel(["cricket", "israel"], max_sweeps=4, n_background_topics=3).fit(whole)
    return Result(replace(model.fit_, relevance=None), model.corpus_)


@pytest.fixture(scope="module")
def corpus(files):
    return spread_corpus(files, SerialWorkers(2))


@pytest.fixture(scope="module")
def result(here, corpus, tmp_path_factory):
    """The same result, its documents written by workers."""
    tokens = ("token_topics", "token_subtopics", "token_promoted")
    none = {name: getattr(here.fit, name)[:0] for name in tokens}
    fit = replace(here.fit, **none, corpus_fingerprint=corpus.fingerprint)
    fit = replace(fit, concepts=tuple(_without_documents(concept) for concept in fit.concepts))
    folder = tmp_path_factory.mktemp("results") / "documents"
    return Result(replace(fit, elsewhere=write_results(corpus, fit, folder)), corpus.without_documents)


def _without_documents(concept):
    return replace(concept, words=tuple(replace(word, documents=()) for word in concept.words))


def test_one_file_for_each_file(result, corpus):
    assert [path.rpartition("/")[2] for path in result.fit.elsewhere.paths] == [
        f"part-{number:05d}.parquet" for number in range(5)
    ]
    tables = [parquet.read_table(path) for path in result.fit.elsewhere.paths]
    assert [table.num_rows for table in tables] == [part.n_documents for part in corpus.parts]
    assert {table["file"][0].as_py() for table in tables} == {part.name for part in corpus.parts}
    assert tables[1]["row"].to_pylist() == [0]


def test_the_numbers_are_those_of_one_machine(result, here):
    tables = [parquet.read_table(path) for path in result.fit.elsewhere.paths]
    scores = score_documents(here.fit, here.corpus.document_term_matrix)

    for q, name in enumerate(["cricket", "israel"]):
        relevance = np.concatenate([table[f"relevance: {name}"].to_numpy() for table in tables])
        np.testing.assert_array_equal(relevance, scores.relevance[:, q])
        share = np.concatenate([table[f"subtopic share: {name}"].to_numpy() for table in tables])
        np.testing.assert_array_equal(share, scores.subtopic_share[:, q])
    topics = np.concatenate([np.stack(table["topics"].to_numpy()) for table in tables])
    np.testing.assert_allclose(topics.sum(axis=1), 1.0, rtol=1e-5)
    assert topics.shape == (here.n_documents, here.fit.n_topics)
    ids = [id for table in tables for id in table["document"].to_pylist()]
    assert ids == [f"doc {j}" for j in range(351)]


@pytest.mark.parametrize("subtopic", [None, "0.1"])
def test_the_same_documents_are_most_relevant(result, here, subtopic):
    ours, theirs = (each.documents("cricket", 8, subtopic=subtopic) for each in (result, here))
    fields = ("rank", "index", "relevance", "subtopic", "subtopic_share")
    assert len(ours) == len(theirs) > 0
    for mine, their in zip(ours, theirs, strict=True):
        assert [getattr(mine, name) for name in fields] == [getattr(their, name) for name in fields]
        assert mine.id == f"doc {mine.index}"
    assert ours[0].fields["file"].endswith((".csv", ".jsonl", ".parquet"))


def test_an_unknown_subtopic(result):
    with pytest.raises(QueryError, match=r"no subtopic '0\.99'"):
        result.documents("cricket", subtopic="0.99")


def test_saved_and_loaded_it_has_its_documents_with_it(result, tmp_path):
    result.save(tmp_path / "saved")
    again = Result.load(tmp_path / "saved")

    assert sorted(path.name for path in (tmp_path / "saved").iterdir()) == [
        "corpus", "documents", "model.safetensors", "qdtm.json", "topics.csv",
    ]  # fmt: skip
    assert again.fit.elsewhere == replace(result.fit.elsewhere, folder=str(tmp_path / "saved" / "documents"))
    assert (again.n_documents, again.n_tokens) == (351, result.n_tokens)
    assert again.documents("israel", 3).rows == result.documents("israel", 3).rows


def test_a_file_that_was_changed_is_noticed(result, tmp_path):
    result.save(tmp_path / "saved")
    (tmp_path / "saved" / "documents" / "part-00001.parquet").write_bytes(b"x")
    with pytest.raises(StorageError, match="damaged"):
        Result.load(tmp_path / "saved")


def test_what_needs_the_documents_says_so(result):
    model = QueryDrivenTopicModel.__new__(QueryDrivenTopicModel)
    model.__dict__ |= {"fit_": result.fit, "result_": result, "corpus_": result.corpus}
    for ask in (
        lambda: model.explain(0),
        lambda: model.report("report.html"),
        lambda: model.export("tables"),
        lambda: model.get_document_info(),
        lambda: model.topics_over_time("year"),
        lambda: model.doc_topic_,
    ):
        with pytest.raises(ParameterError, match="The documents of this model are not here"):
            ask()
    assert model.get_topic("0")


def test_new_documents_can_still_be_scored(result, texts):
    model = QueryDrivenTopicModel.__new__(QueryDrivenTopicModel)
    model.__dict__ |= {"fit_": result.fit, "result_": result, "corpus_": result.corpus}
    assert model.transform(texts[:3]).shape == (3, result.fit.n_topics)


def test_files_outside_the_folder_are_refused():
    values = DocumentFiles("documents", ("part-0.parquet",), 1, 1).to_json()
    with pytest.raises(ValueError, match="outside"):
        DocumentFiles.from_json(values | {"names": ["../../secret"]})


def test_a_place_that_cannot_be_written_to_is_named(here, corpus, tmp_path):
    (tmp_path / "taken").write_text("")
    with pytest.raises(StorageError, match=r"Cannot write '.*/taken/part-00000\.parquet'"):
        write_results(corpus, here.fit, tmp_path / "taken")


def test_it_may_be_a_url(result, corpus):
    fsspec = pytest.importorskip("fsspec")
    there = write_results(corpus, result.fit, "memory://bucket/results")
    assert there.paths[0] == "memory://bucket/results/part-00000.parquet"
    assert fsspec.filesystem("memory").exists("/bucket/results/part-00004.parquet")
    shown = Result(replace(result.fit, elsewhere=there), result.corpus)
    assert shown.documents("cricket", 3).rows == result.documents("cricket", 3).rows


def test_a_worker_that_died_reads_its_files_again_to_write_them(result, files, tmp_path):
    """What a worker remembers is gone; its successor is told which files it had."""
    workers = SerialWorkers(2)
    again = spread_corpus(files, workers)
    workers.close()
    found = write_results(again, result.fit, tmp_path / "again")
    for mine, theirs in zip(found.paths, result.fit.elsewhere.paths, strict=True):
        assert parquet.read_table(mine).equals(parquet.read_table(theirs))


def test_a_worker_that_died_while_searching_ends_the_fit_with_one_line(files):
    workers = SerialWorkers(2)
    spread = spread_corpus(files, workers)
    workers.close()
    with pytest.raises(ClusterError, match="A worker died, and with it what it had read"):
        spread.searcher.count_documents([0])
