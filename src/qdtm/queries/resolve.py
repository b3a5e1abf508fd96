"""From typed words to vocabulary words.

In: words as a user types them, phrases and patterns such as `econom*` included, and a corpus. Out:
`ResolvedWord`s, which say for each what vocabulary words it stands for, what is looked for in the texts
instead, or why it stands for nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from itertools import groupby
from typing import Literal

import numpy as np

from qdtm.corpus.corpus import Corpus
from qdtm.corpus.lemmas import number_forms
from qdtm.corpus.phrase_index import PhraseIndex, words_within
from qdtm.corpus.plurals import plural_forms
from qdtm.corpus.text import TextPipeline
from qdtm.corpus.tokenizer import bare_form, is_unspaced, known_pieces
from qdtm.embeddings.vectors import WordVectors, embed_vocabulary
from qdtm.errors import CorpusError, QueryError
from qdtm.queries.query import Item, parse_entry, parse_text
from qdtm.queries.text_search import TextSearch, signed_form

Status = Literal["known", "rare", "in text", "unknown", "stop word", "number", "too short", "dropped"]

#: The vocabulary words that one query word stands for: one, or all that a wildcard matches.
Term = tuple[int, ...]

#: A pattern that matches more words than this says nothing about what is meant.
MAX_MATCHES = 100
MIN_PATTERN_LETTERS = 2

N_CLOSEST = 3
MIN_EDIT_SIMILARITY = 0.75
MIN_COSINE = 0.5


@dataclass(frozen=True)
class ResolvedWord:
    """A typed word or phrase and the vocabulary words that it stands for.

    Parameters
    ----------
    word : str
        The word after cleaning, or as typed if cleaning leaves nothing of it; a phrase in quotes.
    status : {"known", "rare", "in text", "unknown", "stop word", "number", "too short", "dropped"}
        What is "rare" (in too few documents for the vocabulary) or "in text" (a stop word that means
        something, a number, a phrase of these) is looked for in the texts. What is "unknown" no document
        has. The others are passed over; "dropped" if the text pipeline removes the word for another reason.
    matches : tuple of int
        Places in the vocabulary: one for a known word, one or more for a pattern or a phrase, else none.
    sequence : tuple of str
        What is looked for side by side in the text's own sequence of words, folded; empty where the
        vocabulary words are enough.
    parts : tuple of tuple of int
        Of a phrase, the vocabulary words of each of its words that has any.
    n_in_text : int
        Documents whose text has a word that the vocabulary does not have.
    within : tuple of int
        Phrases of the vocabulary that have the word in them.
    forms : tuple of tuple of str
        Where the vocabulary has phrases: the words that each of the `terms` stands for, as they are written
        inside phrases, the word itself first.
    read_from : str
        A word with signs, such as "C++", that no text has as it is written, and that was read as this one.
    """

    word: str
    status: Status
    matches: tuple[int, ...] = ()
    sequence: tuple[str, ...] = ()
    parts: tuple[Term, ...] = ()
    n_in_text: int = 0
    within: tuple[int, ...] = ()
    forms: tuple[tuple[str, ...], ...] = ()
    read_from: str = field(default="", compare=False)

    @property
    def is_sought(self) -> bool:
        """Whether documents are searched for it."""
        return bool(self.terms or self.sequence)

    @property
    def is_known(self) -> bool:
        """Whether the vocabulary has it, if only in phrases."""
        return bool(self.terms)

    @property
    def terms(self) -> tuple[Term, ...]:
        """The vocabulary words that it needs, each with what stands for it."""
        found = self.matches + self.within
        return self.parts or ((found,) if found else ())


def resolve_text(text: str, corpus: Corpus) -> tuple[ResolvedWord, ...]:
    """Resolve what a text asks for, each once, by the vocabulary alone; `-word` is passed over."""
    resolved = [
        word
        for items in parse_text(text).alternatives
        for word in resolve_items(items, corpus, in_text=False)
    ]
    return tuple(dict.fromkeys(resolved))


def resolve_list(words: Iterable[str], corpus: Corpus) -> tuple[ResolvedWord, ...]:
    """Resolve a list of words by the vocabulary; "middle east" is a phrase, or else each of its words."""
    resolved: list[ResolvedWord] = []
    for entry in words:
        said = " ".join(item.text for item in parse_entry(entry))
        if phrase := _whole_phrase(said, corpus):
            resolved.append(phrase)
            continue
        for word in said.split():
            item = Item(word, "pattern" if "*" in word else "word")
            resolved += resolve_items([item], corpus, in_text=False)
    return tuple(dict.fromkeys(resolved))


def _whole_phrase(text: str, corpus: Corpus) -> ResolvedWord | None:
    """Return the phrase of the vocabulary that a text of several words is, if it is one."""
    phrases = PhraseIndex.of(corpus)
    if not phrases or " " not in text:
        return None
    words = _cutter(corpus)(text)
    found, spelling = phrases.find(words), " ".join(words)
    return None if found is None else ResolvedWord(spelling, "known", (found,), forms=((spelling,),))


def resolve_items(items: Sequence[Item], corpus: Corpus, *, in_text: bool = True) -> tuple[ResolvedWord, ...]:
    """Resolve words, patterns and phrases, each once, in order.

    Parameters
    ----------
    items : sequence of Item
    corpus : Corpus
    in_text : bool
        Whether what the vocabulary does not have is looked up in the texts of the documents.
    """
    resolved: list[ResolvedWord] = []
    for kind, group in groupby(items, lambda item: item.kind):
        if kind == "word":
            resolved += _resolve_plain([item.text for item in group], corpus, in_text)
        elif kind == "pattern":
            resolved += [_resolve_pattern(item.text, corpus) for item in group]
        else:
            resolved += [word for item in group for word in _resolve_phrase(item.text, corpus, in_text)]
    return tuple(dict.fromkeys(resolved))


def matches_of(resolved: Iterable[ResolvedWord]) -> tuple[int, ...]:
    """Return the vocabulary words that the resolved words stand for, each once, in order.

    A word that the vocabulary has in phrases alone stands for these.
    """
    return tuple(dict.fromkeys(match for word in resolved for match in word.matches or word.within))


def phrases_asked_for(words: Sequence[ResolvedWord], corpus: Corpus) -> tuple[int, ...]:
    """Return the phrases of the vocabulary that words of a query are, side by side as they were typed."""
    phrases = PhraseIndex.of(corpus)
    if not phrases:
        return ()
    said = [forms[0] for word in words for forms in word.forms]
    runs = (said[i:j] for i in range(len(said)) for j in range(i + 2, len(said) + 1))
    found = (phrases.find(run) for run in runs)
    return tuple(phrase for phrase in found if phrase is not None)


# --- plain words -------------------------------------------------------------------------------------------


def _resolve_plain(chunks: Sequence[str], corpus: Corpus, in_text: bool) -> list[ResolvedWord]:
    """Clean words with the corpus' pipeline, and see what becomes of those that it removes."""
    cut = _cutter(corpus)
    apart = [cut(chunk) for chunk in chunks]
    resolved = [
        word
        for chunk, tokens in zip(chunks, apart, strict=True)
        for word in _resolve_chunk(chunk, tokens, corpus, in_text)
    ]
    single = {token for tokens in apart for token in tokens}
    joint = [t for t in cut(" ".join(chunks)) if t not in single and t in corpus.word_index]  # word pairs
    return resolved + [_look_up(token, corpus, in_text) for token in joint]


