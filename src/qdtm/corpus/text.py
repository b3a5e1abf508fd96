"""A text in, its words out: named steps, each of which can be replaced or left out.

The same pipeline cleans the corpus, the queries and the new documents, so that all three speak of the same
words. A text is split once (`TextPipeline.split`), and what becomes of a token depends on that token alone
(`TextPipeline.word`), so that it is worked out once for each distinct token of a corpus.
"""

from __future__ import annotations

import re
import unicodedata
import warnings
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any

from qdtm.corpus import markup, stop_word_lists
from qdtm.corpus.lemmas import LEMMATIZERS, Lemmatizer, noun_lemma
from qdtm.corpus.passage_split import Split, check_split
from qdtm.corpus.stop_word_lists import language_name
from qdtm.corpus.tokenizer import (
    TOKENIZERS,
    UNSPACED_LANGUAGES,
    Tokenizer,
    fold_letters,
    may_go_on,
    split_joined,
    tidy_token,
)
from qdtm.corpus.vocabulary import VocabularyLimits
from qdtm.errors import CorpusError, ParameterError, StorageError

_ENGLISH_NUMBER = re.compile(r"\d+(?:st|nd|rd|th|am|pm)", re.IGNORECASE)  # "20th", "00pm" of "4:00pm"
LONGEST_TOKEN = 100
"""What is longer is no word but data (an encoded picture, a key); tokenizers of one's own may keep it."""

_MEMORY_LIMIT = 1_000_000  # tokens remembered for `__call__` before it starts afresh


