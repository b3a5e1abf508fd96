"""Plain twins of the kernels: slow, and easy to see through."""

from collections import Counter
from itertools import combinations


def naive_windows(text: list[str], window_size: int) -> list[list[str]]:
    n_windows = max(1, len(text) - window_size + 1)
    return [text[start : start + window_size] for start in range(n_windows)]


def naive_counts(
    texts: list[list[str]], words: list[str], window_size: int
) -> tuple[int, Counter[str], Counter[tuple[str, str]]]:
    """Look into every window: number of windows, windows with a word, windows with a pair of words."""
    n_windows, single, joint = 0, Counter(), Counter()
    for text in texts:
        for window in naive_windows(text, window_size):
            present = sorted(set(window) & set(words))
            n_windows += 1
            single.update(present)
            joint.update(combinations(present, 2))
    return n_windows, single, joint
