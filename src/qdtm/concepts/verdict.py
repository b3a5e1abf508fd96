"""What a search found, in words that a person can act on.

In: a `SearchedQuery` and a `WordCheck` for each of its words. Out: a verdict, its reason, and a way out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from qdtm.concepts.resolve import Status
from qdtm.concepts.search import SearchedQuery

Verdict = Literal["fine", "thin", "absent"]
Role = Literal["query", "keyword"]

#: With fewer retrieved documents the verdict is "thin": the concept words would be those of a few authors,
#: and a word that one document repeats would pass for a mark of the concept.
THIN_DOCUMENTS = 5

#: Above this share of the corpus a query hardly parts the documents, which the advice then says.
BROAD_SHARE = 0.5

_WHY_DROPPED = {"stop word": "is a stop word", "number": "is a number", "too short": "is too short"}


@dataclass(frozen=True)
class WordCheck:
    """What the corpus knows of one word of a query.

    Parameters
    ----------
    word : str
        The word after cleaning.
    role : {"query", "keyword"}
        Whether it stands in the query's text or among its keywords.
    status : {"known", "unknown", "stop word", "number", "too short", "dropped"}
        Only known words take part.
    n_documents, n_occurrences : int
        How many documents have the word, and how often it occurs; together over what a wildcard matches.
    matches : tuple of str
        The vocabulary words that it stands for; several for a wildcard.
    closest : tuple of str
        For an unknown word, known words that are near in spelling or meaning.
    """

    word: str
    role: Role
    status: Status
    n_documents: int = 0
    n_occurrences: int = 0
    matches: tuple[str, ...] = ()
    closest: tuple[str, ...] = ()


def verdict_of(searched: SearchedQuery) -> Verdict:
    """Judge a query by the number of documents it retrieves: none, fewer than 5, or enough."""
    found = len(searched.retrieval)
    return "absent" if found == 0 else "thin" if found < THIN_DOCUMENTS else "fine"


def reason_of(searched: SearchedQuery, words: Sequence[WordCheck], n_corpus: int, vocabulary: str) -> str:
    """Say in a sentence what was found; `vocabulary` describes its size."""
    if not searched.sought:
        return "; ".join(_missing(word, vocabulary) for word in words) + "."
    found, n_excluded = len(searched.retrieval), searched.retrieval.n_excluded
    if found == 0 and n_excluded:
        return f"All {n_excluded:,} documents with {_sought(searched)} have an excluded word."
    if found == 0:
        return f"No document has {_sought(searched)} together."
    only = "Only " if found < THIN_DOCUMENTS else ""
    have = "has" if found == 1 else "have"
    excluded = f"; {n_excluded:,} more have an excluded word" if n_excluded else ""
    return f"{only}{found:,} of {n_corpus:,} documents {have} {_sought(searched)}{excluded}."


def advice_of(searched: SearchedQuery, words: Sequence[WordCheck], n_corpus: int, vocabulary: str) -> str:
    """Name what was left out and the way out; empty if there is nothing to do."""
    closest = [name for word in words for name in word.closest]
    if not searched.sought:
        return f"Closest: {_quoted(closest)}." if closest else _OTHER_WORDS
    advice = [_left_out(word, vocabulary) for word in words if word.status == "unknown"]
    return " ".join([*advice, *_way_out(searched, n_corpus)])


_OTHER_WORDS = "Try another word for the same thing, or give keywords of your own."


def _way_out(searched: SearchedQuery, n_corpus: int) -> list[str]:
    """Say what would find more, or fewer, documents."""
    found, by_or = len(searched.retrieval), len(searched.by_or)
    if found > BROAD_SHARE * n_corpus:
        return ["The query is in most documents; add a word to narrow it."]
    if found >= THIN_DOCUMENTS:
        return []
    if searched.rule == "and" and by_or > found:
        return [f"The rule 'or' finds {by_or:,} documents."]
    return ["Exclude fewer words." if searched.retrieval.n_excluded else _OTHER_WORDS]


def _sought(searched: SearchedQuery) -> str:
    """Name what the rule asks for: 'middle' and 'east'."""
    words = [f"'{word.word}'" for word in searched.sought]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {searched.rule} {words[-1]}"


def _missing(word: WordCheck, vocabulary: str) -> str:
    """Say why a word takes no part."""
    if word.status == "unknown" and "*" in word.word:
        return f"'{word.word}' matches no word of the vocabulary ({vocabulary})"
    if word.status == "unknown":
        return f"'{word.word}' is not in the vocabulary ({vocabulary})"
    return f"'{word.word}' {_WHY_DROPPED.get(word.status, 'is removed by the text pipeline')}"


def _left_out(word: WordCheck, vocabulary: str) -> str:
    closest = f" Closest: {_quoted(word.closest)}." if word.closest else ""
    return f"{_missing(word, vocabulary)} and is left out.{closest}"


def _quoted(words: Sequence[str]) -> str:
    return ", ".join(f"'{word}'" for word in words)
