"""`ModelFit`: the whole outcome of a fit, as numbers. Everything shown or saved is a function of it.

In: what the sampler found (`qdtm.sampler`). Out: one frozen object whose parts are known to fit together.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from qdtm.corpus.corpus import Corpus
from qdtm.corpus.distinct import DistinctCorpus
from qdtm.errors import ParameterError
from qdtm.evidence.word_evidence import WordEvidence
from qdtm.queries.concept import Concept, ConceptWord, place_documents
from qdtm.results.distributions import word_topic_probabilities
from qdtm.results.hand_check.hand_check import HandCheck
from qdtm.results.promotion import RelatedWords, check_related
from qdtm.results.splits import Grouping, Split, check_splits, is_within, tokens_in
from qdtm.sampler.mixture import DocumentMixture
from qdtm.sampler.trace import Trace
from qdtm.storage.mapped import blocks, full_beside, places_where

if TYPE_CHECKING:
    from qdtm.results.stability import Stability


# --- how a result is shown ----------------------------------------------------------------------------------
#
# What the user says about how a result is to be shown: names, columns, which documents are listed.
#
# In: the user's words. Out: `Presentation`, which is saved with a fit. No number depends on it.

MAX_LABEL = 200
"""Characters of a label; what is longer is a text, not a name."""


@dataclass(frozen=True)
class Presentation:
    """How a result is shown.

    Attributes
    ----------
    labels : mapping of str to str
        The user's names for topics, by id ("0", "0.2", "b1").
    time_column : str or None
        The user's column with dates.
    date_format : str or None
        How its dates are written, as in `datetime.strptime`, where that should not be found out.
    group_column : str or None
        The user's column with groups (parties, authors, ...).
    all_documents : bool
        Whether `documents.csv` has all documents, not only those that are about a query.
    """

    labels: Mapping[str, str] = field(default_factory=dict)
    time_column: str | None = None
    date_format: str | None = None
    group_column: str | None = None
    all_documents: bool = False

    def to_json(self) -> dict[str, Any]:
        """Return it in a form that JSON can hold."""
        return {
            "labels": dict(self.labels),
            "time_column": self.time_column,
            "date_format": self.date_format,
            "group_column": self.group_column,
            "all_documents": self.all_documents,
        }

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Presentation:
        """Return what `to_json` described; anything else raises."""
        labels = {str(topic): str(label) for topic, label in dict(values["labels"]).items()}
        columns = {name: values[name] for name in ("time_column", "date_format", "group_column")}
        if not all(value is None or isinstance(value, str) for value in columns.values()):
            raise ValueError("the name of a column is not a text")
        if not isinstance(values["all_documents"], bool):
            raise ValueError("whether all documents are listed is neither true nor false")
        return cls(labels, **columns, all_documents=values["all_documents"])


def checked_labels(labels: Any, ids: Collection[str]) -> dict[str, str]:
    """Return labels for topics, cleaned; an empty one (or None) takes a label away.

    Parameters
    ----------
    labels : mapping of str to str or None
        By topic id.
    ids : collection of str
        The topics there are.

    Raises
    ------
    ParameterError
        If there is no such topic, or the label is not a short text.
    """
    if not isinstance(labels, Mapping):
        raise ParameterError(f"Labels are {labels!r}; give {{topic id: label}}, such as {{'0.1': 'tennis'}}.")
    return {_known(topic, ids): _clean(topic, label) for topic, label in labels.items()}


def _known(topic: object, ids: Collection[str]) -> str:
    if str(topic) in ids:
        return str(topic)
    closest = difflib.get_close_matches(str(topic), ids, n=1)
    hint = f" Closest: {closest[0]!r}." if closest else ""
    raise ParameterError(f"There is no topic {topic!r} to label.{hint}")


def _clean(topic: object, label: object) -> str:
    if label is not None and not isinstance(label, str):
        raise ParameterError(f"The label of topic {topic!r} is {label!r}; give a text.")
    text = " ".join((label or "").split())
    if len(text) > MAX_LABEL:
        raise ParameterError(
            f"The label of topic {topic!r} has {len(text)} characters; give at most {MAX_LABEL}."
        )
    return text


# --- what was corrected by hand -----------------------------------------------------------------------------
#
# What `qdtm.results.corrections` made of a fit, for whoever shows it. It is not saved: the acts are.


class Hidden(NamedTuple):
    """A subtopic that was hidden: its id, what it was called, and its share among its siblings' words."""

    id: str
    name: str
    share: float


