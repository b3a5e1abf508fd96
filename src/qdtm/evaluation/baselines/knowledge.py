"""What is known about words, as the arrays that the kernel reads: word numbers in, `Knowledge` out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from qdtm.evaluation.baselines.forest import Forest, Pair
from qdtm.evaluation.baselines.gibbs import LANES, Array, Knowledge

NO_FOREST = Forest((), (), ())


def n_columns(n_topics: int) -> int:
    """Return the columns of an array over topics: a multiple of `LANES`."""
    return -(-n_topics // LANES) * LANES


def make_knowledge(
    n_words: int,
    n_topics: int,
    *,
    potentials: Mapping[int, Sequence[float]] | None = None,
    must_links: Iterable[Pair] = (),
    cannot_links: Iterable[Pair] = (),
    floor: float = np.inf,
    forest: Forest = NO_FOREST,
    eta: float = 1.0,
) -> Knowledge:
    """Put knowledge together.

    Parameters
    ----------
    n_words, n_topics : int
    potentials : mapping of int to sequence of float, length n_topics
        Factors of words in topics; words that are not named have 1.
    must_links, cannot_links : iterable of (int, int)
        Pairs of words that pull each other into a topic, or push each other out of it.
    floor : float
        A word pulls or pushes in a topic where it has more tokens than this; infinity: nowhere.
    forest : Forest
        A Dirichlet forest in place of the Dirichlet prior; it has no strength if `eta` is 1.
    eta : float
    """
    links = _links(must_links, cannot_links)
    factors = dict(potentials or {})
    words = sorted({*factors, *links, *(w for group in forest.groups for w in group)})
    columns = n_columns(n_topics)
    row_of = np.full(n_words, -1, dtype=np.int32)  # (V,)
    row_of[words] = np.arange(len(words))
    potential = np.ones((len(words), columns), dtype=np.float32)  # (n, C)
    for w, of_topics in factors.items():
        potential[row_of[w], :n_topics] = of_topics
    per_word = [links.get(w, []) for w in words]
    flat = [link for of_word in per_word for link in of_word]
    return Knowledge(
        row_of=row_of,
        potential=potential,
        link_offsets=np.cumsum([0, *map(len, per_word)], dtype=np.int64),
        link_words=np.array([u for u, _ in flat], dtype=np.int32),
        link_signs=np.array([sign for _, sign in flat], dtype=np.int8),
        floor=float(floor),
        eta=float(eta),
        **_tree_arrays(forest, words, columns),
    )


def _links(must: Iterable[Pair], cannot: Iterable[Pair]) -> dict[int, list[tuple[int, int]]]:
    """Return the links of each word, both ways, as (other word, sign)."""
    links: dict[int, list[tuple[int, int]]] = {}
    for pairs, sign in ((must, 1), (cannot, -1)):
        for v, w in pairs:
            links.setdefault(v, []).append((w, sign))
            links.setdefault(w, []).append((v, sign))
    return links


def _tree_arrays(forest: Forest, words: Sequence[int], columns: int) -> dict[str, Array]:
    """Return the parts of `Knowledge` that describe the forest; at first topics favour no group."""
    group_of_word = {w: g for g, group in enumerate(forest.groups) for w in group}
    component_of_group = {g: r for r, groups in enumerate(forest.components) for g in groups}
    sizes = np.array([len(group) for group in forest.groups], dtype=np.float32)  # (G,)
    n_groups, n_components = len(forest.groups), len(forest.components)
    return {
        "group_of": np.array([group_of_word.get(w, -1) for w in words], dtype=np.int32),
        "group_size": sizes,
        "component_of": np.array([component_of_group.get(g, -1) for g in range(n_groups)], dtype=np.int32),
        "component_size": np.array([sizes[list(c)].sum() for c in forest.components], dtype=np.float32),
        "favoured": np.zeros((n_groups, columns), dtype=np.uint8),
        "favoured_size": np.zeros((n_components, columns), dtype=np.float32),
    }
