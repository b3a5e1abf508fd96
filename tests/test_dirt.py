"""What must not matter to an answer: the order of documents, copies, binaries, one that is huge."""

import base64
import binascii

import numpy as np
import pytest

from qdtm import Corpus, QueryDrivenTopicModel
from qdtm.corpus import load_demo_corpus

QUERY = "cricket"


@pytest.fixture(scope="module")
def texts():
    return [document.text for document in load_demo_corpus().documents]


def ask(texts, query=QUERY, **options):
    return QueryDrivenTopicModel(query, **options).fit(Corpus.from_texts(texts))


@pytest.fixture(scope="module")
def clean(texts):
    return ask(texts)


@pytest.fixture(scope="module")
def order(texts):
    return np.random.default_rng(0).permutation(len(texts))


@pytest.fixture(scope="module")
def shuffled(texts, order):
    return ask([texts[j] for j in order])


def top_words(model, n=10):
    return [word for word, _ in model.topics_[0].top_words(n)]


class TestOrder:
    """Two runs over a shuffled corpus are the same, bytes and all."""

    def test_topics(self, clean, shuffled):
        for name in ("word_topic", "promoted_mass"):
            assert getattr(clean.fit_, name).tobytes() == getattr(shuffled.fit_, name).tobytes()
        for one, other in zip(clean.fit_.subtopic_counts, shuffled.fit_.subtopic_counts, strict=True):
            assert one.tobytes() == other.tobytes()
        assert clean.fit_.subtopic_counts[0].shape[1] > 0

    def test_relevance(self, clean, shuffled, order):
        for name in ("relevance", "strength"):
            np.testing.assert_array_equal(getattr(shuffled.fit_, name), getattr(clean.fit_, name)[order])

    def test_tokens(self, clean, shuffled, order):
        one, other = clean.corpus_, shuffled.corpus_
        for j, row in enumerate(order[:50]):
            ours = clean.fit_.token_topics[one.offsets[row] : one.offsets[row + 1]]
            theirs = shuffled.fit_.token_topics[other.offsets[j] : other.offsets[j + 1]]
            np.testing.assert_array_equal(ours, theirs)

    def test_concepts_name_their_documents(self, clean, shuffled, texts, order):
        for ours, theirs in zip(clean.concepts_[0].words, shuffled.concepts_[0].words, strict=True):
            assert (ours.word, ours.score) == (theirs.word, theirs.score)
            assert [texts[order[j]] for j in theirs.documents] == [texts[j] for j in ours.documents]

    def test_another_query_and_an_opened_subtopic(self, texts, order):
        found = []
        for given in (texts, [texts[j] for j in order]):
            model = ask(given, "afghanistan", max_sweeps=60)
            model.add_query(QUERY)
            model.drill_down("0.1")
            found.append(model.fit_)
        one, other = found
        assert one.word_topic.tobytes() == other.word_topic.tobytes()
        assert one.splits[0].counts.tobytes() == other.splits[0].counts.tobytes()
        np.testing.assert_array_equal(other.relevance, one.relevance[order])


class TestCopies:
    """A text that is there a thousand times weighs as much as if it were there once, and is counted."""

    def test_topics_do_not_change(self, texts, clean):
        dirty = ask([*texts, *[texts[5]] * 1000])
        assert dirty.corpus_.vocabulary == clean.corpus_.vocabulary
        assert dirty.fit_.word_topic.tobytes() == clean.fit_.word_topic.tobytes()
        assert dirty.fit_.subtopic_counts[0].tobytes() == clean.fit_.subtopic_counts[0].tobytes()
        np.testing.assert_array_equal(dirty.fit_.relevance[: len(texts)], clean.fit_.relevance)

    def test_they_are_documents_all_the_same(self, texts, clean):
        best = clean.documents(QUERY, n=1)[0].index
        dirty = ask([*texts, *[texts[best]] * 20])
        assert dirty.relevance().about.sum() == clean.relevance().about.sum() + 20
        assert (dirty.fit_.relevance[len(texts) :] == clean.fit_.relevance[best]).all()
        assert dirty.concepts_[0].check.n_named == clean.concepts_[0].check.n_named + 20

    def test_the_paper_counts_them(self, texts):
        corpus = Corpus.from_texts([*texts, texts[5]])
        assert corpus.by_content.n_documents == len(texts) + 1
        assert corpus.distinct.n_documents < len(texts) + 1


@pytest.fixture(scope="module")
def dirty(texts, clean):
    best = clean.documents(QUERY, n=1)[0].text
    return ask([*texts, *[f"Version {k}. {best}" for k in range(12)]])


class TestNearCopies:
    """Versions of one text are one reason, are counted each, and are one entry of a list."""

    def test_the_list_has_one(self, dirty):
        rows = dirty.documents(QUERY, n=10)
        groups = dirty.corpus_.first_copy[[row.index for row in rows]]
        assert len(set(groups.tolist())) == len(rows)
        assert max(row.n_copies for row in rows) == 12
        assert "and 12 copies" in repr(rows)

    def test_each_is_counted(self, clean, dirty, texts):
        assert dirty.relevance().about[len(texts) :].all()
        assert dirty.corpus_.n_copies - clean.corpus_.n_copies == 12
        assert dirty.get_document_info()["copy_of"].notna().sum() >= 12

    def test_one_is_learned_from(self, clean, dirty, texts):
        """The count grows by the copies, and not by others that are like them."""
        others = dirty.relevance().scores[: len(texts)].sum()
        assert others == pytest.approx(clean.relevance().scores.sum(), rel=0.2)


def uuencoded(rng, n_lines=400):
    lines = (binascii.b2a_uu(rng.bytes(45)).decode().rstrip() for _ in range(n_lines))
    return "begin 644 picture.gif\n" + "\n".join(lines) + "\nend\n"


def attached(rng):
    return base64.encodebytes(rng.bytes(30_000)).decode()


def numbers(rng):
    return "\n".join(" ".join(f"{x:.3f}" for x in row) for row in rng.normal(size=(500, 8)))


def huge(rng, texts):
    """Sixty thousand words of everything, the query among them."""
    return " ".join(texts[j] for j in rng.integers(0, len(texts), 400))


@pytest.mark.parametrize("what", ["a binary", "an attachment", "numbers", "a huge document", "empty ones"])
def test_other_dirt(texts, clean, what):
    rng = np.random.default_rng(1)
    dirt = {
        "a binary": lambda: [uuencoded(rng)],
        "an attachment": lambda: [attached(rng)],
        "numbers": lambda: [numbers(rng)],
        "a huge document": lambda: [huge(rng, texts)],
        "empty ones": lambda: [""] * 300,
    }[what]()
    dirty = ask([*texts, *dirt])
    assert len(set(top_words(dirty, 20)) & set(top_words(clean, 20))) >= 14  # of 13 documents many are level
    first, before = ([document.index for document in m.documents(n=8)] for m in (dirty, clean))
    assert len(set(first) & set(before)) >= 7
    assert dirty.relevance().n_about == pytest.approx(clean.relevance().n_about, rel=0.3)
