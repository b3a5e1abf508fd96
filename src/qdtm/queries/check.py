"""Can this query be answered in this corpus? Asked before anything is fitted.

In: a corpus and a `Query`. Out: `QueryCheck`: what became of each word, how many documents name the query and
how many are mainly about it, and a verdict with its reason and a way out.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

import numpy as np

from qdtm.corpus.corpus import Corpus
from qdtm.corpus.distinct import DistinctCorpus
from qdtm.embeddings.vectors import WordVectors
from qdtm.queries.answerability import (
    MAINLY,
    SHOWN,
    Found,
    RelatedWord,
    Role,
    Verdict,
    WordCheck,
    advice_of,
    propose,
    reason_of,
    related_words,
    verdict_of,
)
from qdtm.queries.query import Query, Rule
from qdtm.queries.resolve import ResolvedWord, closest_words, matches_of
from qdtm.queries.search import SearchedQuery, search
from qdtm.queries.term_index import FloatArray, TermIndex
from qdtm.reprs import on_screen, quoted

N_NAMED = 10
"""How many of the documents that name a query a check lists."""


@dataclass(frozen=True, repr=False)
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
    verdict : {"absent", "passing", "thin", "fine"}
        "absent" if no document has it, or a word of it is missing; "passing" if few mention it and none is
        mainly about it; "thin" below 5 that are, and as much of names in all.
    reason : str
        The verdict in a sentence.
    advice : str
        What was left out and what to do about it; empty if there is nothing to do.
    n_named, n_mainly : int
        Documents that name the query, and those of them that are mainly about it.
    named : tuple of int
        Up to ten documents that name it, those that name it most first; rows of the corpus as it came.
    related : tuple of RelatedWord
        Of a query that is absent or mentioned in passing: words near it in meaning that documents do have.
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
    n_named: int = 0
    n_mainly: int = 0
    named: tuple[int, ...] = ()
    related: tuple[RelatedWord, ...] = ()

    def __repr__(self) -> str:
        return on_screen(f"QueryCheck({quoted(self.name)}: {self.shown}: {self.reason})")

    @property
    def shown(self) -> str:
        """The verdict as people are shown it."""
        return SHOWN[self.verdict]

    @property
    def n_retrieved(self) -> int:
        """How many documents the query retrieves under its rule."""
        return self.n_and if self.rule == "and" else self.n_or

    @property
    def unknown(self) -> tuple[WordCheck, ...]:
        """The words that the vocabulary does not have."""
        return tuple(word for word in self.words if word.status == "unknown")


def check_query(
    corpus: Corpus,
    query: Query | str,
    rule: Rule = "and",
    *,
    vectors: WordVectors | None = None,
    encoder: Any = None,
    refuse: bool = True,
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
    encoder : str, path or callable, optional
        A sentence encoder, as of the model: it suggests what documents near the query have in common.
    refuse : bool
        Whether a query with a word that no document has is "absent"; else it is asked without the word.

    Returns
    -------
    QueryCheck
        What cannot be answered is no error here; `build_concepts` raises.
    """
    query = Query(query) if isinstance(query, str) else query
    inside = corpus.distinct
    nearness = None if encoder is None else _nearness(encoder, inside, query)
    return describe(search(inside, query, rule), inside, vectors, refuse=refuse, nearness=nearness)


def _nearness(encoder: Any, corpus: Corpus, query: Query) -> FloatArray:
    """How near each document is to a query by a sentence encoder, (D,)."""
    from qdtm.embeddings.encoder import encode_corpus  # needs more than a check does

    encoded = encode_corpus(encoder, corpus, [query.words])
    return np.asarray(encoded.documents @ encoded.queries[0], np.float64)


