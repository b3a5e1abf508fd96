"""Phrases of a corpus: words that stand side by side far more often than by chance become one word.

In: `IndexedTokens` that know which of them stand side by side. Out: the same, with a word of the vocabulary
for each phrase, its words parted by a space ("south africa"), in place of the tokens of these words.

A pair of words is a phrase if enough different documents have it, if it is significant (Dunning 1993) and if
it is strong (normalised pointwise mutual information, Bouma 2009). Longer phrases are found as pairs with a
phrase in them (Mikolov et al. 2013). What is counted does not depend on the order of documents or on copies.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from qdtm.corpus.indexing import BLOCK, LEFT_OUT, IndexedTokens, count_numbers
from qdtm.corpus.vocabulary import VocabularyLimits

if TYPE_CHECKING:
    pass

LEAST_DOCUMENTS = 5
"""A phrase is in so many different documents at least, or in as many as a word must be."""

MIN_NPMI = 0.45
"""How strongly the words of a phrase must attract each other, from 0 (by chance) to 1 (never apart).

By reading 28 pairs of each twentieth from seven corpora: from 0.45 on most are what people call a phrase
("language model" 0.47, "bank account" 0.46, "world cup" 0.51), below it more and more are only syntax
("helped build", "provide grant")."""

SIGNIFICANCE = 0.01
"""The probability that any pair of a corpus without phrases would be taken for one."""

LONGEST = 4
"""Words of a phrase at most: two pairs."""

MOSTLY = 0.5
"""A phrase becomes part of a longer one that has so much of its occurrences: "trade centre" of "world trade
centre", but not "prime minister" of "prime minister john howard"."""

MOST_COUNTED = 2**22
"""Tokens that phrases are looked for in; of larger corpora a sample of documents, by a hash of theirs."""

_MOST_SLOTS = 2**23
"""Of the table of hashed pairs: 32 MB."""

Phrase = tuple[int, ...]
"""The words of a phrase, by their numbers."""


class PairCounts(NamedTuple):
    """Pairs of words side by side, in the order of their keys.

    Attributes
    ----------
    keys : ndarray of int64, shape (n,)
        First word * number of words + second word.
    n_tokens, n_documents : ndarray of int64, shape (n,)
    """

    keys: NDArray[np.int64]
    n_tokens: NDArray[np.int64]
    n_documents: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class _Sequence:
    """Tokens on their way to phrases: numbers of words and, from V on, of what was joined."""

    tokens: NDArray[np.int32]
    joined: NDArray[np.uint8]
    offsets: NDArray[np.int64]


def with_phrases(indexed: IndexedTokens, limits: VocabularyLimits) -> IndexedTokens:
    """Find the phrases of a corpus and put them into its vocabulary, in alphabetical order.

    A word that is in phrases only leaves the vocabulary. Of a vocabulary that has become larger than its
    limit the rarest entries go: a phrase becomes words again, a word is left out.

    Parameters
    ----------
    indexed : IndexedTokens
        Of which each token is a word that keeps the limits. Its arrays are used again.
    limits : VocabularyLimits
    """
    if indexed.joined is None or not len(indexed.tokens):
        return replace(indexed, joined=None)
    plan = plan_phrases(indexed, limits)
    if plan is None:
        return replace(indexed, joined=None)
    return _occurring(cut_phrases(indexed, *plan, reuse=True))


def plan_phrases(
    indexed: IndexedTokens, limits: VocabularyLimits
) -> tuple[dict[str, Phrase], list[str]] | None:
    """Return the phrases of a corpus by their spelling, and the vocabulary with them; None without any.

    Of the corpus, those documents are enough that `choose_documents` takes.
    """
    phrases, counts = find_phrases(indexed, limits)
    if not phrases:
        return None
    n_words = len(indexed.words)
    entries = [*indexed.words, *(" ".join(indexed.words[w] for w in phrase) for phrase in phrases)]
    kept = list(range(len(entries)))
    if limits.max_words is not None and len(entries) > limits.max_words:
        kept.sort(key=lambda w: (-counts[w], entries[w]))
        kept = kept[: limits.max_words]
    left = {entries[w]: phrases[w - n_words] for w in kept if w >= n_words}
    return left, sorted(entries[w] for w in kept)


