"""A query looked up in a corpus.

In: a corpus and a `Query`. Out: `SearchedQuery`: the vocabulary words it stands for, the documents that name
it, and those that each rule retrieves.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from qdtm.corpus.corpus import Corpus
from qdtm.queries.query import Query, Rule, check_rule, parse_entry
from qdtm.queries.resolve import ResolvedWord, Term, resolve_items, resolve_list
from qdtm.queries.retrieval import Retrieval, rank_documents
from qdtm.queries.term_index import TermIndex

if TYPE_CHECKING:
    from qdtm.evidence.naming import Naming

Alternatives = tuple[tuple[ResolvedWord, ...], ...]


@dataclass(frozen=True, eq=False)
class SearchedQuery:
    """A query with its words resolved and its documents retrieved.

    Parameters
    ----------
    query : Query
    text, keywords : tuple of ResolvedWord
        What the text asks for, and the keywords.
    sought : tuple of ResolvedWord
        What is searched for: the words of the text that take part, or else the known keywords.
    barred : tuple of ResolvedWord
        What documents must not have.
    rule : {"and", "or"}
        The rule that holds.
    by_and, by_or : Retrieval
        What each rule retrieves.
    alternatives : tuple of tuple of ResolvedWord
        What a document must have all of, by the rule that holds, one of these being enough. Without missing
        words, and without words that are passed over.
    missing : tuple of ResolvedWord
        Words without which no alternative is whole: the alternatives are what is left of the query.
    naming : Naming
        Which documents name it.
    index : TermIndex
        Of the corpus that was searched.
    phrases : mapping of ResolvedWord to int
        How many documents have each phrase.
    """

    query: Query
    text: tuple[ResolvedWord, ...]
    keywords: tuple[ResolvedWord, ...]
    sought: tuple[ResolvedWord, ...]
    barred: tuple[ResolvedWord, ...]
    rule: Rule
    by_and: Retrieval
    by_or: Retrieval
    alternatives: Alternatives
    missing: tuple[ResolvedWord, ...]
    naming: Naming
    index: TermIndex
    phrases: Mapping[ResolvedWord, int]

    @property
    def retrieval(self) -> Retrieval:
        """What the query's own rule retrieves."""
        return self.by_and if self.rule == "and" else self.by_or

    @property
    def excluded(self) -> tuple[int, ...]:
        """Vocabulary words that documents must not have."""
        barred = [word for word in self.barred if not word.sequence]
        return tuple(dict.fromkeys(w for word in barred for term in word.terms for w in term))

    @property
    def words(self) -> tuple[int, ...]:
        """All vocabulary words that stand for what is sought, each once."""
        return tuple(dict.fromkeys(w for word in self.sought for term in word.terms for w in term))

    @property
    def forms(self) -> tuple[str, ...]:
        """Where the vocabulary has phrases: all words that are sought, as they are written inside these."""
        return tuple(dict.fromkeys(form for word in self.sought for forms in word.forms for form in forms))

    @property
    def terms(self) -> tuple[Term, ...]:
        """The vocabulary words that each of the words sought stands for."""
        return _terms(self.sought)

    def within(self, members: NDArray[np.bool_]) -> SearchedQuery:
        """Return the same as if some documents alone named the query, given as a mask of all, (D,)."""
        found = self.retrieval.within(members)
        by_and, by_or = (found, self.by_or) if self.rule == "and" else (self.by_and, found)
        return replace(self, naming=self.naming.within(members), by_and=by_and, by_or=by_or)


