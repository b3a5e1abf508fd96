"""One Gibbs sweep for LDA and all of its constrained kin (numba).

In: the topic of each token, the counts, the priors and what is known about words. Out: the same arrays,
changed in place. A token's topic has the weight

    p(k) ~ (n_jk + alpha_k) (n_wk + beta) / (n_k + V beta) * r_k(w)

where r_k(w) is 1 for a free word, so that without knowledge this is LDA. Three factors make up the rest:

- a potential of the word in each topic: 0 closes it (ISLDA), less than 1 makes it unlikely (SCLDA);
- links to other words: max(1, n_uk / floor) for a must-link, its inverse for a cannot-link (SCLDA);
- a Dirichlet tree in place of the Dirichlet prior, written as its ratio to the latter (DF-LDA).

Weights are float32 and sums have a fixed order, so ``tests/test_experiments/baselines/naive.py`` draws the
same.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from qdtm.jit import njit
from qdtm.sampler.kernels import uniform

LANES = 8
"""Topics are summed in this many interleaved lanes; arrays over topics have a multiple of it as columns."""

MOST = 1e300
"""Links pull no harder than this, so that a product of counts stays a number."""

Array = np.ndarray[Any, np.dtype[Any]]

f32 = np.float32


class State(NamedTuple):
    """Where the chain is."""

    topic_of: Array  # (N,) int32: z_ji
    n_wk: Array  # (V, C) float32: tokens of word w in topic k
    n_k: Array  # (C,) float64: tokens of topic k
    n_gk: Array  # (G, C) float32: tokens of must-link group g in topic k
    n_rk: Array  # (R, C) float32: tokens of cannot-link component r
    n_mk: Array  # (R, C) float32: of these, tokens of the groups that topic k favours


class Priors(NamedTuple):
    """The Dirichlet priors."""

    alpha: Array  # (C,) float32; 0 beyond the last topic
    beta: float


class Knowledge(NamedTuple):
    """What is known about words. Row c belongs to the c-th word that anything is known about."""

    row_of: Array  # (V,) int32: c, or -1 for a free word
    potential: Array  # (n, C) float32
    link_offsets: Array  # (n + 1,) int64: the links of row c lie between c and c + 1
    link_words: Array  # (n_links,) int32: u
    link_signs: Array  # (n_links,) int8: 1 must-link, -1 cannot-link
    floor: float
    eta: float
    group_of: Array  # (n,) int32: the must-link group of the word, -1 none
    group_size: Array  # (G,) float32: words in the group
    component_of: Array  # (G,) int32: the cannot-link component of the group, -1 none
    component_size: Array  # (R,) float32: words in the component
    favoured: Array  # (G, C) uint8: whether topic k favours group g over those that it is cannot-linked to
    favoured_size: Array  # (R, C) float32: words of component r that topic k favours


@njit(nogil=True, cache=True, inline="always")
def draw_topic(weight: Array, lanes: Array, u: Any, n_columns: int) -> int:
    """Draw a topic in proportion to its weight, at ``u`` in [0, 1) on the line of weights, lane after lane.

    NumPy: ``line = weight.reshape(-1, LANES).T.ravel(); np.searchsorted(np.cumsum(line), u * line.sum())``
    """
    for lane in range(LANES):
        lanes[lane] = f32(0.0)
    for b in range(0, n_columns, LANES):
        for lane in range(LANES):
            lanes[lane] += weight[b + lane]
    for lane in range(1, LANES):
        lanes[lane] += lanes[lane - 1]
    target = f32(u) * lanes[LANES - 1]
    k = 0
    for lane in range(LANES - 1):  # comparisons are counted, not branched on: no draw can be predicted
        k += lanes[lane] <= target
    rest = target - (lanes[k - 1] if k > 0 else f32(0.0))
    running = f32(0.0)
    for b in range(k, n_columns - LANES + k, LANES):
        running += weight[b]
        k += LANES * (running <= rest)
    while weight[k] <= 0.0:  # rounding can lead past the last weight: step back along the line
        k = k - LANES if k >= LANES else (k - 1) % LANES + n_columns - LANES
    return k


@njit(nogil=True, cache=True)
def apply_links(weight: Array, n_wk: Array, words: Array, signs: Array, floor: float) -> None:
    """Multiply by the potentials of a word's links (Yang et al. 2015, word correlation)."""
    for k in range(weight.size):
        pull = 1.0
        for link in range(words.size):
            ratio = max(1.0, n_wk[words[link], k] / floor)
            pull = pull * ratio if signs[link] > 0 else pull / ratio
        weight[k] = f32(weight[k] * min(pull, MOST))


