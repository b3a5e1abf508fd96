"""From typed words to vocabulary words.

In: words as a user types them, patterns such as `econom*` included, and a corpus. Out: `ResolvedWord`s, which
say for each what vocabulary words it stands for or why it stands for none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Literal

import numpy as np

from qdtm.concepts.query import parse_text
from qdtm.concepts.term_index import SearchableCorpus
from qdtm.corpus.scripts import bare_form, is_unspaced, known_pieces
from qdtm.embeddings.vectors import WordVectors, embed_vocabulary
from qdtm.errors import CorpusError, QueryError

Status = Literal["known", "unknown", "stop word", "number", "too short", "dropped"]

#: A pattern that matches more words than this says nothing about what is meant.
MAX_MATCHES = 100
MIN_PATTERN_LETTERS = 2

N_CLOSEST = 3
MIN_EDIT_SIMILARITY = 0.75
MIN_COSINE = 0.5


@dataclass(frozen=True)
class ResolvedWord:
    """A typed word and the vocabulary words that it stands for.

    Parameters
    ----------
    word : str
        The word after cleaning, or as typed if cleaning leaves nothing of it.
    status : {"known", "unknown", "stop word", "number", "too short", "dropped"}
        "dropped" if the text pipeline removes the word for another reason.
    matches : tuple of int
        Places in the vocabulary: one for a known word, one or more for a pattern, none otherwise.
    """

    word: str
    status: Status
    matches: tuple[int, ...] = ()


def resolve_text(text: str, corpus: SearchableCorpus) -> tuple[ResolvedWord, ...]:
    """Resolve the wanted words of a text, each once, plain words before patterns; `-word` is passed over."""
    parsed = parse_text(text)
    resolved = _resolve_plain(parsed.plain, corpus)
    resolved += [_resolve_pattern(pattern, corpus) for pattern in parsed.patterns]
    return tuple(dict.fromkeys(resolved))


def resolve_list(words: Iterable[str], corpus: SearchableCorpus) -> tuple[ResolvedWord, ...]:
    """Resolve a list of words; an entry of several words ("middle east") stands for each of them."""
    return tuple(dict.fromkeys(word for entry in words for word in resolve_text(entry.lstrip("-"), corpus)))


def matches_of(resolved: Iterable[ResolvedWord]) -> tuple[int, ...]:
    """Return the vocabulary words that the resolved words stand for, each once, in order."""
    return tuple(dict.fromkeys(match for word in resolved for match in word.matches))


def _resolve_plain(chunks: Sequence[str], corpus: SearchableCorpus) -> list[ResolvedWord]:
    """Clean words with the corpus' pipeline, and say why those that it removes are gone."""
    cut = _cutter(corpus)
    resolved = [_look_up(token, corpus) for token in cut(" ".join(chunks))]
    for chunk in chunks:
        tokens = cut(chunk)
        if any(token in corpus.word_index for token in tokens):
            continue
        if chunk in corpus.word_index:  # made by another tokenizer than the pipeline, such as "united_states"
            resolved = [word for word in resolved if word.word not in tokens]
            resolved.append(_look_up(chunk, corpus))
        elif is_unspaced(chunk) and (pieces := known_pieces(chunk, corpus.word_index)):
            resolved = [word for word in resolved if word.word not in tokens]
            resolved += [_look_up(piece, corpus) for piece in pieces]
        elif not tokens:
            resolved.append(ResolvedWord(chunk, _why_dropped(chunk, corpus.pipeline)))
    return resolved


def _cutter(corpus: SearchableCorpus) -> Callable[[str], list[str]]:
    """Return what cuts a query into words: the corpus' pipeline, or spaces if that could not be saved."""

    def cut(text: str) -> list[str]:
        try:
            return list(corpus.pipeline(text))
        except CorpusError:  # a function of the user's that was not saved
            return text.split()

    return cut


def _look_up(word: str, corpus: SearchableCorpus) -> ResolvedWord:
    """Find a word; one that is not there stands for those that differ in accents, ß and the like alone."""
    place = corpus.word_index.get(word)
    if place is not None:
        return ResolvedWord(word, "known", (place,))
    bare = bare_form(word)
    alike = tuple(w for w, each in enumerate(corpus.vocabulary) if bare_form(each) == bare) if bare else ()
    return ResolvedWord(word, "known" if alike else "unknown", alike)


def _why_dropped(chunk: str, pipeline: Any) -> Status:
    """Say why the pipeline leaves nothing of a word."""
    word = chunk.strip("\"'.,;:!?()")
    is_stop_word = getattr(pipeline, "is_stop_word", None)  # a tokenizer of the user's own cannot say
    if is_stop_word is not None and is_stop_word(word):
        return "stop word"
    if word.isnumeric():
        return "number"
    return "too short" if len(word) < 2 else "dropped"


def _resolve_pattern(pattern: str, corpus: SearchableCorpus) -> ResolvedWord:
    """Find the vocabulary words that a pattern with `*` matches, capitals aside."""
    if len(pattern.replace("*", "")) < MIN_PATTERN_LETTERS:
        raise QueryError(f"The pattern '{pattern}' is too short; give at least two letters.")
    shape = _shape_of(pattern.lower())
    matches = tuple(w for w, word in enumerate(corpus.vocabulary) if shape.fullmatch(word.lower()))
    if len(matches) > MAX_MATCHES:
        some = ", ".join(corpus.vocabulary[w] for w in matches[:5])
        raise QueryError(
            f"The pattern '{pattern}' matches {len(matches):,} words ({some}, ...), and at most "
            f"{MAX_MATCHES} are allowed; give more letters."
        )
    return ResolvedWord(pattern, "known" if matches else "unknown", matches)


def _shape_of(pattern: str) -> re.Pattern[str]:
    """Compile a pattern; atomic groups take a middle part where it first fits, so that no pattern is slow."""
    first, *middle, last = map(re.escape, pattern.split("*"))
    return re.compile(first + "".join(f"(?>.*?{part})" for part in middle) + ".*" + last, re.DOTALL)


def closest_words(
    word: str, vocabulary: Sequence[str], vectors: WordVectors | None = None, n: int = N_CLOSEST
) -> tuple[str, ...]:
    """Return the vocabulary words nearest to an unknown one: by letters and, with vectors, by meaning.

    Parameters
    ----------
    word : str
        The unknown word, or a pattern.
    vocabulary : sequence of str
    vectors : WordVectors, optional
        With a vector for the word, words of the same meaning follow those of the same spelling.
    n : int
        How many of each kind.

    Returns
    -------
    tuple of str
        At most 2 n words, best first; empty if nothing is near.
    """
    bare = word.replace("*", "").lower()
    similar_length = [w for w in vocabulary if abs(len(w) - len(bare)) <= max(2, len(bare) // 2)]
    spelled = get_close_matches(bare, similar_length, n=n, cutoff=MIN_EDIT_SIMILARITY)
    return tuple(dict.fromkeys([*spelled, *_closest_in_meaning(bare, vocabulary, vectors, n)]))


def _closest_in_meaning(
    word: str, vocabulary: Sequence[str], vectors: WordVectors | None, n: int
) -> list[str]:
    if vectors is None or vectors.find(word) is None:
        return []
    unit = embed_vocabulary(vectors, [word, *vocabulary]).unit  # (1 + V, d)
    cosine = unit[1:] @ unit[0]  # (V,)
    best = np.argsort(-cosine, kind="stable")[:n]
    return [vocabulary[w] for w in best if cosine[w] > MIN_COSINE]
