"""A corpus from everything a user may have, and from what no corpus can be made of."""

import pickle
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer

from qdtm.corpus import Corpus, CorpusWarning, TextPipeline, VocabularyLimits, load_demo_corpus
from qdtm.corpus.document_store import MemoryDocuments
from qdtm.corpus.sqlite_store import SqliteDocuments
from qdtm.errors import CorpusError, ParameterError

seeded = settings(deadline=None, derandomize=True)

TEXTS = ["Fires near Sydney.", "", "The fires burn, Sydney burns!", "of the and"]
WORDS = ("burn", "fire", "sydney")
PLAIN = TextPipeline.plain()

texts_strategy = st.lists(st.text(st.sampled_from("ab c.\n'é"), max_size=12), max_size=12)


def words_of(corpus: Corpus, j: int) -> list[str]:
    return [corpus.vocabulary[w] for w in corpus.tokens[corpus.offsets[j] : corpus.offsets[j + 1]]]


def check_numbers(corpus: Corpus) -> None:
    """Assert what holds for every corpus."""
    matrix = corpus.document_term_matrix
    assert corpus.tokens.dtype == np.int32
    assert corpus.offsets.dtype == np.int64
    assert corpus.offsets[0] == 0
    assert (np.diff(corpus.offsets) >= 0).all()
    assert corpus.offsets[-1] == corpus.n_tokens
    assert ((corpus.tokens >= 0) & (corpus.tokens < corpus.n_words)).all()
    assert matrix.shape == (corpus.n_documents, corpus.n_words)
    assert matrix.dtype == np.int32
    assert matrix.has_sorted_indices
    np.testing.assert_array_equal(np.asarray(matrix.sum(axis=1)).ravel(), corpus.document_lengths)
    np.testing.assert_array_equal(np.asarray(matrix.sum(axis=0)).ravel(), corpus.word_counts)
    np.testing.assert_array_equal(np.asarray((matrix > 0).sum(axis=0)).ravel(), corpus.document_frequency)
    assert [corpus.word_index[word] for word in corpus.vocabulary] == list(range(corpus.n_words))
    assert len(corpus.documents) == len(corpus) == corpus.n_documents


# --- texts -----------------------------------------------------------------------------------------------


def test_list_of_texts():
    corpus = Corpus.from_texts(TEXTS)
    check_numbers(corpus)
    assert corpus.vocabulary == WORDS
    assert [words_of(corpus, j) for j in range(4)] == [
        ["fire", "sydney"],
        [],
        ["fire", "burn", "sydney", "burn"],
        [],
    ]
    assert repr(corpus) == "Corpus(4 documents, 3 words, 6 tokens)"
    assert isinstance(corpus.documents, MemoryDocuments)
    assert [(d.index, d.id, d.text) for d in corpus.documents] == [
        (j, str(j), t) for j, t in enumerate(TEXTS)
    ]


@seeded
@given(texts_strategy)
def test_any_texts_keep_their_rows_and_words(texts):
    try:
        corpus = Corpus.from_texts(texts, pipeline=PLAIN)
    except CorpusError:
        assert not any(PLAIN(text) for text in texts)
        return
    check_numbers(corpus)
    assert [words_of(corpus, j) for j in range(corpus.n_documents)] == [PLAIN(text) for text in texts]
    assert list(corpus.vocabulary) == sorted(corpus.vocabulary)
    streamed = Corpus.from_texts(iter(texts), pipeline=PLAIN)
    assert streamed.fingerprint == corpus.fingerprint
    assert [d.text for d in streamed.documents] == texts


