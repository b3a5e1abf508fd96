"""A query looked up in a corpus.

In: a corpus and a `Query`. Out: `SearchedQuery`: the vocabulary words it stands for and the
documents that each rule retrieves.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from qdtm.concepts.query import Query, Rule, check_rule
from qdtm.concepts.resolve import ResolvedWord, matches_of, resolve_list, resolve_text
from qdtm.concepts.retrieval import Retrieval, Term, retrieve
from qdtm.concepts.term_index import SearchableCorpus, TermIndex


@dataclass(frozen=True, eq=False)
class SearchedQuery:
    """A query with its words resolved and its documents retrieved.

    Parameters
    ----------
    query : Query
    text, keywords : tuple of ResolvedWord
        The words of the text and of the keywords.
    excluded : tuple of int
        Vocabulary words that documents must not have.
    rule : {"and", "or"}
        The rule that holds.
    by_and, by_or : Retrieval
        What each rule retrieves.
    """

    query: Query
    text: tuple[ResolvedWord, ...]
    keywords: tuple[ResolvedWord, ...]
    excluded: tuple[int, ...]
    rule: Rule
    by_and: Retrieval
    by_or: Retrieval

    @property
    def retrieval(self) -> Retrieval:
        """What the query's own rule retrieves."""
        return self.by_and if self.rule == "and" else self.by_or

    @property
    def sought(self) -> tuple[ResolvedWord, ...]:
        """What is searched for: the known words of the text, or else the known keywords."""
        return _known(self.text) or _known(self.keywords)

    @property
    def terms(self) -> tuple[Term, ...]:
        """The vocabulary words that each of the words sought stands for."""
        return tuple(word.matches for word in self.sought)


def search(corpus: SearchableCorpus, query: Query, rule: Rule) -> SearchedQuery:
    """Resolve a query's words and retrieve its documents by both rules.

    Unknown words take no part: a missing word must not be fatal. A query without known words in its text is
    searched by its keywords, and then any of them counts unless the query says otherwise.
    """
    check_rule(rule)
    index = TermIndex.of(corpus)
    text = occurring(resolve_text(query.text, corpus), index)
    keywords = occurring(resolve_list(query.keywords, corpus), index)
    excluded = matches_of(resolve_list([*query.exclude, *query.phrase.excluded], corpus))
    sought = _known(text)
    by_keywords = not sought and bool(_known(keywords))
    terms: tuple[Term, ...] = tuple(word.matches for word in sought or _known(keywords))
    return SearchedQuery(
        query=query,
        text=text,
        keywords=keywords,
        excluded=excluded,
        rule=query.rule or ("or" if by_keywords else rule),
        by_and=retrieve(index, terms, "and", excluded),
        by_or=retrieve(index, terms, "or", excluded),
    )


def occurring(words: Iterable[ResolvedWord], index: TermIndex) -> tuple[ResolvedWord, ...]:
    """Take words that never occur (a vocabulary may be given with such words) as unknown."""
    kept = [(word, tuple(w for w in word.matches if index.word_counts[w])) for word in words]
    return tuple(
        replace(word, matches=matches) if matches or not word.matches else ResolvedWord(word.word, "unknown")
        for word, matches in kept
    )


def _known(words: tuple[ResolvedWord, ...]) -> tuple[ResolvedWord, ...]:
    return tuple(word for word in words if word.matches)
