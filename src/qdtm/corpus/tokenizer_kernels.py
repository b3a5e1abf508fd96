"""Many texts in, the tokens of `unicode_tokens` out as numbers, without a Python object for each.

A regular expression makes a string of every token, and a dictionary looks every one up. Here a compiled loop
runs over the characters of many texts at once, finds the tokens and numbers the different ones; only these
become strings. The tokens are exactly those of `unicode_tokens`, in the same order.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from qdtm.corpus.tokenizer import (
    CONTINUATIONS,
    HYPHENS,
    INITIALS_DOT,
    LINE_BREAKS,
    combining_marks,
    word_characters,
)
from qdtm.jit import njit

OTHER, WORD, CAPITAL, CONTINUATION, END_OF_TEXT, SPACE, LINE_BREAK, HYPHEN = range(8)
"""What a character is: of no token, able to begin one (small or capital), able to go on with one, the mark
between two texts; and, of no token, what may stand between two words that are side by side."""

_END_MARK = "\0"
_N_CODES = 0x110000
_N_ASCII = 0x80

_FIRST_ROOM = 2**18
"""Slots of the table of different tokens to begin with: it should stay in the processor's cache."""

_FNV_BASIS = np.uint64(0xCBF29CE484222325)
_FNV_PRIME = np.uint64(0x100000001B3)
_HALF = np.uint64(32)
_ONE = np.uint64(1)


class ScannedTexts(NamedTuple):
    """The tokens of some texts.

    Attributes
    ----------
    distinct : list of str
        The different tokens, in the order in which they are first met.
    tokens : ndarray of int32, shape (N,)
        Where each token stands in `distinct`, text after text.
    ends : ndarray of int64, shape (n_texts,)
        Where the tokens of each text end.
    joined : ndarray of uint8, shape (N,)
        1 for a token that stands side by side with the one before it, as `split_joined` has it.
    """

    distinct: list[str]
    tokens: NDArray[np.int32]
    ends: NDArray[np.int64]
    joined: NDArray[np.uint8]


def scan_texts(texts: Sequence[str]) -> ScannedTexts:
    """Split texts as `unicode_tokens` does, and number the different tokens.

    Parameters
    ----------
    texts : sequence of str
        Together below 2**31 characters.

    Returns
    -------
    ScannedTexts
    """
    together = _END_MARK.join(texts)
    if together.count(_END_MARK) != len(texts) - 1:
        together = _END_MARK.join(text.replace(_END_MARK, " ") for text in texts)
    together = INITIALS_DOT.sub("", together)
    codes = np.frombuffer(together.encode("utf-32-le", "surrogatepass"), np.uint32)
    kinds = _kinds(_N_ASCII if together.isascii() else _N_CODES)
    n_tokens = count_tokens(codes, kinds)
    tokens = np.empty(n_tokens, np.int32)
    ends = np.empty(len(texts), np.int64)
    joined = np.empty(n_tokens, np.uint8)
    starts, stops = _number(codes, kinds, tokens, ends, joined)
    return ScannedTexts([together[a:b] for a, b in zip(starts, stops, strict=True)], tokens, ends, joined)


