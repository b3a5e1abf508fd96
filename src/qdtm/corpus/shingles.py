"""Shingles of texts (numba): bytes in, MinHash keys and the likeness of two texts out.

Hash functions are fixed, so that the same texts give the same keys everywhere.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from qdtm.jit import njit

N_SHINGLE = 5
"""Words of a shingle."""

N_BANDS, N_ROWS = 16, 4
"""Of the MinHash signature. Two texts that share four fifths of their shingles have no band in common once in
4,500 times: (1 - 0.8^4)^16; two that share a third, four times in five."""

_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_SECOND = np.uint64(0xBF58476D1CE4E5B9)
_HALF = np.uint64(32)
_LARGEST = np.uint32(0xFFFFFFFF)


def _constants(n: int, first: int) -> np.ndarray[Any, np.dtype[np.uint32]]:
    """Return fixed odd numbers that look random (splitmix64), (n,)."""
    state = np.arange(first, first + n, dtype=np.uint64) * _FACTOR
    mixed = (state ^ (state >> np.uint64(30))) * _SECOND
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return (mixed >> _HALF).astype(np.uint32) | np.uint32(1)


_MASKS = _constants(N_BANDS * N_ROWS, 1)
_FACTORS = _constants(N_BANDS * N_ROWS, 1_001)


@njit(nogil=True, cache=True, inline="always")
def mix(key: Any) -> Any:
    """Mix the bits of a number."""
    mixed = (np.uint64(key) ^ (np.uint64(key) >> _HALF)) * _FACTOR
    return (mixed ^ (mixed >> np.uint64(29))) * _SECOND


@njit(nogil=True, cache=True)
def shingle(codes: Any, start: Any, stop: Any, found: Any) -> Any:
    """Hash the shingles of a text, a run of UTF-8 in lower case; a shorter text is one shingle.

    A word is a run of ASCII letters, digits and letters beyond ASCII; in scripts without spaces each
    character is one. General punctuation (dashes, curly quotes) separates as ASCII does.

    Parameters
    ----------
    found : ndarray of uint64
        As long as the text, or longer. Filled.

    Returns
    -------
    int
        How many there are.
    """
    words = np.zeros(N_SHINGLE, np.uint64)  # the last ones
    n_words, i = 0, start
    while i < stop:
        word, length = np.uint64(0), 0
        while i < stop:
            code = codes[i]
            if code == 0xE2 and i + 2 < stop and codes[i + 1] == 0x80:
                i += 3
                break
            if code >= 0xE3 and code <= 0xED and i + 2 < stop:
                if length == 0:
                    word = mix(np.uint64(code) << np.uint64(16) | np.uint64(codes[i + 1]) << np.uint64(8)
                               | np.uint64(codes[i + 2]))  # fmt: skip
                    length, i = 3, i + 3
                break
            i += 1
            if not (code >= 128 or (code >= 97 and code <= 122) or (code >= 48 and code <= 57)):
                break
            word, length = mix(word ^ np.uint64(code)), length + 1
        if length > 0:
            words[n_words % N_SHINGLE] = word
            n_words += 1
            if n_words >= N_SHINGLE:
                found[n_words - N_SHINGLE] = _join(words, n_words, N_SHINGLE)
    if n_words > 0 and n_words < N_SHINGLE:
        found[0] = _join(words, n_words, n_words)
        return 1
    return max(n_words - N_SHINGLE + 1, 0)


@njit(nogil=True, cache=True, inline="always")
def _join(words: Any, n_words: Any, n: Any) -> Any:
    """Hash the last `n` words in their order."""
    joined = np.uint64(n)
    for k in range(n_words - n, n_words):
        joined = mix(joined ^ words[k % N_SHINGLE]) + words[k % N_SHINGLE]
    return mix(joined)


@njit(nogil=True, cache=True)
def _band_keys(codes: Any, offsets: Any, masks: Any, factors: Any, n_rows: Any) -> Any:
    n_hashes = masks.size
    keys = np.empty((offsets.size - 1, n_hashes // n_rows), np.uint32)
    longest = 1
    for j in range(offsets.size - 1):
        longest = max(longest, offsets[j + 1] - offsets[j])
    found, least = np.empty(longest, np.uint64), np.empty(n_hashes, np.uint32)
    for j in range(offsets.size - 1):
        n = shingle(codes, offsets[j], offsets[j + 1], found)
        least[:] = _LARGEST
        for s in range(n):
            x = np.uint32(found[s] >> _HALF)
            for h in range(n_hashes):
                value = np.uint32((x ^ masks[h]) * factors[h])
                least[h] = min(least[h], value)
        for b in range(keys.shape[1]):
            key = np.uint64(b)
            for r in range(n_rows):
                key = mix(key ^ np.uint64(least[b * n_rows + r]))
            keys[j, b] = np.uint32((key if n else mix(np.uint64(j))) >> _HALF)
    return keys


def band_keys(codes: Any, offsets: Any) -> Any:
    """Return the keys of texts, (n, `N_BANDS`) of uint32: MinHash values, a band of them put into one."""
    return _band_keys(codes, offsets, _MASKS, _FACTORS, N_ROWS)


@njit(nogil=True, cache=True)
def jaccard(codes: Any, offsets: Any, pairs: Any) -> Any:
    """Return the share of shingles that pairs of texts, (m, 2), have in common, (m,); 0 without any."""
    shares = np.zeros(len(pairs))
    longest = 1
    for j in range(offsets.size - 1):
        longest = max(longest, offsets[j + 1] - offsets[j])
    first, second = np.empty(longest, np.uint64), np.empty(longest, np.uint64)
    for m in range(len(pairs)):
        a, b = pairs[m, 0], pairs[m, 1]
        n_a = _distinct(first, shingle(codes, offsets[a], offsets[a + 1], first))
        n_b = _distinct(second, shingle(codes, offsets[b], offsets[b + 1], second))
        i = k = common = 0
        while i < n_a and k < n_b:
            common += first[i] == second[k]
            step_a, step_b = first[i] <= second[k], second[k] <= first[i]
            i, k = i + step_a, k + step_b
        if common > 0:
            shares[m] = common / (n_a + n_b - common)
    return shares


@njit(nogil=True, cache=True)
def _distinct(values: Any, n: Any) -> Any:
    """Sort the first `n` values in place, each once; return how many there are then."""
    values[:n] = np.sort(values[:n])
    kept = 0
    for i in range(n):
        if i == 0 or values[i] != values[kept - 1]:
            values[kept] = values[i]
            kept += 1
    return kept
