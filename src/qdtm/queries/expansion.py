"""Query expansion: the whole way from a short phrase to concept words with evidence.

In: a corpus and queries. Out: one `Concept` a query. Each query proposes words through an extractor; a word
that more than one query proposes is dropped; the best that are left are kept and the query's own words added.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qdtm.corpus.corpus import Corpus
from qdtm.corpus.phrase_index import PhraseIndex
from qdtm.embeddings.vectors import WordVectors, embed_vocabulary
from qdtm.errors import ParameterError, PassingQueryError, QueryError
from qdtm.queries.check import QueryCheck, describe
from qdtm.queries.concept import Concept, ConceptWord, Origin, RejectedWord
from qdtm.queries.extractors import Selection, WordScores, frequency_scores, score_words, select_distinct
from qdtm.queries.query import Extractor, Query, Rule, as_queries, check_expansion, check_rule
from qdtm.queries.resolve import ResolvedWord, closest_words, matches_of, phrases_asked_for, resolve_list
from qdtm.queries.retrieval import find_support, query_log_likelihood
from qdtm.queries.search import SearchedQuery, occurring, search
from qdtm.queries.term_index import FloatArray, TermIndex

# --- one query, before others are looked at -----------------------------------------------------------------
#
# A query on its way to a concept, before other queries are looked at.
#
# In: a corpus and one `Query`. Out: `ConceptDraft`: how well each word stands for the query, which words the
# user gave or banned, and the check.


@dataclass(frozen=True, eq=False)
class ConceptDraft:
    """What a query proposes, and which words it has whatever is proposed.

    Parameters
    ----------
    searched : SearchedQuery
    check : QueryCheck
    extractor : {"kld", "fre", "rel"} or None
        None if nothing is proposed.
    scored : WordScores
        How well each word stands for the query; by KLD if there is no extractor.
    own : tuple of int
        Words of the query's text.
    user : tuple of int
        Keywords and added words.
    banned : dict of int to str
        Words that must not become concept words, and why.
    rejected : tuple of RejectedWord
        Words that the user gave and the vocabulary does not have.
    corpus : Corpus
        What was searched.
    """

    searched: SearchedQuery
    check: QueryCheck
    extractor: Extractor | None
    scored: WordScores
    own: tuple[int, ...]
    user: tuple[int, ...]
    banned: dict[int, str]
    rejected: tuple[RejectedWord, ...]
    corpus: Corpus

    @property
    def index(self) -> TermIndex:
        """The index that was searched."""
        return TermIndex.of(self.corpus)

    @property
    def given(self) -> tuple[int, ...]:
        """The words that become concept words whatever is proposed."""
        return self.own + self.user

    def proposals(self, n_candidates: int, coherent: NDArray[np.bool_] | None = None) -> list[int]:
        """Return the best words that the user did not ban and that cohere with the query, if asked."""
        if self.extractor is None:
            return []
        allowed = [word for word in self.scored.ranking if word not in self.banned]
        if coherent is not None:
            allowed = [word for word in allowed if coherent[word]]
        return self._without_parts(allowed)[:n_candidates]

    def _without_parts(self, words: list[int]) -> list[int]:
        """Leave out words that retrieved documents have mostly in phrases beside them, else these phrases.

        The query's own words are listed whatever is proposed, and keep no phrase out.
        """
        phrases = PhraseIndex.of(self.corpus)
        if not phrases:
            return words
        frequency = frequency_scores(self.index.by_document, self.searched.retrieval.documents)  # (V,)
        proposed, left_out = set(words), set[int]()
        for word in words:
            beside = proposed.intersection(phrases.with_word(self.corpus.vocabulary[word])) - {word}
            if beside and word not in self.own:
                is_inside = sum(frequency[phrase] for phrase in beside) >= frequency[word]
                left_out |= {word} if is_inside else beside.difference(self.own)
        return [word for word in words if word not in left_out]


def draft_concept(
    corpus: Corpus,
    query: Query,
    rule: Rule,
    expansion: Extractor | None,
    vectors: WordVectors | None,
    *,
    refuse: bool = True,
    within: NDArray[np.bool_] | None = None,
    nearness: FloatArray | None = None,
) -> ConceptDraft:
    """Search for a query, and rank the words that could stand for it.

    Parameters
    ----------
    within : ndarray of bool, shape (D,), optional
        Only these documents are taken to name the query; by default all that do.
    nearness : ndarray of float64, shape (D,), optional
        How near each document is to the query by a sentence encoder, to propose words with.

    Raises
    ------
    QueryError
        If the query retrieves no document, or asks for a word that it also bans; unless told not to
        `refuse`, also if a word of it is in no document.
    PassingQueryError
        If documents only mention it, unless told not to `refuse`.
    """
    index = TermIndex.of(corpus)
    searched = search(corpus, query, rule)
    searched = searched if within is None else searched.within(within)
    check = describe(searched, corpus, vectors, refuse=refuse, nearness=nearness)
    message = f"Query '{query.name}': {check.reason} {check.advice}".rstrip()
    if check.verdict == "absent":
        raise QueryError(message)
    if check.verdict == "passing" and refuse:
        raise PassingQueryError(message, check)
    extractor = _extractor_of(query, expansion)
    embedded = embed_vocabulary(vectors, corpus.vocabulary) if vectors and extractor == "rel" else None
    given = (*searched.keywords, *occurring(resolve_list(query.add, corpus), index))
    dropped = matches_of(resolve_list(query.drop, corpus))
    taking_part = [word for word in searched.text if word in searched.sought]
    phrases = (w for words in searched.alternatives for w in phrases_asked_for(words, corpus))
    asked = dict.fromkeys((*phrases, *matches_of(taking_part)))
    own = tuple(w for w in _outside(tuple(asked), searched, corpus) if w not in dropped)
    draft = ConceptDraft(
        searched=searched,
        check=check,
        extractor=extractor,
        scored=score_words(extractor or "kld", index, _copies_once(searched, corpus), embedded),
        own=own,
        user=tuple(word for word in matches_of(given) if word not in own),
        banned=dict.fromkeys(searched.excluded, "excluded by the user")
        | dict.fromkeys(dropped, "dropped by the user"),
        rejected=_unknown_of(given, corpus, vectors),
        corpus=corpus,
    )
    _refuse_contradiction(draft, corpus)
    return draft


def _copies_once(searched: SearchedQuery, corpus: Corpus) -> SearchedQuery:
    """Return a search with the best of near copies alone: words are proposed by what different texts say."""
    original = getattr(corpus, "original", None)
    if original is None:
        return searched
    found = searched.retrieval.documents
    first = np.unique(original[found], return_index=True)[1]
    if len(first) == len(found):
        return searched
    members = np.zeros(corpus.n_documents, np.bool_)
    members[found[first]] = True
    return searched.within(members)


def _outside(words: tuple[int, ...], searched: SearchedQuery, corpus: Corpus) -> tuple[int, ...]:
    """Leave out words of a phrase asked for that retrieved documents have inside phrases only."""
    phrases = PhraseIndex.of(corpus)
    inside = {part for w in words for part in phrases.words_of.get(w, ())}
    if not inside:
        return words
    frequency = frequency_scores(searched.index.by_document, searched.retrieval.documents)  # (V,)
    return tuple(w for w in words if frequency[w] or corpus.vocabulary[w] not in inside)


def _extractor_of(query: Query, expansion: Extractor | None) -> Extractor | None:
    """Return what proposes words: the query's own wish, none beside keywords, or the model's."""
    if query.expansion != "inherit":
        return query.expansion
    return None if query.keywords else expansion


def _unknown_of(
    given: Iterable[ResolvedWord], corpus: Corpus, vectors: WordVectors | None
) -> tuple[RejectedWord, ...]:
    """List the words that the user gave and that cannot be concept words."""
    return tuple(
        RejectedWord(word.word, _why_unknown(word, corpus, vectors)) for word in given if not word.is_known
    )


def _why_unknown(word: ResolvedWord, corpus: Corpus, vectors: WordVectors | None) -> str:
    reasons = {"dropped": "removed by the text pipeline", "too short": "too short"}
    if word.status != "unknown":
        return reasons.get(word.status, f"a {word.status}")
    closest = ", ".join(f"'{name}'" for name in closest_words(word.word, corpus.vocabulary, vectors))
    return "not in the vocabulary" + (f" (closest: {closest})" if closest else "")


def _refuse_contradiction(draft: ConceptDraft, corpus: Corpus) -> None:
    for word in draft.given:
        if word in draft.banned:
            raise QueryError(
                f"Query '{draft.check.name}' asks for the word '{corpus.vocabulary[word]}', which is "
                f"{draft.banned[word]}; decide for one."
            )


# --- all queries together -----------------------------------------------------------------------------------

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
) -> list[ConceptDraft]:
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
    drafts: list[ConceptDraft] = []
    refused: dict[str, QueryError] = {}
    for query, own_rule, near in zip(asked, rules, near_each, strict=True):
        try:
            drafts.append(
                draft_concept(corpus, query, own_rule, expansion, vectors, refuse=refuse, nearness=near)
            )
        except QueryError as error:
            refused[query.name] = error
    if refused:
        raise _refusal(refused, len(asked))
    _refuse_twins(drafts)
    return drafts


def _refusal(refused: Mapping[str, QueryError], n_asked: int) -> QueryError:
    """Return the first refusal, which names the other queries that are refused and counts the rest."""
    (_, first), *others = refused.items()
    if n_asked == 1:
        return first
    also = f" Refused, too: {', '.join(repr(name) for name, _ in others)}." if others else ""
    n_left = n_asked - len(refused)
    left = f" The other {n_left:,} can be answered." if n_left > 1 else " The other one can be answered."
    message = f"{first}{also}{left if n_left else ''}"
    return (
        PassingQueryError(message, first.check)
        if isinstance(first, PassingQueryError)
        else QueryError(message)
    )


def finish_concepts(
    drafts: Sequence[ConceptDraft],
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
    selections = select_distinct(proposals, [draft.given for draft in drafts], n_concept_words)
    names = [draft.check.name for draft in drafts]
    return tuple(
        _concept(draft, selection, names, words)
        for draft, selection, words in zip(drafts, selections, allowed, strict=True)
    )


def _concept(
    draft: ConceptDraft, selection: Selection, names: Sequence[str], coherent: NDArray[np.bool_] | None
) -> Concept:
    """Put the kept words and their evidence together."""
    rejected = draft.rejected + _rejected(draft, selection, names, coherent)
    kept = list(dict.fromkeys([*selection.given, *selection.proposed]))
    if not kept:
        lost = "; ".join(f"'{word.word}' is {word.reason}" for word in rejected[:3])
        raise QueryError(
            f"Query '{draft.check.name}' has no concept word left: {lost}. Give it a word that goes with it "
            "(--add; in Python Query(..., add=[...]))."
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


def _concept_word(draft: ConceptDraft, word: int, log_likelihood: FloatArray) -> ConceptWord:
    count = partial(draft.corpus.count_documents, copies=False)
    evidence = find_support(draft.index, word, log_likelihood, draft.searched.excluded, count=count)
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
    draft: ConceptDraft,
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
        if word not in draft.given and word not in reasons
    }
    return tuple(RejectedWord(draft.corpus.vocabulary[word], reason) for word, reason in reasons.items())


def _refuse_twins(drafts: Sequence[ConceptDraft]) -> None:
    """Two queries that are the same after cleaning would share every word."""
    seen: dict[frozenset[int], str] = {}
    for draft in drafts:
        words, name = frozenset(draft.given), draft.check.name
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