@seeded
@given(texts_strategy, st.integers(1, 4), st.integers(1, 4), st.integers(1, 5))
def test_limits_hold(texts, min_df, max_df, max_words):
    limits = VocabularyLimits(min_df, max_df, max_words)
    everything = Corpus.from_texts([*texts, "sentinel"], pipeline=PLAIN)
    once = Corpus.from_tokens(list({tuple(PLAIN(text)): None for text in [*texts, "sentinel"]}))
    allowed = (once.document_frequency >= min_df) & (once.document_frequency <= max_df)  # copies count once
    if not allowed.any():
        with pytest.raises(CorpusError):
            Corpus.from_tokens([PLAIN(text) for text in [*texts, "sentinel"]], limits=limits)
        return
    corpus = Corpus.from_tokens([PLAIN(text) for text in [*texts, "sentinel"]], limits=limits)
    check_numbers(corpus)
    assert corpus.n_words == min(max_words, allowed.sum())
    kept = [everything.word_index[word] for word in corpus.vocabulary]
    assert allowed[kept].all()
    np.testing.assert_array_equal(corpus.document_frequency, everything.document_frequency[kept])
    left_out = np.setdiff1d(np.flatnonzero(allowed), kept)
    if len(left_out):
        assert once.word_counts[left_out].max() <= once.word_counts[kept].min()


def test_ids_and_fields():
    corpus = Corpus.from_texts(TEXTS, ids="abcd", fields={"year": [1999, 2000, None, float("nan")]})
    assert corpus.documents.field_names == ("year",)
    assert [(d.id, d.fields["year"]) for d in corpus.documents] == [
        ("a", "1999"),
        ("b", "2000"),
        ("c", ""),
        ("d", ""),
    ]
    with pytest.raises(CorpusError, match="'ids' has 1 values for 4 documents"):
        Corpus.from_texts(TEXTS, ids=["a"])
    with pytest.raises(CorpusError, match="'year' has 1 values for 4 documents"):
        Corpus.from_texts(TEXTS, fields={"year": [1]})


def test_missing_texts_are_empty_documents():
    corpus = Corpus.from_texts([None, "fire", float("nan"), pd.NA, np.nan, pd.NaT])
    assert corpus.document_lengths.tolist() == [0, 1, 0, 0, 0, 0]
    assert corpus.documents[0].text == corpus.documents[3].text == ""


def test_iterator_is_read_once_and_not_kept():
    n_read = 0

    def source() -> Iterator[str]:
        nonlocal n_read
        for text in TEXTS * 600:
            n_read += 1
            yield text

    corpus = Corpus.from_texts(source())
    assert n_read == corpus.n_documents == 2_400
    assert isinstance(corpus.documents, SqliteDocuments)
    assert corpus.documents[2_399].text == TEXTS[3]
    assert corpus.documents[-2].id == "2398"
    with_ids = Corpus.from_texts(iter(TEXTS), ids=list("abcd"))
    assert with_ids.documents[0].id == "a"


def test_later_changes_to_the_list_do_no_harm():
    texts = list(TEXTS)
    corpus = Corpus.from_texts(texts)
    texts.clear()
    assert corpus.documents[0].text == TEXTS[0]


def test_a_corpus_does_not_change():
    corpus = Corpus.from_texts(TEXTS)
    with pytest.raises(ValueError, match="read-only"):
        corpus.tokens[0] = 1
    with pytest.raises(AttributeError):
        corpus.vocabulary = ()


@pytest.mark.parametrize(
    ("texts", "reason"),
    [
        ([], "it has no documents"),
        (["", None, " .!"], "no word in any of its 3 documents"),
        (["the of", "42 I"], "all 4 tokens are stop words, numbers or too short"),
        (["one text", 17], r"Document 1 is not a text but int \(17\)"),
        (["one text", b"bytes"], "Document 1 is not a text but bytes"),
        (["one text", ["a", "b"]], "Document 1 is not a text but list"),
        ("one text", "got one string"),
        (b"bytes", "got one string"),
        ({"a": "text"}, "got a mapping"),
        ({"text"}, "got a set"),
        (17, "got int"),
        (np.array([["a", "b"]]), "2 dimensions"),
    ],
)
def test_no_corpus_of_this(texts, reason):
    for make in (Corpus.from_texts, Corpus.of):
        with pytest.raises(CorpusError, match=reason) as caught:
            make(texts)
        assert "\n" not in str(caught.value)


def test_limits_that_leave_nothing():
    pipeline = TextPipeline(limits=VocabularyLimits(min_df=3))
    with pytest.raises(
        CorpusError, match="None of the 3 words is left: none occurs in at least 3 and at most 4 of"
    ):
        Corpus.from_texts(TEXTS, pipeline=pipeline)


