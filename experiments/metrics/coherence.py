"""Topic coherence: how well the top words of a topic go together in an external corpus.

In: documents as word ids, and top words. Out: `WindowCounts` (in how many sliding windows each word, and each
pair of words, occurs), and from them C_V or NPMI of a topic. See Röder, Both and Hinneburg, "Exploring the
Space of Topic Coherence Measures", 2015. A window of 110 words moves word by word over each document; a
shorter document is one window, an empty one too.

Sliding a window changes one word at each end. So instead of looking into every window we note when each word
came; when it goes, it has shared with each word still there the windows since the later of the two came. That
is one short row of additions per departure, and exact.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from qdtm.errors import ParameterError
from qdtm.jit import njit

WINDOW_SIZE = 110

#: Whether a word with one occurrence gone from the window and another still in it is there.
#: "boolean": it is. "gensim": it is not, until it occurs anew; gensim's accumulator forgets it so.
Presence = Literal["gensim", "boolean"]

OTHER = -1


@dataclass(frozen=True, eq=False)
class WindowCounts:
    """Windows in which words occur, alone and together.

    Attributes
    ----------
    words : tuple of str
        The words that were counted.
    n_windows : int
        Number of windows in the corpus.
    joint : ndarray of int32, shape (n_words, n_words)
        Windows with both words; on the diagonal, windows with the word.
    """

    words: tuple[str, ...]
    n_windows: int
    joint: NDArray[np.int32]

    def of(self, words: Sequence[str]) -> NDArray[np.int32]:
        """Return the part of `joint` for some of the words, in their order.

        Raises
        ------
        ParameterError
            If a word was not counted.
        """
        try:
            ids = [self._ids[word] for word in words]
        except KeyError as error:
            raise ParameterError(
                f"The word {error.args[0]!r} was not counted. Add it to the words whose windows are counted."
            ) from None
        return self.joint[np.ix_(ids, ids)]

    @cached_property
    def _ids(self) -> dict[str, int]:
        """Place of each word."""
        return {word: w for w, word in enumerate(self.words)}


def count_windows(
    tokens: NDArray[np.int32],
    offsets: NDArray[np.int64],
    words: Sequence[str],
    *,
    window_size: int = WINDOW_SIZE,
    presence: Presence = "gensim",
) -> WindowCounts:
    """Count the windows in which words occur, alone and together.

    Parameters
    ----------
    tokens : ndarray of int32, shape (n_tokens,)
        Ids of `words`, document after document; -1 for any other word, which takes its place in the window.
    offsets : ndarray of int64, shape (n_docs + 1,)
        Document j is `tokens[offsets[j]:offsets[j + 1]]`.
    words : sequence of str
        What the ids stand for.
    window_size : int
        Words in a window.
    presence : {"gensim", "boolean"}
        Whether a word that is in the window more than once stays when its first occurrence goes. With
        "boolean" it does, as the definition says; with "gensim" it does not, and coherence equals gensim's.
    """
    if window_size < 1:
        raise ParameterError(f"A window has at least 1 word, got window_size={window_size}.")
    if len(tokens) + len(offsets) > np.iinfo(np.int32).max:
        raise ParameterError(
            f"The corpus has {len(tokens):,} words; windows of at most 2 billion can be counted."
        )
    joint = np.zeros((len(words), len(words)), dtype=np.int32)  # (W, W)
    n_windows = _count(tokens, offsets, window_size, presence == "gensim", joint)
    diagonal = joint.diagonal().copy()
    joint += joint.T.copy()
    np.fill_diagonal(joint, diagonal)
    return WindowCounts(tuple(words), n_windows, joint)


def count_texts(
    texts: Iterable[Sequence[str]],
    words: Sequence[str],
    *,
    window_size: int = WINDOW_SIZE,
    presence: Presence = "gensim",
) -> WindowCounts:
    """Count windows in documents given as lists of words; see `count_windows`."""
    ids = {word: w for w, word in enumerate(words)}
    documents = [np.array([ids.get(token, OTHER) for token in text], dtype=np.int32) for text in texts]
    tokens = np.concatenate([np.empty(0, dtype=np.int32), *documents])
    offsets = np.cumsum([0, *map(len, documents)], dtype=np.int64)
    return count_windows(tokens, offsets, words, window_size=window_size, presence=presence)


@njit(cache=True, nogil=True)
def _count(
    tokens: NDArray[np.int32],
    offsets: NDArray[np.int64],
    window_size: int,
    forget: bool,
    joint: NDArray[np.int32],
) -> int:
    """Add each pair's windows to one of its two cells in `joint` (mutated); return the number of windows."""
    n_words = joint.shape[0]
    copies = np.zeros(n_words, dtype=np.int32)  # (W,) occurrences in the window now
    since = np.zeros(n_words, dtype=np.int32)  # (W,) the window in which a present word came
    place = np.full(n_words, -1, dtype=np.int32)  # (W,) where it stands in `present`, -1 if absent
    present = np.empty(n_words, dtype=np.int32)  # (W,) the words in the window now, the first n_present
    n_present = 0
    n_windows = 0
    for j in range(len(offsets) - 1):
        start, length = offsets[j], offsets[j + 1] - offsets[j]
        n_here = max(1, length - window_size + 1)
        for i in range(length):
            s = max(0, i - window_size + 1)  # the window that ends with token i
            if i >= window_size:
                gone = tokens[start + i - window_size]
                if gone >= 0:
                    copies[gone] -= 1
                    if place[gone] >= 0 and (forget or copies[gone] == 0):
                        n_present = _depart(gone, s, since, place, present, n_present, joint)
            w = tokens[start + i]
            if w >= 0:
                copies[w] += 1
                if place[w] < 0:
                    since[w], place[w], present[n_present] = s, n_present, w
                    n_present += 1
        while n_present > 0:
            w = present[n_present - 1]
            copies[w] = 0
            n_present = _depart(w, n_here, since, place, present, n_present, joint)
        n_windows += n_here
    return n_windows


