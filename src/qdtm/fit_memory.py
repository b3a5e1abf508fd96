"""How much memory a fit takes: the size of a corpus and of the model in, bytes out.

The coefficients are read off what was measured (`python -m experiments memory`; the figures are in
`docs/reliability.md`), not sums of array sizes: most of a peak are copies on the way.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from qdtm.evidence.views import MOST_KEPT
from qdtm.sampler.background import n_topics_for

if TYPE_CHECKING:
    from qdtm.corpus import Corpus
    from qdtm.settings import Settings

TOKEN, TOKEN_A_CHAIN = 16, 44
"""A word of a document, counted and weighed; and what a chain has of it, with copies from before."""

DOCUMENT, DOCUMENT_A_QUERY = 200, 150
"""What is known of every document; and how likely it is to be about a query, with what that follows from."""

DIMENSION, ENCODED_DIMENSION = 4, 22
"""Of the word vectors that a document is seen by; and of those of an encoder, with copies while they are
scaled."""

SHARE = 16
"""Of a background topic in a document: with the query's words, and without."""

WORD = 1_500
CELL, CELL_A_THREAD = 36, 4
"""Of the counts (V, C): averages and copies of a chain, and what each thread sweeps on."""

DIMENSIONS, ENCODED = 100, 400
"""Of the word vectors that come with the package, and of what sentence encoders usually make."""

CONSTANT = 40 * 2**20
"""The word vectors that come with the package, and the cosines of some thousand words at a time."""


def fit_bytes(
    *,
    n_tokens: int,
    n_documents: int,
    n_words: int,
    n_topics: int,
    n_queries: int = 1,
    n_dimensions: int = DIMENSIONS,
    n_encoded: int = 0,
    n_chains: int = 1,
    n_jobs: int = 1,
) -> int:
    """Return about how many bytes a fit and its save take, beside the corpus and the program.

    Parameters
    ----------
    n_topics : int
        Parents and background.
    n_queries : int
    n_dimensions, n_encoded : int
        Of the word vectors that documents are seen by, and of those of a sentence encoder; 0 without.
    n_chains : int
        Chains; as many as there are threads run side by side.
    n_jobs : int
        Threads.
    """
    at_once = min(n_chains, n_jobs)
    document = DOCUMENT + DOCUMENT_A_QUERY * n_queries
    document += DIMENSION * n_dimensions + ENCODED_DIMENSION * n_encoded
    if n_documents * n_topics <= MOST_KEPT:
        document += SHARE * n_topics
    return (
        CONSTANT
        + (TOKEN + TOKEN_A_CHAIN * at_once) * n_tokens
        + document * n_documents
        + WORD * n_words
        + (CELL * at_once + CELL_A_THREAD * n_jobs) * n_words * n_topics
    )


def fit_bytes_of(
    corpus: Corpus,
    n_queries: int,
    settings: Settings,
    n_dimensions: int = DIMENSIONS,
    n_encoded: int = 0,
) -> int:
    """Return about how many bytes a fit of a corpus takes."""
    n_documents = corpus.by_passage.n_documents
    background = settings.n_background_topics or n_topics_for(n_documents)
    return fit_bytes(
        n_tokens=corpus.n_tokens,
        n_documents=n_documents,
        n_words=corpus.n_words,
        n_topics=n_queries + background,
        n_queries=n_queries,
        n_dimensions=n_dimensions,
        n_encoded=n_encoded,
        n_chains=settings.n_chains,
        n_jobs=settings.n_jobs or 1,
    )