@dataclass(frozen=True)
class TextPipeline:
    """The steps from a text to its words, and the limits of the vocabulary.

    The steps run in the order of the parameters below.

    Parameters
    ----------
    language : str or None
        Name or code of the language; decides about stop words, lemmas, contractions and elisions. None leaves
        all of these out.
    strip_markup : bool
        Take away HTML tags and entities, web and mail addresses, and files that stand in a text as
        uuencode, base64, PGP's armour or a hex dump.
    tokenizer : str or callable
        `"unicode"` (runs of letters, digits and marks of any script), `"word-characters"` (the paper's), or a
        function from a text to a list of tokens.
    lowercase : bool
        Turn words to lower case; in Arabic and Persian, also leave out vowel signs and write every alef
        alike.
    min_token_length : int
        Leave out words with fewer characters.
    keep_numbers : bool
        Keep tokens that have digits and no letters; in English also "20th" and "4pm".
    stop_words : str, iterable of str or None
        `"auto"` is the list of `language`; another language's name; words of your own (matched in lower
        case); or None for no stop words.
    lemmatizer : str, callable or None
        `"auto"` is `"wordnet"` for English and none for other languages; `"wordnet-shortest"` is the
        paper's; or a function from a word to its lemma or stem.
    limits : VocabularyLimits
        Which words become the vocabulary.
    phrases : bool
        Whether words that the corpus has side by side far more often than by chance ("south africa") become
        one word of the vocabulary; only with the tokenizer `"unicode"`, which knows what stands between two
        words.
    split_documents : "paragraphs", int or None
        Judge long documents by passage: by paragraph (about 50 to 300 words), or about so many words. None
        takes each document as a whole.

    Examples
    --------
    >>> TextPipeline()("The armies didn't fire; the government's geese did.")
    ['army', 'fire', 'government', 'goose']
    """

    language: str | None = "english"
    strip_markup: bool = True
    tokenizer: str | Tokenizer = "unicode"
    lowercase: bool = True
    min_token_length: int = 2
    keep_numbers: bool = False
    stop_words: str | Iterable[str] | None = "auto"
    lemmatizer: str | Lemmatizer | None = "auto"
    limits: VocabularyLimits = field(default_factory=VocabularyLimits)
    phrases: bool = True
    split_documents: Split | None = None

    def __post_init__(self) -> None:
        if self.language is not None:
            object.__setattr__(self, "language", language_name(self.language))
        object.__setattr__(self, "stop_words", _checked_stop_words(self.stop_words))
        for name in ("strip_markup", "lowercase", "keep_numbers", "phrases"):
            if not isinstance(getattr(self, name), bool):
                raise ParameterError(f"{name} must be True or False; got {getattr(self, name)!r}.")
        object.__setattr__(self, "split_documents", check_split(self.split_documents))
        _check_choice("tokenizer", self.tokenizer, TOKENIZERS)
        _check_choice("lemmatizer", self.lemmatizer, ("auto", None, *LEMMATIZERS))
        length = self.min_token_length
        if isinstance(length, bool) or not isinstance(length, int) or length < 1:
            raise ParameterError(f"min_token_length must be a whole number of at least 1; got {length!r}.")

    @classmethod
    def paper(cls, stop_words: Iterable[str]) -> TextPipeline:
        """Return the preprocessing of the paper's experiments, with the stop words used there.

        Lower case; runs of word characters, longer than one and not a number; the shortest WordNet noun
        lemma; words in 3 documents or more, and of those the 5,000 most frequent.
        """
        return cls(
            language=None,
            strip_markup=False,
            tokenizer="word-characters",
            stop_words=stop_words,
            lemmatizer="wordnet-shortest",
            limits=VocabularyLimits(min_df=3, max_words=5_000, count_copies=True),
            phrases=False,
        )

    @classmethod
    def plain(cls, *, tokenizer: str | Tokenizer = "unicode", lowercase: bool = False) -> TextPipeline:
        """Return a pipeline that only splits: every token is a word, without limits to the vocabulary."""
        return cls(
            language=None,
            strip_markup=False,
            tokenizer=tokenizer,
            lowercase=lowercase,
            min_token_length=1,
            keep_numbers=True,
            stop_words=None,
            lemmatizer=None,
            limits=VocabularyLimits.unlimited(),
            phrases=False,
        )

    # --- using it ----------------------------------------------------------------------------------------

    def __call__(self, text: str) -> list[str]:
        """Return the words of a text, in order."""
        words = map(self._known_words.__getitem__, self.split(text))
        return [word for word in words if word is not None]

    def trace(self, text: str) -> list[tuple[str, str | None]]:
        """Return each token of a text as it is written, with the word it becomes (None: it is left out)."""
        return [(token, self.word(token)) for token in self.split(text)]

    @cached_property
    def clean(self) -> Callable[[str], str]:
        """The function from a text to what of it is language."""
        return markup.strip_markup if self.strip_markup else str

    @cached_property
    def split(self) -> Callable[[str], list[str]]:
        """The function from a text to its tokens, as they are written."""
        tokenize = TOKENIZERS[self.tokenizer] if isinstance(self.tokenizer, str) else self.tokenizer
        if self.tokenizer == "unicode" and self.language in UNSPACED_LANGUAGES:
            warnings.warn(
                f"{self.language.title()} has no spaces between words; give a tokenizer, such as jieba.lcut "
                "(--tokenizer jieba:lcut), or ready tokens.",
                stacklevel=2,
            )
        return (lambda text: tokenize(markup.strip_markup(text))) if self.strip_markup else tokenize

    @property
    def finds_phrases(self) -> bool:
        """Whether phrases become words of the vocabulary."""
        has_spaces = self.language not in UNSPACED_LANGUAGES
        return self.phrases and has_spaces and self.tokenizer == "unicode"

    def split_joined(self, text: str) -> tuple[list[str], list[bool]]:
        """Return the tokens of a text, and of each whether it may go on with a phrase of the one before."""
        tokens, joined = split_joined(self.clean(text))
        goes_on = [False, *map(may_go_on, tokens)]
        return tokens, [each and before for each, before in zip(joined, goes_on, strict=False)]

    def word(self, token: str) -> str | None:
        """Return the word that a token becomes, or None if it is left out."""
        if len(token) > LONGEST_TOKEN and isinstance(self.tokenizer, str):
            return None
        word = self._tidy(token)
        if self.language == "english" and word == "US":
            return "usa" if self.lowercase else "USA"  # the country, not the pronoun
        folded = self._lower(word)
        word = folded if self.lowercase else word
        if len(word) < self.min_token_length or folded in self.stop_word_set:
            return None
        if not word.isalpha() and self._is_number(word):
            return None
        lemma = self._lemma(word) if self._lemma else word
        return lemma if len(lemma) >= self.min_token_length else None

    def is_stop_word(self, token: str) -> bool:
        """Return whether a token is left out for being a stop word, and not for another reason."""
        return self.word(token) is None and self._lower(self._tidy(token)) in self.stop_word_set

    def fold(self, token: str) -> str:
        """Return the form that a token shares with its capitals, its plural and its possessive.

        Unlike `word`, it leaves nothing out: stop words and numbers keep their place in a text's sequence.
        """
        word = tidy_token(token, self.language or "english")
        if self.language == "english" and word == "US":
            return "usa"
        lower = self._lower(word)
        lemma = self._lemma or (noun_lemma if self.language is None else None)
        try:
            return lower if lemma is None else lemma(lower)
        except CorpusError:  # a function of the user's that was not saved
            return lower

    @cached_property
    def stop_word_set(self) -> frozenset[str]:
        """The stop words in use, in lower case, their letters in the form of the language's words."""
        if self.stop_words is None or (self.stop_words == "auto" and self.language is None):
            return frozenset()
        if isinstance(self.stop_words, str):
            name = str(self.language) if self.stop_words == "auto" else self.stop_words
            return frozenset(map(self._lower, stop_word_lists.stop_words(name)))
        return frozenset(map(self._lower, self.stop_words))

    # --- saving it ---------------------------------------------------------------------------------------

    def to_json(self) -> dict[str, Any]:
        """Return the parameters in a form that JSON can hold; a function becomes a note of its name."""
        values: dict[str, Any] = {f.name: getattr(self, f.name) for f in fields(self)}
        values["limits"] = {f.name: getattr(self.limits, f.name) for f in fields(self.limits)}
        if isinstance(self.stop_words, frozenset):
            values["stop_words"] = sorted(self.stop_words)
        for step in ("tokenizer", "lemmatizer"):
            if callable(values[step]):
                values[step] = {"function": _function_name(values[step])}
        if self.split_documents is None:
            del values["split_documents"]
        return values

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> TextPipeline:
        """Return the pipeline that `to_json` described; a function in it raises when it is called.

        Raises
        ------
        StorageError
            If the description is not one of ours.
        """
        try:
            steps = dict(values, limits=VocabularyLimits(**values["limits"]))
            for step in ("tokenizer", "lemmatizer"):
                if isinstance(steps[step], Mapping):
                    steps[step] = UnsavedFunction(step, str(steps[step]["function"]))
            if set(steps) | {"split_documents"} != {f.name for f in fields(cls)}:
                raise ValueError("unknown or missing steps")
            return cls(**steps)
        except (KeyError, TypeError, ValueError) as error:
            raise StorageError("The saved text pipeline is damaged: its parameters make no sense.") from error

    # --- inside ------------------------------------------------------------------------------------------

    @cached_property
    def _known_words(self) -> _WordMemory:
        return _WordMemory(self.word)

    @cached_property
    def _lemma(self) -> Lemmatizer | None:
        name = self.lemmatizer
        if name == "auto":
            name = "wordnet" if self.language == "english" else None
        return LEMMATIZERS[name] if isinstance(name, str) else name

    @cached_property
    def _lower(self) -> Callable[[str], str]:
        return fold_letters(self.language)

    def _tidy(self, token: str) -> str:
        if self.tokenizer == "unicode":
            return tidy_token(token, self.language)
        return token if isinstance(self.tokenizer, str) else unicodedata.normalize("NFC", token)

    def _is_number(self, word: str) -> bool:
        if self.keep_numbers:
            return False
        if not any(map(str.isalpha, word)):
            return any(map(str.isnumeric, word))
        return self.language == "english" and _ENGLISH_NUMBER.fullmatch(word) is not None

    def __getstate__(self) -> dict[str, Any]:
        return {f.name: getattr(self, f.name) for f in fields(self)}  # not what was worked out from them


