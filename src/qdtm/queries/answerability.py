"""Is this query answerable here? What a search found, in words that a person can act on.

In: a `SearchedQuery` and a `WordCheck` for each of its words. Out: a verdict, its reason, and a way out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from qdtm.corpus.corpus import Corpus
from qdtm.embeddings.vectors import WordVectors, embed_vocabulary
from qdtm.queries.resolve import Status
from qdtm.queries.search import SearchedQuery
from qdtm.queries.term_index import FloatArray, TermIndex

# --- words that the corpus does have ------------------------------------------------------------------------
#
# Words that a corpus does have, for a query that it hardly names: a query in, words of the vocabulary out.
#
# With a sentence encoder: what the documents that lie nearest to the query have in common, beyond what
# others have. Without: words whose vectors lie near the query's own. They are proposed, never asked for in
# silence.

N_RELATED = 5
"""Words that are proposed at most."""

N_NEAREST, NEAREST_SHARE, MIN_NEAREST = 30, 0.1, 3
"""Documents that a query's neighbourhood has, at most this share of all; and those of them that a proposed
word must stand in."""

MIN_COSINE = 0.6
"""To the mean of the query's words; below, words of another subject begin."""


@dataclass(frozen=True)
class RelatedWord:
    """A word that lies near a query, and how many documents of the corpus have it."""

    word: str
    n_documents: int


def related_words(
    phrase: Sequence[str],
    corpus: Corpus,
    own: Sequence[int],
    vectors: WordVectors | None,
    nearness: FloatArray | None = None,
) -> tuple[int, ...]:
    """Propose words for a query: their places in the vocabulary, best first.

    Parameters
    ----------
    phrase : sequence of str
        The query's words, as typed.
    corpus : Corpus
    own : sequence of int
        The query's words in the vocabulary, which are not proposed.
    vectors : WordVectors, optional
    nearness : ndarray of float64, shape (D,), optional
        How near each document is to the query, by a sentence encoder.
    """
    if nearness is not None:
        scores = _shared_by_nearest(TermIndex.of(corpus), nearness)
    elif vectors is not None:
        scores = _near_in_meaning(phrase, corpus, vectors)
    else:
        return ()
    scores[list(own)] = 0.0
    scores[[w for w, word in enumerate(corpus.vocabulary) if word in phrase]] = 0.0
    best = np.argsort(-scores, kind="stable")[:N_RELATED]
    return tuple(int(w) for w in best if scores[w] > 0.0)


def _shared_by_nearest(index: TermIndex, nearness: FloatArray) -> FloatArray:
    """How much more documents near a query have each word than others: p log(p / q) over documents, (V,)."""
    n_nearest = max(min(N_NEAREST, int(NEAREST_SHARE * len(nearness))), MIN_NEAREST)
    nearest = np.argsort(-nearness, kind="stable")[:n_nearest]
    n_near = np.bincount(index.by_document[nearest].indices, minlength=index.n_words)  # (V,)
    p_near = n_near / len(nearest)
    usual = np.maximum(index.document_frequency, 1) / index.n_documents
    gain = p_near * np.log(np.maximum(p_near, 1e-12) / usual)
    return np.where(n_near >= min(MIN_NEAREST, len(nearest)), np.maximum(gain, 0.0), 0.0)


def _near_in_meaning(phrase: Sequence[str], corpus: Corpus, vectors: WordVectors) -> FloatArray:
    """The cosine of each word to the mean of the query's words, if all of these have a vector, (V,)."""
    asked = [word for word in phrase if vectors.find(word) is not None]
    if not asked or len(asked) < len(phrase):
        return np.zeros(len(corpus.vocabulary))
    unit = embed_vocabulary(vectors, [*asked, *corpus.vocabulary]).unit.astype(np.float64)
    mean = unit[: len(asked)].sum(axis=0)
    cosine = unit[len(asked) :] @ (mean / max(float(np.linalg.norm(mean)), 1e-12))
    return np.where(cosine > MIN_COSINE, cosine, 0.0)


# --- what was found, and a way out --------------------------------------------------------------------------

Verdict = Literal["absent", "passing", "thin", "fine"]
Role = Literal["query", "keyword"]

SHOWN: Mapping[Verdict, str] = {
    "absent": "absent", "passing": "in passing", "thin": "thin", "fine": "answerable"
}  # fmt: skip
"""What people are shown for a verdict."""

#: A document that names the query as strongly as this is mainly about it: twice, or once in a short text.
MAINLY = 0.5

#: With fewer documents that name it more than in passing, and less of names in all, the verdict is "thin":
#: the concept words would be those of a few authors.
THIN_DOCUMENTS = 5