# --- tokens and counts -----------------------------------------------------------------------------------


def test_ready_tokens_stay_as_they_are():
    corpus = Corpus.from_tokens([["The", "new york", "42"], [], None, ("The", "")])
    check_numbers(corpus)
    assert corpus.vocabulary == ("42", "The", "new york")
    assert corpus.documents[0].text == "The new york 42"
    assert corpus.pipeline("The x") == ["The", "x"]
    assert Corpus.from_tokens([["the"]]).pipeline("The x") == ["the", "x"]
    assert Corpus.from_tokens([["the"]], pipeline=TextPipeline()).pipeline("The x armies") == ["army"]


def test_tokens_with_texts_and_as_a_stream():
    shown = Corpus.from_tokens([["a"], ["b"]], texts=["An a.", "A b."], ids=["x", "y"])
    assert [(d.id, d.text) for d in shown.documents] == [("x", "An a."), ("y", "A b.")]
    streamed = Corpus.from_tokens(iter([["a", "b"], None]))
    assert [d.text for d in streamed.documents] == ["a b", ""]
    with pytest.raises(CorpusError, match="2 documents"):
        Corpus.from_tokens([["a"], ["b"]], texts=["only one"])


@pytest.mark.parametrize(
    ("documents", "reason"),
    [
        ([["a"], "b c"], "Document 1 is not a list of tokens but str"),
        ([["a"], 3], "Document 1 is not a list of tokens but int"),
        ([["a"], ["b", 3]], "Document 1 cannot be read as words: the token 3 is not a string"),
        ([["a"], ["b", ["c"]]], "Document 1 cannot be read as words"),
        ([[], []], "no word in any"),
    ],
)
def test_tokens_that_are_none(documents, reason):
    with pytest.raises(CorpusError, match=reason):
        Corpus.from_tokens(documents)


@seeded
@given(st.lists(st.lists(st.integers(0, 3), min_size=3, max_size=3), min_size=1, max_size=5))
def test_counts_come_back(rows):
    if not any(map(any, rows)):
        return
    for matrix in (np.array(rows), csr_matrix(rows), np.array(rows, dtype=float), rows):
        corpus = Corpus.from_counts(matrix, ["z", "never", "a"])
        check_numbers(corpus)
        assert corpus.vocabulary == ("z", "never", "a")
        np.testing.assert_array_equal(corpus.document_term_matrix.toarray(), rows)
    assert corpus.documents[0].text.split() == [
        w for w, n in zip(corpus.vocabulary, rows[0], strict=True) for _ in range(n)
    ]


@pytest.mark.parametrize(
    ("matrix", "vocabulary", "reason"),
    [
        ([[1, 2]], ["a"], "2 columns for 1 words"),
        ([[1, -2]], ["a", "b"], "whole numbers"),
        ([[1, 0.5]], ["a", "b"], "whole numbers"),
        ([[1, np.nan]], ["a", "b"], "whole numbers"),
        ([[1, np.inf]], ["a", "b"], "whole numbers"),
        ([[0, 0]], ["a", "b"], "no word"),
        ([[1, 1]], ["a", "a"], "more than once"),
    ],
)
def test_counts_that_are_none(matrix, vocabulary, reason):
    with pytest.raises(CorpusError, match=reason):
        Corpus.from_counts(matrix, vocabulary)


# --- pandas and scikit-learn -----------------------------------------------------------------------------


def test_dataframe():
    frame = pd.DataFrame(
        {"when": [1, 2, 3], "text": ["Fire", None, "fire burns"], "id": ["x", "y", "z"]}, index=[7, 8, 9]
    )
    corpus = Corpus.from_dataframe(frame)
    check_numbers(corpus)
    assert [(d.id, d.text, dict(d.fields)) for d in corpus.documents] == [
        ("x", "Fire", {"when": "1"}),
        ("y", "", {"when": "2"}),
        ("z", "fire burns", {"when": "3"}),
    ]
    by_index = Corpus.of(frame.drop(columns="id"), text_column="text")
    assert [d.id for d in by_index.documents] == ["7", "8", "9"]
    assert by_index.fingerprint == corpus.fingerprint
    assert [d.id for d in Corpus.of(frame["text"]).documents] == ["7", "8", "9"]


