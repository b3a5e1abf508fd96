"""Phase 2: each parent topic is split into subtopics, whose number the model infers (eq. 11-15).

In: the tokens of one parent topic in the last sample of phase 1, or of a subtopic in the last one of phase 2,
and how relevant documents are. Out: `SubtopicFit`.

It is the same process on that part of the corpus: nothing is fixed, nothing promotes, smoothing runs over the
parent's own words, and only subtopics of the same parent compete. The paper's (`fit_subtopics`) begins with
nothing: in the first sweep a token may not stay in the parent, so all tokens draw one after the other. The
default (`split_documents`) begins with the groups of documents that independent chains agree on
(`qdtm.sampler.consensus`), and these have a prior in each document, as a query has by its evidence.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qdtm.corpus.distinct import copy_rows
from qdtm.corpus.indexing import count_numbers
from qdtm.progress import Interruption, Progress, ProgressCallback
from qdtm.sampler.assignment import assign, unassigned
from qdtm.sampler.chain import Chain, open_chain
from qdtm.sampler.consensus import (
    MAJORITY,
    SAME_DOCUMENTS,
    Grouping,
    Overlap,
    can_split,
    find_overlap,
    group_documents,
)
from qdtm.sampler.convergence import KeepChain, Saved, Schedule, run_chain
from qdtm.sampler.document_vectors import mean_word_vectors
from qdtm.sampler.engines import Engine, Threads
from qdtm.sampler.initialise import LEAST_PRIOR, MOST_PRIOR
from qdtm.sampler.kernels import DEEPER, SUBTOPICS, Rules
from qdtm.sampler.mixture import DocumentMixture, words_once
from qdtm.sampler.problem import Priors
from qdtm.sampler.trace import Trace

SETTLING = Schedule(20, 20, hurries=True)
"""Sweeps from the groups that chains agree on: tokens find their places, groups stay."""

NO_NEW_TOPICS = 1e-3
"""Gamma of these sweeps: groups are there already, and what one chain alone finds is not shown."""

BACK = 0.5
"""A group whose documents have less than this much of the usual share in the topic goes back to the rest."""


@dataclass(frozen=True, eq=False)
class SubtopicFit:
    """What phase 2 found in one topic. Subtopics are in order of size, largest first.

    Parameters
    ----------
    counts : ndarray of shape (V, S)
        Tokens of word w in each subtopic that is kept, averaged over samples.
    rest : float
        Share of the parent's tokens in subtopics that were too small to keep.
    token_subtopics : ndarray of int32, shape (N_q,)
        The subtopic of each of the parent's tokens in the last sample, -1 if it was not kept.
    trace : Trace
    mixture : DocumentMixture
        Which documents each subtopic is the main one of, groups that are not shown after those that are;
        without groups after the paper's phase 2.
    chains : tuple of ndarray of float32, shape (V, S_c)
        The same tokens in the groups that each chain found, to see what they agree on.
    overlap : Overlap, optional
        How far each chain puts the documents of each subtopic together.
    """

    counts: NDArray[np.float64]
    rest: float
    token_subtopics: NDArray[np.int32]
    trace: Trace
    mixture: DocumentMixture
    chains: tuple[NDArray[np.float32], ...] = ()
    overlap: Overlap | None = None

    @classmethod
    def none(cls, n_words: int, n_tokens: int, *, interrupted: bool = True) -> SubtopicFit:
        """No subtopic of a topic with so many tokens: before phase 2, or where no document is about it."""
        nowhere = np.full(n_tokens, -1, np.int32)
        trace = Trace.none(interrupted=interrupted)
        return cls(np.zeros((n_words, 0)), 0.0, nowhere, trace, DocumentMixture.none(n_words))


def fit_subtopics(
    tokens: NDArray[np.int32],
    offsets: NDArray[np.int64],
    n_words: int,
    priors: Priors,
    schedule: Schedule,
    min_tokens: float,
    seed: int,
    of: tuple[int, ...],
    *,
    name: str | None = None,
    engine: Engine | None = None,
    alone: bool = True,
    saved: Saved | None = None,
    keep: KeepChain | None = None,
    progress: ProgressCallback | None = None,
    interruption: Interruption | None = None,
) -> SubtopicFit:
    """Split one parent topic, or one subtopic.

    Parameters
    ----------
    tokens, offsets : ndarray
        The topic's tokens, document by document.
    min_tokens : float
        Subtopics with fewer tokens are not kept.
    seed : int
    of : tuple of int
        The numbers of the topic's id, (0, 1) for "0.1"; they name its random stream.
    engine : Engine, optional
        Where to sweep; by default in the caller's thread. `alone` as in `Engine.place`.
    saved : Saved, optional
        Where it was put down; by default it begins.
    keep : callable, optional
        As in `run_chain`.
    """
    words, own = np.unique(tokens, return_inverse=True)  # most words of the corpus are not the topic's
    chain = open_chain(
        engine or Threads(),
        unassigned(own.astype(np.int32), offsets),
        subtopic_rules(own, len(words), priors),
        seed,
        (SUBTOPICS, *of) if len(of) == 1 else (DEEPER, len(of), *of),
        alone=alone,
        state=saved and saved.state,
    )
    found = split_parent(
        chain, schedule, min_tokens, name=name, saved=saved, keep=keep, progress=progress,
        interruption=interruption,
    )  # fmt: skip
    counts = np.zeros((n_words, found.counts.shape[1]))
    counts[words] = found.counts
    return replace(found, counts=counts, mixture=DocumentMixture.none(n_words))


# DEVIATION(11): the paper splits the tokens of all documents, by one chain that begins with nothing.
def split_documents(
    tokens: NDArray[np.int32],
    offsets: NDArray[np.int64],
    n_words: int,
    in_topic: NDArray[np.int64],
    weights: NDArray[np.floating[Any]],
    priors: Priors,
    min_tokens: float,
    seed: int,
    of: tuple[int, ...],
    *,
    name: str | None = None,
    parts: Any = None,
    word_vectors: NDArray[np.float32] | None = None,
    document_vectors: NDArray[np.float32] | None = None,
    engine: Engine | None = None,
    alone: bool = True,
    progress: ProgressCallback | None = None,
    interruption: Interruption | None = None,
) -> SubtopicFit:
    """Split one topic by the documents that are about it.

    Parameters
    ----------
    tokens, offsets : ndarray
        Of the whole corpus.
    in_topic : ndarray of int64, shape (n,)
        The places of the topic's tokens, rising.
    weights : ndarray of shape (D,)
        The relevance of documents that are about it; 0 for others, which are not split.
    parts : CSR matrix of shape (V, V'), optional
        As in `ParentProblem`: documents are grouped by the words of phrases.
    word_vectors, document_vectors : ndarray of float32, shape (V, d) and (D, e), optional
        As there: documents are grouped by these too, by those of the documents if there are any.

    See Also
    --------
    fit_subtopics : for the other parameters.
    """
    rows = np.flatnonzero(weights > 0)
    place = np.full(len(offsets) - 1, -1, np.int64)
    place[rows] = np.arange(len(rows))
    row_of = place[np.searchsorted(offsets, in_topic, side="right") - 1]  # (n,): which of `rows`, -1 for none
    is_split = row_of >= 0
    if not is_split.any() or not can_split(len(offsets) - 1):
        return SubtopicFit.none(n_words, len(in_topic), interrupted=False)
    counts = _document_words(tokens, offsets, rows, n_words)
    vectors = None if document_vectors is None else document_vectors[rows]
    if vectors is None and word_vectors is not None:
        vectors = mean_word_vectors(counts, word_vectors)
    counts = counts if parts is None else (counts @ parts).tocsr()
    path = (SUBTOPICS, *of) if len(of) == 1 else (DEEPER, len(of), *of)
    grouping = group_documents(
        counts, weights[rows].astype(np.float64), (seed, *path), vectors, encoded=document_vectors is not None
    )
    where, row_of = in_topic[is_split], row_of[is_split]  # (M,)
    own, own_offsets = cut_out(tokens, offsets, where)
    words, own_words = np.unique(own, return_inverse=True)
    evidence = np.clip(
        grouping.n_groups * grouping.mixture.posterior(words_once(counts)), LEAST_PRIOR, MOST_PRIOR
    )
    chain = open_chain(
        engine or Threads(),
        assign(own_words.astype(np.int32), own_offsets, grouping.labels[row_of].astype(np.int32)),
        _group_rules(own_words, len(words), grouping.n_groups, priors),
        seed,
        path,
        alone=alone,
        evidence_jq=evidence[np.unique(row_of)].astype(np.float32),
    )
    told = None if progress is None else _in_words_of_the_corpus(progress, words)
    result = run_chain(
        chain, SETTLING, stage="subtopics", query=name, progress=told, interruption=interruption
    )
    subtopic = chain.assignment.topics  # (M,)
    chain.shards.release()
    of_groups = np.zeros((n_words, grouping.n_groups))
    of_groups[words] = result.n_wk[:, : grouping.n_groups]
    chains = tuple(_words_of(own, labels[row_of], n_words) for labels in grouping.chains)
    overlap = find_overlap(grouping)
    kept, others = _shown(of_groups, overlap, counts, grouping, min_tokens)
    position = np.full(result.n_wk.shape[1], -1, np.int32)
    position[kept] = np.arange(len(kept))
    found = np.full(len(in_topic), -1, np.int32)
    found[is_split] = position[subtopic]
    rest = 1.0 - of_groups[:, kept].sum() / max(float(result.n_wk.sum()), 1.0)
    return SubtopicFit(
        of_groups[:, kept],
        min(max(float(rest), 0.0), 1.0),
        found,
        result.trace,
        grouping.mixture.take(np.concatenate([kept, others])).of_entries(parts),
        chains,
        Overlap(overlap.share[kept], overlap.group[kept]),
    )


def _in_words_of_the_corpus(progress: ProgressCallback, words: NDArray[np.int32]) -> ProgressCallback:
    """Tell whoever watches the leading words by their numbers in the corpus; `words` are the topic's."""

    def tell(now: Progress) -> object:
        leading = tuple(tuple(words[list(group)].tolist()) for group in now.leading_words)
        return progress(replace(now, leading_words=leading))

    return tell


def _document_words(
    tokens: NDArray[np.int32], offsets: NDArray[np.int64], rows: NDArray[np.int64], n_words: int
) -> Any:
    """Count the words of some documents, CSR of shape (n, V)."""
    from scipy import sparse

    starts = np.concatenate([[0], np.cumsum(np.diff(offsets)[rows])])
    words = copy_rows(tokens, offsets[rows], starts)
    counts = sparse.csr_matrix((np.ones(len(words), np.int32), words, starts), shape=(len(rows), n_words))
    counts.sum_duplicates()
    return counts


def _shown(
    of_groups: NDArray[np.float64],
    overlap: Overlap,
    counts: Any,
    grouping: Grouping,
    min_tokens: float,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The groups that are shown as subtopics, largest first, and the others.

    They are large enough, nearer to the topic than to the rest of the corpus, and found by most chains; where
    none is, the largest is shown.
    """
    in_topic = of_groups.sum(axis=0)  # (S,)
    lengths = np.asarray(counts.sum(axis=1)).ravel()
    tokens = np.bincount(grouping.labels, lengths, minlength=grouping.n_groups)  # (S,)
    usual = in_topic.sum() / max(float(tokens.sum()), 1.0)
    is_near = in_topic / np.maximum(tokens, 1.0) >= BACK * usual
    is_firm = (overlap.share >= SAME_DOCUMENTS).mean(axis=1) >= MAJORITY
    order = np.argsort(-in_topic, kind="stable")
    shown = (in_topic > 0) & (in_topic >= min_tokens) & is_near & is_firm
    if not shown.any():
        shown[order[0]] = True
    return order[shown[order]], order[~shown[order]]


def _words_of(tokens: NDArray[np.int32], labels: NDArray[np.int64], n_words: int) -> NDArray[np.float32]:
    """Count the words of each group, (V, S); label -1 is none."""
    inside = labels >= 0
    n_groups = int(labels.max(initial=-1)) + 1
    cells = tokens[inside].astype(np.int64) * n_groups + labels[inside]
    counts = np.bincount(cells, minlength=n_words * n_groups).reshape(n_words, n_groups)
    return counts.astype(np.float32)


def _group_rules(tokens: NDArray[np.integer[Any]], n_words: int, n_groups: int, priors: Priors) -> Rules:
    """The rules of phase 2 for groups that are there already, and have a prior in each document."""
    return subtopic_rules(tokens, n_words, priors)._replace(
        gamma=NO_NEW_TOPICS,
        n_related=np.zeros((n_words, n_groups), np.int32),
        promotion_probability=np.zeros((n_words, n_groups), np.float32),
    )


def split_parent(
    chain: Chain,
    schedule: Schedule,
    min_tokens: float,
    *,
    name: str | None = None,
    saved: Saved | None = None,
    keep: KeepChain | None = None,
    progress: ProgressCallback | None = None,
    interruption: Interruption | None = None,
) -> SubtopicFit:
    """Run phase 2 for one parent topic from where its chain stands; parameters as in `fit_subtopics`."""
    result = run_chain(
        chain,
        schedule,
        stage="subtopics",
        query=name,
        progress=progress,
        interruption=interruption,
        run=saved and saved.run,
        keep=keep,
    )
    subtopic = chain.assignment.topics  # (N_q,)
    chain.shards.release()
    size = result.n_wk.sum(axis=0)
    alive = chain.counts.n_wk.any(axis=0)
    kept = np.flatnonzero(alive & (size >= min_tokens))
    kept = kept[np.argsort(-size[kept], kind="stable")]
    position = np.full(len(size), -1, np.int32)
    position[kept] = np.arange(len(kept))
    rest = 1.0 - size[kept].sum() / max(size.sum(), 1.0)
    none = DocumentMixture.none(result.n_wk.shape[0])
    return SubtopicFit(result.n_wk[:, kept], max(0.0, float(rest)), position[subtopic], result.trace, none)


def subtopic_rules(tokens: NDArray[np.integer[Any]], n_words: int, priors: Priors) -> Rules:
    """The rules of phase 2: no concept words, no promotion, smoothing over |W_q| words.

    `tokens` are the parent's, or each word that it has.
    """
    return Rules(
        alpha=float(priors.alpha),
        gamma=float(priors.gamma),
        promotion_weight=0.0,
        prior_words=float((count_numbers(tokens) > 0).sum()),
        beta=np.full(1, priors.beta, np.float32),
        fixed_topic=np.full(n_words, -1, np.int32),
        n_related=np.zeros((n_words, 0), np.int32),
        promotion_probability=np.zeros((n_words, 0), np.float32),
    )


def cut_out(
    tokens: NDArray[np.int32], offsets: NDArray[np.int64], where: NDArray[np.int64]
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Cut a topic's tokens, at positions `where` (rising), out of the corpus; documents without any go."""
    lengths = np.diff(np.searchsorted(where, offsets))
    return tokens[where], np.concatenate([[0], np.cumsum(lengths[lengths > 0])])
