"""How much memory a fit takes: the size of a corpus and of the model in, bytes out.

The coefficients are bounds on what was measured (`benchmarks/memory.py`; the figures are in
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

CONSTANT = 16 * 2**20


def fit_bytes(
    *, n_tokens: int, n_documents: int, n_words: int, n_topics: int, n_chains: int = 1, n_jobs: int = 1
) -> int:
    """Return how many bytes a fit takes at most, beside the corpus and the program.

    Parameters
    ----------
    n_topics : int
        Parents and background.
    n_chains : int
        Chains; as many as there are threads run side by side.
    n_jobs : int
        Threads.
    """
    at_once = min(n_chains, n_jobs)
    cells = n_words * n_topics * (CELL * at_once + CELL_A_THREAD * n_jobs)
    return (
        CONSTANT
        + n_tokens * (TOKEN + TOKEN_A_CHAIN * at_once)
        + DOCUMENT * n_documents
        + WORD * n_words
        + cells
    )


def fit_bytes_of(corpus: Corpus, n_queries: int, settings: Settings) -> int:
    """Return how many bytes a fit of a corpus takes at most, whatever the model will choose for itself."""
    background = settings.n_background_topics or MOST_TOPICS
    return fit_bytes(
        n_tokens=corpus.n_tokens,
        n_documents=corpus.n_documents,
        n_words=corpus.n_words,
        n_topics=n_queries + background,
        n_chains=settings.n_chains,
        n_jobs=settings.n_jobs or 1,
    )
