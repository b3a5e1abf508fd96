"""Phrases: found as a plain program finds them, whatever the order; cut out once; every word is counted."""

import random
from collections import Counter, defaultdict
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qdtm import Corpus
from qdtm.corpus import TextPipeline, VocabularyLimits, load_demo_corpus
from qdtm.corpus import phrases as found_by
from qdtm.corpus.indexing import IndexedTokens, index_texts
from qdtm.corpus.kernels import join_pairs
from qdtm.corpus.phrase_index import PhraseIndex, WordSplit
from qdtm.corpus.phrases import count_pairs, critical_ratio, cut_phrases, npmi
from qdtm.corpus.tokenizer import split_joined
from qdtm.corpus.tokenizer_kernels import scan_texts

WORDS = ["river", "basin", "bank", "money", "tree", "south", "west"]


def planted(n_documents=400, phrase="Coral Barrier Reef", seed=0):
    """Texts in which a phrase stands now and then among other words, parted by full stops."""
    rng = random.Random(seed)
    others = [f"{a}{b}" for a in ("al", "be", "ce", "do", "fe") for b in ("ta", "ro", "lu", "mi", "na", "so")]
    texts = []
    for j in range(n_documents):
        words = [rng.choice(others) for _ in range(12)]
        if j % 8 == 0:
            words.insert(rng.randrange(12), phrase)
        texts.append(" ".join(words) + f". {rng.choice(others)}")
    return texts


documents = st.lists(
    st.lists(st.tuples(st.integers(0, 4), st.booleans()), max_size=9), min_size=1, max_size=12
)


def flat(given_documents):
    tokens = np.array([w for document in given_documents for w, _ in document], np.int32)
    joined = np.array(
        [i > 0 and is_joined for document in given_documents for i, (_, is_joined) in enumerate(document)],
        np.uint8,
    )
    offsets = np.cumsum([0, *map(len, given_documents)]).astype(np.int64)
    return tokens, joined, offsets


# --- what stands side by side ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("South Africa", [0, 1]),
        ("free-trade\u2011zone", [0, 1, 1]),
        ("interest\n  rates", [0, 1]),
        ("Organization\nLines", [0, 0]),  # a capital after a line break begins something else
        ("rates\n\nrise", [0, 0]),
        ("inter-\nest", [0, 0]),
        ("Africa, south. west; (bank) 'money' - tree", [0, 0, 0, 0, 0, 0]),
        ("one -- two", [0, 0]),
        ("Южная Африка", [0, 1]),
        ("ένα\u00a0δύο", [0, 1]),
    ],
)
def test_words_are_side_by_side_with_spaces_or_a_hyphen_between_them(text, expected):
    assert [int(each) for each in split_joined(text)[1]] == expected
    assert scan_texts([text, text]).joined.tolist() == expected * 2


@given(st.lists(st.text("ab Éé'’-\n\r\t.,1\u2010\u2028\u0301\0", max_size=20), min_size=1, max_size=4))
def test_the_scanner_joins_as_the_expression_does(texts):
    texts = [text.replace("\0", " ") for text in texts]
    expected = [int(each) for text in texts for each in split_joined(text)[1]]
    assert scan_texts(texts).joined.tolist() == expected


def test_what_is_left_out_parts_words():
    pipeline = TextPipeline(limits=VocabularyLimits.unlimited())
    indexed = index_texts(
        ["bank of england", "bank 1999 england", "bank's england", "bank england"], pipeline
    )
    assert indexed.joined.tolist() == [0, 0, 0, 0, 0, 0, 0, 1]


# --- counting and joining ----------------------------------------------------------------------------------


@given(documents, st.integers(1, 3))
def test_pairs_are_counted_as_a_plain_program_counts_them(given_documents, least):
    tokens, joined, offsets = flat(given_documents)
    n_tokens, in_documents = Counter(), defaultdict(set)
    for j, document in enumerate(given_documents):
        for (a, _), (b, is_joined) in pairwise(document):
            if is_joined and a != b:
                n_tokens[a * 5 + b] += 1
                in_documents[a * 5 + b].add(j)
    enough = sorted(key for key in n_tokens if len(in_documents[key]) >= least)
    found = count_pairs(tokens, joined, offsets, 5, least)
    assert found.keys.tolist() == enough
    assert found.n_tokens.tolist() == [n_tokens[key] for key in enough]
    assert found.n_documents.tolist() == [len(in_documents[key]) for key in enough]


