"""Which documents name a query, by their text alone: what the package makes of the words plays no part.

In: texts and a query. Out: how often each text has each of the query's words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from qdtm.errors import ParameterError

FUNCTION_WORDS = frozenset({"in", "of", "the"})
"""Words of a query that a document need not have."""


def query_words(query: str) -> tuple[str, ...]:
    """Return the words of a query that a document has to have, in lower case, each once."""
    words = re.findall(r"\w+(?:['’-]\w+)*", query.lower())
    return tuple(dict.fromkeys(word for word in words if word not in FUNCTION_WORDS))


def word_counts(texts: Iterable[str], query: str) -> NDArray[np.int64]:
    """Count the query's words in each text, whole words with or without a plural s, shape (D, n).

    Raises
    ------
    ParameterError
        If the query has no word to look for.
    """
    words = query_words(query)
    if not words:
        raise ParameterError(f"The query {query!r} has no word that documents could be judged by.")
    shapes = [re.compile(rf"\b{re.escape(word.removesuffix('s'))}s?\b", re.IGNORECASE) for word in words]
    counts = [[len(shape.findall(text)) for shape in shapes] for text in texts]
    return np.array(counts, np.int64).reshape(-1, len(words))