def _resolve_chunk(chunk: str, tokens: Sequence[str], corpus: Corpus, in_text: bool) -> list[ResolvedWord]:
    """Resolve what stands between two spaces, of which the pipeline makes one token, several or none."""
    if not any(_is_known(token, corpus) for token in tokens):
        if chunk in corpus.word_index:  # made by another tokenizer than the pipeline, such as "united_states"
            return [_look_up(chunk, corpus, in_text)]
        if is_unspaced(chunk) and (pieces := known_pieces(chunk, corpus.word_index)):
            return [_look_up(piece, corpus, in_text) for piece in pieces]
    if in_text and (form := _lost_signs(chunk, tokens, corpus)):
        found = _in_text(form, corpus, "in text")
        if found.is_sought:
            return [replace(found, word=_as_typed(chunk, form))]
        typed = _as_typed(chunk, form)
        return [replace(word, read_from=typed) for word in _resolve_words(chunk, tokens, corpus, in_text)]
    return _resolve_words(chunk, tokens, corpus, in_text)


def _as_typed(chunk: str, form: str) -> str:
    """Return a word with signs in the letters in which it was typed, without punctuation around it."""
    at = chunk.lower().find(form)
    return chunk[at : at + len(form)]


def _lost_signs(chunk: str, tokens: Sequence[str], corpus: Corpus) -> str:
    """Return how a word with signs is written, if the pipeline takes from it what tells it; else empty.

    It does from "C++" and "AT&T". Of "TCP/IP" and "OS/2" the vocabulary has words, which can tell the topic.
    """
    form = signed_form(chunk)
    if not form or form in tokens or not TextSearch.of(corpus).has_texts:
        return ""
    if not (form[0].isalnum() and form[-1].isalnum()):
        return form
    is_told = any(_is_known(token, corpus) for token in tokens)
    return "" if is_told or not _loses_a_part(chunk, tokens, corpus) else form


