"""Topic coherence: how well the top words of a topic go together in an external corpus.

In: top words and the `WindowCounts` of a corpus. Out: C_V or NPMI of the topic. See Röder, Both and
Hinneburg, "Exploring the Space of Topic Coherence Measures", 2015.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from qdtm.errors import ParameterError
from qdtm.evaluation.metrics.windows import WindowCounts

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
