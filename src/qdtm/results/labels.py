"""What a topic is called: counts of sibling subtopics in, their most distinctive words and names out."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from math import ceil
from typing import Any

import numpy as np
from numpy.typing import NDArray


def distinctive_words(
    counts: NDArray[np.float32],
    n: int = 3,
    avoid: Collection[int] = (),
    usual: NDArray[np.floating[Any]] | None = None,
) -> list[tuple[int, ...]]:
    """Find the words that tell each topic from its siblings.

    A word's score is what it adds to the divergence of the topic from all siblings together,
    p(w|s) log(p(w|s) / p(w)): it must be frequent here, and more so than elsewhere; and than in the corpus,
    if that is known: what every document says names nothing. A topic without siblings has none to differ
    from, and gets its most frequent words; so does one that runs out of distinctive words.

    Parameters
    ----------
    counts : ndarray of shape (V, S)
        Tokens of each word in each of the siblings.
    n : int
        How many words to find at most.
    avoid : collection of int
        Words that say nothing new, such as the query's own.
    usual : ndarray of shape (V,), optional
        Tokens of each word in the corpus.

    Returns
    -------
    list of tuple of int, length S
        Word indices, best first.
    """
    n_w = counts.sum(axis=1, dtype=np.float64)  # (V,)
    p_w = n_w / max(n_w.sum(), 1.0)
    if usual is not None and counts.shape[1] > 1:
        p_w = np.maximum(p_w, usual / max(float(usual.sum()), 1.0))
    is_allowed = np.ones(len(counts), bool)
    is_allowed[list(avoid)] = False
    return [_label(counts[:, s].astype(np.float64), p_w, is_allowed, n) for s in range(counts.shape[1])]


def _label(
    n_sw: NDArray[np.float64], p_w: NDArray[np.float64], is_allowed: NDArray[np.bool_], n: int
) -> tuple[int, ...]:
    words = np.flatnonzero((n_sw > 0) & is_allowed)
    p_sw = n_sw[words] / max(n_sw.sum(), 1.0)
    divergence = p_sw * np.log(p_sw / p_w[words])
    divergence = np.where(divergence > 1e-12, divergence, 0.0)  # rounding alone distinguishes nothing
    order = np.lexsort((words, -p_sw, -divergence))
    return tuple(int(words[position]) for position in order[:n])


N_FOR_NAMES = 8
"""A name is made of the most distinctive words: of so many."""

PHRASE_BONUS = 2
"""A phrase names a subtopic if it is among so many times the words that a name needs: it says more."""

STEM_LETTERS, STEM_SHARE = 3, 0.75
"""Words that begin with the same letters, so many and so much of the shorter one, count as one in a name."""

N_WORDS = 2
"""Words of a name that is no phrase."""


def name_subtopics(words: Sequence[Sequence[str]]) -> list[str]:
    """Name siblings by their most distinctive words: a phrase, or two words; no two have the same name.

    Parameters
    ----------
    words : sequence of sequence of str
        The distinctive words of each, best first, phrases among them.

    Returns
    -------
    list of str
        A name each; where words run out, with a number.
    """
    taken: set[str] = set()
    return [_name(each, taken) for each in words]


def _name(words: Sequence[str], taken: set[str]) -> str:
    phrases = [word for word in words[: PHRASE_BONUS * N_WORDS] if " " in word]
    single = _apart(words)
    first, *others = single or ["unnamed"]
    pairs = [f"{first}, {other}" for other in others] or [first]
    numbered = (f"{pairs[0]} {number}" for number in range(2, len(taken) + 3))
    name = next(each for each in (*phrases, *pairs, *numbered) if each not in taken)
    taken.add(name)
    return name


def _apart(words: Sequence[str]) -> list[str]:
    """Words of which none says again what one before it says, as "jewish" after "jew" does."""
    kept: list[str] = []
    for word in words:
        if not any(
            _says_again(one, other) for each in kept for one in word.split() for other in each.split()
        ):
            kept.append(word)
    return kept


def _says_again(word: str, other: str) -> bool:
    """Return whether two words share their stem, as far as letters tell."""
    n_letters = max(STEM_LETTERS, ceil(STEM_SHARE * min(len(word), len(other))))
    return word == other or word[:n_letters] == other[:n_letters]