@dataclass(frozen=True)
class Corrections:
    """What is shown otherwise than it was found, by topic id.

    Attributes
    ----------
    groupings : mapping of str to Grouping
        Where subtopics right below a topic were merged or hidden.
    merged : mapping of str to tuple of str
        The ids of what was merged into a subtopic.
    hidden : tuple of Hidden
    names : mapping of str to str
        What subtopics were called before any was merged or hidden: others keep their names.
    dropped_words : mapping of str to tuple of str
        Words that are not shown among a topic's.
    """

    groupings: Mapping[str, Grouping] = field(default_factory=dict)
    merged: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    hidden: tuple[Hidden, ...] = ()
    names: Mapping[str, str] = field(default_factory=dict)
    dropped_words: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def hidden_below(self, id: str) -> list[Hidden]:
        """Return what was hidden below a topic, at any depth."""
        return [each for each in self.hidden if is_within(each.id, id)]


# --- the fit ------------------------------------------------------------------------------------------------


class Scored(NamedTuple):
    """How likely documents are to be about each query; see the parts of `ModelFit` of these names."""

    relevance: NDArray[np.float32]
    strength: NDArray[np.float32]
    word_evidence: WordEvidence


@dataclass(frozen=True, eq=False, repr=False)
class ModelFit:
    """The frozen outcome of a fit. V words, N tokens, Q queries, K topics, S_q subtopics of query q.

    Attributes
    ----------
    vocabulary : tuple of str, length V
    concepts : tuple of Concept, length Q
        In the order of the queries.
    word_topic : ndarray of float32, shape (V, K)
        Tokens of each word in each topic, averaged over the samples. Columns 0 to Q - 1 are the queries'
        parent topics, then come the background topics, largest first.
    promoted_mass : ndarray of float32, shape (V, Q)
        The mass that promotion added to each (concept) word, times u, averaged.
    subtopic_counts : tuple of ndarray of float32, shape (V, S_q); length Q
        Tokens of each word in each subtopic that is kept, largest first, averaged. S_q is 0 without
        subtopics.
    subtopic_rest : tuple of float, length Q
        The share of each parent's tokens in subtopics that were dropped as too small.
    token_topics : ndarray of int32, shape (N,)
        The topic of each token of the corpus in the last sample, as a column of `word_topic`.
    token_subtopics : ndarray of int32, shape (N,)
        Its subtopic, as a column of `subtopic_counts[token_topics[i]]`; -1 if it has none.
    token_promoted : ndarray of uint8, shape (N,)
        Whether it promoted concept words; no token of the background does.
    parent_trace : Trace
    subtopic_traces : tuple of Trace
        One a query, or none without subtopics.
    beta : float
        The smoothing of p(word | topic).
    threshold : float or None
        The cosine above which words were related; None without promotion.
    parameters : mapping of str to JSON value
        The estimator's parameters.
    corpus_fingerprint : str
        `Corpus.fingerprint` of the corpus it was fitted on.
    versions : mapping of str to str
        Of qdtm and the packages that decide about the numbers.
    related : tuple of RelatedWords
        The words that promote concept words of each query; empty where that was not recorded.
    stability : Stability or None
        How far runs agree on the subtopics: chains of a split, or whole runs; None if there were none.
    presentation : Presentation
        How the user wants it shown; no number depends on it.
    checks : tuple of HandCheck
        What a person said about samples of documents, one a query at most.
    relevance : ndarray of float32, shape (D, Q), optional
        How likely each document is to be about each query, or each passage where documents are judged by
        passage (`Corpus.by_passage`); None until it is known (see `scored`), as the next two are.
    strength : ndarray of float32, shape (D, Q), optional
        How much each document, or passage, names each query, 0 if it does not.
    word_evidence : WordEvidence, optional
        How much each word speaks for each query, for the relevance of new documents.
    covers : bool
        Whether the queries cover the corpus together, and so competed for each document.
    splits : tuple of Split
        The subtopics that were opened into their own (`drill_down`), in level order.
    mixtures : tuple of DocumentMixture
        Which documents each subtopic is the main one of, one a query, with groups that are not shown after
        those that are; empty, or without groups, where it is the one with the largest share.
    corrections : Corrections
        What was merged, hidden or dropped by hand; empty as it was fitted.
    shared_words : ndarray of bool, shape (V, Q), optional
        Which words two documents about each query have (`with_words_about`); None until that is known.
    words_about : ndarray of float32, shape (V, Q), optional
        The relevance of the documents about each query that have each word, times p(z|w); None until that is
        known, and where queries cover the corpus: there nothing is only near one.
    """

    vocabulary: tuple[str, ...]
    concepts: tuple[Concept, ...]
    word_topic: NDArray[np.float32]
    promoted_mass: NDArray[np.float32]
    subtopic_counts: tuple[NDArray[np.float32], ...]
    subtopic_rest: tuple[float, ...]
    token_topics: NDArray[np.int32]
    token_subtopics: NDArray[np.int32]
    token_promoted: NDArray[np.uint8]
    parent_trace: Trace
    subtopic_traces: tuple[Trace, ...]
    beta: float
    threshold: float | None
    parameters: Mapping[str, Any]
    corpus_fingerprint: str
    versions: Mapping[str, str]
    related: tuple[RelatedWords, ...] = ()
    stability: Stability | None = None
    presentation: Presentation = field(default_factory=Presentation)
    splits: tuple[Split, ...] = ()
    checks: tuple[HandCheck, ...] = ()
    relevance: NDArray[np.float32] | None = None
    strength: NDArray[np.float32] | None = None
    word_evidence: WordEvidence | None = None
    covers: bool = False
    mixtures: tuple[DocumentMixture, ...] = ()
    corrections: Corrections = field(default_factory=Corrections)
    shared_words: NDArray[np.bool_] | None = None
    words_about: NDArray[np.float32] | None = None

    def __post_init__(self) -> None:
        _check_lengths(self)
        _check_counts(self)
        _check_tokens(self)
        _check_stability(self)
        _check_relevance(self)
        check_related(self.related, [c.tied_indices for c in self.concepts], len(self.vocabulary))
        check_splits(self)
        _check_mixtures(self)

    @property
    def n_queries(self) -> int:
        """The number of queries, Q."""
        return len(self.concepts)

    @property
    def n_topics(self) -> int:
        """The number of topics, K: the parents and the background."""
        return int(self.word_topic.shape[1])

    @property
    def n_background(self) -> int:
        """The number of background topics, K - Q."""
        return self.n_topics - self.n_queries

    @cached_property
    def query_weights(self) -> NDArray[np.float64]:
        """How likely a token of each word is to be about each query, p(z|w); shape (V, Q)."""
        return word_topic_probabilities(self.word_topic)[:, : self.n_queries]

    @property
    def scored(self) -> Scored:
        """How likely documents are to be about the queries; raises before it is known."""
        if self.relevance is None or self.strength is None or self.word_evidence is None:
            raise ValueError("it is not known yet how likely documents are to be about the queries")
        return Scored(self.relevance, self.strength, self.word_evidence)

    def check_of(self, q: int) -> HandCheck | None:
        """Return the hand-check of query `q`, if there is one."""
        name = self.concepts[q].name
        return next((check for check in self.checks if check.query == name), None)

    def is_split_by_groups(self, q: int) -> bool:
        """Whether the tokens of query `q` were swept from groups of documents that runs agree on.

        Such a chain keeps its groups, and makes as many sweeps as tokens need to find their places: nobody
        asks whether it has converged.
        """
        grouped = bool(self.mixtures) and self.mixtures[q].n_groups > 0
        return grouped and not self.subtopic_traces[q].interrupted

    @property
    def interrupted(self) -> bool:
        """Whether the user stopped the fit before it was done."""
        traces = (self.parent_trace, *self.subtopic_traces)
        fewer_chains = self.stability is not None and self.stability.interrupted
        return fewer_chains or any(trace.interrupted for trace in traces)

    def __repr__(self) -> str:
        names = ", ".join(repr(concept.name) for concept in self.concepts)
        marked = ", interrupted" if self.interrupted else ""
        return f"ModelFit({names}, {self.n_background} background topics{marked})"


