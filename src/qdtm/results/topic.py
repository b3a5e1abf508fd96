"""A topic as the user sees it: a name, a size, words with probabilities, subtopics.

In: nothing; topics are plain results, made by `build_topics`. Out: `Topic`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qdtm.errors import ParameterError


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

    def __post_init__(self) -> None:
        if not self.short_name:
            object.__setattr__(self, "short_name", self.name)

    @property
    def prevalence_below(self) -> float:
        """What its subtopics have of the corpus' tokens, together: their shares are shares of this."""
        return sum(subtopic.prevalence for subtopic in self.subtopics)

    def top_words(self, n: int = 10) -> list[tuple[str, float]]:
        """Return the `n` most probable words with their probabilities, best first (ties by vocabulary)."""
        if isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 0:
            raise ParameterError(f"The number of words is {n!r}; give a whole number of at least 0.")
        best = np.argsort(-self.probabilities, kind="stable")[:n]
        return [(self.vocabulary[w], float(self.probabilities[w])) for w in best]

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
        from qdtm.report.notebook import topic_html

        return topic_html(self)

    def __repr__(self) -> str:
        words = ", ".join(word for word, _ in self.top_words(5))
        subtopics = f", {len(self.subtopics)} subtopics" if self.subtopics else ""
        return f"Topic({self.id!r}, {self.name!r}, {self.prevalence:.1%}{subtopics}: {words})"
