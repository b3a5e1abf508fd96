"""Which concept words a set of queries is fitted with.

In: a corpus and queries. Out: one `Concept` a query, as `build_concepts` makes them: as published if the
queries cover the corpus together, otherwise only with words that point to their query.

Together, queries keep general words from each other: what two of them propose, neither gets. A query that is
asked alone has nobody to do that for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from qdtm.concepts.concept import Concept
from qdtm.concepts.expand import build_concepts
from qdtm.concepts.pointing import MIN_POINTING
from qdtm.concepts.reach import Reach, measure_reach, uncovered_share
from qdtm.concepts.term_index import SearchableCorpus


def choose_concepts(
    corpus: SearchableCorpus, queries: Any, *, min_pointing: float | None = None, **options: Any
) -> tuple[Concept, ...]:
    """Turn queries into the concepts that a model is fitted with.

    Parameters
    ----------
    corpus : Corpus
    queries : str, Query, mapping, or an iterable of these
    min_pointing : float, optional
        How much a proposed word must point to its query; None decides by whether the queries cover the
        corpus.
    **options
        The other parameters of `build_concepts`.
    """
    concepts = build_concepts(corpus, queries, min_pointing=min_pointing or 0.0, **options)
    if min_pointing is not None or uncovered_share(measure_reaches(corpus, concepts)) == 0.0:
        return concepts
    return build_concepts(corpus, queries, min_pointing=MIN_POINTING, **options)


def measure_reaches(corpus: SearchableCorpus, concepts: Sequence[Concept]) -> list[Reach]:
    """Measure how far each concept reaches into the corpus."""
    words = (np.array(concept.word_indices, np.int32) for concept in concepts)
    return [measure_reach(corpus.document_term_matrix, of_concept) for of_concept in words]
