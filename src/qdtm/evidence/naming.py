"""Which documents name a query, how often, and how much.

In: a corpus and a query that was looked up in it. Out: `Naming`.

A document names a query of one word where it has the word, and a query of several words where they stand near
each other; a phrase, where its words stand side by side in the text, stop words included. A phrase that is
one word of the vocabulary counts as the words that it has, so that what is named does not depend on it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from qdtm.corpus.corpus import Corpus
from qdtm.corpus.indexing import blocks_of
from qdtm.corpus.phrase_index import PhraseIndex
from qdtm.queries.resolve import ResolvedWord
from qdtm.queries.term_index import FloatArray, IntArray, TermIndex
from qdtm.queries.text_search import TextSearch, signed_form
from qdtm.storage.mapped import moved_beside, places_where

if TYPE_CHECKING:
    from qdtm.queries.search import SearchedQuery

WINDOW = 4
"""Words of a query are near each other within so many retained tokens, or twice as many words of the text."""

APART = 0.25
"""What a document is worth, in namings, that has all words of a query but nowhere near each other."""

FADE = 0.65
"""Each further naming leaves this share of the doubt whether a document is about the query."""

LONG = 1000.0
"""In a document of more tokens than this a naming counts less, by the root of how much longer it is."""

DENSITY = 8.0
"""A document with a naming in every so many tokens is about the query by 1 - 1/e at least, however short."""

BEGINNING = 8
"""Words at the beginning of a document; one of at most twice as many has no beginning of its own."""

EARLY = 1.5
"""What it is worth, in namings, that a document names the query at its beginning: what a title or a first
sentence says is what the rest is about (Edmundson 1969, Baxendale 1958)."""

LEAST_SHARE = 1.0 / 3.0
"""At least so much of the documents about a query are taken to name it.