def _check_lengths(fit: ModelFit) -> None:
    """Raise unless there is one of everything for each query."""
    n_queries = len(fit.concepts)
    if not n_queries:
        raise ValueError("there is no query")
    if len(fit.subtopic_counts) != n_queries or len(fit.subtopic_rest) != n_queries:
        raise ValueError(f"there are not subtopics for each of the {n_queries} queries")
    if not all(0 <= rest <= 1 for rest in fit.subtopic_rest):
        raise ValueError("a share of dropped subtopics is not between 0 and 1")
    if len(fit.subtopic_traces) not in (0, n_queries):
        raise ValueError(f"there are {len(fit.subtopic_traces)} traces for {n_queries} queries")
    if {check.query for check in fit.checks} - {concept.name for concept in fit.concepts}:
        raise ValueError("a hand-check of a query that was not asked")
    if not all(_is_in(word, fit.vocabulary) for concept in fit.concepts for word in concept.words):
        raise ValueError("a concept word is not in the vocabulary")


def _is_in(word: ConceptWord, vocabulary: tuple[str, ...]) -> bool:
    """Return whether a concept word is where it says it is."""
    w = word.index
    return isinstance(w, int | np.integer) and 0 <= w < len(vocabulary) and vocabulary[w] == word.word


def _check_counts(fit: ModelFit) -> None:
    """Raise unless all counts are over the same vocabulary, and none is negative or not a number."""
    n_words = len(fit.vocabulary)
    if fit.word_topic.shape != (n_words, max(fit.n_topics, fit.n_queries)):
        raise ValueError(f"word_topic has shape {fit.word_topic.shape} for {n_words} words")
    if fit.promoted_mass.shape != (n_words, fit.n_queries):
        raise ValueError(f"promoted_mass has shape {fit.promoted_mass.shape}")
    if any(counts.ndim != 2 or counts.shape[0] != n_words for counts in fit.subtopic_counts):
        raise ValueError("the counts of a subtopic are over another vocabulary")
    for counts in (fit.word_topic, fit.promoted_mass, *fit.subtopic_counts):
        if not (np.isfinite(counts).all() and (counts >= 0).all()):
            raise ValueError("a count is negative or not a number")
    if not 0 < fit.beta * n_words <= np.finfo(np.float32).max:  # the sampler adds it up in this type
        raise ValueError(f"beta is {fit.beta}")