def _resolve_words(chunk: str, tokens: Sequence[str], corpus: Corpus, in_text: bool) -> list[ResolvedWord]:
    """Resolve the words that are left of what stands between two spaces, without its signs."""
    if in_text and _loses_a_part(chunk, tokens, corpus):
        return _resolve_phrase(chunk, corpus, in_text, written=chunk)
    if not tokens:
        return [_resolve_dropped(chunk, corpus, in_text)]
    return [_look_up(token, corpus, in_text) for token in tokens]


def _loses_a_part(chunk: str, tokens: Sequence[str], corpus: Corpus) -> bool:
    """Return whether the pipeline makes less of "9/11" or "covid-19" than there is, and the texts know it."""
    search = TextSearch.of(corpus)
    parts = search.split(chunk)
    return len(parts) > max(1, len(tokens)) and search.has_texts


def _resolve_dropped(chunk: str, corpus: Corpus, in_text: bool) -> ResolvedWord:
    """Look up in the texts what the pipeline leaves nothing of, unless it only connects other words."""
    status, search = _why_dropped(chunk, corpus.pipeline), TextSearch.of(corpus)
    words = search.split(chunk)
    if not in_text or len(words) != 1 or not search.has_texts:
        return ResolvedWord(chunk, status)
    if status == "stop word" and search.is_connective(words[0]):
        return ResolvedWord(chunk, status)
    found = _in_text(words[0], corpus, "in text")
    return found if found.is_sought or status != "stop word" else ResolvedWord(chunk, status)


def _in_text(word: str, corpus: Corpus, status: Status) -> ResolvedWord:
    search = TextSearch.of(corpus)
    n_documents = corpus.count_documents(search.documents_with(word), copies=False)
    if not n_documents:
        return ResolvedWord(word, "unknown")
    return ResolvedWord(word, status, sequence=(search.fold(word),), n_in_text=n_documents)


def _cutter(corpus: Corpus) -> Callable[[str], list[str]]:
    """Return what cuts a query into words: the corpus' pipeline, or spaces if that could not be saved."""

    def cut(text: str) -> list[str]:
        try:
            return list(corpus.pipeline(text))
        except CorpusError:  # a function of the user's that was not saved
            return text.split()

    return cut


def _look_up(word: str, corpus: Corpus, in_text: bool) -> ResolvedWord:
    """Find a word and its other number; failing these, what differs in accents alone; else in the texts."""
    forms = _numbers_of(word, corpus)
    if not forms and (bare := bare_form(word)):
        forms = [each for each in words_within(corpus) if bare_form(each) == bare]
    if forms:
        return _of_forms(word, forms, corpus)
    search = TextSearch.of(corpus)
    if search.is_stop_word(word):  # ready tokens, from which stop words were taken before
        return ResolvedWord(word, "stop word")
    return _in_text(word, corpus, "rare") if in_text else ResolvedWord(word, "unknown")


def _numbers_of(word: str, corpus: Corpus) -> list[str]:
    """Return a word and its singular or plural, where the pipeline left them apart, if they are known."""
    forms, language = [word], corpus.pipeline.language
    if language in (None, "english"):
        forms += number_forms(word)
    elif corpus.pipeline.lemmatizer in ("auto", None):  # else the user's own unites them
        forms += plural_forms(word, language)
    return [form for form in forms if _is_known(form, corpus)]