def _number(
    codes: NDArray[np.uint32],
    kinds: NDArray[np.uint8],
    tokens: NDArray[np.int32],
    ends: NDArray[np.int64],
    joined: NDArray[np.uint8],
) -> tuple[list[int], list[int]]:
    """Fill `tokens`, `ends` and `joined`; return where the different tokens start and stop."""
    room = _FIRST_ROOM
    while True:
        slots = np.full(room, -1, np.int32)
        starts, stops = np.empty((2, room // 2), np.int64)
        n_distinct = number_tokens(codes, kinds, slots, starts, stops, tokens, ends, joined)
        if n_distinct >= 0:
            return starts[:n_distinct].tolist(), stops[:n_distinct].tolist()
        room *= 4


@cache
def _kinds(n_codes: int) -> NDArray[np.uint8]:
    """Return what each of the first characters of Unicode is, shape (n_codes,)."""
    kinds = np.full(n_codes, OTHER, np.uint8)
    for code in map(ord, CONTINUATIONS):
        kinds[code : code + 1] = CONTINUATION
    for first, last in combining_marks():
        kinds[first : last + 1] = CONTINUATION
    for first, last in word_characters(n_codes):
        kinds[first : last + 1] = WORD
    for code in range(n_codes):
        if kinds[code] == WORD and chr(code).isupper():
            kinds[code] = CAPITAL
        elif kinds[code] == OTHER and chr(code).isspace():
            kinds[code] = SPACE
    for kind, characters in ((LINE_BREAK, LINE_BREAKS), (HYPHEN, HYPHENS)):
        for code in map(ord, characters):
            kinds[code : code + 1] = kind
    kinds[ord(_END_MARK)] = END_OF_TEXT
    return kinds


@njit(nogil=True, cache=True)
def count_tokens(codes: Any, kinds: Any) -> Any:
    """Return how many tokens there are."""
    n_tokens = 0
    inside = False
    for i in range(len(codes)):
        kind = kinds[codes[i]]
        if inside:
            inside = WORD <= kind <= CONTINUATION
        elif kind in (WORD, CAPITAL):
            inside = True
            n_tokens += 1
    return n_tokens


@njit(nogil=True, cache=True)
def number_tokens(
    codes: Any, kinds: Any, slots: Any, starts: Any, stops: Any, tokens: Any, ends: Any, joined: Any
) -> Any:
    """Number the tokens by a hash table with open addressing, whose keys are places in `codes`.

    Parameters
    ----------
    codes : ndarray of uint32
        The characters of all texts, `END_OF_TEXT` between two of them.
    kinds : ndarray of uint8
        What each character is.
    slots : ndarray of int32
        The table, a power of two long, filled with -1. Mutated.
    starts, stops : ndarray of int64, half as long as `slots`
        Where each different token first is. Filled.
    tokens : ndarray of int32, shape (N,)
        The number of each token. Filled.
    ends : ndarray of int64, shape (n_texts,)
        Where the tokens of each text end. Filled.
    joined : ndarray of uint8, shape (N,)
        1 for a token that stands side by side with the one before it. Filled.

    Returns
    -------
    int
        How many different tokens there are; -1 if `starts` is too short for them.
    """
    mask = np.uint64(len(slots) - 1)
    n_codes, i, n_read, n_distinct, text = len(codes), 0, 0, 0, 0
    end, n_breaks, n_hyphens, is_side_by_side = 0, 0, 0, False
    while i < n_codes:
        kind = kinds[codes[i]]
        if kind == END_OF_TEXT:
            ends[text] = n_read
            text += 1
        if kind not in (WORD, CAPITAL):
            n_breaks += kind == LINE_BREAK
            n_hyphens += kind == HYPHEN
            is_side_by_side = is_side_by_side and kind >= SPACE
            i += 1
            continue
        joined[n_read] = (
            is_side_by_side
            and (n_hyphens == 0 or i == end + 1)
            and (n_breaks == 0 or (n_breaks == 1 and kind == WORD))
        )
        start, digest = i, _FNV_BASIS
        while i < n_codes and WORD <= kinds[codes[i]] <= CONTINUATION:
            digest = (digest ^ np.uint64(codes[i])) * _FNV_PRIME
            i += 1
        slot = (digest ^ (digest >> _HALF)) & mask
        while slots[slot] >= 0 and not same_token(codes, starts[slots[slot]], stops[slots[slot]], start, i):
            slot = (slot + _ONE) & mask
        if slots[slot] < 0:
            if n_distinct == len(starts):
                return -1
            slots[slot], starts[n_distinct], stops[n_distinct] = n_distinct, start, i
            n_distinct += 1
        tokens[n_read] = slots[slot]
        n_read += 1
        end, n_breaks, n_hyphens, is_side_by_side = i, 0, 0, True
    ends[text] = n_read
    return n_distinct


@njit(nogil=True, cache=True, inline="always")
def same_token(codes: Any, start: Any, stop: Any, other_start: Any, other_stop: Any) -> Any:
    """Return whether two stretches of characters are the same."""
    if stop - start != other_stop - other_start:
        return False
    for i in range(stop - start):  # noqa: SIM110 - numba compiles no generators here
        if codes[start + i] != codes[other_start + i]:
            return False
    return True
