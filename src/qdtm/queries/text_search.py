"""What the texts of a corpus have beside its vocabulary: stop words, numbers, rare words, and their order.

In: a corpus. Out: its `TextSearch`: the words of a text in their own sequence, the documents that have a
word, and whether a stop word only connects others or says something itself.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from weakref import WeakKeyDictionary

import numpy as np

from qdtm.corpus.corpus import Corpus
from qdtm.corpus.lemmas import number_forms
from qdtm.corpus.stop_word_lists import stop_words
from qdtm.corpus.tokenizer import is_unspaced, tidy_token, unicode_tokens
from qdtm.errors import CorpusError
from qdtm.progress import check_cancelled
from qdtm.queries.term_index import IntArray

CONNECTIVE_SHARE = 0.002
"""A stop word above this share of all words ("of", "in") connects others; a rarer one ("second") means."""

ENOUGH_WORDS = 5_000
_CONNECTIVES = """
    the of and to in a is that for it as was with be by on not he his but at are this have from or had an they
    which one you were all her she there would their we him been has when who will no more if out so
"""
CONNECTIVES = frozenset(_CONNECTIVES.split())
"""Where texts have fewer words, shares say little; these, as frequent in English at large, connect there."""

LEAST_STOP_WORDS = 0.02
"""With a smaller share of stop words, the texts are ready tokens, from which they were taken before."""

N_SAMPLED = 1_000
MOST_CHARACTERS = 20_000
"""How many documents are read, and how much of each, to tell how often a stop word occurs."""

_AROUND = "\"'“”‘’„«»,;:!?()[]{}…"
_SIGNED = re.compile(r"[^\W_]+(?:[&/-][^\W_]+)*[+#]{1,2}|[^\W_]+(?:[&/][^\W_]+)+|\.[^\W\d_]+")
_SIGNS = frozenset("+#&/.")

_SHORTEST_STEM = 3  # letters by which a text is looked at, where lemmas are of the user's own making


class TextSearch:
    """Looks words up in the texts of a corpus.

    Parameters
    ----------
    corpus : Corpus
    """

    def __init__(self, corpus: Corpus) -> None:
        self._documents = corpus.documents
        self._pipeline = corpus.pipeline
        self._vocabulary = corpus.word_index
        self._folded = _FoldedWords(corpus.pipeline.fold)
        self._found: dict[str, IntArray] = {}

    @classmethod
    def of(cls, corpus: Corpus) -> TextSearch:
        """Return the search of a corpus, which remembers what it has found as long as the corpus lives."""
        if corpus not in _SEARCHES:
            _SEARCHES[corpus] = cls(corpus)
        return _SEARCHES[corpus]

    # --- words -------------------------------------------------------------------------------------------

    def words(self, text: str, signed: Sequence[str] = ()) -> list[str]:
        """Return all words of a text in order, stop words included, each in the form of `fold`."""
        return list(map(self._folded.__getitem__, self.split(text, signed)))

    def split(self, text: str, signed: Sequence[str] = ()) -> list[str]:
        """Return all words of a text in order, as they are written; words with signs whole, if given."""
        if signed:
            return list(self._split_around(text, signed))
        if callable(self._pipeline.tokenizer) and is_unspaced(text):
            try:
                return list(self._pipeline.split(text))
            except CorpusError:  # a function of the user's that was not saved
                pass
        return unicode_tokens(self._pipeline.clean(text))

    def _split_around(self, text: str, signed: Sequence[str]) -> Iterator[str]:
        clean, end = self._pipeline.clean(text), 0
        for match in standing_alone(signed).finditer(clean):
            yield from self.split(clean[end : match.start()])
            yield match[0]
            end = match.end()
        yield from self.split(clean[end:])

    def fold(self, token: str) -> str:
        """Return the form that a word shares with its plural, its capitals and its possessive."""
        return self._folded[token]

    def is_stop_word(self, token: str) -> bool:
        """Return whether the corpus leaves a word out as a stop word; ready tokens do as English texts do."""
        if self._pipeline.is_stop_word(token):
            return True
        word = token.lower().replace("’", "'")
        return (
            self._pipeline.language is None and word not in self._vocabulary and word in stop_words("english")
        )

    # --- documents ---------------------------------------------------------------------------------------

    @cached_property
    def has_texts(self) -> bool:
        """Whether documents are there as they were written, and not as ready tokens or counts alone."""
        n_words = sum(self._sample.values())
        n_stop = sum(n for token, n in self._sample.items() if self.is_stop_word(token))
        return n_stop > LEAST_STOP_WORDS * n_words

    def is_connective(self, token: str) -> bool:
        """Return whether a stop word is so frequent that it says nothing of what is meant."""
        n_words, word = sum(self._sample.values()), _plain(token)
        if n_words < ENOUGH_WORDS and word in CONNECTIVES:
            return True
        return self._sample[word] > CONNECTIVE_SHARE * n_words

    def documents_with(self, token: str) -> IntArray:
        """Return the documents whose text has a word, in any number, in order; all texts are read."""
        folded = self.fold(token)
        if folded not in self._found:
            self._found[folded] = np.fromiter(self._scan(token, folded), np.int64)
        return self._found[folded]

    def select(self, rows: IntArray) -> Iterator[tuple[int, str]]:
        """Yield documents and their texts."""
        for document in self._documents.select(rows.tolist()):
            yield document.index, document.text

    def _scan(self, token: str, folded: str) -> Iterator[int]:
        """Yield the documents that have a word; most are passed over at a glance."""
        if signed_form(token) == folded:
            yield from self._scan_signed(folded)
            return
        forms, inside = self._forms(token, folded), is_unspaced(folded)
        stands = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, forms))})(?!\w)")
        for document in self._documents:
            check_cancelled()
            text = document.text.lower()
            if not any(form in text for form in forms):
                continue
            if self._folds_english and not inside:
                found = stands.search(text) is not None
            else:
                found = inside or folded in self.words(document.text)
            if found:
                yield document.index

    def _scan_signed(self, form: str) -> Iterator[int]:
        """Yield the documents that have a word with signs as it is written."""
        stands, in_markup = standing_alone([form]), form.replace("&", "&amp;")
        for document in self._documents:
            check_cancelled()
            text = document.text.lower()
            if (form in text or in_markup in text) and stands.search(self._pipeline.clean(document.text)):
                yield document.index

    def _forms(self, token: str, folded: str) -> tuple[str, ...]:
        """Return what a text that has the word has in it."""
        plain = _plain(token)
        if self._folds_english:
            return tuple(dict.fromkeys([plain, folded, *number_forms(folded)]))
        if len(plain) < _SHORTEST_STEM:
            return tuple(dict.fromkeys([plain, folded]))
        return (folded[:_SHORTEST_STEM],)

    @property
    def _folds_english(self) -> bool:
        return self._pipeline.language in (None, "english") and not callable(self._pipeline.lemmatizer)

    @cached_property
    def _sample(self) -> Counter[str]:
        """How often words occur in documents that stand evenly all over the corpus."""
        n_documents = len(self._documents)
        rows = np.unique(np.linspace(0, n_documents - 1, min(n_documents, N_SAMPLED)).astype(np.int64))
        written = Counter(
            token
            for _, text in (self.select(rows) if n_documents else ())
            for token in self.split(text[:MOST_CHARACTERS])
        )
        counts: Counter[str] = Counter()
        for token, n in written.items():
            counts[_plain(token)] += n
        return counts


class _FoldedWords(dict[str, str]):
    """Folded words by token, worked out when first asked for."""

    def __init__(self, fold: Callable[[str], str]) -> None:
        self._fold = fold

    def __missing__(self, token: str) -> str:
        folded = self[token] = signed_form(token) or self._fold(token)
        return folded


def signed_form(chunk: str) -> str:
    """Return a word with signs that words are not cut to, in small letters; empty if it is none.

    Punctuation around it is taken off. A hyphen is no such sign: what it joins stands side by side.

    Examples
    --------
    >>> [signed_form(each) for each in ("C++?", "(.NET)", "AT&T", "9/11,", "cats,", "self-driving")]
    ['c++', '.net', 'at&t', '9/11', '', '']
    """
    if _SIGNS.isdisjoint(chunk):
        return ""
    bare = chunk.lower().strip(_AROUND).rstrip("." + _AROUND)
    return bare if _SIGNED.fullmatch(bare) else ""


def standing_alone(signed: Sequence[str]) -> re.Pattern[str]:
    """Compile the expression for words with signs that stand by themselves.

    "9/11" is not part of "3/9/11", "C++" not of "C+++"; "C++11", "AT&T's" and "F#-like" are of these words.
    """
    longest_first = sorted(set(signed), key=lambda form: (-len(form), form))
    return re.compile("|".join(map(_alone, longest_first)), re.IGNORECASE)


def _alone(form: str) -> str:
    signs = "".join(sorted(_SIGNS.intersection(form)))
    before = r"(?<![\w.])" if form[0] == "." else rf"(?<!\w)(?<!\w[{signs}])"
    if form[-1] in _SIGNS:
        return rf"{before}{re.escape(form)}(?![^\W\d_]|[{signs}])"
    return rf"{before}{re.escape(form)}(?=(?:['’]?s)?(?!\w)(?![{signs}]\w))"


def _plain(token: str) -> str:
    return tidy_token(token, "english").lower()


_SEARCHES: WeakKeyDictionary[Corpus, TextSearch] = WeakKeyDictionary()
