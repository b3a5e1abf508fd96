"""Which concept words a set of queries is fitted with.

In: a corpus and queries. Out: one `Concept` a query, as `build_concepts` makes them: as published if the
queries cover the corpus together, otherwise only with words that point to their query.

Together, queries keep general words from each other: what two of them propose, neither gets. A query that is
asked alone has nobody to do that for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from qdtm.concepts.concept import Concept
from qdtm.concepts.expand import draft_concepts, finish_concepts
from qdtm.concepts.pointing import MIN_POINTING
from qdtm.concepts.reach import Reach, cover_the_corpus, measure_reach
from qdtm.concepts.search import search
from qdtm.concepts.term_index import SearchableCorpus, TermIndex
from qdtm.embeddings.vectors import WordVectors


def choose_concepts(
    corpus: SearchableCorpus,
    queries: Any,
    *,
    expansion: Any = "kld",
    rule: Any = "and",
    n_concept_words: int = 10,
    n_candidates: int = 100,
    min_pointing: float | None = None,
    vectors: WordVectors | None = None,
    refuse: bool = True,
) -> tuple[Concept, ...]:
    """Turn queries into the concepts that a model is fitted with.

    Parameters
    ----------
    min_pointing : float, optional
        How much a proposed word must point to its query; None decides by whether the queries cover the
        corpus.

    See Also
    --------
    build_concepts : for the other parameters.
    """
    drafts = draft_concepts(corpus, queries, expansion=expansion, rule=rule, vectors=vectors, refuse=refuse)
    if min_pointing is None:
        covered = cover_the_corpus([draft.reach for draft in drafts])
        min_pointing = 0.0 if covered else MIN_POINTING
    return finish_concepts(
        drafts, n_concept_words=n_concept_words, n_candidates=n_candidates, min_pointing=min_pointing
    )


def measure_reaches(corpus: SearchableCorpus, concepts: Sequence[Concept]) -> list[Reach]:
    """Measure how far each concept reaches into the corpus."""
    index = TermIndex.of(corpus)
    return [measure_reach(index, search(corpus, concept.query, concept.rule)) for concept in concepts]
