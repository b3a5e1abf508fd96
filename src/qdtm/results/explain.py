"""Why a document is relevant: a document in, each of its tokens with its topic and its share out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qdtm.corpus.document_store import Document
from qdtm.results.distributions import FloatArray
from qdtm.results.documents import subtopic_position
from qdtm.results.one_group import one_group
from qdtm.results.passages import LONGEST_ALIGNED, Mark, Passage, Span, excerpt, whole
from qdtm.results.reasons import query_words
from qdtm.results.relevance import fitted_relevance
from qdtm.results.result import Result
from qdtm.results.splits import subtopic_ids
from qdtm.results.table_formats import data_frame
from qdtm.results.topics import topic_id


@dataclass(frozen=True)
class ExplainedToken:
    """A token of a document and what the model made of it.

    Attributes
    ----------
    written : str
        As it stands in the text; the word itself where its place is not known.
    word : str
        The word of the vocabulary.
    span : (int, int) or None
        Its first character in the text, and the one after its last.
    topic : str
        The id of the topic it was in, in the last sample.
    subtopic : str or None
        The id of its subtopic, the deepest where one was opened.
    is_concept : bool
        Whether it is a concept word of the query.
    promoted : bool
        Whether it promoted concept words of its topic.
    pulled_by : str or None
        If it was promoted, the concept word that pulled it in: the nearest in meaning.
    weight : float
        p(query | word): how likely a token of this word is to be about the query, over all samples.
    share : float
        Of what the document has of the query's topic; the shares of all tokens sum to 1, or to 0.
    """

    written: str
    word: str
    span: Span | None
    topic: str
    subtopic: str | None
    is_concept: bool
    promoted: bool
    pulled_by: str | None
    weight: float
    share: float


@dataclass(frozen=True)
class ExplainedWord:
    """A word of a document, all its tokens together.

    Attributes
    ----------
    word, written : str
        Of the vocabulary, and as it first stands in the text.
    times : int
        How often the document has it.
    share : float
        What all of them carry of what the document has of the query's topic.
    topics : tuple of str
        The topics (or subtopics) that they were in, that of most first.
    is_concept : bool
    pulled_by : str or None
        The concept word that pulled one of them in.
    """

    word: str
    written: str
    times: int
    share: float
    topics: tuple[str, ...]
    is_concept: bool
    pulled_by: str | None

    @classmethod
    def of(cls, tokens: Sequence[ExplainedToken]) -> ExplainedWord:
        """Put the tokens of one word together."""
        first, topics = tokens[0], Counter(token.subtopic or token.topic for token in tokens)
        pulled = next((token.pulled_by for token in tokens if token.pulled_by), None)
        share, met = sum(token.share for token in tokens), tuple(topic for topic, _ in topics.most_common())
        return cls(first.word, first.written, len(tokens), share, met, first.is_concept, pulled)


@dataclass(frozen=True, repr=False)
class Explanation:
    """A document, token by token.

    Attributes
    ----------
    document : Document
    query : str
        The query that shares are of.
    share : float
        Of the document in that query's topic (or in the subtopic), which its tokens add up to.
    relevance : float or None
        How likely the document is to be about the query; None of a subtopic.
    tokens : tuple of ExplainedToken
        Of the words that the vocabulary has, in the order of the text.
    names : mapping of str to str
        What the topics and subtopics of the tokens are called, by id.
    subtopic : str or None
        The id of the subtopic that shares are of, if it was asked for.
    query_words : mapping of str to tuple of str
        The query's own words in the vocabulary and phrases with them, and which of its words each has; the
        passage is where these stand.
    part : (int, int), optional
        Of a document that is judged by passage, where the most relevant one begins and ends in its text.
    """

    document: Document
    query: str
    share: float
    relevance: float | None
    tokens: tuple[ExplainedToken, ...]
    names: dict[str, str]
    subtopic: str | None = None
    query_words: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    part: Span | None = None

    def passage(self, limit: int | None = None) -> Passage:
        """Return the text with the words that count marked; at most `limit` characters of it."""
        marks = [
            Mark(*t.span, t.weight, t.is_concept, self.query_words.get(t.word, ()))
            for t in self.tokens
            if t.span is not None
        ]
        text = self.document.text
        if limit is None:
            return whole(text, marks)
        if self.part is None:
            return excerpt(text, marks, limit)
        start, end = self.part
        inside = [mark.moved(-start) for mark in marks if start <= mark.start and mark.end <= end]
        return excerpt(text[start:end], inside, limit).within(text, start)

    def words(self) -> list[ExplainedWord]:
        """Return the words of the document, those that carry most first."""
        tokens: dict[str, list[ExplainedToken]] = {}
        for token in self.tokens:
            tokens.setdefault(token.word, []).append(token)
        return sorted(map(ExplainedWord.of, tokens.values()), key=lambda word: -word.share)

    def topic_counts(self) -> list[tuple[str, int]]:
        """Return how many tokens each topic (or subtopic, where there is one) has, most first."""
        counts = Counter(token.subtopic or token.topic for token in self.tokens)
        return sorted(counts.items(), key=lambda item: (-item[1], item[0]))

    def to_frame(self) -> Any:
        """Return a pandas DataFrame, a row a token."""
        names = [field.name for field in fields(ExplainedToken) if field.name != "span"]
        return data_frame({name: [getattr(token, name) for token in self.tokens] for name in names})

    def _repr_html_(self) -> str:
        from qdtm.present.notebook import explanation_html

        return explanation_html(self)

    def __repr__(self) -> str:
        best = sorted(self.tokens, key=lambda token: -token.share)[:5]
        words = ", ".join(f"{token.written} {token.share:.0%}" for token in best)
        return f"Explanation({self.document.id!r}, {self.query!r}, share {self.share:.3f}: {words})"


def explain_document(
    result: Result,
    document: str | int,
    query: str | int | None = None,
    *,
    subtopic: str | None = None,
) -> Explanation:
    """Say what became of each token of a document, and how much of its share in the query's topic it carries.

    Parameters
    ----------
    result : Result
    document : str or int
        Its id, or its row from 0.
    query : str or int, optional
        About which query; without, the one it is likeliest to be about, or else has the largest share of.
    subtopic : str, optional
        An id, such as "0.1.2": how much of the document is in it, instead of in its query's topic.

    Returns
    -------
    Explanation
    """
    fit, corpus = result.fit, result.corpus
    j = result.find_document(document)
    tokens = slice(int(corpus.offsets[j]), int(corpus.offsets[j + 1]))
    words = corpus.tokens[tokens]  # (n,)
    relevance = np.array([fitted_relevance(fit, corpus, q, j) for q in range(fit.n_queries)])  # (Q,)
    q, weight = _weight(result, words, relevance, query, subtopic)
    total = max(float(weight.sum()), 1e-300)
    shown = corpus.documents[j]
    spans = result.aligner.spans(j, shown.text[:LONGEST_ALIGNED])
    concept = set(fit.concepts[q].word_indices)
    split = [not one_group(result, each) for each in result.topics]
    ids = [subtopic_ids(fit, each) for each in range(fit.n_queries)]
    pulled = _pulled_by(result, words.tolist(), tokens)
    explained = tuple(
        ExplainedToken(
            written=fit.vocabulary[w] if spans[i] is None else shown.text[slice(*spans[i])],  # type: ignore[misc]
            word=fit.vocabulary[w],
            span=spans[i],
            topic=topic_id(int(topic), fit.n_queries),
            subtopic=ids[int(topic)][int(subtopic)] if subtopic >= 0 and split[int(topic)] else None,
            is_concept=w in concept,
            promoted=bool(promoted),
            pulled_by=pulled[i],
            weight=float(weight[i]),
            share=float(weight[i]) / total,
        )
        for i, (w, topic, subtopic, promoted) in enumerate(
            zip(
                words.tolist(),
                fit.token_topics[tokens],
                result.token_subtopics[tokens],
                fit.token_promoted[tokens],
                strict=True,
            )
        )
    )
    met = {token.topic for token in explained} | {token.subtopic for token in explained}
    names = {topic.id: topic.name for topic in result.all_topics() if topic.id in met}
    unknown = 0.0 if subtopic is not None else result.topics[q].prevalence
    share = float(weight.mean()) if len(weight) else unknown
    about = float(relevance[q]) if subtopic is None else None
    own = {fit.vocabulary[w]: words for w, words in query_words(fit.concepts[q], corpus).items()}
    part = None if corpus.passages is None else result.reasons(q).span(shown)
    return Explanation(shown, fit.concepts[q].name, share, about, explained, names, subtopic, own, part)


def _weight(
    result: Result,
    words: NDArray[np.int32],
    relevance: FloatArray,
    query: str | int | None,
    subtopic: str | None,
) -> tuple[int, FloatArray]:
    """Return the query, and how likely a token of each word is to be about it, or in the subtopic (n,)."""
    if subtopic is not None:
        q = result.query_of(subtopic) if query is None else result.query_index(query)
        s = subtopic_position(result.topics[q], subtopic)
        return q, result.subtopic_weights(q)[words, s]
    weights = result.fit.query_weights[words]  # (n, Q)
    share = weights.sum(axis=0)  # (Q,)
    likeliest = max(range(len(share)), key=lambda q: (relevance[q], share[q]))
    q = likeliest if query is None else result.query_index(query)
    return q, weights[:, q]


def _pulled_by(result: Result, words: Sequence[int], tokens: slice) -> list[str | None]:
    """Return, for each token that promoted, the concept word of its topic that is nearest to it."""
    fit = result.fit
    topics, promoted = fit.token_topics[tokens], fit.token_promoted[tokens]
    nearest = {q: fit.related[q].nearest() for q in set(topics.tolist()) if q < len(fit.related)}
    pulled: list[str | None] = []
    for w, topic, is_promoted in zip(words, topics.tolist(), promoted, strict=True):
        found = nearest.get(topic, {}).get(w) if is_promoted else None
        pulled.append(None if found is None else fit.vocabulary[found[0]])
    return pulled