@njit(cache=True, nogil=True)
def _depart(
    w: int,
    s: int,
    since: NDArray[np.int32],
    place: NDArray[np.int32],
    present: NDArray[np.int32],
    n_present: int,
    joint: NDArray[np.int32],
) -> int:
    """Take word w out of the window from s on and return how many words stay.

    Mutates `place` and `present`, and row w of `joint`, to which its shared windows are added.
    """
    last = present[n_present - 1]
    present[place[w]], place[last] = last, place[w]
    place[w] = -1
    joint[w, w] += s - since[w]
    for v in present[: n_present - 1]:
        joint[w, v] += s - max(since[w], since[v])
    return n_present - 1


# --- coherence --------------------------------------------------------------------------------------------


_EPSILON = 1e-12  # as in gensim: keeps the logarithm of an empty count finite


def c_v(words: Sequence[str], counts: WindowCounts) -> float:
    """Return the C_V coherence of a topic's top words.

    Each word is described by its NPMI with all words of the topic, and compared by cosine with the sum of
    these descriptions (one-set segmentation, gamma = 1); the mean over the words is the coherence. A word
    that the corpus does not have is like no other: its cosine is 0.

    Parameters
    ----------
    words : sequence of str
        The topic's top words, at least two.
    counts : WindowCounts
        Of the external corpus, with these words among its words.
    """
    npmi = npmi_matrix(_joint(words, counts), counts.n_windows)  # (n, n)
    whole = npmi.sum(axis=0)  # (n,)
    norms = np.linalg.norm(npmi, axis=1) * np.linalg.norm(whole)  # (n,)
    cosines = np.divide(npmi @ whole, norms, out=np.zeros(len(words)), where=norms > 0)
    return float(cosines.mean())


def npmi_coherence(words: Sequence[str], counts: WindowCounts) -> float:
    """Return the mean NPMI over all pairs of a topic's top words.

    Parameters
    ----------
    words : sequence of str
        The topic's top words, at least two.
    counts : WindowCounts
        Of the external corpus, with these words among its words.
    """
    npmi = npmi_matrix(_joint(words, counts), counts.n_windows)
    return float(npmi[np.triu_indices(len(words), k=1)].mean())


def npmi_matrix(joint: NDArray[np.int32], n_windows: int) -> NDArray[np.float64]:
    """Return the normalised pointwise mutual information of word pairs, in [-1, 1].

    It is log(p(v, w) / (p(v) p(w))) / -log p(v, w); 0 if one of the words does not occur.

    Parameters
    ----------
    joint : ndarray of int32, shape (n_words, n_words)
        Windows with both words; on the diagonal, windows with the word.
    n_windows : int
        Number of windows in all.
    """
    p_word = joint.diagonal() / n_windows  # (n,)
    p_joint = joint / n_windows + _EPSILON  # (n, n)
    p_independent = np.outer(p_word, p_word)  # (n, n)
    seen = p_independent > 0
    ratio = np.divide(p_joint, p_independent, out=np.ones_like(p_joint), where=seen)
    return np.asarray(np.log(ratio) / -np.log(p_joint), dtype=np.float64)


def _joint(words: Sequence[str], counts: WindowCounts) -> NDArray[np.int32]:
    """Return the counts of a topic's words, of which there must be two or more."""
    if len(words) < 2:
        raise ParameterError(f"Coherence needs at least 2 words, got {len(words)}.")
    return counts.of(words)
