"""The LDA samplers in the race of `qdtm.evaluation.speed`: the authors' bags in, started contestants out.

All have one thread, K = concepts + 1 and alpha = beta = 1/K, so that tomotopy's LDA does the same work.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from importlib.util import find_spec

import numpy as np

from qdtm.corpus import Corpus
from qdtm.evaluation.baselines.chain import ConstrainedChain
from qdtm.evaluation.baselines.collapsed import add_documents
from qdtm.evaluation.baselines.constrained import DFLDA, ISLDA, SCLDA
from qdtm.evaluation.datasets.authors import AuthorsBags
from qdtm.evaluation.speed import Contestant


def lda_contestants(bags: AuthorsBags, n_topics: int | None = None) -> list[Contestant]:
    """Start our samplers (plain, ISLDA, SCLDA, DF-LDA) and, if it is installed, tomotopy's LDA.

    Parameters
    ----------
    bags : AuthorsBags
    n_topics : int, optional
        By default one more than there are concepts.
    """
    corpus = Corpus.from_tokens(
        [[bags.vocabulary[w] for w in part] for part in np.split(bags.tokens, bags.offsets[1:-1])]
    )
    words = [concept.keywords for concept in bags.concepts]
    k = len(words) + 1 if n_topics is None else n_topics
    ours: dict[str, ISLDA | SCLDA | DFLDA] = {
        "qdtm-lda": ISLDA((), k),
        "qdtm-islda": ISLDA(words, k),
        "qdtm-sclda": SCLDA(words, n_topics=k, alpha=1.0 / k, beta=1.0 / k),
        "qdtm-dflda": DFLDA(words, n_topics=k, alpha=1.0 / k, beta=1.0 / k),
    }
    made = [_of_chain(name, model.chain(corpus)) for name, model in ours.items()]
    return [*made, _tomotopy(corpus, k)] if find_spec("tomotopy") else made


def _of_chain(name: str, chain: ConstrainedChain) -> Contestant:
    def sweep(n_sweeps: int) -> None:
        for _ in range(n_sweeps):
            chain.step()

    return Contestant(name, 1, False, chain.corpus.n_tokens, _timed(sweep), "lda")


def _tomotopy(corpus: Corpus, n_topics: int) -> Contestant:
    import tomotopy

    model = tomotopy.LDAModel(k=n_topics, alpha=1.0 / n_topics, eta=1.0 / n_topics, seed=0)
    model.optim_interval = 0
    add_documents(model, corpus)
    timed = _timed(lambda sweeps: model.train(sweeps, workers=1))
    return Contestant("tomotopy-lda", 1, False, corpus.n_tokens, timed, "lda")


def _timed(sweep: Callable[[int], object]) -> Callable[[int], float]:
    def seconds(n_sweeps: int) -> float:
        start = time.perf_counter()
        sweep(n_sweeps)
        return time.perf_counter() - start

    return seconds
