"""Topics as the user sees them: a `ModelFit` in, topics with names, sizes, words and subtopics out."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from math import ceil
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qdtm.errors import ParameterError
from qdtm.reprs import counted, listed, on_screen, quoted
from qdtm.results.distributions import subtopic_word_probabilities, topic_word_probabilities
from qdtm.results.fit import ModelFit
from qdtm.results.splits import counts_below

# --- a topic ------------------------------------------------------------------------------------------------
#
# A topic as the user sees it: a name, a size, words with probabilities, subtopics.
#
# In: nothing; topics are plain results, made by `build_topics`. Out: `Topic`.


@dataclass(frozen=True, eq=False, repr=False)
class Topic:
    """A parent topic, one of its subtopics, or a background topic.

    Attributes
    ----------
    id : str
        "0" is the parent topic of the first query, "0.1" its largest subtopic, "0.1.2" the second one below
        that, if it was opened, "b1" the largest background topic.
    name : str
        What the user calls it (`set_topic_labels`). Else the query's name, for a subtopic also its own: a
        phrase or two words that tell it from its siblings; or "background 1".
    short_name : str
        The same without the query's name.
    n_tokens : float
        How many tokens of the corpus it has, averaged over the samples.
    prevalence : float
        Its share of the corpus' tokens.
    vocabulary : tuple of str, length V
        Shared by all topics.
    probabilities : ndarray of float32, shape (V,)
        p(word | topic); sums to 1.
    subtopics : tuple of Topic
        Largest first; empty for background topics, and for subtopics that were not opened.
    label_words : tuple of str
        The words that tell a subtopic from its siblings; empty for others.
    label : str or None
        The user's name for it.
    dropped_words : tuple of str
        What a person does not want among its words.
    shared_words : ndarray of bool, shape (V,), optional
        Which words two documents about the query have; None for a background topic.
    words_about : ndarray of float32, shape (V,), optional
        Of a query asked alone, how likely a word of the topic is in the documents about it, each of which
        counts by its relevance; what is only near has other words. None for other topics.
    rest : float
        What is in none of its subtopics, as a share of what was split: groups too small, found by too few
        runs, or hidden.
    above : ndarray of shape (V,), optional
        How much the topic that it is part of has of each word, which orders words that are equally probable.
    """

    id: str
    name: str
    n_tokens: float
    prevalence: float
    vocabulary: tuple[str, ...]
    probabilities: NDArray[np.float32]
    subtopics: tuple[Topic, ...] = ()
    label_words: tuple[str, ...] = ()
    label: str | None = None
    short_name: str = ""
    dropped_words: tuple[str, ...] = ()
    shared_words: NDArray[np.bool_] | None = None
    words_about: NDArray[np.float32] | None = None
    rest: float = 0.0
    above: NDArray[np.float32] | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if not self.short_name:
            object.__setattr__(self, "short_name", self.name)

    @property
    def prevalence_below(self) -> float:
        """What was split of it, as a share of the corpus' tokens: its subtopics and what is in none of them.

        The shares of subtopics are shares of this.
        """
        return sum(subtopic.prevalence for subtopic in self.subtopics) / max(1.0 - self.rest, 1e-9)

    def top_words(self, n: int = 10) -> list[tuple[str, float]]:
        """Return the `n` most probable words with their probabilities, best first.

        Those of a query asked alone are likely in the documents about it (`words_about`). Words that only one
        of these has come in only where others run out. Among equals, of a subtopic those come first that the
        topic above it has more of; else the order is that of the vocabulary.
        """
        if isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 0:
            raise ParameterError(f"The number of words is {n!r}; give a whole number of at least 0.")
        likely = self.probabilities if self.words_about is None else self.words_about
        keys = [-likely] if self.above is None else [-self.above, -likely]
        order = np.lexsort(keys)  # stable; the last key decides first
        alone = np.zeros(len(order), np.bool_) if self.shared_words is None else ~self.shared_words[order]
        best = np.concatenate([order[~alone], order[alone]])[: n + len(self.dropped_words)]
        kept = np.array(
            [w for w in best.tolist() if self.vocabulary[w] not in self.dropped_words][:n], np.int64
        )
        kept.sort()
        shown = kept[np.lexsort([key[kept] for key in keys])].tolist()
        return [(self.vocabulary[w], float(likely[w])) for w in shown]

    def walk(self) -> Iterator[Topic]:
        """Yield the topic itself, then its subtopics, each followed by those below it."""
        yield self
        for subtopic in self.subtopics:
            yield from subtopic.walk()

    def below(self) -> list[Topic]:
        """Return all subtopics in level order: its own first, then those of the subtopics opened."""
        found = list(self.subtopics)
        for topic in found:  # it grows on the way
            found += topic.subtopics
        return found

    def _repr_html_(self) -> str:
        from qdtm.present.notebook import topic_html

        return topic_html(self)

    def __repr__(self) -> str:
        words = listed([word for word, _ in self.top_words(5)])
        subtopics = f", {counted(len(self.subtopics), 'subtopic')}" if self.subtopics else ""
        size = f"{self.prevalence:.1%}{subtopics}"
        return on_screen(f"Topic({self.id!r}, {quoted(self.name)}, {size}: {words})")


# --- names --------------------------------------------------------------------------------------------------
#
# What a topic is called: counts of sibling subtopics in, their most distinctive words and names out.


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


def name_subtopics(words: Sequence[Sequence[str]], kept: Sequence[str | None] = ()) -> list[str]:
    """Name siblings by their most distinctive words: a phrase, or two words; no two have the same name.

    Parameters
    ----------
    words : sequence of sequence of str
        The distinctive words of each, best first, phrases among them.
    kept : sequence of str or None
        Names that some of them have already.

    Returns
    -------
    list of str
        A name each; where words run out, with a number.
    """
    taken = {name for name in kept if name}
    return [name or _name(each, taken) for each, name in zip_longest(words, kept)]


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


# --- all topics of a fit ------------------------------------------------------------------------------------


def build_topics(fit: ModelFit, *, n_label_words: int = 3) -> tuple[tuple[Topic, ...], tuple[Topic, ...]]:
    """Make the topics of a fit.

    Parameters
    ----------
    fit : ModelFit
    n_label_words : int
        How many distinctive words name a subtopic.

    Returns
    -------
    parents : tuple of Topic, length Q
        One a query, in order, with its subtopics.
    background : tuple of Topic, length K - Q
        Largest first.
    """
    probabilities = topic_word_probabilities(fit.word_topic, fit.promoted_mass, fit.beta)  # (K, V)
    user_labels = fit.presentation.labels
    n_z = fit.word_topic.sum(axis=0, dtype=np.float64)  # (K,)
    total = max(float(n_z.sum()), 1.0)
    topics = [
        Topic(
            id=topic_id(k, fit.n_queries),
            name=user_labels.get(topic_id(k, fit.n_queries)) or _name_of_topic(fit, k),
            label=user_labels.get(topic_id(k, fit.n_queries)),
            n_tokens=float(n_z[k]),
            prevalence=float(n_z[k]) / total,
            vocabulary=fit.vocabulary,
            probabilities=_frozen(probabilities[k]),
            subtopics=_subtopics(fit, k, total, n_label_words) if k < fit.n_queries else (),
            dropped_words=fit.corrections.dropped_words.get(topic_id(k, fit.n_queries), ()),
            shared_words=_shared(fit, k),
            words_about=_about(fit, k),
            rest=fit.subtopic_rest[k] if k < fit.n_queries else 0.0,
        )
        for k in range(fit.n_topics)
    ]
    return tuple(topics[: fit.n_queries]), tuple(topics[fit.n_queries :])


def topic_id(k: int, n_queries: int) -> str:
    """Return the id of a topic: "0" for the first query's, "b1" for the first of the background."""
    return str(k) if k < n_queries else f"b{k - n_queries + 1}"