What is like them and does not name it may be about it, or only near: positive and unlabelled examples cannot
tell (Elkan and Noto 2008 have to assume it). So the probabilities of what is shown never sum to more than
three times those that name it."""

MOST_COUNTED = 32
"""What is asked for again, in a check and in the fit after it, is remembered, but not without end."""

Alternative = tuple[ResolvedWord, ...]
"""What a document must have all of; documents that have one of several alternatives name the query."""

Places = tuple[tuple[int, int], ...]
"""Entries of the vocabulary that stand for a term, and which of their words does, from 0."""

BoolArray = NDArray[np.bool_]
Span = tuple[int, int]


@dataclass(frozen=True, eq=False)
class Naming:
    """Which documents of a corpus name a query.

    Parameters
    ----------
    namings : ndarray of float64, shape (D,)
        How often a document names the query; `APART` if it has all words, but far apart.
    strength : ndarray of float64, shape (D,)
        How much it names it, from 0 to 1.
    possible : ndarray of bool, shape (D,)
        False for an empty document, and for one that has what the query excludes.
    n_excluded : int
        How many documents would name the query but for what they have beside it.
    """

    namings: FloatArray
    strength: FloatArray
    possible: BoolArray
    n_excluded: int = 0

    @property
    def documents(self) -> IntArray:
        """The documents that name the query, in order."""
        return np.flatnonzero(self.namings > 0)

    @property
    def share(self) -> float:
        """The share of the documents about the query that name it, as far as repetitions tell; to 1.

        If they name it a geometric number of times, and m times on average where they do at all, then 1 in m
        does not name it (the zero-truncated geometric distribution, by maximum likelihood). Where each names
        it once, as in short texts, repetitions tell nothing; it is never taken to be below `LEAST_SHARE`.
        """
        total = float(self.strength.sum())
        times = float(self.strength @ np.maximum(self.namings, 1.0)) / total if total > 0 else 1.0
        return max(1.0 - 1.0 / times, LEAST_SHARE)

    def within(self, members: BoolArray) -> Naming:
        """Return the same with the names of some documents alone, (D,)."""
        namings, strength = np.where(members, self.namings, 0.0), np.where(members, self.strength, 0.0)
        return replace(self, namings=namings, strength=strength)


def name_documents(corpus: Corpus, searched: SearchedQuery) -> Naming:
    """Find the documents that name a query.

    Parameters
    ----------
    corpus : Corpus
        The one that was searched, or new documents over its vocabulary.
    searched : SearchedQuery
    """
    return NamingCounter(corpus).name(searched.alternatives, searched.barred)


def strength_of(namings: FloatArray, lengths: IntArray, early: BoolArray) -> FloatArray:
    """How much documents name a query, 0 to 1; shape (D,).

    Parameters
    ----------
    namings : ndarray of float64, shape (D,)
        How often they do,
    lengths : ndarray of int64, shape (D,)
        in how many tokens,
    early : ndarray of bool, shape (D,)
        and whether at their beginning.
    """
    worth = namings + EARLY * early
    dense = -np.expm1(-DENSITY * worth / np.maximum(lengths, 1))
    frequent = 1.0 - FADE ** (worth / np.sqrt(np.maximum(lengths / LONG, 1.0)))
    return np.where(namings > 0, np.maximum(frequent, dense), 0.0)


class NamingCounter:
    """Counts how often documents name what is asked for; what was counted is remembered with the corpus.

    Parameters
    ----------
    corpus : Corpus
    """

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        self._index = TermIndex.of(corpus)
        self._texts = TextSearch.of(corpus)
        self._phrases = PhraseIndex.of(corpus)
        self._counted = _COUNTED.setdefault(corpus, {})

    def name(self, alternatives: Sequence[Alternative], barred: Sequence[ResolvedWord] = ()) -> Naming:
        """Find the documents that name one of the alternatives and have nothing of what is barred."""
        n_documents, lengths = self._index.n_documents, self._lengths
        counts = [self.count(alternative) for alternative in alternatives]  # each (D,)
        found = np.sum(counts, axis=0) if counts else np.zeros(n_documents)
        has = [self.count((word,)) > 0 for word in barred if word.is_sought]  # each (D,)
        allowed = ~np.any(has, axis=0) if has else np.True_
        possible = np.asarray(((lengths > 0) | (found > 0)) & allowed)
        namings = moved_beside(self._corpus.offsets, np.where(possible, found, 0.0))
        early = np.zeros(n_documents, np.bool_)
        documents = np.flatnonzero(namings > 0)
        for alternative in alternatives:
            early[documents] |= self._begins_with(alternative, documents)
        return Naming(
            namings=namings,
            strength=moved_beside(namings, strength_of(namings, lengths, early)),
            possible=moved_beside(namings, possible),
            n_excluded=self._corpus.count_documents(np.flatnonzero((found > 0) & ~possible)),
        )

    def count(self, alternative: Alternative) -> FloatArray:
        """Count how often each document names all of an alternative, shape (D,)."""
        if alternative not in self._counted:
            if len(self._counted) >= MOST_COUNTED:
                self._counted.clear()
            counts = moved_beside(self._corpus.offsets, self._count(alternative))
            self._counted[alternative] = counts
            counts.flags.writeable = False
        return self._counted[alternative]

    def _count(self, alternative: Alternative) -> FloatArray:
        terms = [term for word in alternative for term in self._terms(word)]
        n_each = np.array([self._index.frequency([w for w, _ in term]) for term in terms])  # (n_terms, D)
        if terms and not self._has_order and not self._texts.has_texts:
            return np.asarray(n_each.min(axis=0), np.float64)
        if any(word.sequence for word in alternative) or (len(terms) > 1 and not self._has_order):
            return self._count_in_text(alternative, n_each)
        if len(terms) == 1:
            return np.asarray(n_each[0], np.float64)
        together: BoolArray = n_each.min(axis=0) > 0
        near = self._near_in_tokens(terms, n_each, together)
        return np.where(near > 0, near, np.where(together, APART, 0.0))

    def _begins_with(self, alternative: Alternative, documents: IntArray) -> BoolArray:
        """Say which documents have all of an alternative among their first words, as far as tokens tell."""
        by_word = [self._terms(word) for word in alternative]
        terms = [term for each in by_word for term in each]
        can_tell = bool(terms) and all(by_word) and self._has_order
        found = np.asarray(self._lengths[documents] > 2 * BEGINNING) & can_tell
        starts, ends = (self._corpus.offsets[documents[found][:, None] + k] for k in (0, 1))  # (n, 1)
        at = np.minimum(starts + np.arange(BEGINNING), ends - 1)  # (n, BEGINNING)
        words = at - starts + self._more_words(at) - self._more_words(starts)
        for term in terms:
            inside = np.full(self._index.n_words, BEGINNING)
            inside[[w for w, _ in reversed(term)]] = [place for _, place in reversed(term)]
            early = (words + inside[self._corpus.tokens[at]] < BEGINNING).any(axis=1)
            found[found], at, words = early, at[early], words[early]
        return found

    # --- words inside phrases ----------------------------------------------------------------------------

    def _terms(self, word: ResolvedWord) -> list[Places]:
        """Return where each term of a word stands: entries of the vocabulary, and the place inside them."""
        forms = word.forms or ((),) * len(word.terms)
        return [
            tuple((w, place) for w in term for place in self._places_inside(w, form))
            for term, form in zip(word.terms, forms, strict=True)
        ]

    def _places_inside(self, entry: int, forms: Sequence[str]) -> list[int]:
        """Return where words stand inside an entry: a phrase may have several of them."""
        if not forms or entry not in self._phrases.words_of or self._corpus.vocabulary[entry] in forms:
            return [0]
        return [n for n, word in enumerate(self._phrases.words_of[entry]) if word in forms]

    @cached_property
    def _phrase_tokens(self) -> tuple[IntArray, IntArray]:
        """Where phrases stand among the tokens, in order; how many more words than tokens are before each."""
        more = np.zeros(self._index.n_words, np.int64)  # (V,)
        for w, words in self._phrases.words_of.items():
            more[w] = len(words) - 1
        at = places_where(more.__getitem__, self._corpus.tokens)
        total = np.concatenate([[0], np.cumsum(more[self._corpus.tokens[at]])])
        return moved_beside(self._corpus.tokens, at), moved_beside(self._corpus.tokens, total)

    def _more_words(self, at: IntArray) -> IntArray:
        """Return how many words more than tokens stand before some tokens."""
        if not self._phrases:
            return np.zeros_like(at)
        phrases, more = self._phrase_tokens
        return np.asarray(more[np.searchsorted(phrases, at)])

    @cached_property
    def _lengths(self) -> IntArray:
        """Words of each document, shape (D,)."""
        if not self._phrases:
            return self._index.lengths
        lengths = self._index.lengths + np.diff(self._more_words(self._corpus.offsets))
        return moved_beside(self._corpus.offsets, lengths)

    @cached_property
    def _has_order(self) -> bool:
        """Whether tokens stand as in the text; words that were only counted follow the vocabulary."""
        tokens, offsets = self._corpus.tokens, self._corpus.offsets
        for first, last in blocks_of(offsets):
            falls = np.diff(tokens[offsets[first] : offsets[last]], prepend=-1) < 0  # a smaller word follows
            falls[offsets[first:last][np.diff(offsets[first : last + 1]) > 0] - offsets[first]] = False
            if falls.any():
                return True
        return False

    # --- near each other in the tokens -------------------------------------------------------------------

    def _near_in_tokens(self, terms: Sequence[Places], n_each: IntArray, together: BoolArray) -> FloatArray:
        """Count, in documents with all terms, where the rarest of the document has all others near, (D,)."""
        places = [self._places(term, together) for term in terms]
        rarest = n_each.argmin(axis=0)  # (D,)
        near = np.zeros(self._index.n_documents)
        for t, (at, documents) in enumerate(places):
            chosen = rarest[documents] == t
            at, documents = at[chosen], documents[chosen]
            fits = np.ones(len(at), np.bool_)
            for other in (places[o] for o in range(len(places)) if o != t):
                fits &= _has_near(at, documents, *other)
            near += np.bincount(documents[fits], minlength=len(near))
        return near

    def _places(self, term: Places, wanted: BoolArray) -> tuple[IntArray, IntArray]:
        """Return where a term stands in the wanted documents, counted in words, in order, and in which."""
        is_term = np.zeros(self._index.n_words, np.bool_)
        is_term[[w for w, _ in term]] = True
        at = places_where(is_term.__getitem__, self._corpus.tokens)
        documents = np.searchsorted(self._corpus.offsets, at, side="right") - 1
        at, documents = at[wanted[documents]], documents[wanted[documents]]
        if not self._phrases:
            return at, documents
        return self._places_in_words(term, at, documents)

    def _places_in_words(self, term: Places, at: IntArray, documents: IntArray) -> tuple[IntArray, IntArray]:
        """Turn tokens that have a term into the places of its words, in order."""
        entries, words = self._corpus.tokens[at], at + self._more_words(at)
        first = dict(reversed(term))
        shift = np.zeros(self._index.n_words, np.int64)
        shift[list(first)] = list(first.values())
        parts = [(words + shift[entries], documents)]
        for w, place in term:
            if place != first[w]:  # a phrase with two words that a pattern matches
                parts.append((words[entries == w] + place, documents[entries == w]))
        places, their_documents = map(np.concatenate, zip(*parts, strict=True))
        order = np.argsort(places, kind="stable")
        return places[order], their_documents[order]

    # --- side by side, and near each other, in the text --------------------------------------------------

    def _count_in_text(self, alternative: Alternative, n_each: IntArray) -> FloatArray:
        """Count namings in the text's own sequence of words, shape (D,)."""
        possible = np.ones(self._index.n_documents, np.bool_)
        if len(n_each):
            possible &= n_each.min(axis=0) > 0
        for word in alternative:
            possible &= self._may_have(word)
        forms = [self._forms(word) for word in alternative]
        loose = any(word.status == "in text" for word in alternative)
        signed = [form for word in alternative for form in word.sequence if signed_form(form)]
        counts = np.zeros(self._index.n_documents)
        for j, text in self._texts.select(np.flatnonzero(possible)):
            words = self._texts.words(text, signed)
            spans = [_spans(words, each) for each in forms]
            near = _count_near(spans)
            counts[j] = near or (0.0 if loose or not all(spans) else APART)
        return counts

    def _may_have(self, word: ResolvedWord) -> BoolArray:
        """Return the documents that may have a word, as far as that is known without their texts, (D,)."""
        found = np.ones(self._index.n_documents, np.bool_)
        if len(word.parts) > 1 and self._has_order:
            found &= self._has_run(self._terms(word))
        elif not word.parts and word.sequence:
            for token in word.sequence:
                has = np.zeros(len(found), np.bool_)
                has[self._texts.documents_with(token)] = True
                found &= has
        return found

    def _has_run(self, parts: Sequence[Places]) -> BoolArray:
        """Return the documents that have terms one after the other among their words, shape (D,)."""
        every = np.ones(self._index.n_documents, np.bool_)
        at, documents = self._places(parts[0], every)
        for n, part in enumerate(parts[1:], start=1):
            others, theirs = self._places(part, every)
            if not len(others):
                return np.zeros(self._index.n_documents, np.bool_)
            nearest = np.minimum(np.searchsorted(others, at + n), len(others) - 1)
            fits = (others[nearest] == at + n) & (theirs[nearest] == documents)
            at, documents = at[fits], documents[fits]
        return np.bincount(documents, minlength=self._index.n_documents) > 0

    def _forms(self, word: ResolvedWord) -> tuple[frozenset[str], ...]:
        """Return what may stand at each place of a word or phrase, folded."""
        if word.sequence:
            return tuple(frozenset({form}) for form in word.sequence)
        written = word.forms[0] if word.forms else [self._corpus.vocabulary[match] for match in word.matches]
        return (frozenset([*map(self._texts.fold, written), *map(str.lower, written)]),)