def _is_known(word: str, corpus: Corpus) -> bool:
    """Return whether the vocabulary has a word, on its own or in a phrase."""
    return word in corpus.word_index or bool(PhraseIndex.of(corpus).with_word(word))


def _of_forms(word: str, forms: Sequence[str], corpus: Corpus) -> ResolvedWord:
    """Return what known words stand for, on their own and in phrases."""
    phrases = PhraseIndex.of(corpus)
    return ResolvedWord(
        word,
        "known",
        tuple(sorted(corpus.word_index[form] for form in forms if form in corpus.word_index)),
        within=tuple(sorted({w for form in forms for w in phrases.with_word(form)})),
        forms=(tuple(forms),) if phrases else (),
    )


def _why_dropped(chunk: str, pipeline: TextPipeline) -> Status:
    """Say why the pipeline leaves nothing of a word."""
    word = chunk.strip("\"'.,;:!?()")
    if pipeline.is_stop_word(word):
        return "stop word"
    if word.isnumeric():
        return "number"
    return "too short" if len(word) < 2 else "dropped"


# --- phrases -----------------------------------------------------------------------------------------------


def _resolve_phrase(
    text: str, corpus: Corpus, in_text: bool, *, written: str | None = None
) -> list[ResolvedWord]:
    """Resolve a phrase: its words side by side in the texts, stop words included.

    Ready tokens have no stop words, and there the others are looked for. A phrase with a word that no
    document has stands for nothing, and so that word is named instead.
    """
    search = TextSearch.of(corpus)
    tokens = _split_phrase(text, corpus)
    spoken = [token for token in tokens if not search.is_stop_word(token)]
    if not spoken and written is None:
        raise QueryError(f'The phrase "{text}" has stop words only; add a word that says what it is about.')
    if len(tokens) == 1 or not in_text:
        return _resolve_plain(tokens, corpus, in_text)
    each = [word for token in spoken for word in _resolve_plain([token], corpus, in_text)]
    if missing := [word for word in each if word.status == "unknown"]:
        return missing
    parts = tuple(term for word in each for term in word.terms)
    kept = tokens if search.has_texts else spoken
    return [
        ResolvedWord(
            word=written or f'"{text}"',
            status="known" if parts else "in text",
            matches=matches_of(each),
            sequence=tuple(map(search.fold, kept)),
            parts=parts,
            n_in_text=min((word.n_in_text for word in each if word.n_in_text), default=0),
            forms=tuple(form for word in each for form in word.forms),
        )
    ]


def _split_phrase(text: str, corpus: Corpus) -> list[str]:
    """Return the words of a phrase; those with signs whole, where the texts have them so."""
    search, cut = TextSearch.of(corpus), _cutter(corpus)
    forms = [form for chunk in text.split() if (form := _lost_signs(chunk, cut(chunk), corpus))]
    return search.split(text, [form for form in forms if len(search.documents_with(form))])


# --- patterns ----------------------------------------------------------------------------------------------


def _resolve_pattern(pattern: str, corpus: Corpus) -> ResolvedWord:
    """Find the vocabulary words that a pattern with `*` matches, capitals aside."""
    if len(pattern.replace("*", "")) < MIN_PATTERN_LETTERS:
        raise QueryError(f"The pattern '{pattern}' is too short; give at least two letters.")
    shape = shape_of(pattern.lower())
    matches = [word for word in words_within(corpus) if shape.fullmatch(word.lower())]
    if len(matches) > MAX_MATCHES:
        some = ", ".join(matches[:5])
        raise QueryError(
            f"The pattern '{pattern}' matches {len(matches):,} words ({some}, ...), and at most "
            f"{MAX_MATCHES} are allowed; give more letters."
        )
    return _of_forms(pattern, matches, corpus) if matches else ResolvedWord(pattern, "unknown")


def shape_of(pattern: str) -> re.Pattern[str]:
    """Compile a pattern; atomic groups take a middle part where it first fits, so that no pattern is slow."""
    first, *middle, last = map(re.escape, pattern.split("*"))
    return re.compile(first + "".join(f"(?>.*?{part})" for part in middle) + ".*" + last, re.DOTALL)


# --- suggestions -------------------------------------------------------------------------------------------


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
