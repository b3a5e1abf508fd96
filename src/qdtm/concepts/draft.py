"""A query on its way to a concept, before other queries are looked at.

In: a corpus and one `Query`. Out: `Draft`: how well each word stands for the query, which words the user gave
or banned, and the check.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qdtm.concepts.check import QueryCheck, describe
from qdtm.concepts.concept import RejectedWord
from qdtm.concepts.extractors import frequency_scores
from qdtm.concepts.query import Extractor, Query, Rule
from qdtm.concepts.resolve import ResolvedWord, closest_words, matches_of, phrases_asked_for, resolve_list
from qdtm.concepts.scoring import WordScores, score_words
from qdtm.concepts.search import SearchedQuery, occurring, search
from qdtm.concepts.term_index import FloatArray, TermIndex
from qdtm.corpus.corpus import Corpus
from qdtm.corpus.phrase_index import PhraseIndex
from qdtm.embeddings.vectors import WordVectors, embed_vocabulary
from qdtm.errors import PassingQueryError, QueryError


@dataclass(frozen=True, eq=False)
class Draft:
    """What a query proposes and what it claims.

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
    def claims(self) -> tuple[int, ...]:
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
) -> Draft:
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
    draft = Draft(
        searched=searched,
        check=check,
        extractor=extractor,
        scored=score_words(extractor or "kld", index, searched, embedded),
        own=own,
        user=tuple(word for word in matches_of(given) if word not in own),
        banned=dict.fromkeys(searched.excluded, "excluded by the user")
        | dict.fromkeys(dropped, "dropped by the user"),
        rejected=_unknown_of(given, corpus, vectors),
        corpus=corpus,
    )
    _refuse_contradiction(draft, corpus)
    return draft


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


def _refuse_contradiction(draft: Draft, corpus: Corpus) -> None:
    for word in draft.claims:
        if word in draft.banned:
            raise QueryError(
                f"Query '{draft.check.name}' asks for the word '{corpus.vocabulary[word]}', which is "
                f"{draft.banned[word]}; decide for one."
            )