@given(documents, st.permutations([(a, b) for a in range(5) for b in range(5) if a != b]))
def test_overlapping_pairs_are_joined_the_best_first(given_documents, order):
    pairs = sorted(order[:8])
    ranks = np.array([order.index(pair) for pair in pairs])
    ranks = np.argsort(np.argsort(ranks))
    tokens, joined, offsets = flat(given_documents)
    new = (np.empty_like(tokens), np.empty_like(joined), np.empty_like(offsets))
    keys = np.array([a * 5 + b for a, b in pairs], np.int64)
    n = join_pairs(tokens, joined, offsets, 5, keys, ranks, np.arange(5, 13, dtype=np.int32), new)
    expected = [_joined_plainly(document, pairs, ranks) for document in given_documents]
    assert new[0][:n].tolist() == [w for document in expected for w in document]
    assert new[2].tolist() == np.cumsum([0, *map(len, expected)]).tolist()


def _joined_plainly(document, pairs, ranks):
    """Take the best pair that is left, again and again."""
    places = [
        (ranks[pairs.index((a, b))], i)
        for i, ((a, _), (b, is_joined)) in enumerate(pairwise(document))
        if is_joined and (a, b) in pairs
    ]
    taken = set()
    for _, i in sorted(places):
        if not {i - 1, i, i + 1} & taken:
            taken.add(i)
    found, i = [], 0
    while i < len(document):
        if i in taken:
            found.append(5 + pairs.index((document[i][0], document[i + 1][0])))
        else:
            found.append(document[i][0])
        i += 1 + (i in taken)
    return found


@given(documents)
def test_phrases_are_cut_from_the_left_and_the_longest_first(given_documents):
    tokens, joined, offsets = flat(given_documents)
    vocabulary = ["a", "b", "c", "d", "e"]
    phrases = {"a b": (0, 1), "b c": (1, 2), "a b c d": (0, 1, 2, 3), "d e": (3, 4)}
    indexed = IndexedTokens(vocabulary, tokens, offsets, len(tokens), joined)
    cut = cut_phrases(indexed, phrases)
    index = PhraseIndex([*vocabulary, *phrases])
    for j, document in enumerate(given_documents):
        words = [vocabulary[w] for w, _ in document]
        at = {
            i: (number, n)
            for number, i, n in index.cut(words, [i > 0 and f for i, (_, f) in enumerate(document)])
        }
        expected, i = [], 0
        while i < len(words):
            number, n = at.get(i, (document[i][0], 1))
            expected.append(number)
            i += n
        assert cut.tokens[cut.offsets[j] : cut.offsets[j + 1]].tolist() == expected
        flattened = [word for w in expected for word in cut.words[w].split(" ")]
        assert flattened == words  # no word is lost or counted twice


def test_measures_know_independence_and_certainty():
    assert npmi(np.array([10]), np.array([10]), np.array([10]), 1000) == pytest.approx(1.0)
    assert npmi(np.array([10]), np.array([100]), np.array([100]), 1000) == pytest.approx(0.0)
    ratio = found_by.log_likelihood_ratio(np.array([10]), np.array([100]), np.array([100]), 1000)
    assert ratio == pytest.approx(0.0, abs=1e-9)
    assert critical_ratio(1) == pytest.approx(6.635, abs=0.001)
    assert critical_ratio(10_000) > 20


# --- a corpus with phrases ---------------------------------------------------------------------------------


def test_a_planted_phrase_is_one_word():
    corpus = Corpus.from_texts(planted())
    assert [word for word in corpus.vocabulary if " " in word] == ["coral barrier reef"]
    assert not {"coral", "barrier", "reef"} & set(corpus.vocabulary)
    assert corpus.word_counts[corpus.word_index["coral barrier reef"]] == 50