def test_rows_with_labels_of_several_levels_are_called_by_all_of_them():
    pandas = pytest.importorskip("pandas")
    index = pandas.MultiIndex.from_product([["times", "echo"], [2001, 2002]])
    corpus = Corpus.from_dataframe(pandas.DataFrame({"text": ["fire", "rain", "fire", "wind"]}, index=index))
    assert [document.id for document in corpus.documents] == [
        "times, 2001",
        "times, 2002",
        "echo, 2001",
        "echo, 2002",
    ]


def test_dataframe_that_is_none():
    frame = pd.DataFrame({"a": [1], "b": ["x"]})
    with pytest.raises(CorpusError, match=r"Column 'text' is not in the DataFrame\. Columns: 'a', 'b'"):
        Corpus.from_dataframe(frame, "text")
    with pytest.raises(
        CorpusError,
        match=r"Column .a. has no text in row 0 but int .1.; give the column with the texts as text_column",
    ):
        Corpus.from_dataframe(frame, "a")
    with pytest.raises(CorpusError, match="no rows"):
        Corpus.from_dataframe(frame.iloc[:0])
    with pytest.raises(CorpusError, match="no columns"):
        Corpus.from_dataframe(pd.DataFrame())
    with pytest.raises(CorpusError, match="same name"):
        Corpus.from_dataframe(pd.DataFrame([["x", "y"]], columns=["a", "a"]))


def test_vectorizer_that_is_fitted():
    vectorizer = CountVectorizer(ngram_range=(1, 2), stop_words="english").fit(TEXTS)
    corpus = Corpus.from_vectorizer(TEXTS, vectorizer, ids="abcd")
    check_numbers(corpus)
    assert corpus.vocabulary == tuple(vectorizer.get_feature_names_out())
    np.testing.assert_array_equal(
        corpus.document_term_matrix.toarray(), vectorizer.transform(TEXTS).toarray()
    )
    assert corpus.pipeline("Sydney burns") == ["sydney", "burns", "sydney burns"]
    np.testing.assert_array_equal(
        corpus.encode_counts(["fires burn"]).toarray(), vectorizer.transform(["fires burn"]).toarray()
    )


@pytest.mark.parametrize(
    "vectorizer",
    [
        CountVectorizer(),
        CountVectorizer(min_df=2),
        CountVectorizer(max_df=0.25, binary=True),
        CountVectorizer(vocabulary=["sydney", "fires", "absent"]),
        CountVectorizer(vocabulary={"sydney": 1, "fires": 0}),
    ],
)
def test_vectorizer_that_is_not_fitted(vectorizer):
    corpus = Corpus.from_vectorizer(iter(TEXTS), vectorizer)
    expected = vectorizer.fit_transform(TEXTS)
    assert corpus.vocabulary == tuple(vectorizer.get_feature_names_out())
    np.testing.assert_array_equal(corpus.document_term_matrix.toarray(), expected.toarray())


def test_vectorizer_that_is_none():
    with pytest.raises(ParameterError, match="Expected a CountVectorizer, got HashingVectorizer"):
        Corpus.from_vectorizer(TEXTS, HashingVectorizer())
    with pytest.raises(ParameterError, match="input='content'"):
        Corpus.from_vectorizer(TEXTS, CountVectorizer(input="filename"))


# --- anything --------------------------------------------------------------------------------------------


