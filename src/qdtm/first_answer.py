"""The first answer to a query: what its evidence says before any topic is sampled.

In: a corpus that was learned and a query. Out: `FirstAnswer`: how many documents are about it, in the words
of a result; the words that its topic will have, as far as they can be told; and the first documents. It takes
a second where a fit takes several, and the fit may move the count a little: its topic is one more look.

Concept words change the topic's words alone. Which documents are about a query follows from the query itself
and what stands beside its words, so a word of the expansion that is dropped leaves the count as it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Any

import numpy as np

from qdtm.corpus.corpus import Corpus
from qdtm.embeddings.loading import load_vectors
from qdtm.embeddings.vectors import embed_vocabulary
from qdtm.errors import QueryError
from qdtm.evidence.corpus_views import views_of
from qdtm.evidence.evidence import Evidence
from qdtm.progress import check_cancelled
from qdtm.queries.concept import Concept
from qdtm.queries.query import Extractor, Rule, as_queries
from qdtm.queries.selection import Chosen, choose
from qdtm.results.distributions import FloatArray, average_over_tokens
from qdtm.results.documents import order_by
from qdtm.results.hand_check.hand_check import HandCheck, carried
from qdtm.results.passages import Aligner, Passage
from qdtm.results.reasons import Reasons
from qdtm.results.relevance import Relevance, sum_up, taught

N_WORDS, N_DOCUMENTS, EXCERPT = 15, 5, 420


@dataclass(frozen=True)
class FirstDocument:
    """A document that is about a query by its evidence.

    Attributes
    ----------
    index : int
        Its row in the corpus.
    id : str
    title : str
    relevance : float
    names_it : bool
        Whether it names the query.
    passage : Passage
        Where the topic's words stand in it, marked; concept words as such.
    fields : mapping of str to str
        The other columns of the user's table.
    """

    index: int
    id: str
    title: str
    relevance: float
    names_it: bool
    passage: Passage
    fields: Mapping[str, str]


@dataclass(frozen=True, eq=False)
class FirstAnswer:
    """What the evidence says to a query.

    Attributes
    ----------
    concept : Concept
    relevance : Relevance
        As of a result, by the evidence alone.
    words : tuple of (str, float)
        The words that its topic will have, most first, with what share of it.
    documents : tuple of FirstDocument
        The most relevant of those that are taken to be about it.
    """

    concept: Concept
    relevance: Relevance
    words: tuple[tuple[str, float], ...]
    documents: tuple[FirstDocument, ...]

    def __repr__(self) -> str:
        words = ", ".join(word for word, _ in self.words)
        return f"FirstAnswer({self.concept.name!r}: {self.relevance.summary()}; {words})"


def first_answer(
    corpus: Corpus,
    query: Any,
    *,
    expansion: Extractor | None = "kld",
    rule: Rule = "and",
    embeddings: Any = "auto",
    n_words: int = N_WORDS,
    n_documents: int = N_DOCUMENTS,
) -> FirstAnswer:
    """Answer a query by its evidence, without fitting a topic.

    Parameters
    ----------
    corpus : Corpus
        What it is about is learned, if it was not before.
    query : str, Query or {"name": [words]}
        One query, asked alone.
    expansion, rule, embeddings
        As of the model.

    Raises
    ------
    QueryError
        If the query is refused, as by a fit.
    """
    asked = as_queries(query)
    if len(asked) != 1:
        raise QueryError(f"A first answer is to one query, and these are {len(asked)}; ask them in turn.")
    inside = corpus.distinct
    vectors = load_vectors(embeddings, inside, also=asked[0].words.lower().split())
    unit = None if vectors is None else embed_vocabulary(vectors, corpus.vocabulary).unit
    views = views_of(inside, unit)
    chosen = choose(inside, asked, views, expansion=expansion, rule=rule, vectors=vectors)
    (answer,) = answers_of(corpus, chosen.spread(inside), Aligner(corpus), n_words, n_documents)
    return answer


def answers_of(
    corpus: Corpus,
    chosen: Chosen,
    aligner: Aligner,
    n_words: int = N_WORDS,
    n_documents: int = N_DOCUMENTS,
    said: Sequence[HandCheck | None] = (),
) -> tuple[FirstAnswer, ...]:
    """Answer queries whose concepts are chosen already, each by its own evidence.

    Parameters
    ----------
    said : sequence of HandCheck or None
        What people said of the documents of each query before, if they did: its relevance learns from it.
    """
    answers = []
    for concept, evidence, earlier in zip_longest(chosen.concepts, chosen.evidence, said):
        p_j = evidence.probability if chosen.covers or evidence.bounded is None else evidence.bounded
        n_w = expected_tokens(corpus.by_passage, concept, p_j)
        check_cancelled()
        p_zw = n_w / np.maximum(corpus.word_counts, 1)  # (V,): how much of each word is the topic's
        relevance = _relevance(corpus, concept, replace(evidence, probability=p_j), p_zw, chosen.covers)
        if earlier is not None:
            check = carried(earlier, concept.name, relevance.scores, relevance.cutoff)
            relevance = taught(relevance, check, corpus)
        documents = _first_documents(corpus, concept, relevance, p_zw, aligner, n_documents)
        answers.append(FirstAnswer(concept, relevance, _top_words(corpus, n_w, n_words), documents))
    return tuple(answers)


def expected_tokens(corpus: Corpus, concept: Concept, probability: FloatArray) -> FloatArray:
    """How many tokens of each word the topic of a query will have, as far as evidence tells, (V,).

    As many as the documents about it have, each counting by its probability, beyond what as long a text from
    the rest of the corpus would have: words that are frequent everywhere are nobody's. A concept word that is
    tied to the topic has all its tokens there, as in the sampler; one that the user dropped counts as any.

    Parameters
    ----------
    probability : ndarray of float64, shape (D,)
        How likely each document is to be about the query.
    """
    n_about = corpus.document_term_matrix.T @ probability  # (V,)
    n_rest = corpus.word_counts - n_about
    usual = n_rest / max(float(n_rest.sum()), 1.0)
    n_w = np.maximum(n_about - float(n_about.sum()) * usual, 0.0)
    tied = [word.index for word in concept.words if word.tied]
    n_w[tied] = corpus.word_counts[tied]
    return np.asarray(n_w)


def _relevance(
    corpus: Corpus, concept: Concept, evidence: Evidence, p_zw: FloatArray, covers: bool
) -> Relevance:
    counts = corpus.by_passage.document_term_matrix
    share = average_over_tokens(counts, p_zw[:, None], np.zeros(1))[:, 0]
    return sum_up(concept.name, corpus, evidence.probability, evidence.strength, share, covers=covers)


def _top_words(corpus: Corpus, n_w: FloatArray, n: int) -> tuple[tuple[str, float], ...]:
    total = max(float(n_w.sum()), 1e-12)
    best = np.argsort(-n_w, kind="stable")[:n]
    return tuple((corpus.vocabulary[w], float(n_w[w]) / total) for w in best if n_w[w] > 0)


def _first_documents(
    corpus: Corpus, concept: Concept, relevance: Relevance, p_zw: FloatArray, aligner: Aligner, n: int
) -> tuple[FirstDocument, ...]:
    rows = order_by(relevance.scores, corpus.document_lengths, n)
    rows = rows[relevance.about[rows]]
    reasons = Reasons(corpus, concept, p_zw, aligner, relevance.passages)
    return tuple(
        FirstDocument(
            index=document.index,
            id=document.id,
            title=document.title,
            relevance=float(relevance.scores[document.index]),
            names_it=bool(relevance.names[document.index]),
            passage=reasons.passage(document, EXCERPT),
            fields=document.fields,
        )
        for document in corpus.documents.select(rows.tolist())
    )