def _name_of_topic(fit: ModelFit, k: int) -> str:
    return fit.concepts[k].name if k < fit.n_queries else f"background {k - fit.n_queries + 1}"


def _about(fit: ModelFit, q: int) -> NDArray[np.float32] | None:
    if fit.words_about is None or q >= fit.n_queries or not fit.words_about[:, q].any():
        return None
    n_w = fit.words_about[:, q].astype(np.float64)
    return _frozen(n_w / n_w.sum())


def _shared(fit: ModelFit, q: int) -> NDArray[np.bool_] | None:
    if fit.shared_words is None or q >= fit.n_queries:
        return None
    return fit.shared_words[:, q]


class _Splitter:
    """Makes the subtopics of one query, and those below the ones that were opened."""

    def __init__(self, fit: ModelFit, q: int, total: float, n_label_words: int) -> None:
        self.fit, self.query, self.total = fit, fit.concepts[q].name, total
        self.n_label_words = n_label_words
        self.opened = {below.of: below for below in counts_below(fit, q)}
        self.shared = _shared(fit, q)
        self.rest = {split.of: split.rest for split in fit.splits}
        self.usual = fit.word_topic.sum(axis=1, dtype=np.float64)  # (V,)

    def below(self, id: str, n_w: NDArray[np.float32], avoid: tuple[int, ...]) -> tuple[Topic, ...]:
        """Make the topics below one, given its tokens of each word (V,) and words that name it already."""
        if id not in self.opened:
            return ()
        _, ids, counts = self.opened[id]  # (V, S)
        is_parent_word = (n_w > 0) | counts.any(axis=1)  # (V,)
        probabilities = subtopic_word_probabilities(counts, is_parent_word, self.fit.beta)  # (S, V)
        words = self._telling(ids, counts, avoid)
        kept = [self.fit.corrections.names.get(each) for each in ids]
        if all(words):
            telling = words
        else:  # one has no words but those that name the topic already
            telling = [a or b for a, b in zip(words, self._telling(ids, counts, ()), strict=True)]
        names = name_subtopics([[self.fit.vocabulary[w] for w in each] for each in telling], kept)
        return tuple(
            self._topic(each, name, counts[:, s], probabilities[s], words[s], avoid, n_w)
            for s, (each, name) in enumerate(zip(ids, names, strict=True))
        )

    def _telling(
        self, ids: Sequence[str], counts: NDArray[np.float32], avoid: tuple[int, ...]
    ) -> list[tuple[int, ...]]:
        """Return the words that tell each subtopic from its siblings, those of several documents first.

        Words that a person dropped are not among them.
        """
        dropped = [self.fit.corrections.dropped_words.get(id, ()) for id in ids]
        shared = np.ones(len(counts), np.bool_) if self.shared is None else self.shared
        found = distinctive_words(counts, len(counts), avoid, self.usual)
        return [
            tuple(
                sorted((w for w in words if self.fit.vocabulary[w] not in out), key=lambda w: not shared[w])
            )[:N_FOR_NAMES]
            for words, out in zip(found, dropped, strict=True)
        ]

    def _topic(
        self,
        id: str,
        name: str,
        n_w: NDArray[np.float32],
        probabilities: NDArray[np.float64],
        words: tuple[int, ...],
        avoid: tuple[int, ...],
        above: NDArray[np.float32],
    ) -> Topic:
        fit, n_tokens = self.fit, float(n_w.sum(dtype=np.float64))
        words = words[: self.n_label_words]
        label_words = tuple(fit.vocabulary[w] for w in words)
        label = fit.presentation.labels.get(id)
        return Topic(
            id=id,
            name=label or f"{self.query}: {name}",
            short_name=label or name,
            n_tokens=n_tokens,
            prevalence=n_tokens / self.total,
            vocabulary=fit.vocabulary,
            probabilities=_frozen(probabilities),
            subtopics=self.below(id, n_w, (*avoid, *words)),
            label_words=label_words,
            label=label,
            dropped_words=fit.corrections.dropped_words.get(id, ()),
            shared_words=self.shared,
            rest=self.rest.get(id, 0.0),
            above=above,
        )


def _subtopics(fit: ModelFit, q: int, total: float, n_label_words: int) -> tuple[Topic, ...]:
    own = tuple(word.index for word in fit.concepts[q].words if word.origin == "query")
    return _Splitter(fit, q, total, n_label_words).below(str(q), fit.word_topic[:, q], own)


def _frozen(probabilities: NDArray[np.float64]) -> NDArray[np.float32]:
    array = probabilities.astype(np.float32)
    array.flags.writeable = False
    return array
