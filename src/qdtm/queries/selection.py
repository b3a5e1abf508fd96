"""Which concept words a set of queries is fitted with, and the evidence that chooses them.

In: a corpus, queries and the views of the corpus. Out: one `Concept` and one `Evidence` a query. Concepts are
as `build_concepts` makes them: as published if the queries cover the corpus together, otherwise only with
words that cohere with their query.

Together, queries keep general words from each other: what two of them propose, neither gets. A query that is
asked alone has nobody to do that for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from qdtm.corpus.corpus import Corpus
from qdtm.corpus.distinct import DistinctCorpus
from qdtm.embeddings.loading import load_vectors
from qdtm.embeddings.vectors import WordVectors, embed_vocabulary
from qdtm.errors import QueryError
from qdtm.evidence.corpus_views import CorpusViews, digest, views_of
from qdtm.evidence.evidence import Evidence, learn_evidence
from qdtm.evidence.readings import Reading, find_readings
from qdtm.queries.concept import Concept, ConceptReading, list_readings, place_documents
from qdtm.queries.expansion import ConceptDraft, draft_concept, draft_concepts, finish_concepts
from qdtm.queries.query import Query, Rule, as_queries
from qdtm.queries.search import SearchedQuery, search
from qdtm.queries.term_index import FloatArray, TermIndex

MIN_PRECISION = 0.5
"""A word that is proposed to a query asked alone must have most of its documents among those about it."""

MIN_SUPPORT = 3
"""And it must stand in so many different documents that name the query."""

N_NEAREST = 3
"""So many words stand for a query that has no word of its own and none that is precise enough."""

FULL_COVER = 0.5
"""Queries cover a corpus if the documents that evidence gives them come to so much of it: it is cautious."""


class Chosen(NamedTuple):
    """The concepts that a model is fitted with, and how likely each document is to be about them.

    Attributes
    ----------
    concepts : tuple of Concept
    evidence : tuple of Evidence
    covers : bool
        Whether they cover the corpus together; copies of a document do not change it.
    """

    concepts: tuple[Concept, ...]
    evidence: tuple[Evidence, ...]
    covers: bool

    def spread(self, inside: DistinctCorpus) -> Chosen:
        """Return the same of all documents, or passages, as they came, where this is of distinct ones."""
        return Chosen(
            tuple(place_documents(concept, inside.document_rows) for concept in self.concepts),
            tuple(one.spread(inside.place) for one in self.evidence),
            self.covers,
        )


def choose_concepts(corpus: Corpus, queries: Any, **parameters: Any) -> tuple[Concept, ...]:
    """Turn queries into the concepts that a model is fitted with; parameters as in `choose`."""
    vectors, inside = parameters.get("vectors"), corpus.distinct
    unit = None if vectors is None else embed_vocabulary(vectors, corpus.vocabulary).unit
    return choose(inside, queries, views_of(inside, unit), **parameters).spread(inside).concepts


def choose(
    corpus: Corpus,
    queries: Any,
    views: CorpusViews,
    *,
    expansion: Any = "kld",
    rule: Any = "and",
    n_concept_words: int = 10,
    n_candidates: int = 100,
    min_precision: float | None = None,
    vectors: WordVectors | None = None,
    query_vectors: NDArray[np.float32] | None = None,
    refuse: bool = True,
    readings: bool = True,
) -> Chosen:
    """Turn queries into the concepts that a model is fitted with, and learn their evidence.

    Parameters
    ----------
    corpus : DistinctCorpus
        Of another, what is found could depend on the order of its documents.
    views : CorpusViews
        Of the corpus.
    min_precision : float, optional
        How much of a proposed word's documents must be about its query; None decides by whether the queries
        cover the corpus. 0 takes every proposal, as published.
    query_vectors : ndarray of float32, shape (Q, e), optional
        What a sentence encoder makes of each query.
    readings : bool
        Whether to look for readings of queries that ask for none of them, which changes nothing else.

    See Also
    --------
    build_concepts : for the other parameters.
    """
    near = None
    if query_vectors is not None and (encoded := views.encoded) is not None:
        near = [encoded.near(vector) for vector in query_vectors]
    drafts = draft_concepts(
        corpus, queries, expansion=expansion, rule=rule, vectors=vectors, refuse=refuse, nearness=near
    )
    found = [
        _find_readings(views, draft.searched) if readings or draft.searched.query.reading else ()
        for draft in drafts
    ]
    for q, draft in enumerate(drafts):
        if (members := _chosen(draft.searched.query, found[q], corpus)) is not None:
            one = draft.searched
            drafts[q] = draft_concept(
                corpus, one.query, one.rule, expansion, vectors, refuse=refuse, within=members
            )
    evidence = _learn(views, [draft.searched for draft in drafts], query_vectors)
    covers = cover_the_corpus(evidence)
    if min_precision is None:
        min_precision = 0.0 if covers else MIN_PRECISION
    coherent = None
    if min_precision > 0.0:
        coherent = [
            _words_for(draft, one, views.copy_hashes, min_precision)
            for draft, one in zip(drafts, evidence, strict=True)
        ]
    concepts = finish_concepts(
        drafts, n_concept_words=n_concept_words, n_candidates=n_candidates, coherent=coherent
    )
    if min_precision > 0.0:
        index = TermIndex.of(corpus)
        concepts = tuple(
            tie_words(concept, precision_of_words(index, one), min_precision)
            for concept, one in zip(concepts, evidence, strict=True)
        )
    listed = [_as_data(each, corpus) for each in found]
    concepts = tuple(replace(c, readings=each) for c, each in zip(concepts, listed, strict=True))
    return Chosen(concepts, evidence, covers)


def evidence_of(
    corpus: Corpus,
    concepts: Sequence[Concept],
    views: CorpusViews,
    query_vectors: NDArray[np.float32] | None = None,
) -> tuple[Evidence, ...]:
    """Learn the evidence of concepts that were chosen before."""
    searched = [search(corpus, concept.query, concept.rule) for concept in concepts]
    return _learn(views, [_in_reading(corpus, views, one) for one in searched], query_vectors)


def document_evidence(
    corpus: Corpus,
    query: Any,
    rule: Rule = "and",
    *,
    embeddings: Any = "auto",
    encoder: Any = None,
    refuse: bool = True,
) -> Evidence:
    """Say how likely each document is to be about a query asked alone, before any topic is fitted.

    Parameters
    ----------
    query : str, Query or {"name": [words]}
    embeddings : str, path, KeyedVectors, mapping or None
        Word vectors, as of the model.
    encoder : str, path or callable, optional
        A sentence encoder, as of the model.

    Raises
    ------
    QueryError
        If the query is refused, as by `build_concepts`.
    """
    (asked,), inside = as_queries(query), corpus.distinct
    vectors = load_vectors(embeddings, inside, also=asked.words.lower().split())
    draft = draft_concept(inside, asked, rule, None, vectors, refuse=refuse)
    unit = None if vectors is None else embed_vocabulary(vectors, corpus.vocabulary).unit
    views, asked_vectors = views_of(inside, unit), None
    if encoder is not None:
        from qdtm.embeddings.encoder import encode_corpus  # needs more than reading a concept does

        encoded = encode_corpus(encoder, inside, [asked.words])
        views, asked_vectors = (
            views_of(inside, unit, document_vectors=encoded.documents, reread=encoded.reread),
            encoded.queries,
        )
    (evidence,) = _learn(views, [_in_reading(inside, views, draft.searched)], asked_vectors)
    evidence = evidence.spread(inside.place)
    if corpus.passages is None:
        return evidence
    strength = corpus.passages.largest(evidence.strength)
    return replace(evidence.spread(corpus.passages.best(evidence.probability)), strength=strength)


def _find_readings(views: CorpusViews, searched: SearchedQuery) -> tuple[Reading, ...]:
    strength, words = searched.naming.strength, searched.words
    return views.remember(
        ("readings", words, digest(strength)),
        lambda: find_readings(
            views, searched.index.by_document, strength, words, hide=views.places(words, searched.forms)
        ),
    )


def _in_reading(corpus: Corpus, views: CorpusViews, searched: SearchedQuery) -> SearchedQuery:
    """Return a search as if only the documents of the reading that the query asks for named it."""
    if searched.query.reading is None:
        return searched
    members = _chosen(searched.query, _find_readings(views, searched), corpus)
    return searched if members is None else searched.within(members)


def _chosen(query: Query, readings: Sequence[Reading], corpus: Corpus) -> NDArray[np.bool_] | None:
    """Return the documents that name a query in the sense that it asks for, (D,); None for all."""
    if query.reading is None:
        return None
    if not readings:
        raise QueryError(
            f"Query '{query.name}' asks for reading {query.reading}, but the documents that name it are one "
            "group; leave the reading out."
        )
    if query.reading > len(readings):
        listed = list_readings(_as_data(readings, corpus))
        raise QueryError(f"Query '{query.name}' has no reading {query.reading}; choose from {listed}.")
    return readings[query.reading - 1].members


def _as_data(readings: Sequence[Reading], corpus: Corpus) -> tuple[ConceptReading, ...]:
    return tuple(
        ConceptReading(
            corpus.count_documents(np.flatnonzero(each.members), copies=False),
            tuple(corpus.vocabulary[w] for w in each.words),
            each.documents,
        )
        for each in readings
    )


def _learn(
    views: CorpusViews,
    searched: Sequence[SearchedQuery],
    query_vectors: NDArray[np.float32] | None,
) -> tuple[Evidence, ...]:
    import sklearn.linear_model  # noqa: F401 - slow to load; what is loaded later would not be limited

    vectors: Any = [None] * len(searched) if query_vectors is None else query_vectors
    with threadpool_limits(1, "blas"):  # sums of several threads would depend on their number
        return tuple(_learn_one(views, one, vector) for one, vector in zip(searched, vectors, strict=True))


def _learn_one(views: CorpusViews, searched: SearchedQuery, vector: NDArray[np.float32] | None) -> Evidence:
    naming, words = searched.naming, searched.words
    strength, possible = naming.strength, naming.possible
    return views.remember(
        ("evidence", words, digest(strength), digest(possible), digest(vector), naming.share),
        lambda: learn_evidence(
            views, strength, views.places(words, searched.forms), possible, vector, naming.share
        ),
    )


def cover_the_corpus(evidence: Sequence[Evidence]) -> bool:
    """Say whether several queries leave little of the corpus; one alone is not asked.

    Parameters
    ----------
    evidence : sequence of Evidence
        Of each query, as the model sees the documents, before any topic is fitted.
    """
    n_documents = len(evidence[0].probability)
    return len(evidence) > 1 and sum(one.n_about for one in evidence) >= FULL_COVER * n_documents


def _words_for(
    draft: ConceptDraft, evidence: Evidence, hashes: NDArray[np.uint64], min_precision: float
) -> NDArray[np.bool_]:
    """Which words may be proposed, (V,): coherent ones; where a query would have none, the nearest."""
    coherent = coherent_words(draft, evidence, hashes, min_precision)
    if draft.given or draft.proposals(1, coherent):
        return coherent
    return nearest_words(draft, evidence, hashes)


def nearest_words(draft: ConceptDraft, evidence: Evidence, hashes: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """Which few words go best with a query none of whose own words the vocabulary has, (V,).

    Documents can name a query by what the vocabulary leaves out ("9/11"), and no word be nearly theirs alone.
    The most precise ones, as if each had `MIN_SUPPORT` documents more about something else: a word of few
    documents is precise by chance.
    """
    precision, support = precision_of_words(draft.index, evidence), _support(draft.index, evidence, hashes)
    allowed = np.zeros(draft.index.n_words, np.bool_)
    allowed[draft.proposals(draft.index.n_words)] = True
    n_documents = draft.index.document_frequency
    doubted = precision * n_documents / (n_documents + MIN_SUPPORT)
    worth = np.where(allowed & (support >= min(MIN_SUPPORT, support.max())), doubted, 0.0)
    best = np.argsort(-worth, kind="stable")[:N_NEAREST]
    nearest = np.zeros(len(worth), np.bool_)
    nearest[best[worth[best] > 0.0]] = True
    return nearest


def _support(index: TermIndex, evidence: Evidence, hashes: NDArray[np.uint64]) -> NDArray[np.int64]:
    """How many different documents that name a query have each word, (V,); copies count once."""
    named = np.flatnonzero(evidence.strength > 0)
    _, first = np.unique(hashes[named], return_index=True)
    return np.bincount(index.by_document[named[first]].indices, minlength=index.n_words)


def coherent_words(
    draft: ConceptDraft, evidence: Evidence, hashes: NDArray[np.uint64], min_precision: float
) -> NDArray[np.bool_]:
    """Which words stand mostly in documents about a query, in enough different ones that name it, (V,)."""
    index = draft.index
    precision, support = precision_of_words(index, evidence), _support(index, evidence, hashes)
    n_different = len(np.unique(hashes[evidence.strength > 0]))
    enough = min(MIN_SUPPORT, n_different)
    return np.asarray((precision >= min_precision) & (support >= enough))


def precision_of_words(index: TermIndex, evidence: Evidence) -> FloatArray:
    """The share of each word's documents that are about a query, (V,)."""
    from qdtm.evidence.kernels import labels_with  # slow to load

    about, counts = np.zeros(index.n_words), index.by_document
    labels_with(counts.indptr, counts.indices, np.asarray(evidence.probability, np.float64), about)
    return np.asarray(about / np.maximum(index.document_frequency, 1))


def tie_words(concept: Concept, precision: FloatArray, min_precision: float) -> Concept:
    """Tie the words of a concept to its topic, all but the query's own that are general; its best stays.

    A phrase of the query takes the place of its best word if most documents that name the query have it.
    Where a reading was chosen none stays, if there are others: elsewhere it means something else.
    """
    own = [word for word in concept.words if word.origin == "query"]
    phrases = [word for word in own if 2 * word.n_retrieved >= concept.check.n_named and " " in word.word]
    single = [word for word in own if " " not in word.word]
    best = max(phrases or single or own, key=lambda word: precision[word.index], default=None)
    has_others = concept.query.reading is not None and len(own) < len(concept.words)
    general = {
        word.index for word in own if (word != best or has_others) and precision[word.index] < min_precision
    }
    return replace(concept, words=tuple(replace(w, tied=w.index not in general) for w in concept.words))