def _check_tokens(fit: ModelFit) -> None:
    """Raise unless every token has a topic that exists, and a subtopic of it or none."""
    topics, subtopics = fit.token_topics, fit.token_subtopics
    if not topics.shape == subtopics.shape == fit.token_promoted.shape or topics.ndim != 1:
        raise ValueError("the arrays of tokens differ in length")
    if len(topics) and not (topics.min() >= 0 and topics.max() < fit.n_topics):
        raise ValueError("a token's topic does not exist")
    n_subtopics = np.zeros(fit.n_topics, np.int64)  # (K,)
    n_subtopics[: fit.n_queries] = [counts.shape[1] for counts in fit.subtopic_counts]
    for here in blocks(len(topics)):
        if not ((subtopics[here] >= -1) & (subtopics[here] < n_subtopics[topics[here]])).all():
            raise ValueError("a token's subtopic does not exist")
        if fit.token_promoted[here][topics[here] >= fit.n_queries].any():
            raise ValueError("a token of the background promotes")


def _check_stability(fit: ModelFit) -> None:
    """Raise unless what is said about subtopics is about those of this fit."""
    if fit.stability is None:
        return
    if len(fit.stability.queries) != fit.n_queries:
        raise ValueError(f"the stability of {len(fit.stability.queries)} queries for {fit.n_queries}")
    for query, counts in zip(fit.stability.queries, fit.subtopic_counts, strict=True):
        if len(query.subtopics) not in (0, counts.shape[1]):
            raise ValueError(f"the stability of {len(query.subtopics)} subtopics for {counts.shape[1]}")


