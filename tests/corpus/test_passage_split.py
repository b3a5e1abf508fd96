"""Long documents judged by passage: where texts are cut, and that all that is shown counts documents."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from qdtm import Corpus, QueryDrivenTopicModel
from qdtm.corpus import CorpusWarning, load_demo_corpus
from qdtm.corpus.passage_split import FEWEST, MOST, how_long, split_text
from qdtm.errors import ParameterError

SENTENCE = "The quick brown fox jumps over the lazy dog tonight. "  # ten words


@pytest.fixture(scope="module")
def texts():
    """Forty documents of several demo articles each."""
    articles = [document.text for document in load_demo_corpus().documents]
    return ["\n\n".join(articles[i : i + 7]) for i in range(0, 280, 7)]


@pytest.fixture(scope="module")
def model(texts):
    return _fit(Corpus.from_texts(texts, split="paragraphs"))


def _fit(corpus):
    return QueryDrivenTopicModel("cricket", max_sweeps=30, progress=None).fit(corpus)


@pytest.mark.parametrize("split", ["paragraphs", 100])
@pytest.mark.parametrize(
    "text",
    ["", "one", SENTENCE * 100, "word " * 900, (SENTENCE * 6 + "\n\n") * 20, "short\n" * 400, "中文。" * 900],
)
def test_passages_follow_one_another(text, split):
    spans = split_text(text, split)
    assert "".join(text[start:end] for start, end in spans) == text
    lengths = [len(text[start:end].split()) for start, end in spans]
    most = 1.5 * (MOST if split == "paragraphs" else split)
    assert max(lengths) <= most


def test_paragraphs_are_joined_and_cut():
    text = "Heading\n\n" + SENTENCE * 8 + "\n\n" + SENTENCE * 70 + "\n\n" + "The end."
    lengths = [len(text[start:end].split()) for start, end in split_text(text, "paragraphs")]
    assert lengths[0] == 81
    assert all(FEWEST <= length <= 1.1 * MOST for length in lengths)
    assert text[slice(*split_text(text, "paragraphs")[1])].endswith("tonight. ")


@pytest.mark.parametrize("split", ["foo", 0, -5, 3, 10**9, True, 2.5, ""])
def test_bad_values(split):
    with pytest.raises(
        ParameterError, match=r"cannot be split by .*; give 'auto', 'paragraphs', 'none' or a number of words"
    ):
        Corpus.from_texts(["a text"], split=split)


def test_tokens_stay_where_they_are(texts, model):
    corpus = model.corpus_
    assert len(corpus) == len(texts)
    assert len(corpus.passages) > 3 * len(texts)
    assert corpus.by_passage.n_tokens == corpus.n_tokens
    assert (
        corpus.by_passage.document_term_matrix.sum(axis=0) == corpus.document_term_matrix.sum(axis=0)
    ).all()
    passages = [document.text for document in corpus.by_passage.documents]
    assert "".join(passages) == "".join(texts)


def test_documents_are_counted(texts, model):
    relevance, passages = model.relevance(), model.corpus_.passages
    by_passage = model.fit_.relevance[:, 0]
    assert relevance.scores.shape == relevance.names.shape == (len(texts),)
    expected = [by_passage[a:b].max() for a, b in zip(passages.first, passages.first[1:], strict=False)]
    assert np.allclose(relevance.scores, expected)
    assert relevance.n_about_interval[1] <= len(texts)
    assert f"of {len(texts)} documents" in relevance.summary()
    check = model.concepts_[0].check
    assert check.n_corpus == len(texts)
    assert check.n_named == sum("cricket" in text.lower() for text in texts)
    assert np.allclose(model.doc_topic_.sum(axis=1), 1.0)
    assert model.doc_topic_.shape[0] == len(texts)


def test_shares_are_means_of_passages(model):
    from qdtm.results.distributions import document_topics

    corpus = model.corpus_
    shares = document_topics(corpus.by_passage.document_term_matrix, model.fit_.word_topic)
    weights = corpus.by_passage.document_lengths
    for j, (a, b) in enumerate(zip(corpus.passages.first, corpus.passages.first[1:], strict=False)):
        assert np.allclose(np.average(shares[a:b], axis=0, weights=weights[a:b]), model.doc_topic_[j])


def test_shown_is_the_best_passage(model):
    best = model.documents(n=5)
    passages = model.corpus_.passages
    texts = [document.text for document in model.corpus_.by_passage.documents]
    for row in best:
        p = passages.best(model.fit_.relevance[:, 0])[row.index]
        assert row.marked.text.strip() in texts[p]
        assert row.text[row.marked.start :].startswith(row.marked.text)
        assert "cricket" in row.passage.lower()


def test_own_documents_as_new_ones(texts, model):
    own = model.relevance().scores
    for new in (model.corpus_, texts):
        assert (model.relevance_of(new).scores == own).all()
    assert (model.relevance_of(texts[::-1]).scores[::-1] == own).all()


def test_order_does_not_matter(texts, model):
    other = _fit(Corpus.from_texts(texts[::-1], split="paragraphs"))
    assert (other.relevance().scores[::-1] == model.relevance().scores).all()
    assert (other.fit_.word_topic == model.fit_.word_topic).all()


def test_short_documents_are_as_without():
    short = [" ".join(document.text.split()[:80]) for document in load_demo_corpus().documents]
    whole, split = (_fit(Corpus.from_texts(short, split=how)) for how in (None, "paragraphs"))
    assert len(split.corpus_.passages) == len(short)
    assert (whole.relevance().scores == split.relevance().scores).all()
    assert (whole.components_ == split.components_).all()
    assert whole.corpus_.fingerprint != split.corpus_.fingerprint


def test_saved_and_loaded(model, texts, tmp_path):
    model.corpus_.save(tmp_path / "index")
    loaded = Corpus.load(tmp_path / "index")
    assert loaded.fingerprint == model.corpus_.fingerprint
    assert loaded.pipeline.split_documents == "paragraphs"
    assert (loaded.distinct.rows == model.corpus_.distinct.rows).all()
    model.save(tmp_path / "result")
    again = QueryDrivenTopicModel.load(tmp_path / "result")
    assert (again.relevance().scores == model.relevance().scores).all()
    again.add_query("police")
    assert again.relevance(1).scores.shape == (len(texts),)
    assert "passages (by paragraph)" in again.report(tmp_path / "report.html").read_text()


def test_program_makes_it_again(model):
    from qdtm.present.program import program

    assert "split_documents='paragraphs'," in program(model.result_)


def test_a_person_is_asked_about_documents(texts, model):
    check = model.check(n=20)
    for row in check.sample.documents:
        check = check.answer(row, "cricket" in texts[row].lower())
    checked = QueryDrivenTopicModel.of(model.result_.with_check(check))
    assert (checked.relevance_of(texts).scores == checked.relevance().scores).all()


def _write_folder(folder, texts):
    folder.mkdir()
    for number, text in enumerate(texts):
        (folder / f"{number:03}.txt").write_text(text, encoding="utf-8")
    return folder


def test_left_to_us_long_documents_are_split(texts, tmp_path):
    folder = _write_folder(tmp_path / "long", texts)
    for make, source in ((Corpus.from_texts, texts), (Corpus.of, iter(texts)), (Corpus.read, folder)):
        corpus = make(source, split="auto")
        assert corpus.n_documents == len(texts)
        again = list(texts) if source is not folder else folder
        assert corpus.fingerprint == make(again, split="paragraphs").fingerprint
        assert corpus.pipeline.split_documents == "paragraphs"


def test_left_to_us_short_documents_are_whole(texts):
    short = [text[:2_000] for text in texts]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        corpora = [Corpus.from_texts(short, split=split) for split in (None, "none", "auto")]
    assert len({corpus.fingerprint for corpus in corpora}) == 1
    assert all(corpus.passages is None for corpus in corpora)


def test_python_warns_of_long_documents_and_leaves_them_whole(texts):
    with pytest.warns(CorpusWarning, match=r"The documents are long .* split='auto' judges them by passage"):
        whole = Corpus.from_texts(texts)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        said = Corpus.from_texts(texts, split="none")
        new = Corpus.from_texts(texts, like=whole)
        Corpus.from_tokens([text.split() for text in texts])
    assert whole.passages is said.passages is new.passages is None
    assert whole.fingerprint == said.fingerprint


def test_long_documents_are_noticed():
    assert "median 5,000 words" in how_long([SENTENCE * 500] * 9)
    assert "30% have 1,000 words or more" in how_long([SENTENCE * 500] * 3 + [SENTENCE] * 7)
    assert not how_long([SENTENCE * 500] + [SENTENCE] * 9)
    assert not how_long([])
