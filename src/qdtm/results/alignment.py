"""Where the tokens of a document stand in its text: a corpus and a document in, spans of characters out.

A corpus keeps words, not places. They are found again by splitting the text with the corpus's own pipeline
and looking for each token from where the last one ended. What markup or an entity hides stays without a
place; no token is ever given a wrong word.
"""

from __future__ import annotations

import re
from collections import defaultdict, deque
from collections.abc import Container
from typing import Any

from numpy.typing import NDArray

from qdtm.corpus.corpus import Corpus
from qdtm.corpus.phrase_index import PhraseIndex, words_within
from qdtm.corpus.scripts import is_unspaced
from qdtm.corpus.store import Document
from qdtm.corpus.text import TextPipeline
from qdtm.errors import CorpusError
from qdtm.results.passages import Mark, Passage, excerpt

Span = tuple[int, int]
"""The first character of a token, and the one after its last."""

REACH = 1_200
"""How far ahead a token is looked for: a little more than the longest tag that a pipeline takes away."""

LONGEST_ALIGNED = 200_000
"""Characters of a document that are looked through for marks."""

_DEFAULT = TextPipeline()
_NEAR = 40  # characters within which a token may begin or end inside a longer run of letters
_LONGEST_ABBREVIATION = 8  # letters of "U.S.S.R."


class Aligner:
    """Finds the places of tokens in texts, and remembers what becomes of each token.

    Parameters
    ----------
    corpus : Corpus
    """

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        self._phrases = PhraseIndex.of(corpus)
        self._vocabulary = frozenset(words_within(corpus))
        self._words: tuple[dict[str, str | None], dict[str, str | None]] = ({}, {})  # own, default

    def spans(self, j: int, text: str) -> list[Span | None]:
        """Return where each token of document `j` stands in its text, None where that is not known.

        The k-th token of a word is taken to be the k-th of its places.
        """
        places: dict[int, deque[Span]] = defaultdict(deque)
        for word, span in self.places(j, text):
            places[word].append(span)
        tokens = self._corpus.tokens[self._corpus.offsets[j] : self._corpus.offsets[j + 1]]
        return [places[word].popleft() if places[word] else None for word in tokens.tolist()]

    def places(self, j: int, text: str) -> list[tuple[int, Span]]:
        """Return the words of document `j` in its text (or the beginning of it), and where they stand.

        Ready tokens may have been made by other means than the corpus knows. Where its pipeline finds
        nothing, the default one is tried, and then the words themselves.
        """
        own = set(self._corpus.tokens[self._corpus.offsets[j] : self._corpus.offsets[j + 1]].tolist())
        for pipeline in (self._corpus.pipeline, _DEFAULT):
            try:
                places = [place for place in self._find(text, pipeline) if place[0] in own]
            except CorpusError:  # a function of the user's that was not saved
                continue
            if places:
                return places
        return self._in_order(j, text)

    def excerpt(
        self, document: Document, weights: NDArray[Any], concept: Container[int], limit: int
    ) -> Passage:
        """Return the part of a document in which words of large weight (V,) are, marked."""
        text = document.text[:LONGEST_ALIGNED]
        places = self.places(document.index, text)
        marks = [Mark(*span, float(weights[word]), word in concept) for word, span in places]
        return excerpt(text, marks, limit)

    def _in_order(self, j: int, text: str) -> list[tuple[int, Span]]:
        """Look for the document's own words in turn, for ready tokens or where the tokenizer is gone."""
        folded = text.lower()
        folded = folded if len(folded) == len(text) else text  # some capitals become two letters
        places, end, reach = [], 0, _NEAR
        for word in self._corpus.tokens[self._corpus.offsets[j] : self._corpus.offsets[j + 1]].tolist():
            written = self._corpus.vocabulary[word]
            find = _find_inside if is_unspaced(written) else find_token
            span = find(folded, written, end, reach)
            if span is None:
                reach = min(2 * reach, REACH)
                continue
            places.append((word, span))
            end, reach = span[1], _NEAR
        return places

    def _find(self, text: str, pipeline: TextPipeline) -> list[tuple[int, Span]]:
        """Return the words of the vocabulary that a pipeline finds in a text, and where they stand."""
        tokens, joined = self._split(text, pipeline)
        words = [self._word(token, pipeline) for token in tokens]
        follows = [each and before is not None for each, before in zip(joined, [None, *words], strict=False)]
        cut = {first: (phrase, n) for phrase, first, n in self._phrases.cut(words, follows)}
        places, end, reach, i = [], 0, REACH, 0
        while i < len(tokens):
            phrase, n = cut.get(i, (None, 1))
            spans: list[Span] = []
            for token in tokens[i : i + n]:
                span = find_token(text, token, end, reach)
                if span is None:
                    reach = min(2 * reach, len(text))  # after a long address that the pipeline took away
                    continue
                end, reach = span[1], REACH
                spans.append(span)
            word = words[i] if phrase is None else phrase
            number = self._corpus.word_index.get(word) if isinstance(word, str) else word
            if number is not None and len(spans) == n:
                places.append((number, (spans[0][0], spans[-1][1])))
            i += n
        return places

    def _split(self, text: str, pipeline: TextPipeline) -> tuple[list[str], list[bool]]:
        """Return the tokens of a text, and which may go on with a phrase."""
        if self._phrases:
            return pipeline.split_joined(text)
        tokens = pipeline.split(text)
        return tokens, [False] * len(tokens)

    def _word(self, token: str, pipeline: TextPipeline) -> str | None:
        """Return the word that a token becomes, if the vocabulary has it, if only in phrases."""
        known = self._words[pipeline is _DEFAULT]
        if token not in known:
            word = pipeline.word(token)
            known[token] = word if word in self._vocabulary else None
        return known[token]


def find_token(text: str, token: str, start: int, reach: int) -> Span | None:
    """Find a token in a text at `start` or at most `reach` characters later.

    A place where it stands apart from other letters is preferred; else one with dots between its letters
    ("U.S."), else one nearby inside a longer run (languages without spaces).
    """
    stop = start + reach + len(token)
    at = first = text.find(token, start, stop)
    while at >= 0:
        if _stands_apart(text, at, at + len(token)):
            return at, at + len(token)
        at = text.find(token, at + 1, stop)
    if 1 < len(token) <= _LONGEST_ABBREVIATION:
        dotted = re.compile(r"\.".join(map(re.escape, token))).search(text, start, stop + len(token))
        if dotted is not None:
            return dotted.span()
    return (first, first + len(token)) if 0 <= first - start <= _NEAR else None


def _find_inside(text: str, token: str, start: int, reach: int) -> Span | None:
    """Find a token of a script without spaces, which may stand anywhere."""
    at = text.find(token, start, start + reach + len(token))
    return (at, at + len(token)) if at >= 0 else None


def _stands_apart(text: str, start: int, end: int) -> bool:
    before, after = text[start - 1 : start], text[end : end + 1]
    return not (before.isalnum() or after.isalnum())