@pytest.mark.parametrize("phrase", ["Железная Дорога", "Μεγάλη Βρετανία", "चुनाव आयोग"])
def test_any_language_with_spaces_has_phrases(phrase):
    corpus = Corpus.from_texts(planted(phrase=phrase), pipeline=TextPipeline(language=None))
    assert [word for word in corpus.vocabulary if " " in word] == [phrase.lower()]


def test_words_by_chance_are_no_phrase():
    assert not any(" " in word for word in Corpus.from_texts(planted(phrase="lu")).vocabulary)


def test_order_and_copies_do_not_matter():
    texts = planted(seed=1) + ["Coral Barrier, Reef"] * 3
    shuffled = random.Random(2).sample(texts * 2, 2 * len(texts))
    assert Corpus.from_texts(shuffled).vocabulary == Corpus.from_texts(texts).vocabulary


def test_long_texts_are_read_as_short_ones_are(monkeypatch):
    texts = planted()
    expected = Corpus.from_texts(texts)
    monkeypatch.setattr("qdtm.corpus.indexing.SCANNED_AT_ONCE", 5_000)
    scanned = Corpus.from_texts(texts)
    assert scanned.fingerprint == expected.fingerprint


def test_a_large_corpus_is_counted_in_a_sample(monkeypatch):
    monkeypatch.setattr(found_by, "MOST_COUNTED", 3_000)
    vocabulary = Corpus.from_texts(planted()).vocabulary
    assert "coral barrier reef" in vocabulary
    assert Corpus.from_texts(planted()[::-1]).vocabulary == vocabulary


@pytest.fixture(scope="module")
def demo():
    return load_demo_corpus()


@pytest.fixture(scope="module")
def plain():
    return load_demo_corpus(pipeline=TextPipeline(phrases=False))


def test_the_demo_has_the_phrases_that_a_reader_sees(demo):
    expected = {"bin laden", "south africa", "interest rate", "asylum seeker", "prime minister", "west bank"}
    assert expected <= set(demo.vocabulary)


def test_what_only_overlaps_a_better_phrase_is_none(demo):
    assert "osama bin" not in demo.vocabulary


def test_every_word_is_there_as_often_as_without_phrases(demo, plain):
    split = WordSplit.of(demo)
    counts = dict(zip(split.words, split.totals(demo.word_counts).tolist(), strict=True))
    assert counts == dict(zip(plain.vocabulary, plain.word_counts.tolist(), strict=True))
    tokens, offsets, _ = split.tokens(demo.tokens, demo.offsets)
    assert offsets.tolist() == plain.offsets.tolist()
    assert [split.words[w] for w in tokens] == [plain.vocabulary[w] for w in plain.tokens]
    assert (demo.word_counts > 0).all()


def test_new_documents_are_cut_alike(demo):
    texts = [document.text for document in demo.documents]
    assert Corpus.of(texts, like=demo).tokens.tolist() == demo.tokens.tolist()
    assert Corpus.of(demo, like=demo) is demo
    plain = Corpus.from_texts(texts[:50], pipeline=TextPipeline(phrases=False))
    assert "bin laden" in {demo.vocabulary[w] for w in Corpus.of(plain, like=demo).tokens}
    other = Corpus.of(demo, like=plain)
    assert other.vocabulary == plain.vocabulary
    assert other.n_tokens > plain.n_tokens


def test_the_limit_of_words_holds_for_phrases_too():
    limits = VocabularyLimits(max_words=20)
    corpus = Corpus.from_texts(planted(), pipeline=TextPipeline(limits=limits))
    assert len(corpus.vocabulary) <= 20


def test_pipelines_without_phrases_find_none():
    for pipeline in (
        TextPipeline(phrases=False),
        TextPipeline(tokenizer=str.split),
        TextPipeline.plain(),
        TextPipeline.paper(()),
    ):
        assert not pipeline.finds_phrases
        assert not any(" " in word for word in Corpus.from_texts(planted(), pipeline=pipeline).vocabulary)


def test_a_corpus_with_phrases_is_saved_and_loaded(tmp_path, demo):
    demo.save(tmp_path / "index")
    loaded = Corpus.load(tmp_path / "index")
    assert loaded.fingerprint == demo.fingerprint
    assert loaded.pipeline.finds_phrases
    assert replace(loaded.pipeline, phrases=False) != demo.pipeline