def test_of_sees_what_it_is_given(tmp_path):
    texts = Corpus.from_texts(TEXTS)
    assert Corpus.of(texts) is texts
    for source in (TEXTS, tuple(TEXTS), iter(TEXTS), np.array(TEXTS), pd.Series(TEXTS), (t for t in TEXTS)):
        assert Corpus.of(source).fingerprint == texts.fingerprint
    tokens = Corpus.from_tokens([["a", "b"], ["b"]])
    for source in ([["a", "b"], ["b"]], iter([("a", "b"), ["b"]]), [np.array(["a", "b"]), ["b"]]):
        assert Corpus.of(source).fingerprint == tokens.fingerprint
    assert Corpus.of(iter([None, ["a"]])).vocabulary == ("a",)
    path = tmp_path / "news.csv"
    path.write_text("name,body\nn,Fires\n")
    assert Corpus.of(path, text_column="body", id_column="name").documents[0].id == "n"


# --- new documents ---------------------------------------------------------------------------------------


def test_new_documents_share_pipeline_and_vocabulary():
    corpus = Corpus.from_texts(TEXTS)
    encoded = corpus.encode(["Sydney FIRES and koalas", "", None, "koalas"])
    assert encoded.tokens.tolist() == [2, 1]
    assert encoded.offsets.tolist() == [0, 2, 2, 2, 2]
    assert corpus.encode([["fire", "Fire"], ["koala"]]).tokens.tolist() == [1]
    assert corpus.encode_counts(["burn burn"]).toarray().tolist() == [[2, 0, 0]]
    assert corpus.encode([]).offsets.tolist() == [0]
    with pytest.raises(ParameterError, match="either pipeline or like"):
        Corpus.from_texts(TEXTS, pipeline=TextPipeline(), like=corpus)


@seeded
@given(texts_strategy)
def test_encoding_its_own_texts_gives_the_corpus_again(texts):
    corpus = Corpus.from_texts([*texts, "sentinel"], pipeline=PLAIN)
    encoded = corpus.encode([*texts, "sentinel"])
    np.testing.assert_array_equal(encoded.tokens, corpus.tokens)
    np.testing.assert_array_equal(encoded.offsets, corpus.offsets)


def test_another_corpus_is_translated():
    corpus, other = Corpus.from_texts(TEXTS), Corpus.from_texts(["koalas fear fires", "sydney"])
    translated = Corpus.of(other, like=corpus)
    check_numbers(translated)
    assert translated.vocabulary == corpus.vocabulary
    assert [words_of(translated, j) for j in range(2)] == [["fire"], ["sydney"]]
    assert translated.documents is other.documents


def test_new_file_keeps_ids_and_fields(tmp_path):
    path = tmp_path / "new.csv"
    path.write_text("id,text,year\na,koalas,1\nb,fires,2\n")
    new = Corpus.read(path, like=Corpus.from_texts(TEXTS))
    assert new.vocabulary == WORDS
    assert [words_of(new, j) for j in range(2)] == [[], ["fire"]]
    assert [(d.id, d.fields["year"]) for d in new.documents] == [("a", "1"), ("b", "2")]


# --- files -----------------------------------------------------------------------------------------------


def test_reading_a_file(tmp_path):
    path = tmp_path / "news.csv"
    path.write_text(
        "key,text,year\n" + "".join(f'k{j},"{text}",{2000 + j}\n' for j, text in enumerate(TEXTS))
    )
    calls: list[tuple[int, float]] = []
    corpus = Corpus.read(path, id_column="key", progress=lambda n, share: calls.append((n, share)))
    check_numbers(corpus)
    assert corpus.fingerprint == Corpus.from_texts(TEXTS).fingerprint
    assert corpus.documents.field_names == ("year",)
    assert [(d.id, d.text, d.fields["year"]) for d in corpus.documents] == [
        (f"k{j}", text, str(2000 + j)) for j, text in enumerate(TEXTS)
    ]
    assert calls == [(4, 1.0)]


def test_progress_is_told_now_and_then(tmp_path):
    path = tmp_path / "news.txt"
    path.write_text("fire in sydney\n" * 2_500)
    calls: list[tuple[int, float]] = []
    Corpus.read(path, progress=lambda n, share: calls.append((n, share)))
    assert [n for n, _ in calls] == [1_000, 2_000, 2_500]
    assert all(0 < share <= 1 for _, share in calls)