#: Where documents that mention the query once each come to so many together, it is more than in passing.
MANY_MENTIONS = 10.0

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
    status : {"known", "rare", "in text", "unknown", "stop word", "number", "too short", "dropped"}
        Only the first three take part; see `qdtm.queries.resolve.ResolvedWord`.
    n_documents, n_occurrences : int
        How many documents have the word, and how often it occurs; together over what a wildcard matches. Of
        what is looked for in the texts, as often as is known: once a document.
    matches : tuple of str
        The vocabulary words that it stands for; several for a wildcard.
    closest : tuple of str
        For an unknown or a rare word, known words that are near in spelling or meaning.
    """

    word: str
    role: Role
    status: Status
    n_documents: int = 0
    n_occurrences: int = 0
    matches: tuple[str, ...] = ()
    closest: tuple[str, ...] = ()


@dataclass(frozen=True)
class Found:
    """What of a corpus answers a query, in numbers.

    Parameters
    ----------
    n_corpus : int
        Documents in the corpus.
    n_named, n_mainly : int
        Documents that name the query, and those that do so more than in passing.
    n_or : int
        Documents that have any of its words.
    strength : float
        How much all of them name it together.
    vocabulary : str
        How large the vocabulary is, in words.
    is_refused : bool
        Whether the query is refused for its missing words.
    refuses : bool
        Whether queries are refused at all.
    """

    n_corpus: int
    n_named: int
    n_mainly: int
    n_or: int
    strength: float
    vocabulary: str
    is_refused: bool = False
    refuses: bool = True

    @property
    def is_thin(self) -> bool:
        """Whether few documents name the query more than in passing, and others do not make up for it."""
        return max(float(self.n_mainly), self.strength) < THIN_DOCUMENTS


def verdict_of(searched: SearchedQuery, found: Found) -> Verdict:
    """Judge a query by the documents that name it, and by those that are mainly about it."""
    if found.n_named == 0:
        return "absent"
    mentioned = found.n_mainly == 0 and found.strength < MANY_MENTIONS
    if mentioned or (found.n_named < THIN_DOCUMENTS and _needs_rare_words(searched)):
        return "passing"
    return "thin" if found.is_thin else "fine"


def _needs_rare_words(searched: SearchedQuery) -> bool:
    """Return whether only words that the vocabulary lacks tell the query: no topic can be tied to them."""
    return all(
        any(word.status == "rare" for word in words) or not any(word.is_known for word in words)
        for words in searched.alternatives
    )


def reason_of(searched: SearchedQuery, words: Sequence[WordCheck], found: Found) -> str:
    """Say in a sentence what was found."""
    if not searched.sought or found.is_refused:
        lacking = [word for word in words if word.role == "query" and word.status == "unknown"]
        said = lacking if found.is_refused else words
        return "; ".join(_missing(word, found.vocabulary) for word in said) + "."
    n_excluded = searched.retrieval.n_excluded
    if found.n_named == 0 and n_excluded:
        return f"All {n_excluded:,} documents with {_sought(searched)} have an excluded word."
    if found.n_named == 0:
        return f"No document has {_sought(searched)}{_together(searched)}."
    have = "has" if n_excluded == 1 else "have"
    excluded = f"; {n_excluded:,} more {have} an excluded word" if n_excluded else ""
    return f"{_counts(searched, found)}{excluded}."


def advice_of(
    searched: SearchedQuery, words: Sequence[WordCheck], barred: Sequence[WordCheck], found: Found
) -> str:
    """Name what was left out and the way out; empty if there is nothing to do."""
    closest = [name for word in words if word.status == "unknown" for name in word.closest]
    passed = [_passed_over(word) for word in words if word.status in _WHY_DROPPED or word.status == "dropped"]
    if not searched.sought:
        return f"Closest: {_quoted(closest)}." if closest else _OTHER_WORDS
    if found.is_refused:
        near = [f"Closest: {_quoted(closest)}."] if closest else []
        return " ".join([*near, *passed, f"Leave it out, or ask for the rest {_ANYWAY}."])
    advice = _read_as(searched)
    advice += [_left_out(word, found.vocabulary) for word in words if word.status == "unknown"]
    advice += passed
    advice += [_not_excluded(word) for word in barred if word.status not in ("known", "rare", "in text")]
    return " ".join([*advice, *_way_out(searched, found)])


def propose(related: Sequence[RelatedWord]) -> str:
    """Name words near a query that documents do have; empty if there are none."""
    if not related:
        return ""
    said = [f"'{each.word}' ({each.n_documents:,})" for each in related]
    return f"Near it in meaning, with the documents that have them: {', '.join(said)}."


_EITHER = " To ask for either, write OR in capitals."
_MEANT = {
    "or": _EITHER,
    "Or": _EITHER,
    "NOT": " To leave out documents with a word, put - before it, as in -word.",
}
_OTHER_WORDS = "Try another word for the same thing, or give keywords of your own."
_ANYWAY = "anyway (refuse=False, --anyway)"


def _counts(searched: SearchedQuery, found: Found) -> str:
    """Say how many documents have the query, and how many are about it."""
    n, mainly = found.n_named, found.n_mainly
    of_all = f"{n:,} of {found.n_corpus:,} documents"
    if verdict_of(searched, found) == "passing":
        mentions = "mentions" if n == 1 else "mention"
        if mainly:
            return f"Only {of_all} {mentions} {_sought(searched)}, too few to make a topic of"
        return f"{of_all} {mentions} {_sought(searched)} in passing; none is mainly about it"
    have = f"{of_all} {'has' if n == 1 else 'have'} {_sought(searched)}"
    only = found.is_thin
    if n == mainly:
        return f"Only {have}" if only else have
    if mainly == 0:
        return f"{have}, but none more than in passing"
    return f"{have}, {'only ' if only else ''}{mainly:,} of them more than in passing"


def _way_out(searched: SearchedQuery, found: Found) -> list[str]:
    """Say what would find more, or fewer, documents."""
    by_or, verdict = found.n_or, verdict_of(searched, found)
    if found.n_named > BROAD_SHARE * found.n_corpus:
        return ["The query is in most documents; add a word to narrow it."]
    if verdict == "fine":
        return []
    more = []
    if searched.rule == "and" and by_or > found.n_named:
        more = [f"The rule 'or' finds {by_or:,} documents."]
    if verdict == "passing":
        insist = f", or fit a topic {_ANYWAY}" if found.refuses else ""
        return [*more, f"Read them, ask with other words{insist}."]
    return more or ["Exclude fewer words." if searched.retrieval.n_excluded else _OTHER_WORDS]


def _sought(searched: SearchedQuery) -> str:
    """Name what is asked for: 'middle' and 'east', or 'orient'."""
    said = [_listed([_named(word.word) for word in words], "and") for words in searched.alternatives]
    several = any(len(words) > 1 for words in searched.alternatives)
    if several and len(said) > 1:
        return ", or ".join(said)
    return _listed(said, "or") or _listed([_named(word.word) for word in searched.sought], searched.rule)


def _together(searched: SearchedQuery) -> str:
    """Say how the words should stand, where no document has them so."""
    if all(len(words) == 1 for words in searched.alternatives):
        return ""
    loose = any(word.status == "in text" for words in searched.alternatives for word in words)
    return " near each other" if loose else " together"


def _named(word: str) -> str:
    return word if word.startswith('"') else f"'{word}'"


def _listed(words: Sequence[str], link: str) -> str:
    return "".join(words) if len(words) < 2 else f"{', '.join(words[:-1])} {link} {words[-1]}"


def _missing(word: WordCheck, vocabulary: str) -> str:
    """Say why a word takes no part."""
    if word.status == "unknown" and "*" in word.word:
        return f"'{word.word}' matches no word of the vocabulary ({vocabulary})"
    if word.status == "unknown":
        return f"{_named(word.word)} is in no document"
    return f"'{word.word}' {_WHY_DROPPED.get(word.status, 'is removed by the text pipeline')}"


def _left_out(word: WordCheck, vocabulary: str) -> str:
    closest = f" Closest: {_quoted(word.closest)}." if word.closest else ""
    return f"{_missing(word, vocabulary)} and is left out.{closest}"


def _read_as(searched: SearchedQuery) -> list[str]:
    """Say of words with signs, which no text has as they are written, what they were read as."""
    read: dict[str, list[str]] = {}
    for word in searched.text:
        if word.read_from:
            said = " ".join(word.sequence) if len(word.sequence) > 1 else word.word
            read.setdefault(word.read_from, []).append(said)
    return [
        f"No document has '{typed}' as it is written; it was read as {_quoted(words)}."
        for typed, words in read.items()
    ]


def _passed_over(word: WordCheck) -> str:
    return f"{_missing(word, '')} and is passed over.{_MEANT.get(word.word, '')}"


def _not_excluded(word: WordCheck) -> str:
    if word.status == "unknown":
        return f"Nothing has the excluded {_named(word.word)}."
    return f"The excluded {_missing(word, '')} and is passed over."


def _quoted(words: Sequence[str]) -> str:
    return ", ".join(f"'{word}'" for word in words)
