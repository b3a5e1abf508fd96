"""Loops over all tokens of a corpus (numba): phrases found and cut out, documents put into another order.

In: flat tokens, and of each whether it stands side by side with the one before it. Out: counts of pairs, and
tokens in which each phrase is one.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from qdtm.jit import njit

Array = np.ndarray[Any, np.dtype[Any]]

# --- phrases ------------------------------------------------------------------------------------------------

_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_SECOND = np.uint64(0xBF58476D1CE4E5B9)
_SHIFT = np.uint64(29)
_ONE = np.uint64(1)


@njit(nogil=True, cache=True, inline="always")
def scatter(key: Any) -> Any:
    """Mix the bits of a number."""
    mixed = np.uint64(key) * _FACTOR
    return (mixed ^ (mixed >> _SHIFT)) * _SECOND


@njit(nogil=True, cache=True)
def hash_joined(tokens: Any, joined: Any, offsets: Any) -> Any:
    """Hash the tokens of each document in their order and what stands side by side, shape (D,)."""
    hashes = np.empty(offsets.size - 1, np.uint64)
    for j in range(hashes.size):
        digest = np.uint64(offsets[j + 1] - offsets[j])
        for i in range(offsets[j], offsets[j + 1]):
            digest = scatter(digest ^ np.uint64(2 * np.int64(tokens[i]) + joined[i])) ^ (digest >> _SHIFT)
        hashes[j] = scatter(digest)
    return hashes


@njit(nogil=True, cache=True)
def count_slots(tokens: Any, joined: Any, offsets: Any, counted: Any, n_words: Any, slots: Any) -> Any:
    """Count pairs side by side by a hash of theirs, of the documents that count; `slots` are filled.

    No pair is there more often than its slot says, so that most rare pairs need never be looked at singly.
    """
    mask = np.uint64(slots.size - 1)
    for j in range(counted.size):
        if counted[j]:
            for i in range(offsets[j] + 1, offsets[j + 1]):
                if joined[i]:
                    slots[scatter(np.int64(tokens[i - 1]) * n_words + tokens[i]) & mask] += np.uint32(1)


@njit(nogil=True, cache=True)
def count_pairs(
    tokens: Any,
    joined: Any,
    offsets: Any,
    counted: Any,
    n_words: Any,
    slots: Any,
    least: Any,
    keys: Any,
    n_tokens: Any,
    n_documents: Any,
    last: Any,
) -> Any:
    """Count the occurrences and the documents of the pairs whose slot has `least` or more.

    Parameters
    ----------
    keys, n_tokens, n_documents, last : ndarray of int64, of a power of two
        A table with open addressing: first word * n_words + second word (-1: free), occurrences, documents,
        and the last document met. Mutated.

    Returns
    -------
    bool
        False if the table is too small.
    """
    slot_mask, mask = np.uint64(slots.size - 1), np.uint64(keys.size - 1)
    n_free = keys.size // 2
    for j in range(counted.size):
        if not counted[j]:
            continue
        for i in range(offsets[j] + 1, offsets[j + 1]):
            if not joined[i] or tokens[i - 1] == tokens[i]:
                continue
            key = np.int64(tokens[i - 1]) * n_words + tokens[i]
            digest = scatter(key)
            if slots[digest & slot_mask] < least:
                continue
            at = (digest >> _SHIFT) & mask
            while keys[at] >= 0 and keys[at] != key:
                at = (at + _ONE) & mask
            if keys[at] < 0:
                if n_free == 0:
                    return False
                n_free -= 1
                keys[at], last[at] = key, -1
            n_tokens[at] += 1
            if last[at] != j:
                last[at] = j
                n_documents[at] += 1
    return True


@njit(nogil=True, cache=True)
def cut_phrases(
    tokens: Any,
    joined: Any,
    offsets: Any,
    starts: Any,
    ends: Any,
    next_words: Any,
    next_nodes: Any,
    phrase_of: Any,
    new_number: Any,
    new_tokens: Any,
    new_joined: Any,
    new_offsets: Any,
) -> Any:
    """Replace phrases, from the left and the longest first, and leave out words that have no number.

    Parameters
    ----------
    starts, ends : ndarray of int32, shape (n_nodes,)
        The branches of each node of a tree of the phrases' words; the first V nodes are those after one word.
    next_words, next_nodes : ndarray of int32
        The word of each branch, in order inside a node, and where it leads.
    phrase_of : ndarray of int32, shape (n_nodes,)
        The number of the phrase that ends in a node; -1 for none.
    new_number : ndarray of int32, shape (V,)
        Of a word on its own; -1 to leave it out.
    new_tokens, new_joined, new_offsets : ndarray
        As long as the old ones. Filled; may be the old ones.

    Returns
    -------
    int
        How many tokens there are now.
    """
    n_new = 0
    start = offsets[0]
    for j in range(offsets.size - 1):
        stop = offsets[j + 1]
        i, was_kept = start, False
        while i < stop:
            found, length = np.int32(-1), 1
            if i + 1 < stop and joined[i + 1] and starts[tokens[i]] < ends[tokens[i]]:
                found, length = longest_phrase(
                    tokens, joined, i, stop, starts, ends, next_words, next_nodes, phrase_of
                )
            number = found if found >= 0 else new_number[tokens[i]]
            follows = joined[i] if was_kept else np.uint8(0)
            was_kept = bool(number >= 0)
            if was_kept:
                new_tokens[n_new], new_joined[n_new] = number, follows
                n_new += 1
            i += length
        start = stop
        new_offsets[j + 1] = n_new
    return n_new


@njit(nogil=True, cache=True)
def count_cut(
    tokens: Any,
    joined: Any,
    offsets: Any,
    starts: Any,
    ends: Any,
    next_words: Any,
    next_nodes: Any,
    phrase_of: Any,
    counts: Any,
    in_documents: Any,
    last: Any,
) -> None:
    """Count words and phrases as `cut_phrases` would cut them; the last three, (V + P,), are filled."""
    for j in range(offsets.size - 1):
        i, stop = offsets[j], offsets[j + 1]
        while i < stop:
            found, length = np.int32(-1), 1
            if i + 1 < stop and joined[i + 1] and starts[tokens[i]] < ends[tokens[i]]:
                found, length = longest_phrase(
                    tokens, joined, i, stop, starts, ends, next_words, next_nodes, phrase_of
                )
            entry = found if found >= 0 else tokens[i]
            counts[entry] += 1
            if last[entry] != j:
                last[entry] = j
                in_documents[entry] += 1
            i += length


@njit(nogil=True, cache=True, inline="always")
def longest_phrase(
    tokens: Any,
    joined: Any,
    i: Any,
    stop: Any,
    starts: Any,
    ends: Any,
    next_words: Any,
    next_nodes: Any,
    phrase_of: Any,
) -> Any:
    """Return the longest phrase that begins with a token, and how many it takes; -1 and 1 for none."""
    node, found, length, n = tokens[i], np.int32(-1), 1, 1
    while i + n < stop and joined[i + n] and starts[node] < ends[node]:
        child = find_branch(next_words, starts[node], ends[node], tokens[i + n])
        if child < 0:
            break
        node, n = next_nodes[child], n + 1
        if phrase_of[node] >= 0:
            found, length = phrase_of[node], n
    return found, length


@njit(nogil=True, cache=True, inline="always")
def find_branch(words: Any, start: Any, end: Any, word: Any) -> Any:
    """Return where a word stands among words in order; -1 if it does not."""
    while start < end:
        middle = (start + end) // 2
        if words[middle] < word:
            start = middle + 1
        elif words[middle] > word:
            end = middle
        else:
            return middle
    return -1


@njit(nogil=True, cache=True)
def join_pairs(
    tokens: Any, joined: Any, offsets: Any, n_words: Any, keys: Any, ranks: Any, numbers: Any, new: Any
) -> Any:
    """Replace pairs of words by one token, of those that overlap the better one.

    A pair is replaced unless it overlaps a better one that is. Going up from a pair that is better than both
    of its neighbours, every second one is replaced; where two such chains meet, the pair must suit both.

    Parameters
    ----------
    keys : ndarray of int64, shape (n,)
        First word * n_words + second word, in order.
    ranks : ndarray of int64, shape (n,)
        How good each pair is, all different; 0 is the best.
    numbers : ndarray of int32, shape (n,)
        The new token of each pair.
    new : tuple of ndarray
        Tokens, joined and offsets, as long as the old ones. Filled.

    Returns
    -------
    int
        How many tokens there are now.
    """
    new_tokens, new_joined, new_offsets = new
    longest = 0
    for j in range(offsets.size - 1):
        longest = max(longest, offsets[j + 1] - offsets[j])
    none = keys.size
    pair, rank = np.empty(longest + 1, np.int64), np.empty(longest + 1, np.int64)
    from_left, from_right = np.empty(longest + 1, np.bool_), np.empty(longest + 1, np.bool_)
    n_new = 0
    new_offsets[0] = 0
    for j in range(offsets.size - 1):
        start, n = offsets[j], offsets[j + 1] - offsets[j]
        for i in range(n):
            pair[i], rank[i] = -1, none
            if i + 1 < n and joined[start + i + 1]:
                key = np.int64(tokens[start + i]) * n_words + tokens[start + i + 1]
                pair[i] = find_branch(keys, 0, keys.size, key)
                rank[i] = ranks[pair[i]] if pair[i] >= 0 else none
        for i in range(n):
            from_left[i] = not (i > 0 and rank[i - 1] < rank[i] and from_left[i - 1])
        for i in range(n - 1, -1, -1):
            from_right[i] = not (i + 1 < n and rank[i + 1] < rank[i] and from_right[i + 1])
        i = 0
        while i < n:
            is_joined = pair[i] >= 0 and from_left[i] and from_right[i]
            new_tokens[n_new] = numbers[pair[i]] if is_joined else tokens[start + i]
            new_joined[n_new] = joined[start + i]
            n_new += 1
            i += 2 if is_joined else 1
        new_offsets[j + 1] = n_new
    return n_new


@njit(nogil=True, cache=True)
def take_apart(tokens: Any, offsets: Any, starts: Any, parts: Any, words: Any, split_offsets: Any) -> None:
    """Put the words of entries in their place, document by document; fills ``words`` and ``split_offsets``.

    Parameters
    ----------
    tokens, offsets
        (N,) and (D + 1,): entries of the vocabulary.
    starts, parts
        (V + 1,) and (P,): the words of each entry, as in a CSR matrix.
    words, split_offsets
        (N',) and (D + 1,): the same in words. Filled.
    """
    n = 0
    for j in range(offsets.size - 1):
        for i in range(offsets[j], offsets[j + 1]):
            for p in range(starts[tokens[i]], starts[tokens[i] + 1]):
                words[n] = parts[p]
                n += 1
        split_offsets[j + 1] = n


# --- documents in another order -----------------------------------------------------------------------------
#
# Runs of an array, copied one after the other.


@njit(nogil=True, cache=True)
def copy_runs(values: Array, starts: Array, offsets: Array, found: Array) -> None:
    """Copy the run of values from ``starts[j]`` to ``found[offsets[j]:offsets[j + 1]]``, for each j."""
    for j in range(starts.size):
        for i in range(offsets[j + 1] - offsets[j]):
            found[offsets[j] + i] = values[starts[j] + i]