class UnsavedFunction:
    """Stands where a pipeline had a function of the user's that a saved corpus cannot hold."""

    def __init__(self, step: str, name: str) -> None:
        self.step = step
        self.name = name

    def __call__(self, _: str) -> Any:
        """Raise, naming the function that is needed."""
        raise CorpusError(
            f"The {self.step} {self.name!r} of this corpus could not be saved with it; load the corpus with "
            "pipeline= and the pipeline it was made with."
        )


class _WordMemory(dict[str, "str | None"]):
    """Words by token, worked out when first asked for."""

    def __init__(self, word: Callable[[str], str | None]) -> None:
        self._word = word

    def __missing__(self, token: str) -> str | None:
        if len(self) >= _MEMORY_LIMIT:
            self.clear()
        word = self[token] = self._word(token)
        return word


def _checked_stop_words(given: object) -> str | frozenset[str] | None:
    """Return what was given as stop words: "auto", the name of a language, words in lower case, or None."""
    if given is None:
        return None
    if isinstance(given, str):
        return given if given == "auto" else language_name(given)
    if not isinstance(given, Iterable):
        raise ParameterError(f"stop_words must be 'auto', a language, words or None; got {given!r}.")
    words = tuple(given)
    for word in words:
        if not isinstance(word, str):
            raise ParameterError(f"stop_words must be words; got {word!r}.")
    return frozenset(word.lower().replace("’", "'") for word in words)


def _check_choice(name: str, value: object, known: Collection[object]) -> None:
    if callable(value) or (isinstance(value, str | None) and value in known):
        return
    names = ", ".join(repr(choice) for choice in known)
    raise ParameterError(f"{name} must be {names} or a function; got {value!r}.")


def _function_name(function: object) -> str:
    if isinstance(function, UnsavedFunction):
        return function.name
    name = getattr(function, "__qualname__", type(function).__qualname__)
    return f"{getattr(function, '__module__', None) or '?'}.{name}"
