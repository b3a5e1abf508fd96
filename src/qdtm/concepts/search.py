"""A query looked up in a corpus.

In: a corpus, its `Searcher` and a `Query`. Out: `SearchedQuery`: the vocabulary words it stands for, the
documents that name it, and those that each rule retrieves.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, cast

import numpy as np

from qdtm.concepts.query import Query, Rule, check_rule, parse_entry
from qdtm.concepts.resolve import ResolvedWord, Term, matches_of, resolve_items, resolve_list
from qdtm.concepts.retrieval import Retrieval, rank_documents, retrieve
from qdtm.concepts.term_index import Collection, SearchableCorpus, TermIndex

if TYPE_CHECKING:
    from qdtm.concepts.searcher import Searcher
    from qdtm.corpus.corpus import Corpus
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
    naming : Naming or None
        Which documents name it; None for a corpus in parts, which is not here.
    collection : Collection or None
        How frequent words are in the corpus that was searched.
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
    alternatives: Alternatives = ()
    missing: tuple[ResolvedWord, ...] = ()
    naming: Naming | None = None
    collection: Collection | None = None
    phrases: Mapping[ResolvedWord, int] = field(default_factory=dict)

    @property
    def retrieval(self) -> Retrieval:
        """What the query's own rule retrieves."""
        return self.by_and if self.rule == "and" else self.by_or

    @property
    def excluded(self) -> tuple[int, ...]:
        """Vocabulary words that documents must not have."""
        return matches_of(word for word in self.barred if not word.sequence)

    @property
    def terms(self) -> tuple[Term, ...]:
        """The vocabulary words that each of the words sought stands for."""
        return _terms(self.sought)

    def within(self, index: TermIndex) -> SearchedQuery:
        """Return the same query with the documents that it retrieves in a part of the corpus."""

        def here(rule: Rule, everywhere: Retrieval) -> Retrieval:
            found = retrieve(index, self.terms, rule, self.excluded)
            n_elsewhere = len(everywhere) - len(found)
            return replace(found, n_excluded=everywhere.n_excluded, n_elsewhere=n_elsewhere)

        return replace(self, by_and=here("and", self.by_and), by_or=here("or", self.by_or))


def search(corpus: SearchableCorpus, searcher: Searcher, query: Query, rule: Rule) -> SearchedQuery:
    """Resolve a query's words and retrieve its documents by both rules.

    Where every alternative of the text lacks a word, what is left of them is searched and the words are
    `missing`; whether that will do is for the caller to say. A query without known words in its text is
    searched by its keywords, and then any of them counts unless the query says otherwise.
    """
    check_rule(rule)
    asked, whole = query.phrase, searcher.collection
    resolved = tuple(occurring(resolve_items(items, corpus), whole) for items in asked.alternatives)
    text = tuple(dict.fromkeys(word for words in resolved for word in words))
    keywords = occurring(resolve_list(query.keywords, corpus), whole)
    barred = [*asked.excluded, *(item for entry in query.exclude for item in parse_entry(entry))]
    by_keywords = not _sought(text) and bool(_sought(keywords))
    rule = query.rule or ("or" if by_keywords else rule)
    whole_ones = _whole_ones(resolved) or (_sought(keywords),)
    taking_part = _sought(text) if rule == "or" else ()
    found = SearchedQuery(
        query=query,
        text=text,
        keywords=keywords,
        sought=taking_part or tuple(dict.fromkeys(word for words in whole_ones for word in words)),
        barred=occurring(resolve_items(barred, corpus), whole),
        rule=rule,
        by_and=_NOTHING,
        by_or=_NOTHING,
        missing=() if by_keywords or (rule == "or" and _sought(text)) else _missing(resolved),
        collection=whole,
    )
    return _retrieved(found, whole_ones, corpus, searcher)


def _retrieved(
    found: SearchedQuery, by_and: Alternatives, corpus: SearchableCorpus, searcher: Searcher
) -> SearchedQuery:
    """Add the documents that name a query, by both rules."""
    from qdtm.evidence.naming import NamingCounter  # which itself needs the words of this package

    index: TermIndex | None = getattr(searcher, "index", None)
    if index is None:  # a corpus in parts
        terms, excluded = found.terms, found.excluded
        return replace(
            found,
            by_and=searcher.retrieve(terms, "and", excluded),
            by_or=searcher.retrieve(terms, "or", excluded),
        )
    counter, by_or = NamingCounter(cast("Corpus", corpus)), _each_alone(found.sought)
    by_and = tuple(words for words in by_and if words)
    naming = {"and": counter.name(by_and, found.barred), "or": counter.name(by_or, found.barred)}
    ranked = {
        rule: rank_documents(index, found.terms, each.documents, each.n_excluded)
        for rule, each in naming.items()
    }
    return replace(
        found,
        by_and=ranked["and"],
        by_or=ranked["or"],
        alternatives=by_and if found.rule == "and" else by_or,
        naming=naming[found.rule],
        phrases={w: int((counter.count((w,)) > 0).sum()) for w in found.sought if len(w.sequence) > 1},
    )


def occurring(words: Iterable[ResolvedWord], collection: Collection) -> tuple[ResolvedWord, ...]:
    """Take words that never occur (a vocabulary may be given with such words) as unknown."""
    return tuple(_occurring(word, collection) for word in words)


def _occurring(word: ResolvedWord, collection: Collection) -> ResolvedWord:
    terms = [tuple(w for w in term if collection.word_counts[w]) for term in word.terms]
    if not all(terms):
        return ResolvedWord(word.word, "unknown")
    matches = tuple(w for w in word.matches if collection.word_counts[w])
    return replace(word, matches=matches, parts=tuple(terms) if word.parts else ())


def _sought(words: Iterable[ResolvedWord]) -> tuple[ResolvedWord, ...]:
    return tuple(word for word in words if word.is_sought)


def _terms(words: Iterable[ResolvedWord]) -> tuple[Term, ...]:
    return tuple(dict.fromkeys(term for word in words for term in word.terms))


def _whole_ones(resolved: Sequence[Sequence[ResolvedWord]]) -> Alternatives:
    """Return the alternatives that lack nothing; if there are none, what is left of all of them."""
    whole = [words for words in resolved if all(word.status != "unknown" for word in words)]
    kept = (_sought(words) for words in (whole or resolved))
    return tuple(words for words in kept if words)


def _missing(resolved: Sequence[Sequence[ResolvedWord]]) -> tuple[ResolvedWord, ...]:
    """Return the words that no document has, if every alternative has such a word."""
    missing = [[word for word in words if word.status == "unknown"] for words in resolved]
    return tuple(dict.fromkeys(word for words in missing for word in words)) if all(missing) else ()


def _each_alone(words: Sequence[ResolvedWord]) -> Alternatives:
    """Return each word as an alternative of its own; a stop word or a number only if there is no other."""
    known = [word for word in words if word.status != "in text"]
    return tuple((word,) for word in known or words)


_NOTHING = Retrieval(np.zeros(0, np.int64), np.zeros(0), 0)