def _check_mixtures(fit: ModelFit) -> None:
    """Raise unless there is a group for each subtopic, or none at all."""
    if len(fit.mixtures) not in (0, fit.n_queries):
        raise ValueError(f"{len(fit.mixtures)} mixtures for {fit.n_queries} queries")
    for mixture, counts in zip(fit.mixtures, fit.subtopic_counts, strict=False):
        if mixture.n_groups and mixture.n_groups < counts.shape[1]:
            raise ValueError(f"{mixture.n_groups} groups of documents for {counts.shape[1]} subtopics")
        if mixture.log_words.shape != (len(fit.vocabulary), mixture.n_groups):
            raise ValueError("groups of documents over another vocabulary")
        if not (np.isfinite(mixture.log_words).all() and np.isfinite(mixture.log_sizes).all()):
            raise ValueError("a group's probability is not a number")


def _check_relevance(fit: ModelFit) -> None:
    """Raise unless every relevance is a probability, and there is one of everything for each query."""
    if fit.relevance is None:
        return
    relevance, strength, words = fit.scored
    if relevance.ndim != 2 or relevance.shape[1] != fit.n_queries or strength.shape != relevance.shape:
        raise ValueError(f"relevance has shape {relevance.shape} for {fit.n_queries} queries")
    if not all(((each >= 0) & (each <= 1)).all() for each in (relevance, strength)):
        raise ValueError("a relevance is not between 0 and 1")
    if words.weights.shape != (len(fit.vocabulary), fit.n_queries) or len(words.intercepts) != fit.n_queries:
        raise ValueError(f"the evidence of words has shape {words.weights.shape}")
    if not (np.isfinite(words.weights).all() and np.isfinite(words.intercepts).all()):
        raise ValueError("the evidence of a word is not a number")


# --- from distinct documents to rows, and back --------------------------------------------------------------
#
# A fit of a corpus' distinct documents in, the fit of the corpus as it came out, and back.
#
# The model works on each different document once, in the order of content (`qdtm.corpus.distinct`); people
# see their own rows. Copies of a document get the topics and the relevance of the one that was fitted. Where
# documents are judged by passage, relevance stays that of passages: `qdtm.results.relevance` sums it up.

Tokens = Callable[[NDArray[Any]], NDArray[Any]]
"""Takes values of tokens to other places."""

_ELSEWHERE = -2  # of tokens that a split is not about


def spread_fit(fit: ModelFit, inside: DistinctCorpus, corpus: Corpus) -> ModelFit:
    """Return a fit of distinct documents as one of the corpus that they were taken from."""

    def tokens(values: NDArray[Any]) -> NDArray[Any]:
        return inside.spread_tokens(values, corpus.by_passage.offsets)

    return _take(fit, corpus, tokens, inside.place, inside.document_rows)


def gather_fit(fit: ModelFit, inside: DistinctCorpus, corpus: Corpus) -> ModelFit:
    """Return a fit of a corpus as one of its distinct documents."""

    def tokens(values: NDArray[Any]) -> NDArray[Any]:
        return inside.gather_tokens(values, corpus.by_passage.offsets)

    return _take(fit, inside, tokens, inside.rows, inside.document_places)


def _take(
    fit: ModelFit,
    corpus: Corpus,
    tokens: Tokens,
    documents: NDArray[np.int64],
    rows: NDArray[np.int64],
) -> ModelFit:
    """Take tokens and documents at other places; `rows` says where a document is then."""
    return replace(
        fit,
        concepts=tuple(place_documents(concept, rows) for concept in fit.concepts),
        token_topics=tokens(fit.token_topics),
        token_subtopics=tokens(fit.token_subtopics),
        token_promoted=tokens(fit.token_promoted),
        relevance=None if fit.relevance is None else fit.relevance[documents],
        strength=None if fit.strength is None else fit.strength[documents],
        splits=tuple(_take_split(fit, split, tokens) for split in fit.splits),
        corpus_fingerprint=corpus.fingerprint,
    )


def _take_split(fit: ModelFit, split: Split, tokens: Tokens) -> Split:
    children = full_beside(fit.token_topics, _ELSEWHERE, np.int32)
    children[tokens_in(fit, split.of)] = split.token_children
    children = tokens(children)
    return replace(split, token_children=children[places_where(lambda each: each != _ELSEWHERE, children)])