def _occurring(indexed: IndexedTokens) -> IndexedTokens:
    """Leave out words without a token."""
    blocks = [indexed.tokens[at : at + BLOCK] for at in range(0, len(indexed.tokens), BLOCK)]
    counts = count_numbers(indexed.tokens, len(indexed.words))
    if counts.all():
        return indexed
    new_number = (np.cumsum(counts > 0) - 1).astype(np.int32)
    for block in blocks:
        block[:] = new_number[block]
    words = [word for word, n in zip(indexed.words, counts.tolist(), strict=True) if n]
    return replace(indexed, words=words)


def cut_phrases(
    indexed: IndexedTokens,
    phrases: dict[str, Phrase],
    words: Sequence[str] | None = None,
    *,
    reuse: bool = False,
) -> IndexedTokens:
    """Replace phrases in a corpus: from the left, the longest first.

    Parameters
    ----------
    phrases : dict of str to tuple of int
        By their spelling.
    words : sequence of str, optional
        The vocabulary to express the tokens in; by default the old one and the phrases. Other words are left
        out.
    reuse : bool
        Whether to overwrite the tokens that came in.
    """
    from qdtm.corpus.kernels import cut_phrases as cut  # slow to load

    vocabulary = [*indexed.words, *phrases] if words is None else list(words)
    numbers = {word: w for w, word in enumerate(vocabulary)}
    tree = _tree(len(indexed.words), {numbers[spelling]: phrase for spelling, phrase in phrases.items()})
    new_number = np.array([numbers.get(word, LEFT_OUT) for word in indexed.words], np.int32)
    joined = np.zeros(len(indexed.tokens), np.uint8) if indexed.joined is None else indexed.joined
    old = (indexed.tokens, joined, indexed.offsets)
    new = old if reuse else tuple(map(np.zeros_like, old))
    n_tokens = cut(*old, *tree, new_number, *new)
    return IndexedTokens(vocabulary, new[0][:n_tokens], new[2], indexed.n_read)


