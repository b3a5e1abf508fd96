"""From queries to concepts: the whole way from a short phrase to words with evidence.

In: a corpus and queries. Out: one `Concept` a query. Each query proposes words through an extractor; a word
that more than one query proposes is dropped; the best that are left are kept and the query's own words added.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qdtm.concepts.concept import Concept, ConceptWord, Origin, RejectedWord
from qdtm.concepts.draft import Draft, draft_concept
from qdtm.concepts.evidence import find_evidence, query_log_likelihood
from qdtm.concepts.query import Extractor, Rule, as_queries, check_expansion, check_rule
from qdtm.concepts.resolve import matches_of
from qdtm.concepts.selection import Selection, select_distinct
from qdtm.concepts.term_index import FloatArray
from qdtm.corpus.corpus import Corpus
from qdtm.embeddings.vectors import WordVectors
from qdtm.errors import ParameterError, QueryError

_ORIGINS: tuple[Origin, ...] = ("query", "user", "expansion")

#: A word further down the ranking is not missed, and not listed as lost.
MOST_MISSED = 30


def build_concepts(
    corpus: Corpus,
    queries: Any,
    *,
    expansion: Extractor | None = "kld",
    rule: Rule | Sequence[Rule] = "and",
    n_concept_words: int = 10,
    n_candidates: int = 100,
    vectors: WordVectors | None = None,
    refuse: bool = True,
) -> tuple[Concept, ...]:
    """Turn queries into concepts.

    Parameters
    ----------
    corpus : Corpus
    queries : str, Query, mapping, or an iterable of these
        See `as_queries`.
    expansion : {"kld", "fre", "rel"} or None
        How words are proposed, for queries that do not say so themselves. None: the query's own words only.
    rule : {"and", "or"} or a sequence of these, one a query
        Whether a document must have all of a query's words or any, for queries that do not say so.
    n_concept_words : int
        How many proposals a query keeps; its own words come on top.
    n_candidates : int
        How many words each query proposes; a word that two queries propose belongs to neither.
    vectors : WordVectors, optional
        Needed for "rel"; otherwise used to suggest known words for unknown ones.
    refuse : bool
        Whether a query is refused that no document is mainly about, or that has a word which no document has.
        Otherwise it is answered as well as can be, without such a word.

    Returns
    -------
    tuple of Concept
        In the order of the queries; no word is in two of them.

    Raises
    ------
    QueryError
        If nothing is left of a query, it retrieves no document, or two queries are the same after cleaning;
        or if one asks for a reading: it takes `choose_concepts` to find them.
    PassingQueryError
        If documents mention a query, and none is mainly about it.
    """
    asked = as_queries(queries)
    if any(query.reading is not None for query in asked):
        raise QueryError("Readings are found by choose_concepts and the model; build_concepts has none.")
    drafts = draft_concepts(corpus, asked, expansion=expansion, rule=rule, vectors=vectors, refuse=refuse)
    return finish_concepts(drafts, n_concept_words=n_concept_words, n_candidates=n_candidates)


def draft_concepts(
    corpus: Corpus,
    queries: Any,
    *,
    expansion: Extractor | None,
    rule: Rule | Sequence[Rule],
    vectors: WordVectors | None,
    refuse: bool = True,
    nearness: Sequence[FloatArray] | None = None,
) -> list[Draft]:
    """Draft a concept for each query: the first half of `build_concepts`.

    Parameters
    ----------
    nearness : sequence of ndarray of float64, shape (D,), optional
        How near each document is to each query by a sentence encoder, to propose words with.
    """
    asked = as_queries(queries)
    _check_expansion(expansion)
    rules = _rules(rule, len(asked))
    near_each: Sequence[FloatArray | None] = nearness or [None] * len(asked)
    drafts = [
        draft_concept(corpus, q, r, expansion, vectors, refuse=refuse, nearness=near)
        for q, r, near in zip(asked, rules, near_each, strict=True)
    ]
    _refuse_twins(drafts)
    return drafts


def finish_concepts(
    drafts: Sequence[Draft],
    *,
    n_concept_words: int = 10,
    n_candidates: int = 100,
    coherent: Sequence[NDArray[np.bool_] | None] | None = None,
) -> tuple[Concept, ...]:
    """Choose the words of each drafted concept: the second half of `build_concepts`.

    Parameters
    ----------
    coherent : sequence of ndarray of bool, shape (V,), optional
        For each query, which words may be proposed; by default all.
    """
    _check_numbers(n_concept_words, n_candidates)
    allowed = coherent or [None] * len(drafts)
    proposals = [draft.proposals(n_candidates, words) for draft, words in zip(drafts, allowed, strict=True)]
    selections = select_distinct(proposals, [draft.claims for draft in drafts], n_concept_words)
    names = [draft.check.name for draft in drafts]
    return tuple(
        _concept(draft, selection, names, words)
        for draft, selection, words in zip(drafts, selections, allowed, strict=True)
    )


def _concept(
    draft: Draft, selection: Selection, names: Sequence[str], coherent: NDArray[np.bool_] | None
) -> Concept:
    """Put the kept words and their evidence together."""
    rejected = draft.rejected + _rejected(draft, selection, names, coherent)
    kept = list(dict.fromkeys([*selection.claimed, *selection.proposed]))
    if not kept:
        lost = "; ".join(f"'{word.word}' is {word.reason}" for word in rejected[:3])
        raise QueryError(
            f"Query '{draft.check.name}' has no concept word left: {lost}. Give it words of its own."
        )
    log_likelihood = query_log_likelihood(draft.index, draft.searched.retrieval)  # (D,)
    words = [_concept_word(draft, word, log_likelihood) for word in kept]
    return Concept(
        name=draft.check.name,
        query=draft.searched.query,
        rule=draft.searched.rule,
        extractor=draft.extractor,
        words=tuple(sorted(words, key=lambda word: _ORIGINS.index(word.origin))),
        check=draft.check,
        rejected=rejected,
    )


def _concept_word(draft: Draft, word: int, log_likelihood: FloatArray) -> ConceptWord:
    evidence = find_evidence(draft.index, word, log_likelihood, draft.searched.excluded)
    return ConceptWord(
        word=draft.corpus.vocabulary[word],
        index=word,
        score=float(draft.scored.scores[word]),
        origin="query" if word in draft.own else "user" if word in draft.user else "expansion",
        n_documents=evidence.n_documents,
        n_retrieved=evidence.n_retrieved,
        documents=evidence.documents,
    )


def _rejected(
    draft: Draft,
    selection: Selection,
    names: Sequence[str],
    coherent: NDArray[np.bool_] | None,
) -> tuple[RejectedWord, ...]:
    """List the words that would have been kept but for another query, the user, or being too general."""
    reasons = {
        word: "shared with " + ", ".join(f"'{names[q]}'" for q in queries)
        for word, queries in selection.shared.items()
    }
    ranking = draft.scored.ranking if draft.extractor else ()
    cut = ranking.index(selection.proposed[-1]) if selection.full else min(len(ranking), MOST_MISSED)
    better = {*ranking[:cut], *matches_of(draft.searched.text)}
    reasons |= {word: reason for word, reason in draft.banned.items() if word in better}
    vague = [word for word in ranking[:cut] if coherent is not None and not coherent[word]]
    reasons |= {
        word: "too general, or in too few documents that name it"
        for word in vague
        if word not in draft.claims and word not in reasons
    }
    return tuple(RejectedWord(draft.corpus.vocabulary[word], reason) for word, reason in reasons.items())


def _refuse_twins(drafts: Sequence[Draft]) -> None:
    """Two queries that are the same after cleaning would share every word."""
    seen: dict[frozenset[int], str] = {}
    for draft in drafts:
        words, name = frozenset(draft.claims), draft.check.name
        if words and words in seen:
            raise QueryError(f"Queries '{seen[words]}' and '{name}' are the same after cleaning; remove one.")
        seen[words] = name


def _rules(rule: Rule | Sequence[Rule], n_queries: int) -> tuple[Rule, ...]:
    """Return a rule for each query."""
    if rule is None or not isinstance(rule, Iterable):
        raise ParameterError(f"The rule is {rule!r}; give 'and' or 'or', or one of them a query.")
    rules: tuple[Any, ...] = (rule,) * n_queries if isinstance(rule, str) else tuple(rule)
    if len(rules) != n_queries:
        raise ParameterError(
            f"There are {len(rules)} rules for {n_queries} queries; give one, or one a query."
        )
    for one in rules:
        check_rule(one)
    return rules


def _check_expansion(expansion: str | None) -> None:
    if expansion == "inherit":
        raise ParameterError("Expansion 'inherit' is for a single query; give 'kld', 'fre', 'rel' or None.")
    check_expansion(expansion)


def _check_numbers(n_concept_words: int, n_candidates: int) -> None:
    for name, value in (("n_concept_words", n_concept_words), ("n_candidates", n_candidates)):
        if not isinstance(value, (int, np.integer)) or isinstance(value, bool) or value < 1:
            raise ParameterError(f"{name} is {value!r}; give a whole number above 0.")
