"""The passage that is shown of a document: the query's words first, then those of its topic."""

import numpy as np
import pytest

from qdtm import Corpus, QueryDrivenTopicModel
from qdtm.results.passages import Mark, excerpt

FILLER = "Nothing of note was said about it by anybody at any time, and so it went on for a while. "


def test_the_querys_own_words_come_before_all_others():
    text = "alpha beta gamma delta. " + FILLER * 4 + "The query is here."
    others = [
        Mark(text.index(word), text.index(word) + 4, 0.9) for word in ("alpha", "beta", "gamma", "delta")
    ]
    own = Mark(text.index("query"), text.index("query") + 5, 1.0, of_query=("query",))
    assert "alpha" in excerpt(text, others, 120).text
    assert "query" in excerpt(text, [*others, own], 120).text


def test_another_word_counts_for_more_than_the_same_again():
    text = "right right right right. " + FILLER * 4 + "women and right."
    marks = [
        Mark(at, at + 5, 1.0, of_query=("right",)) for at in range(len(text)) if text.startswith("right", at)
    ]
    women = text.index("women")
    marks = sorted([*marks, Mark(women, women + 5, 1.0, of_query=("women",))], key=lambda mark: mark.start)
    assert "women" in excerpt(text, marks, 120).text


def test_a_phrase_of_the_query_comes_before_one_of_its_words():
    text = "translation, corpus, bleu, parallel. " + FILLER * 4 + "machine translation."
    others = [Mark(text.index(word), text.index(word) + 4, 0.9) for word in ("corpus", "bleu", "parallel")]
    one = Mark(0, 11, 1.0, of_query=("translation",))
    phrase = Mark(text.index("machine"), len(text) - 1, 1.0, of_query=("machine translation", "translation"))
    assert "corpus" in excerpt(text, [one, *others], 120).text
    assert "machine" in excerpt(text, [one, *others, phrase], 120).text


def test_words_of_the_query_side_by_side_come_before_the_same_apart():
    text = "space " + FILLER + "shuttle, probe, titan. " + FILLER * 8 + "The space shuttle."
    places = [
        (at, word) for word in ("space", "shuttle") for at in range(len(text)) if text.startswith(word, at)
    ]
    own = [Mark(at, at + len(word), 1.0, of_query=(word,)) for at, word in places]
    others = [Mark(text.index(word), text.index(word) + 5, 0.9) for word in ("probe", "titan")]
    marks = sorted([*own, *others], key=lambda mark: mark.start)
    assert "space shuttle" in excerpt(text, marks, 300).text


TITLED = [
    (
        "Floods",
        "Floods\n\nThe river rose over the cricket ground.",
        "The river rose over the cricket ground.",
    ),
    ("Floods", "Floods.\n- The cricket ground.", "The cricket ground."),
    ("Cricket  today", "Cricket today\nA wicket fell.", "Cricket today\nA wicket fell."),  # it alone names it
    ("Floods", "Floods of cricket all over the ground.", "Floods of cricket all over the ground."),  # no line
    ("Floods", "Floods", "Floods"),  # nothing else
]


@pytest.mark.parametrize(("title", "text", "shown"), TITLED)
def test_a_title_that_is_the_first_line_is_not_said_twice(title, text, shown):
    from qdtm.queries import choose_concepts
    from qdtm.results.reasons import Reasons

    others = [f"cricket wicket river ground {word}" for word in ("flood", "today") * 8]
    corpus = Corpus.from_texts([text, *others], titles=[title, *others])
    (concept,) = choose_concepts(corpus, ["cricket"], refuse=False)
    passage = Reasons(corpus, concept, np.zeros(corpus.n_words)).passage(corpus.documents[0])
    assert passage.text == shown
    assert text[passage.start :].startswith(passage.text)


@pytest.fixture(scope="module")
def model():
    rng = np.random.default_rng(0)
    other = ["swimmer", "water", "race", "pool", "medal", "lane"]
    own = ["cricket", "bowler", "wicket", "batsman", "test", "captain"]
    texts = []
    for j in range(60):
        words = own if j % 3 == 0 else other
        said = " ".join(rng.choice(words, 12)) + ". "
        texts.append(
            " ".join(rng.choice(other, 60)) + ".\fThen the cricket: " + said if j % 3 == 0 else said * 5
        )
    return QueryDrivenTopicModel(["cricket"], embeddings=None, max_sweeps=10, min_sweeps=2).fit(texts)


def test_lists_show_where_the_reason_stands(model):
    for row in model.documents("cricket", 5):
        assert "cricket" in row.passage
        assert row.text[:60] not in row.passage or len(row.text) < 240
        assert any(piece.level == 3 and "cricket" in piece.text for piece in row.marked.pieces)
        assert row.title


def test_the_passage_is_the_same_everywhere(model):
    pytest.importorskip("pandas")
    listed = {row.id: row.passage for row in model.documents("cricket", 5) if row.about}
    frame = model.get_document_info().set_index("document")
    assert {id: frame.loc[id, "passage"] for id in listed} == listed
    assert frame.loc[~frame["about"], "passage"].isna().all()


def test_tables_have_the_page_where_documents_have_pages(model):
    pytest.importorskip("pandas")
    found = model.documents("cricket", 5)
    assert {row.marked.page for row in found} == {2}  # on which its strongest word stands
    assert found.to_frame()["page"].tolist() == [2] * 5
    frame = model.get_document_info()
    has_pages = frame["text"].str.contains("\f", regex=False)
    assert has_pages.sum() == 20
    assert (frame["page"].notna() == (frame["about"] & has_pages)).all()


def test_a_phrase_with_the_querys_word_is_its_own():
    from qdtm.queries import choose_concepts
    from qdtm.results.reasons import query_words

    texts = ["the prime minister spoke to the prime minister", "a minister resigned today"] * 12
    corpus = Corpus.from_texts(texts)
    (concept,) = choose_concepts(corpus, ["minister"], refuse=False)
    own = {corpus.vocabulary[w] for w in query_words(concept, corpus)}
    assert own == {word for word in corpus.vocabulary if "minister" in word.split()}
