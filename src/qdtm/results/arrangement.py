"""A fit of a corpus' distinct documents in, the fit of the corpus as it came out, and back.

The model works on each different document once, in the order of content (`qdtm.corpus.distinct`); people see
their own rows. Copies of a document get the topics and the relevance of the one that was fitted.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qdtm.concepts.concept import place_documents
from qdtm.corpus.corpus import Corpus
from qdtm.corpus.distinct import DistinctCorpus
from qdtm.results.fit import ModelFit
from qdtm.results.splits import Split, tokens_in

Tokens = Callable[[NDArray[Any]], NDArray[Any]]
"""Takes values of tokens to other places."""

_ELSEWHERE = -2  # of tokens that a split is not about


def spread_fit(fit: ModelFit, inside: DistinctCorpus, corpus: Corpus) -> ModelFit:
    """Return a fit of distinct documents as one of the corpus that they were taken from."""

    def tokens(values: NDArray[Any]) -> NDArray[Any]:
        return inside.spread_tokens(values, corpus.offsets)

    return _take(fit, corpus, tokens, inside.place, inside.rows)


def gather_fit(fit: ModelFit, inside: DistinctCorpus, corpus: Corpus) -> ModelFit:
    """Return a fit of a corpus as one of its distinct documents."""

    def tokens(values: NDArray[Any]) -> NDArray[Any]:
        return inside.gather_tokens(values, corpus.offsets)

    return _take(fit, inside, tokens, inside.rows, inside.place)


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
    children = np.full(len(fit.token_topics), _ELSEWHERE, np.int32)
    children[tokens_in(fit, split.of)] = split.token_children
    children = tokens(children)
    return replace(split, token_children=children[children != _ELSEWHERE])