@njit(nogil=True, cache=True, error_model="numpy", inline="always")
def apply_tree(
    weight: Array, n_wk: Array, n_gk: Array, w: Any, g: Any, size: Any, eta: float, beta: float
) -> None:
    """Multiply by the ratio of the Dirichlet tree's path to the plain prior (Andrzejewski et al. 2009).

    One division and no branch, so that it vectorises; `size` is the number of words in group g.
    """
    in_group, leaf = size * beta, eta * beta
    for k in range(weight.size):
        above = (n_gk[g, k] + in_group) * (n_wk[w, k] + leaf)
        below = (n_gk[g, k] + size * leaf) * (n_wk[w, k] + beta)
        weight[k] = f32(weight[k] * (above / below))


@njit(nogil=True, cache=True, error_model="numpy")
def apply_component(weight: Array, state: State, knowledge: Knowledge, g: int, r: int, beta: float) -> None:
    """Multiply by what cannot-links add to the ratio of `apply_tree`."""
    eta, all_words = knowledge.eta, knowledge.component_size[r]
    for k in range(weight.size):
        n_r, liked = state.n_rk[r, k], knowledge.favoured_size[r, k]
        ratio = (n_r + all_words * beta) / (n_r + (eta * liked + all_words - liked) * beta)
        if knowledge.favoured[g, k]:
            ratio *= (state.n_mk[r, k] + eta * liked * beta) / (state.n_mk[r, k] + liked * beta)
        weight[k] = f32(weight[k] * ratio)


@njit(nogil=True, cache=True)
def count_in_component(state: State, knowledge: Knowledge, g: int, k: int, step: Any) -> None:
    """Add ``step`` to the counts of a group's component, and of what topic k favours of it."""
    r = knowledge.component_of[g]
    state.n_rk[r, k] += step
    if knowledge.favoured[g, k]:
        state.n_mk[r, k] += step


@njit(nogil=True, cache=True, error_model="numpy")
def sweep(
    tokens: Array, offsets: Array, state: State, priors: Priors, knowledge: Knowledge, stream_state: Array
) -> None:
    """Draw the topic of every token once, in order. Mutates ``state`` and ``stream_state``.

    Parameters
    ----------
    tokens
        (N,) int32: the word w_ji.
    offsets
        (D + 1,) int64: document j is ``tokens[offsets[j]:offsets[j + 1]]``.
    stream_state
        (1,) uint64: the random stream.
    """
    topic_of, n_wk, n_k, n_gk = state.topic_of, state.n_wk, state.n_k, state.n_gk
    group_of, group_size, component_of = knowledge.group_of, knowledge.group_size, knowledge.component_of
    alpha, beta, one = priors.alpha, f32(priors.beta), f32(1.0)
    n_columns = alpha.size
    prior_mass = n_wk.shape[0] * priors.beta
    weight, n_jk = np.zeros(n_columns, f32), np.zeros(n_columns, f32)
    inverse, lanes = np.zeros(n_columns, f32), np.zeros(LANES, f32)
    for k in range(n_columns):
        inverse[k] = f32(1.0 / (n_k[k] + prior_mass))
    stream = stream_state[0]
    for j in range(offsets.size - 1):
        n_jk[:] = alpha
        for i in range(offsets[j], offsets[j + 1]):
            n_jk[topic_of[i]] += one
        for i in range(offsets[j], offsets[j + 1]):
            w, k = tokens[i], topic_of[i]
            row = knowledge.row_of[w]
            g = group_of[row] if row >= 0 else -1
            n_jk[k] -= one
            n_wk[w, k] -= one
            n_k[k] -= 1.0
            inverse[k] = f32(1.0 / (n_k[k] + prior_mass))
            if g >= 0:
                n_gk[g, k] -= one
                if component_of[g] >= 0:
                    count_in_component(state, knowledge, g, k, -one)

            for k in range(n_columns):
                weight[k] = n_jk[k] * (n_wk[w, k] + beta) * inverse[k]
            if row >= 0:
                for k in range(n_columns):
                    weight[k] *= knowledge.potential[row, k]
                first, last = knowledge.link_offsets[row], knowledge.link_offsets[row + 1]
                if first < last:
                    links = slice(first, last)
                    apply_links(
                        weight,
                        n_wk,
                        knowledge.link_words[links],
                        knowledge.link_signs[links],
                        knowledge.floor,
                    )
                if g >= 0:
                    apply_tree(weight, n_wk, n_gk, w, g, group_size[g], knowledge.eta, priors.beta)
                    if component_of[g] >= 0:
                        apply_component(weight, state, knowledge, g, component_of[g], priors.beta)
            stream, u = uniform(stream)
            k = draw_topic(weight, lanes, u, n_columns)

            topic_of[i] = k
            n_jk[k] += one
            n_wk[w, k] += one
            n_k[k] += 1.0
            inverse[k] = f32(1.0 / (n_k[k] + prior_mass))
            if g >= 0:
                n_gk[g, k] += one
                if component_of[g] >= 0:
                    count_in_component(state, knowledge, g, k, one)
    stream_state[0] = stream
