"""Can this query be answered in this corpus? Asked before anything is fitted.

In: a corpus and a `Query`. Out: `QueryCheck`: what became of each word, how many documents the AND and the OR
rule find, and a verdict with its reason and a way out.
"""

from __future__ import annotations

from dataclasses import dataclass

from qdtm.concepts.query import Query, Rule
from qdtm.concepts.resolve import ResolvedWord, closest_words
from qdtm.concepts.search import SearchedQuery, search
from qdtm.concepts.term_index import SearchableCorpus, TermIndex
from qdtm.concepts.verdict import Role, Verdict, WordCheck, advice_of, reason_of, verdict_of
from qdtm.embeddings.vectors import WordVectors


@dataclass(frozen=True)
class QueryCheck:
    """Whether a query can be answered, and why.

    Parameters
    ----------
    name : str
        The query's name.
    words : tuple of WordCheck
        Each word of the text, then each keyword.
    rule : {"and", "or"}
        The rule that holds for this query.
    n_corpus : int
        Documents in the corpus.
    n_and, n_or : int
        What each rule retrieves, with the known words.
    n_excluded : int
        Documents that meet the rule but have an excluded word.
    verdict : {"fine", "thin", "absent"}
        "thin" below 5 retrieved documents, "absent" if there is none.
    reason : str
        The verdict in a sentence.
    advice : str
        What was left out and what to do about it; empty if there is nothing to do.
    """

    name: str
    words: tuple[WordCheck, ...]
    rule: Rule
    n_corpus: int
    n_and: int
    n_or: int
    n_excluded: int
    verdict: Verdict
    reason: str
    advice: str

    @property
    def n_retrieved(self) -> int:
        """How many documents the query retrieves under its rule."""
        return self.n_and if self.rule == "and" else self.n_or

    @property
    def unknown(self) -> tuple[WordCheck, ...]:
        """The words that the vocabulary does not have."""
        return tuple(word for word in self.words if word.status == "unknown")


def check_query(
    corpus: SearchableCorpus, query: Query | str, rule: Rule = "and", *, vectors: WordVectors | None = None
) -> QueryCheck:
    """Say whether a query can be answered in a corpus, before anything is fitted.

    Parameters
    ----------
    corpus : Corpus
    query : Query or str
    rule : {"and", "or"}
        The rule if the query has none of its own. A query of keywords alone is searched with "or": any of
        them counts.
    vectors : WordVectors, optional
        To suggest words of similar meaning for unknown ones.

    Returns
    -------
    QueryCheck
        Unknown words are no error here; `build_concepts` raises if nothing is left of a query.
    """
    query = Query(query) if isinstance(query, str) else query
    return describe(search(corpus, query, rule), corpus, vectors)


def describe(
    searched: SearchedQuery, corpus: SearchableCorpus, vectors: WordVectors | None = None
) -> QueryCheck:
    """Put what a search found into words."""
    index = TermIndex.of(corpus)
    words = [_check_word(word, "query", corpus, index, vectors) for word in searched.text]
    words += [_check_word(word, "keyword", corpus, index, vectors) for word in searched.keywords]
    vocabulary = _vocabulary_size(corpus, index)
    return QueryCheck(
        name=searched.query.name,
        words=tuple(words),
        rule=searched.rule,
        n_corpus=index.n_documents,
        n_and=len(searched.by_and),
        n_or=len(searched.by_or),
        n_excluded=searched.retrieval.n_excluded,
        verdict=verdict_of(searched),
        reason=reason_of(searched, words, index.n_documents, vocabulary),
        advice=advice_of(searched, words, index.n_documents, vocabulary),
    )


def _check_word(
    word: ResolvedWord, role: Role, corpus: SearchableCorpus, index: TermIndex, vectors: WordVectors | None
) -> WordCheck:
    return WordCheck(
        word=word.word,
        role=role,
        status=word.status,
        n_documents=index.count_documents(word.matches),
        n_occurrences=int(index.word_counts[list(word.matches)].sum()),
        matches=tuple(corpus.vocabulary[match] for match in word.matches),
        closest=closest_words(word.word, corpus.vocabulary, vectors) if word.status == "unknown" else (),
    )


def _vocabulary_size(corpus: SearchableCorpus, index: TermIndex) -> str:
    """Say how large the vocabulary is and how rare its words may be: "1,998 words in 3 documents or more"."""
    limits = getattr(corpus.pipeline, "limits", None)
    lowest = 1 if limits is None else limits.document_range(index.n_documents)[0]
    return f"{index.n_words:,} words" + (f" in {lowest} documents or more" if lowest > 1 else "")