def _count_cut(
    sequence: _Sequence, n_words: int, phrases: Sequence[Phrase]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Count the occurrences and the documents of words and phrases once these are cut out; (V + P,) each."""
    from qdtm.corpus.kernels import count_cut  # slow to load

    tree = _tree(n_words, {n_words + p: phrase for p, phrase in enumerate(phrases)})
    counts, in_documents, last = np.zeros((3, n_words + len(phrases)), np.int64)
    last[:] = -1
    count_cut(sequence.tokens, sequence.joined, sequence.offsets, *tree, counts, in_documents, last)
    return counts, in_documents


def _tree(n_words: int, phrases: dict[int, Phrase]) -> tuple[NDArray[np.int32], ...]:
    """Make the tree of the phrases' words that the kernel follows: see there."""
    branches: list[dict[int, int]] = [{} for _ in range(n_words)]
    phrase_of = [-1] * n_words
    for number, phrase in phrases.items():
        node = phrase[0]
        for word in phrase[1:]:
            if word not in branches[node]:
                branches[node][word] = len(branches)
                branches.append({})
                phrase_of.append(-1)
            node = branches[node][word]
        phrase_of[node] = number
    ends = np.cumsum([len(each) for each in branches])
    starts = ends - [len(each) for each in branches]
    flat = [branch for each in branches for branch in sorted(each.items())]
    words, nodes = [word for word, _ in flat], [node for _, node in flat]
    return tuple(np.array(each, np.int32) for each in (starts, ends, words, nodes, phrase_of))


# --- finding them ------------------------------------------------------------------------------------------


def find_phrases(indexed: IndexedTokens, limits: VocabularyLimits) -> tuple[list[Phrase], NDArray[np.int64]]:
    """Find the phrases of a corpus, in the order of their words' spelling.

    Parameters
    ----------
    indexed : IndexedTokens
        Which know what stands side by side.
    limits : VocabularyLimits
        Of the vocabulary: a phrase is in no fewer documents than a word.

    Returns
    -------
    list of tuple of int, ndarray of int64 of shape (V + P,)
        And how often documents that count have each word, outside of phrases, and each phrase.
    """
    assert indexed.joined is not None
    counted = choose_documents(indexed)
    least = max(LEAST_DOCUMENTS, limits.document_range(int(counted.sum()))[0])
    parts: list[Phrase] = [(w,) for w in range(len(indexed.words))]
    sequence = counted_tokens = _only(_Sequence(indexed.tokens, indexed.joined, indexed.offsets), counted)
    rank_of_spelling = {w: r for r, w in enumerate(sorted(range(len(parts)), key=indexed.words.__getitem__))}
    found: set[Phrase] = set()
    for is_last in (False, True):
        pairs = _accepted(sequence, parts, least, rank_of_spelling)
        pairs = _left_beside_better(sequence, pairs, len(parts), least)
        found |= {parts[a] + parts[b] for a, b in pairs}
        if not pairs or is_last:
            break
        sequence = _join(sequence, pairs, len(parts))
        parts += [parts[a] + parts[b] for a, b in pairs]
    ordered = sorted(found, key=lambda phrase: [rank_of_spelling[w] for w in phrase])
    _, in_documents = _count_cut(counted_tokens, len(indexed.words), ordered)
    left = in_documents[len(indexed.words) :] >= least
    phrases = [phrase for phrase, is_left in zip(ordered, left, strict=True) if is_left]
    counts, _ = _count_cut(counted_tokens, len(indexed.words), phrases)
    return phrases, counts


def choose_documents(indexed: IndexedTokens) -> NDArray[np.bool_]:
    """Choose the documents that count, (D,): each content once, and a sample of them if there are many."""
    from qdtm.corpus.kernels import hash_joined  # slow to load

    hashes = hash_joined(indexed.tokens, indexed.joined, indexed.offsets)  # (D,)
    return choose_by_hash(hashes, np.diff(indexed.offsets))


def choose_by_hash(hashes: NDArray[np.uint64], lengths: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Choose the documents that count by hashes of their content and their lengths in tokens, (D,)."""
    _, first = np.unique(hashes, return_index=True)  # in the order of their hashes
    counted = np.zeros(len(hashes), np.bool_)
    lengths = lengths[first]
    counted[first[np.cumsum(lengths) <= max(MOST_COUNTED, lengths[:1].sum())]] = True
    return counted


def _only(sequence: _Sequence, counted: NDArray[np.bool_]) -> _Sequence:
    """Return the tokens of the documents that count."""
    if counted.all():
        return sequence
    lengths = np.diff(sequence.offsets)
    kept = np.repeat(counted, lengths)
    offsets = np.concatenate([[0], np.cumsum(lengths[counted])]).astype(np.int64)
    return _Sequence(sequence.tokens[kept], sequence.joined[kept], offsets)


def _accepted(
    sequence: _Sequence, parts: Sequence[Phrase], least: int, rank_of_spelling: dict[int, int]
) -> list[tuple[int, int]]:
    """Return the pairs that are phrases, the strongest first."""
    n_words = len(parts)
    pairs = count_pairs(sequence.tokens, sequence.joined, sequence.offsets, n_words, least)
    first, second = pairs.keys // n_words, pairs.keys % n_words
    counts = np.bincount(sequence.tokens, minlength=n_words)  # (V,)
    n_total = len(sequence.tokens)
    strength = npmi(pairs.n_tokens, counts[first], counts[second], n_total)
    ratio = log_likelihood_ratio(pairs.n_tokens, counts[first], counts[second], n_total)
    good = (strength >= MIN_NPMI) & (ratio >= critical_ratio(len(pairs.keys)))
    lengths = np.array([len(part) for part in parts])
    for part in (first, second):
        good &= (lengths[part] == 1) | (pairs.n_tokens >= MOSTLY * counts[part])
    good &= lengths[first] + lengths[second] <= LONGEST
    found = {
        (int(first[k]), int(second[k])): round(float(strength[k]), 9)
        for k in np.flatnonzero(good)
        if not set(parts[first[k]]) & set(parts[second[k]])
    }

    def order(pair: tuple[int, int]) -> tuple[float, list[int]]:
        return -found[pair], [rank_of_spelling[w] for part in pair for w in parts[part]]

    return sorted(found, key=order)


def _left_beside_better(
    sequence: _Sequence, pairs: list[tuple[int, int]], n_words: int, least: int
) -> list[tuple[int, int]]:
    """Leave out pairs that overlap better ones nearly everywhere: "osama bin" beside "bin laden"."""
    if not pairs:
        return []
    _, in_documents = _count_cut(_join(sequence, pairs, n_words), n_words + len(pairs), [])
    return [pair for pair, n in zip(pairs, in_documents[n_words:].tolist(), strict=True) if n >= least]


def _join(sequence: _Sequence, pairs: Sequence[tuple[int, int]], n_words: int) -> _Sequence:
    """Replace pairs, the best first; the k-th becomes the token `n_words` + k."""
    from qdtm.corpus.kernels import join_pairs  # slow to load

    keys = np.array([a * n_words + b for a, b in pairs], np.int64)
    ranks = np.argsort(keys, kind="stable")
    numbers = (n_words + ranks).astype(np.int32)
    new = (np.empty_like(sequence.tokens), np.empty_like(sequence.joined), np.empty_like(sequence.offsets))
    old = (sequence.tokens, sequence.joined, sequence.offsets)
    n_new = join_pairs(*old, n_words, keys[ranks], ranks, numbers, new)
    return _Sequence(new[0][:n_new], new[1][:n_new], new[2])


def count_pairs(
    tokens: NDArray[np.int32],
    joined: NDArray[np.uint8],
    offsets: NDArray[np.int64],
    n_words: int,
    least: int,
) -> PairCounts:
    """Count pairs of different words side by side that `least` documents or more have."""
    from qdtm.corpus import kernels  # slow to load

    counted = np.ones(len(offsets) - 1, np.bool_)
    n_pairs = int(joined.sum())
    slots = np.zeros(min(_MOST_SLOTS, _power_of_two(2 * n_pairs)), np.uint32)
    given = (tokens, joined, offsets, counted, n_words, slots)
    kernels.count_slots(*given)
    room = _power_of_two(4 * max(1, int((slots >= least).sum())))
    while True:
        keys = np.full(room, -1, np.int64)
        n_tokens, n_documents, last = np.zeros((3, room), np.int64)
        if kernels.count_pairs(*given, least, keys, n_tokens, n_documents, last):
            break
        room *= 2
    enough = np.flatnonzero(n_documents >= least)
    enough = enough[np.argsort(keys[enough], kind="stable")]
    return PairCounts(keys[enough], n_tokens[enough], n_documents[enough])


def _power_of_two(n: int) -> int:
    return 1 << math.ceil(math.log2(max(2, n)))


# --- how strong a pair is ----------------------------------------------------------------------------------


def npmi(n_both: NDArray[Any], n_first: NDArray[Any], n_second: NDArray[Any], n_total: int) -> NDArray[Any]:
    """Return the normalised pointwise mutual information of pairs (Bouma 2009), from -1 to 1."""
    p_both = n_both / n_total
    information = np.log(p_both) - np.log(n_first / n_total) - np.log(n_second / n_total)
    return np.asarray(information / np.maximum(-np.log(p_both), np.finfo(float).tiny))


def log_likelihood_ratio(
    n_both: NDArray[Any], n_first: NDArray[Any], n_second: NDArray[Any], n_total: int
) -> NDArray[Any]:
    """Return Dunning's (1993) log-likelihood ratio of pairs, which has a chi-squared distribution."""
    alone_first, alone_second = n_first - n_both, n_second - n_both
    neither = np.maximum(n_total - n_first - n_second + n_both, 0)
    cells = (
        (n_both, n_first, n_second),
        (alone_first, n_first, n_total - n_second),
        (alone_second, n_total - n_first, n_second),
        (neither, n_total - n_first, n_total - n_second),
    )
    return np.asarray(2.0 * sum(_surprise(seen, row * (column / n_total)) for seen, row, column in cells))


def _surprise(seen: NDArray[Any], expected: NDArray[Any]) -> NDArray[Any]:
    return np.where(
        seen > 0, seen * np.log(np.maximum(seen, 1) / np.maximum(expected, np.finfo(float).tiny)), 0
    )


def critical_ratio(n_tests: int) -> float:
    """Return the ratio that any of so many pairs reaches by chance with a probability of `SIGNIFICANCE`."""
    return NormalDist().inv_cdf(SIGNIFICANCE / max(1, n_tests) / 2.0) ** 2  # chi-squared, 1 degree of freedom
