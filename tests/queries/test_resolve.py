import numpy as np
import pytest

from qdtm.embeddings import WordVectors
from qdtm.errors import QueryError
from qdtm.queries.resolve import ResolvedWord, closest_words, matches_of, resolve_list, resolve_text


def test_words_are_cleaned_like_the_corpus_and_named_if_they_fall_out(corpus_of):
    corpus = corpus_of("middle east peace")

    resolved = resolve_text("The Middle, 1999 x westt east", corpus)

    assert resolved == (
        ResolvedWord("The", "stop word"),
        ResolvedWord("middle", "known", (1,)),
        ResolvedWord("1999", "number"),
        ResolvedWord("x", "too short"),
        ResolvedWord("westt", "unknown"),
        ResolvedWord("east", "known", (0,)),
    )


def test_a_word_typed_twice_counts_once(corpus_of):
    assert resolve_text("peace Peace peace", corpus_of("peace")) == (ResolvedWord("peace", "known", (0,)),)


def test_a_pattern_matches_vocabulary_words_in_any_capitals(corpus_of):
    corpus = corpus_of("economy economic economist phobia xenophobia bank")
    words = corpus.vocabulary

    def matched(pattern):
        (word,) = resolve_text(pattern, corpus)
        return [words[w] for w in word.matches]

    assert matched("Econom*") == ["economic", "economist", "economy"]
    assert matched("*phobia") == ["phobia", "xenophobia"]
    assert matched("e*o*y") == ["economy"]
    assert matched("bank*") == ["bank"]
    assert resolve_text("zz*", corpus) == (ResolvedWord("zz*", "unknown"),)


def test_letters_that_mean_something_to_regular_expressions_are_plain(corpus_of):
    corpus = corpus_of("c++ cobol", vocabulary=["c++", "cobol"])
    assert resolve_text("c+*", corpus)[0].matches == (corpus.word_index["c++"],)


def test_a_pattern_of_many_stars_is_quick(corpus_of):
    corpus = corpus_of("a" * 60)
    assert resolve_text("a*" * 40 + "b", corpus)[0].status == "unknown"


@pytest.mark.parametrize("pattern", ["*", "a*", "**", "-*", "*e"])
def test_a_pattern_of_almost_nothing_is_refused(pattern, corpus_of):
    with pytest.raises(QueryError, match="is too short"):
        resolve_list([pattern], corpus_of("ab"))


def test_a_pattern_that_matches_everything_is_refused(corpus_of):
    corpus = corpus_of(" ".join(f"word{i}" for i in range(101)))
    with pytest.raises(QueryError, match=r"matches 101 words \(word0, word1, .*give more letters"):
        resolve_text("word*", corpus)


def test_a_word_that_only_another_tokenizer_makes_is_found_as_it_is(corpus_of):
    corpus = corpus_of("united_states", vocabulary=["United_States", "peace"])
    assert resolve_text("United_States", corpus) == (ResolvedWord("United_States", "known", (0,)),)


def test_exclusions_are_passed_over_and_lists_need_no_hyphen(corpus_of):
    corpus = corpus_of("peace war army")
    assert resolve_text("peace -war", corpus) == (ResolvedWord("peace", "known", (1,)),)
    assert matches_of(resolve_list(["-war", "army peace"], corpus)) == tuple(
        corpus.word_index[word] for word in ("war", "army", "peace")
    )


def test_closest_by_spelling():
    vocabulary = ("atheism", "atheist", "theism", "space", "cricket")
    assert closest_words("athiesm", vocabulary)[0] == "atheism"
    assert closest_words("crickett", vocabulary) == ("cricket",)
    assert closest_words("spac*", vocabulary) == ("space",)
    assert closest_words("zebra", vocabulary) == ()


def test_closest_by_meaning_follows():
    vectors = {"soccer": [1, 0.1], "football": [1, 0.2], "soccers": [0, 1], "bank": [-1, 0]}
    known = WordVectors(tuple(vectors), np.array(list(vectors.values()), dtype=np.float32), "test")
    assert closest_words("soccer", ("bank", "football", "soccers"), known) == ("soccers", "football")
    assert closest_words("Soccer", ("bank", "football"), known) == ("football",)
    assert closest_words("unheard", ("bank",), known) == ()
