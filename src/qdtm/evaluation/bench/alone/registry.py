"""Which rows there are, by name: a row's name in, an `AloneRow` out."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

from qdtm.embeddings.encoder import load_encoder
from qdtm.embeddings.model_folders import MINILM
from qdtm.errors import EmbeddingError, MissingExtraError, ParameterError
from qdtm.evaluation.baselines.extras import require
from qdtm.evaluation.bench.alone.cells import OURS
from qdtm.evaluation.bench.alone.rows import (
    EVIDENCE,
    RETRIEVAL,
    TOGETHER,
    AloneRow,
    EvidenceRow,
    QueryDrivenRow,
    RetrievalRow,
    TogetherRow,
)
from qdtm.evaluation.bench.alone.topic_rows import PeerTopicRow, SeededLDARow, UnseededRow
from qdtm.evaluation.systems.peers import RECIPES, make_peer
from qdtm.evaluation.systems.registry import SystemOptions

ENCODED = (f"{OURS}-encoder", f"{EVIDENCE}-encoder")
"""The query-driven model and its evidence with MiniLM."""

ROWS = (OURS, EVIDENCE, "paper", *RETRIEVAL, "lda", "hdp", "seeded-lda", *RECIPES, *ENCODED)
"""All rows, in order."""

USUAL = (OURS, EVIDENCE, "paper", *RETRIEVAL, "lda", "seeded-lda")
"""Those of queries that are asked alone, if none is named."""


def make_row(name: str, max_sweeps: int | None = None) -> AloneRow:
    """Make a row.

    Raises
    ------
    ParameterError
        If there is none of that name.
    MissingExtraError
        If it needs a package that is not installed, or a part of this one that is not there.
    """
    if name in (OURS, "paper"):
        return QueryDrivenRow(name, "default" if name == OURS else name, max_sweeps)
    if name == TOGETHER:
        return TogetherRow(name, max_sweeps)
    if name == EVIDENCE:
        return EvidenceRow()
    if name in ENCODED:
        load_encoder(MINILM)  # is it there?
        if name == ENCODED[0]:
            return QueryDrivenRow(name, "default", max_sweeps, MINILM)
        return EvidenceRow(name, MINILM)
    if name in RETRIEVAL:
        return RetrievalRow(name)
    if name in RECIPES:
        make_peer(name, SystemOptions(max_sweeps=max_sweeps))  # is it installed?
        return PeerTopicRow(name, max_sweeps)
    if name not in ROWS:
        raise ParameterError(f"There is no row {name!r}. Choose one of {', '.join(ROWS)}.")
    require("tomotopy", "baselines")
    if name == "seeded-lda":
        return SeededLDARow(name, max_sweeps)
    return UnseededRow("hdp" if name == "hdp" else "lda", max_sweeps)


def make_rows(
    names: Sequence[str],
    max_sweeps: int | None = None,
    *,
    default: Sequence[str] = ROWS,
    always: Sequence[str] = (),
) -> dict[str, AloneRow]:
    """Make rows: those of `default` that can be run here if none is named, and always those of `always`."""
    rows: dict[str, AloneRow] = {}
    for name in names or default:
        try:
            rows[name] = make_row(name, max_sweeps)
        except (MissingExtraError, EmbeddingError) as error:
            if names:
                raise
            warnings.warn(f"The row {name!r} is left out. {error}", stacklevel=2)
    for name in always:
        rows.setdefault(name, make_row(name, max_sweeps))
    return rows
