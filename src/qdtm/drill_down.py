"""Drilling down: a fit, its corpus and the id of a subtopic in, a fit in which it is opened out.

It is phase 2 once more, on the tokens that the subtopic has in the last sample. Its random stream is named by
the seed and the id, so the outcome does not depend on what else was opened, or when.
"""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np

from qdtm.corpus import Corpus
from qdtm.errors import QueryError
from qdtm.progress import ProgressCallback, defer_interrupts
from qdtm.results.fit import ModelFit
from qdtm.results.splits import Split, above, below, level_order, path_of, subtopic_ids, tokens_in
from qdtm.sampler.engines import Threads
from qdtm.sampler.subtopics import cut_out, fit_subtopics
from qdtm.settings import Settings

FEWEST_TOKENS = 200
"""A subtopic with fewer is not opened: what the sampler finds in so little is chance."""

FEWEST_BELOW = 40
"""Tokens that a subtopic below another must have to be kept."""

_ID = re.compile(r"\d+(\.[1-9]\d*)+")


def open_subtopic(
    fit: ModelFit, corpus: Corpus, id: str, settings: Settings, progress: ProgressCallback | None = None
) -> ModelFit:
    """Open a subtopic into its own subtopics; one that is open already stays as it is.

    Parameters
    ----------
    fit : ModelFit
    corpus : Corpus
        What it was fitted on.
    id : str
        Of a subtopic, such as "0.1" or "0.1.2".
    settings : Settings
        Of the fit.

    Raises
    ------
    QueryError
        If there is no such subtopic, or it is too small to split.
    """
    _check_id(fit, id)
    if any(split.of == id for split in fit.splits):
        return fit
    where = tokens_in(fit, id)
    tokens, offsets = cut_out(corpus.tokens, corpus.offsets, where)
    if len(tokens) < FEWEST_TOKENS:
        raise QueryError(
            f"Subtopic {id} is too small to split: it has {len(tokens):,} tokens, {FEWEST_TOKENS} are needed."
        )
    with Threads(settings.n_jobs or 1) as engine, defer_interrupts() as interruption:
        found = fit_subtopics(
            tokens,
            offsets,
            corpus.n_words,
            settings.priors,
            settings.schedule,
            max(settings.fewest_tokens(corpus.n_tokens, len(tokens)), FEWEST_BELOW),
            settings.seed,
            path_of(id),
            name=id,
            engine=engine,
            progress=progress,
            interruption=interruption,
        )
    if found.counts.shape[1] < 2:
        raise QueryError(
            f"Subtopic {id} does not split: the model finds one theme in its {len(tokens):,} tokens."
        )
    counts = found.counts * (_size(fit, id) / len(tokens))  # the last sample's size may differ from the mean
    split = Split(id, counts.astype(np.float32), found.rest, found.token_subtopics, found.trace)
    return replace(fit, splits=level_order([*fit.splits, split]))


def _size(fit: ModelFit, id: str) -> float:
    """Return how many tokens a subtopic has, averaged over the samples."""
    _, ids, counts = below(fit, above(id))
    return float(counts[:, ids.index(id)].sum(dtype=np.float64))


def _check_id(fit: ModelFit, id: str) -> None:
    """Raise unless there is a subtopic with an id; say what is nearest to it."""
    known = [each for q in range(fit.n_queries) for each in subtopic_ids(fit, q)]
    if id in known:
        return
    if not isinstance(id, str) or not _ID.fullmatch(id):
        raise QueryError(f"Subtopic {id!r} cannot be opened; give the id of a subtopic, such as '0.1'.")
    if above(id) in known and not any(above(each) == above(id) for each in known):
        raise QueryError(f"There is no subtopic {id!r}: {above(id)} has not been opened yet; open it first.")
    siblings = [each for each in known if above(each) == above(id)] or known
    there = f"{siblings[0]} to {siblings[-1]}" if siblings else "none"
    raise QueryError(f"There is no subtopic {id!r} in this model; there is {there}.")
