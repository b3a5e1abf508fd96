"""The expert's keywords as words of a corpus: concepts in, vocabulary numbers out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from qdtm.concepts.resolve import matches_of, resolve_list
from qdtm.corpus import Corpus

WordIds = tuple[int, ...]


def keyword_ids(corpus: Corpus, keywords: Sequence[Iterable[str]]) -> list[WordIds]:
    """Return the vocabulary words of each concept's keywords; a keyword that the corpus lacks is left out.

    Parameters
    ----------
    corpus : Corpus
    keywords : sequence of iterables of str
        The keywords of each concept, cleaned as the corpus' texts were.
    """
    return [tuple(dict.fromkeys(matches_of(resolve_list(words, corpus)))) for words in keywords]


def without_shared(groups: Sequence[WordIds]) -> list[WordIds]:
    """Return the groups without the words that more than one of them has."""
    owners = Counter(w for group in groups for w in set(group))
    return [tuple(w for w in group if owners[w] == 1) for group in groups]