def search(corpus: Corpus, query: Query, rule: Rule) -> SearchedQuery:
    """Resolve a query's words and retrieve its documents by both rules.

    Where every alternative of the text lacks a word, what is left of them is searched and the words are
    `missing`; whether that will do is for the caller to say. A query without known words in its text is
    searched by its keywords, and then any of them counts unless the query says otherwise.
    """
    check_rule(rule)
    from qdtm.evidence.naming import NamingCounter  # which itself needs the words of this package

    asked, index = query.phrase, TermIndex.of(corpus)
    resolved = tuple(occurring(resolve_items(items, corpus), index) for items in asked.alternatives)
    text = tuple(dict.fromkeys(word for words in resolved for word in words))
    keywords = occurring(resolve_list(query.keywords, corpus), index)
    barred_items = [*asked.excluded, *(item for entry in query.exclude for item in parse_entry(entry))]
    barred = occurring(resolve_items(barred_items, corpus), index)
    by_keywords = not _sought(text) and bool(_sought(keywords))
    rule = query.rule or ("or" if by_keywords else rule)
    by_and = _whole_ones(resolved) or _filled([_sought(keywords)])
    taking_part = _sought(text) if rule == "or" else ()
    sought = taking_part or tuple(dict.fromkeys(word for words in by_and for word in words))
    alternatives = {"and": by_and, "or": _each_alone(sought)}
    counter = NamingCounter(corpus)
    naming = {name: counter.name(each, barred) for name, each in alternatives.items()}
    ranked = {
        name: rank_documents(index, _terms(sought), each.documents, each.n_excluded)
        for name, each in naming.items()
    }
    return SearchedQuery(
        query=query,
        text=text,
        keywords=keywords,
        sought=sought,
        barred=barred,
        rule=rule,
        by_and=ranked["and"],
        by_or=ranked["or"],
        alternatives=alternatives[rule],
        missing=() if by_keywords or taking_part else _missing(resolved),
        naming=naming[rule],
        index=index,
        phrases={
            w: corpus.count_documents(np.flatnonzero(counter.count((w,)) > 0), copies=False)
            for w in sought
            if len(w.sequence) > 1
        },
    )


def occurring(words: Iterable[ResolvedWord], index: TermIndex) -> tuple[ResolvedWord, ...]:
    """Take words that never occur (a vocabulary may be given with such words) as unknown."""
    return tuple(_occurring(word, index) for word in words)


def _occurring(word: ResolvedWord, index: TermIndex) -> ResolvedWord:
    terms = [tuple(w for w in term if index.word_counts[w]) for term in word.terms]
    if not all(terms):
        return ResolvedWord(word.word, "unknown")
    matches, within = (
        tuple(w for w in words if index.word_counts[w]) for words in (word.matches, word.within)
    )
    return replace(word, matches=matches, within=within, parts=tuple(terms) if word.parts else ())


def _sought(words: Iterable[ResolvedWord]) -> tuple[ResolvedWord, ...]:
    return tuple(word for word in words if word.is_sought)


def _terms(words: Iterable[ResolvedWord]) -> tuple[Term, ...]:
    return tuple(dict.fromkeys(term for word in words for term in word.terms))


def _whole_ones(resolved: Sequence[Sequence[ResolvedWord]]) -> Alternatives:
    """Return the alternatives that lack nothing; if there are none, what is left of all of them."""
    whole = [words for words in resolved if all(word.status != "unknown" for word in words)]
    return _filled(_sought(words) for words in (whole or resolved))


def _filled(alternatives: Iterable[tuple[ResolvedWord, ...]]) -> Alternatives:
    return tuple(words for words in alternatives if words)


def _missing(resolved: Sequence[Sequence[ResolvedWord]]) -> tuple[ResolvedWord, ...]:
    """Return the words that no document has, if every alternative has such a word."""
    missing = [[word for word in words if word.status == "unknown"] for words in resolved]
    return tuple(dict.fromkeys(word for words in missing for word in words)) if all(missing) else ()


def _each_alone(words: Sequence[ResolvedWord]) -> Alternatives:
    """Return each word as an alternative of its own; a stop word or a number only if there is no other."""
    known = [word for word in words if word.status != "in text"]
    return tuple((word,) for word in known or words)