def describe(
    searched: SearchedQuery,
    corpus: Corpus,
    vectors: WordVectors | None = None,
    *,
    refuse: bool = True,
    nearness: FloatArray | None = None,
) -> QueryCheck:
    """Put what a search found into words; with nearness, (D,), of documents by a sentence encoder."""
    text = [replace(word, n_in_text=searched.phrases.get(word, word.n_in_text)) for word in searched.text]
    words = [_check_word(word, "query", corpus, vectors) for word in text]
    words += [_check_word(word, "keyword", corpus, vectors) for word in searched.keywords]
    barred = [_check_word(word, "query", corpus, None) for word in searched.barred]
    found = _found(searched, corpus, refuse)
    verdict = verdict_of(searched, found)
    related: tuple[RelatedWord, ...] = ()
    stop_words = {word.word.lower() for word in words if word.status == "stop word"}
    phrase = [word for word in searched.query.words.lower().split() if word not in stop_words]
    if verdict in ("absent", "passing") and phrase:
        related = tuple(
            RelatedWord(
                corpus.vocabulary[w],
                corpus.count_documents(TermIndex.of(corpus).documents_of(w)[0].astype(np.int64)),
            )
            for w in related_words(phrase, corpus, searched.words, vectors, nearness)
        )
    said = {name for word in words if word.status == "unknown" for name in word.closest}
    new = [each for each in related if each.word not in said]
    return QueryCheck(
        name=searched.query.name,
        words=tuple(words),
        rule=searched.rule,
        n_corpus=found.n_corpus,
        n_and=0 if found.is_refused else corpus.count_documents(searched.by_and.documents),
        n_or=found.n_or,
        n_excluded=searched.retrieval.n_excluded,
        verdict=verdict,
        reason=reason_of(searched, words, found),
        advice=" ".join(filter(None, [advice_of(searched, words, barred, found), propose(new)])),
        n_named=found.n_named,
        n_mainly=found.n_mainly,
        named=() if found.is_refused else _best_named(searched, corpus),
        related=related,
    )


def _found(searched: SearchedQuery, corpus: Corpus, refuse: bool) -> Found:
    """Count what answers a query; one that is refused for its missing words is named nowhere."""
    strength = searched.naming.strength
    is_refused = refuse and bool(searched.missing)
    return Found(
        n_corpus=corpus.count_documents(np.arange(len(strength))),
        n_named=0 if is_refused else corpus.count_documents(searched.retrieval.documents),
        n_mainly=0
        if is_refused
        else corpus.count_documents(np.flatnonzero(strength >= MAINLY), copies=False),
        n_or=corpus.count_documents(searched.by_or.documents),
        strength=float(strength.sum()),
        vocabulary=_vocabulary_size(corpus),
        is_refused=is_refused,
        refuses=refuse,
    )


def _best_named(searched: SearchedQuery, corpus: Corpus) -> tuple[int, ...]:
    """Return the rows of the documents that name a query most, of equal ones those that came first."""
    documents = searched.naming.documents
    rows = corpus.document_rows[documents] if isinstance(corpus, DistinctCorpus) else documents
    order = np.lexsort((rows, -searched.naming.strength[documents]))
    return tuple(islice(dict.fromkeys(rows[order].tolist()), N_NAMED))


def _check_word(word: ResolvedWord, role: Role, corpus: Corpus, vectors: WordVectors | None) -> WordCheck:
    n_documents, n_occurrences = word.n_in_text, word.n_in_text
    if word.is_known and not word.sequence:
        frequency = TermIndex.of(corpus).frequency(word.terms[0])  # (D,)
        n_documents = corpus.count_documents(np.flatnonzero(frequency))
        n_occurrences = int((frequency * corpus.copies).sum())
    return WordCheck(
        word=word.word,
        role=role,
        status=word.status,
        n_documents=n_documents,
        n_occurrences=n_occurrences,
        matches=tuple(corpus.vocabulary[match] for match in matches_of([word])),
        closest=closest_words(word.word, corpus.vocabulary, vectors)
        if word.status in ("unknown", "rare")
        else (),
    )


def _vocabulary_size(corpus: Corpus) -> str:
    """Say how large the vocabulary is and how rare its words may be: "1,998 words in 3 documents or more"."""
    index = TermIndex.of(corpus)
    lowest = corpus.pipeline.limits.document_range(index.n_documents)[0]
    what = "documents" if corpus.pipeline.split_documents is None else "passages"
    return f"{index.n_words:,} words" + (f" in {lowest} {what} or more" if lowest > 1 else "")
