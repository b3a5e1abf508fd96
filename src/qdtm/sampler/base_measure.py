"""The weights of the topics in the corpus, G_0, drawn between sweeps (numba).

In: how many tokens of each topic the documents have. Out: the number of tables m_k, and from it G_0.

A document with n tokens of topic k has opened a table with its i-th token (from 0) with probability
a / (a + i), a = alpha G_0k (Antoniak 1974). Documents with the same number of tokens are alike, so whole
groups are drawn at once, from binomials. Given the tables, G_0 ~ Dirichlet(m_1, ..., m_K, gamma);
its last share, that of the topics nobody has met, is broken over the empty columns (to each Beta(1, gamma) of
what is left, to the last all of it), so that a sweep can open topics there.
"""

# DEVIATION(8): the paper and its program keep every table.
import math
from typing import Any

import numpy as np

from qdtm.jit import njit
from qdtm.sampler.kernels import Array, Tally, uniform

FEW = 100.0
"""Binomials are drawn in parts of about so many successes, in which no probability underflows."""


@njit(nogil=True, cache=True)
def draw_tables(tally: Tally, prior_k: Array, stream_state: Array) -> Any:
    """Draw the number of tables of each topic given its tokens, m_k, (C,) int64.

    Mutates ``stream_state``.

    Parameters
    ----------
    prior_k
        (C,) float32: alpha G_0k.
    """
    stream = stream_state[0]
    n_columns, n_sizes = tally.documents_kn.shape
    m_k = tally.further_tables.copy()  # (C,)
    for k in range(n_columns):
        larger = tally.documents_kn[k, 1:].sum()  # documents with more than i tokens
        m_k[k] += larger
        a = np.float64(prior_k[k])
        for i in range(1, n_sizes - 1):
            larger -= tally.documents_kn[k, i]
            if larger == 0:
                break
            stream, tables = binomial(stream, larger, a / (a + i))
            m_k[k] += tables
    stream_state[0] = stream
    return m_k


@njit(nogil=True, cache=True)
def draw_shares(m_k: Array, gamma: float, n_columns: int, stream_state: Array) -> Any:
    """Draw G_0 given the tables, (C,) float64; it sums to 1 over the first ``n_columns``.

    Mutates ``stream_state``.
    """
    stream = stream_state[0]
    shares = np.zeros(n_columns, np.float64)
    empty = 0
    for k in range(n_columns):
        if m_k[k] > 0:
            stream, shares[k] = gamma_variate(stream, np.float64(m_k[k]))
        else:
            empty += 1
    stream, rest = gamma_variate(stream, gamma)
    for k in range(n_columns):
        if m_k[k] == 0:
            empty -= 1
            stream, one = gamma_variate(stream, 1.0)
            stream, others = gamma_variate(stream, gamma)
            # DEVIATION(7): the last empty column stands for all topics that are left.
            shares[k] = rest * one / (one + others) if empty else rest
            rest -= shares[k]
    stream_state[0] = stream
    return shares / shares.sum()


@njit(nogil=True, cache=True)
def binomial(stream: Any, n: int, p: float) -> Any:
    """Draw from Binomial(n, p), p < 1, by inversion; return the stream and the number of successes."""
    successes = 0
    part = max(1, int(FEW / p))
    while n > 0:
        n_part = min(n, part)
        stream, draw = uniform(stream)
        probability = power(1.0 - p, n_part)  # of no success
        x = 0
        while draw >= probability and x < n_part:
            draw -= probability
            x += 1
            probability *= (n_part - x + 1) * p / (x * (1.0 - p))
        successes += x
        n -= n_part
    return stream, successes


@njit(nogil=True, cache=True)
def power(base: float, exponent: int) -> float:
    """Raise to a whole power by squaring: multiplications alone, no function of a library."""
    result = 1.0
    while exponent > 0:
        if exponent & 1:
            result *= base
        base *= base
        exponent >>= 1
    return result


@njit(nogil=True, cache=True)
def gamma_variate(stream: Any, shape: float) -> Any:
    """Draw from Gamma(shape, 1) (Marsaglia and Tsang 2000); return the stream and the number."""
    if shape < 1.0:
        stream, draw = uniform(stream)
        stream, larger = gamma_variate_from_one(stream, shape + 1.0)
        return stream, larger * (1.0 - draw) ** (1.0 / shape)
    return gamma_variate_from_one(stream, shape)


@njit(nogil=True, cache=True)
def gamma_variate_from_one(stream: Any, shape: float) -> Any:
    """`gamma_variate` for shapes from 1 up."""
    d = shape - 1.0 / 3.0
    c = 1.0 / math.sqrt(9.0 * d)
    while True:
        stream, x = normal(stream)
        v = (1.0 + c * x) ** 3
        stream, draw = uniform(stream)
        if v > 0.0 and math.log(1.0 - draw) < 0.5 * x * x + d - d * v + d * math.log(v):
            return stream, d * v


@njit(nogil=True, cache=True)
def normal(stream: Any) -> Any:
    """Draw from the standard normal distribution (Marsaglia's polar method)."""
    while True:
        stream, x = uniform(stream)
        stream, y = uniform(stream)
        x, y = 2.0 * x - 1.0, 2.0 * y - 1.0
        s = x * x + y * y
        if 0.0 < s < 1.0:
            return stream, x * math.sqrt(-2.0 * math.log(s) / s)