def _has_near(at: IntArray, documents: IntArray, others: IntArray, their_documents: IntArray) -> BoolArray:
    """Return which places have one of the others, in order, within `WINDOW` in the same document."""
    near = np.zeros(len(at), np.bool_)
    if not len(others):
        return near
    after = np.searchsorted(others, at)
    for neighbour in (after - 1, after):
        each = np.clip(neighbour, 0, len(others) - 1)
        near |= (np.abs(others[each] - at) <= WINDOW) & (their_documents[each] == documents)
    return near


def _spans(words: Sequence[str], forms: Sequence[frozenset[str]]) -> list[Span]:
    """Return where forms stand one after the other: the first and the last place of each time."""
    first, n = forms[0], len(forms)
    if first.isdisjoint(words):
        return []
    return [
        (i, i + n - 1)
        for i, word in enumerate(words)
        if word in first and i + n <= len(words) and all(words[i + k] in forms[k] for k in range(1, n))
    ]


def _count_near(spans: Sequence[Sequence[Span]]) -> int:
    """Count where the rarest of several has all others near, within twice `WINDOW` words."""
    least = min(range(len(spans)), key=lambda k: len(spans[k]))
    others = [each for k, each in enumerate(spans) if k != least]
    return sum(
        all(any(_gap(own, one) <= 2 * WINDOW for one in other) for other in others) for own in spans[least]
    )


def _gap(one: Span, other: Span) -> int:
    return max(0, other[0] - one[1], one[0] - other[1])


_COUNTED: WeakKeyDictionary[Corpus, dict[Alternative, FloatArray]] = WeakKeyDictionary()
