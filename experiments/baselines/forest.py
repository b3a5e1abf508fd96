"""Must-links and cannot-links as a Dirichlet forest (Andrzejewski, Zhu and Craven 2009).

In: pairs of words. Out: `Forest`: must-link groups, the components of groups that cannot-links connect, and
for each component the sets of groups that a topic may favour together. `draw_favoured` is the Gibbs step that
chooses one of these sets for each topic; `make_knowledge` lays links and keywords out as the arrays that the
kernel reads.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from experiments.baselines.gibbs import LANES, Array, Knowledge
from qdtm.errors import ParameterError

Pair = tuple[int, int]
Group = tuple[int, ...]
Clique = tuple[int, ...]


@dataclass(frozen=True)
class Forest:
    """The links of words, made transitive.

    Attributes
    ----------
    groups : tuple of tuple of int
        Words that must-links connect; a word that has cannot-links only is a group of its own.
    components : tuple of tuple of int
        Groups that cannot-links connect, directly or by others.
    cliques : tuple of tuple of tuple of int
        For each component the largest sets of groups without a cannot-link between them.
    """

    groups: tuple[Group, ...]
    components: tuple[tuple[int, ...], ...]
    cliques: tuple[tuple[Clique, ...], ...]


def plant_forest(must_links: Iterable[Pair], cannot_links: Iterable[Pair]) -> Forest:
    """Build the forest of some links between word numbers.

    Raises
    ------
    ParameterError
        If two words must and cannot be in the same topic.
    """
    forbidden = list(cannot_links)
    groups = _connected(must_links, {w for pair in forbidden for w in pair})
    group_of = {w: g for g, group in enumerate(groups) for w in group}
    edges = {(group_of[v], group_of[w]) for v, w in forbidden}
    for v, w in forbidden:
        if group_of[v] == group_of[w]:
            raise ParameterError(f"Words {v} and {w} have a cannot-link, but must-links connect them.")
    components = _connected(edges, set())
    against = {edge for a, b in edges for edge in ((a, b), (b, a))}
    return Forest(groups, components, tuple(_cliques(component, against) for component in components))


def draw_favoured(
    n_g: NDArray[np.float64],
    forest: Forest,
    r: int,
    *,
    beta: float,
    eta: float,
    rng: np.random.Generator,
) -> Clique:
    """Draw which of a component's cliques a topic favours, given the topic's tokens of each group.

    Parameters
    ----------
    n_g : ndarray of shape (G,)
        The topic's tokens of each group.
    forest : Forest
    r : int
        The component.
    """
    cliques = forest.cliques[r]
    logs = np.array(
        [log_weight_of_clique(n_g, forest, r, m, beta=beta, eta=eta) for m in range(len(cliques))]
    )
    weights = np.exp(logs - logs.max())
    return cliques[int(rng.choice(len(cliques), p=weights / weights.sum()))]


def log_weight_of_clique(
    n_g: NDArray[np.float64], forest: Forest, r: int, m: int, *, beta: float, eta: float
) -> float:
    """Return log p(clique | counts) up to a constant: its words times the likelihood of its tree."""
    sizes = np.array([len(group) for group in forest.groups], dtype=np.float64)
    inside = list(forest.cliques[r][m])
    outside = [g for g in forest.components[r] if g not in inside]
    liked = sizes[inside].sum()
    top_priors = np.array([eta * liked * beta, *(sizes[outside] * beta)])
    top_counts = np.array([n_g[inside].sum(), *n_g[outside]])
    below = _log_polya(n_g[inside], sizes[inside] * beta)
    return float(np.log(liked) + _log_polya(top_counts, top_priors) + below)


def _log_polya(counts: NDArray[np.float64], priors: NDArray[np.float64]) -> float:
    """Return the log likelihood of counts below one node, its edge probabilities summed out."""
    from scipy.special import gammaln

    whole = gammaln(priors.sum()) - gammaln((priors + counts).sum())
    return float(whole + (gammaln(priors + counts) - gammaln(priors)).sum())


def _connected(pairs: Iterable[Pair], alone: set[int]) -> tuple[Group, ...]:
    """Return the connected components of a graph, each sorted, in order; `alone` are further nodes."""
    root: dict[int, int] = {}

    def find(v: int) -> int:
        while root.setdefault(v, v) != v:
            v = root[v]
        return v

    for v, w in pairs:
        root[find(v)] = find(w)
    for v in alone:
        find(v)
    members: dict[int, list[int]] = {}
    for v in sorted(root):
        members.setdefault(find(v), []).append(v)
    return tuple(sorted(tuple(group) for group in members.values()))


def _cliques(nodes: Sequence[int], against: set[Pair]) -> tuple[Clique, ...]:
    """Return the largest sets of nodes without an edge of `against` (Bron and Kerbosch), in order."""
    friends = {v: {w for w in nodes if w != v and (v, w) not in against} for v in nodes}
    found: list[Clique] = []

    def extend(chosen: Clique, candidates: set[int], seen: set[int]) -> None:
        if not candidates and not seen:
            found.append(tuple(sorted(chosen)))
        for v in sorted(candidates):
            extend((*chosen, v), candidates & friends[v], seen & friends[v])
            candidates = candidates - {v}
            seen = seen | {v}

    extend((), set(nodes), set())
    return tuple(sorted(found))


# --- as the kernel reads it -------------------------------------------------------------------------------


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