def test_repeated_ids_are_told_when_they_were_asked_for(tmp_path):
    path = tmp_path / "news.csv"
    path.write_text("id,text\na,fire\nb,fire\nb,sydney\n")
    with pytest.warns(CorpusWarning, match="More than one document has the id 'b'"):
        corpus = Corpus.read(path, id_column="id")
    assert [d.id for d in corpus.documents] == ["a", "b", "b"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Corpus.read(path)


@pytest.mark.parametrize("data", ["text\nthe of\n", "text\n", "{", ""])
def test_nothing_is_left_behind_after_an_error(tmp_path, monkeypatch, data):
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    path = tmp_path / "news.csv"
    path.write_text(data)
    with pytest.raises(CorpusError):
        Corpus.read(path)
    assert list(temporary.iterdir()) == []


def test_temporary_texts_go_with_the_corpus(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    corpus = Corpus.from_texts(iter(TEXTS))
    assert len(list(tmp_path.glob("*.sqlite"))) == 1
    del corpus
    assert list(tmp_path.iterdir()) == []


def test_halves_of_surrogate_pairs_do_no_harm():
    corpus = Corpus.from_texts(iter(["fire \ud800 sydney"]))
    assert corpus.documents[0].text == "fire ? sydney"


# --- the whole -------------------------------------------------------------------------------------------


def test_fingerprint_tells_corpora_apart():
    corpora = [
        Corpus.from_tokens(documents)
        for documents in ([["a", "b"]], [["b", "a"]], [["a"], ["b"]], [["ab"]], [["a", "c"]])
    ]
    assert len({corpus.fingerprint for corpus in corpora}) == 5
    assert Corpus.from_tokens([["a", "b"]]).fingerprint == corpora[0].fingerprint


@pytest.mark.parametrize(
    ("tokens", "offsets", "reason"),
    [
        ([0, 1], [0, 1], "do not fit"),
        ([0, 1], [1, 2], "do not fit"),
        ([0, 1], [], "do not fit"),
        ([0, 1], [0, 3, 2], "must not fall"),
        ([0, 2], [0, 2], "not one of the 2 words"),
        ([0, -1], [0, 2], "not one of the 2 words"),
        ([0, 1], [0, 1, 2], "2 documents as tokens and 1 as texts"),
    ],
)
def test_parts_that_do_not_fit(tokens, offsets, reason):
    with pytest.raises(CorpusError, match=reason):
        Corpus(("a", "b"), np.array(tokens), np.array(offsets), MemoryDocuments(["x"]), PLAIN)


@pytest.mark.parametrize("source", [TEXTS, iter(TEXTS)])
def test_a_corpus_can_be_sent_to_another_process(source):
    corpus = Corpus.from_texts(source)
    copy = pickle.loads(pickle.dumps(corpus))
    assert copy.fingerprint == corpus.fingerprint
    assert copy.documents[0] == corpus.documents[0]
    del copy
    assert corpus.documents[2].text == TEXTS[2]


def test_demo_corpus():
    corpus = load_demo_corpus()
    check_numbers(corpus)
    assert corpus.n_documents == 350
    assert corpus.documents[0].id == "background-001"
    assert corpus.documents[0].text.startswith("Hundreds of people have been forced to vacate their homes")
    assert dict(corpus.documents[349].fields) == {
        "collection": "compared",
        "source file": "lee.cor",
        "line": "50",
    }
    assert {"israel", "palestinian", "afghanistan", "cricket", "asylum", "seeker", "usa", "fire"} <= set(
        corpus.vocabulary
    )
    assert not {"said", "would", "don", "ve", "00pm", "mr"} & set(corpus.vocabulary)


def test_demo_without_its_articles(monkeypatch, tmp_path):
    monkeypatch.setattr("qdtm.corpus.demo.find_spec", lambda _: None)
    with pytest.raises(CorpusError, match="gensim, which is not installed"):
        load_demo_corpus()
    spec = type("Spec", (), {"origin": str(Path(tmp_path) / "gensim" / "__init__.py")})
    monkeypatch.setattr("qdtm.corpus.demo.find_spec", lambda _: spec)
    with pytest.raises(CorpusError, match="missing from the installed gensim"):
        load_demo_corpus()
