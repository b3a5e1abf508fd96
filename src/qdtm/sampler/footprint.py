"""How much memory a fit takes: the size of a corpus and of the model in, bytes out.

The coefficients are bounds on what was measured (`python -m experiments memory`; the figures are in
`docs/reliability.md`), not sums of array sizes: most of a peak are copies on the way.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from qdtm.sampler.background import MOST_TOPICS

if TYPE_CHECKING:
    from qdtm.corpus import Corpus
    from qdtm.settings import Settings

TOKEN, TOKEN_A_CHAIN = 30, 58
DOCUMENT = 350
WORD = 1_500
CELL, CELL_A_THREAD = 32, 4
"""Of the counts (V, C): averages and copies of a chain, and what each thread sweeps on."""

DOCUMENT_A_QUERY = 60
"""How likely each document is to be about each query, and what that follows from."""

ENTRY, ENTRIES_KEPT, ENTRIES_MADE = 12, 2, 4
"""Of the counts (D, V): tf-idf by documents and by words is kept; and copies while evidence is learned."""

FEATURE, FEATURES_MADE = 8, 4
"""Of the documents' vectors (D, d + 1): those that are kept, and all while evidence is learned."""

DIMENSIONS, ENCODED = 100, 400
"""Of the word vectors that come with the package, and of what sentence encoders usually make."""

CONSTANT = 40 * 2**20
"""Half of it the word vectors that come with the package."""


def fit_bytes(
    *,
    n_tokens: int,
    n_documents: int,
    n_words: int,
    n_topics: int,
    n_queries: int = 1,
    n_dimensions: int = DIMENSIONS,
    n_chains: int = 1,
    n_jobs: int = 1,
) -> int:
    """Return how many bytes a fit takes at most, beside the corpus and the program.

    Evidence is learned before the sampler begins, so the larger of both counts, with what the views of the
    documents keep. No token is taken to be like another of its document.

    Parameters
    ----------
    n_topics : int
        Parents and background.
    n_queries : int
    n_dimensions : int
        Of the vectors that documents are seen by; 0 without.
    n_chains : int
        Chains; as many as there are threads run side by side.
    n_jobs : int
        Threads.
    """
    at_once = min(n_chains, n_jobs)
    features = FEATURE * n_documents * (n_dimensions + 1) if n_dimensions else 0
    learning = ENTRIES_MADE * ENTRY * n_tokens + FEATURES_MADE * features
    cells = n_words * n_topics * (CELL * at_once + CELL_A_THREAD * n_jobs)
    sampling = TOKEN_A_CHAIN * at_once * n_tokens + cells + ENTRIES_KEPT * ENTRY * n_tokens + features
    return (
        CONSTANT
        + TOKEN * n_tokens
        + (DOCUMENT + DOCUMENT_A_QUERY * n_queries) * n_documents
        + WORD * n_words
        + max(learning, sampling)
    )


def fit_bytes_of(corpus: Corpus, n_queries: int, settings: Settings, n_dimensions: int = DIMENSIONS) -> int:
    """Return how many bytes a fit of a corpus takes at most, whatever the model will choose for itself."""
    background = settings.n_background_topics or MOST_TOPICS
    return fit_bytes(
        n_tokens=corpus.n_tokens,
        n_documents=corpus.n_documents,
        n_words=corpus.n_words,
        n_topics=n_queries + background,
        n_queries=n_queries,
        n_dimensions=n_dimensions,
        n_chains=settings.n_chains,
        n_jobs=settings.n_jobs or 1,
    )
