"""A query looked up in a corpus.

In: a corpus, its `TermIndex` and a `Query`. Out: `SearchedQuery`: the vocabulary words it stands for and the
documents that each rule retrieves.
"""

from __future__ import annotations

from dataclasses import dataclass

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


def search(corpus: SearchableCorpus, index: TermIndex, query: Query, rule: Rule) -> SearchedQuery:
    """Resolve a query's words and retrieve its documents by both rules.

    Unknown words take no part: a missing word must not be fatal. A query without known words in its text is
    searched by its keywords, and then any of them counts unless the query says otherwise.
    """
    check_rule(rule)
    text, keywords = resolve_text(query.text, corpus), resolve_list(query.keywords, corpus)
    excluded = matches_of(resolve_list([*query.exclude, *query.phrase.excluded], corpus))
    sought = _known(text)
    own_rule: Rule = query.rule or (rule if sought else "or")
    terms: tuple[Term, ...] = tuple(word.matches for word in sought or _known(keywords))
    by_and, by_or = (retrieve(index, terms, "and", excluded), retrieve(index, terms, "or", excluded))
    return SearchedQuery(query, text, keywords, excluded, own_rule, by_and, by_or)


def _known(words: tuple[ResolvedWord, ...]) -> tuple[ResolvedWord, ...]:
    return tuple(word for word in words if word.matches)
