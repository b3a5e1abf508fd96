"""Which rows rare queries are asked of, if none is named: the model, retrieval, topic models, and peers."""

from __future__ import annotations

from importlib.util import find_spec

from qdtm.evaluation.bench.alone.cells import OURS
from qdtm.evaluation.systems.peers import RECIPES

USUAL = (OURS, "ql-query", "bm25-query", "ql", "bm25", "lda", "hdp", "seeded-lda")


def usual_rows() -> tuple[str, ...]:
    """Return the usual rows, and those of peers whose package is installed."""
    installed = (name for name, recipe in RECIPES.items() if find_spec(recipe.module.partition(".")[0]))
    return (*USUAL, *installed)
