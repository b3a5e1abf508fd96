"""A `Result` in, contrasts of its queries out: each beside the one that it has most in common with."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from qdtm.report.view import ContrastSide, ContrastView, WordBar
from qdtm.results.contrast import Contrast, ContrastWord, closest_pairs, contrast_queries
from qdtm.results.result import Result

_MOST = 8  # pairs on a page
_WORDS = 10


def contrast_views(result: Result) -> Iterator[ContrastView]:
    """Yield the contrasts that a page shows; none for a lone query."""
    for a, b in list(closest_pairs(result))[:_MOST]:
        yield view_contrast(result, a, b, contrast_queries(result, a, b, n_words=_WORDS, n_documents=0))


def view_contrast(result: Result, a: int, b: int, found: Contrast) -> ContrastView:
    """Return what a page shows of the contrast of two queries."""
    concepts = [{word.word for word in result.fit.concepts[q].words} for q in (a, b)]
    return ContrastView(
        sides=(
            ContrastSide(found.left, _bars(found.left_words, concepts[0]), found.n_left),
            ContrastSide(found.right, _bars(found.right_words, concepts[1]), found.n_right),
        ),
        n_both=found.n_both,
        overlap=found.overlap,
    )


def _bars(words: Sequence[ContrastWord], own: set[str]) -> list[WordBar]:
    """Return words as bars, as long as their log-odds; the concept words among them are marked."""
    longest = max((abs(word.log_odds) for word in words), default=1.0)
    return [
        WordBar(word.word, abs(word.log_odds), round(100 * abs(word.log_odds) / longest, 1), word.word in own)
        for word in words
    ]
