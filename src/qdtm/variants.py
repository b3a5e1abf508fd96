"""A fitted model in, the same corpus asked in other ways out: other words, extractors, rules and seeds.

One thing is changed at a time, so that what changes in the answer has one reason.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from qdtm.errors import ParameterError
from qdtm.queries import Query, as_queries
from qdtm.results.comparison import Sensitivity, compare_results
from qdtm.results.result import Result

if TYPE_CHECKING:
    from qdtm.model import QueryDrivenTopicModel

EXTRACTORS = ("kld", "fre", "rel", "none")
RULES = ("and", "or")


@dataclass(frozen=True)
class Ways:
    """In which other ways to ask.

    Attributes
    ----------
    also : tuple of str
        Other words for the query.
    extractors : tuple of {"kld", "fre", "rel", "none"}
    rules : tuple of {"and", "or"}
    n_seeds : int
        How many other seeds.
    """

    also: tuple[str, ...] = ()
    extractors: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    n_seeds: int = 0

    @property
    def any(self) -> bool:
        """Whether there is another way at all."""
        return bool(self.also or self.extractors or self.rules or self.n_seeds)

    def __post_init__(self) -> None:
        for name, given, known in (("extractors", self.extractors, EXTRACTORS), ("rules", self.rules, RULES)):
            for value in given:
                if value not in known:
                    raise ParameterError(f"{name} has {value!r}; give some of {', '.join(known)}.")
        if isinstance(self.n_seeds, bool) or not isinstance(self.n_seeds, int) or self.n_seeds < 0:
            raise ParameterError(f"seeds is {self.n_seeds!r}; give how many other seeds, from 0 up.")


@dataclass(frozen=True)
class Change:
    """One way to ask otherwise: what to call it, the query, and other parameters of the model."""

    label: str
    query: Query
    parameters: dict[str, Any]


def compare_models(
    model: QueryDrivenTopicModel, others: Sequence[Any], query: str | int, ways: Ways
) -> Sensitivity:
    """Compare a fitted model with others, and with the same asked otherwise; see `model.compare`."""
    reference: Result = model.result_
    q = reference.query_index(query)
    known = [(f"result {i + 1}", _result_of(other)) for i, other in enumerate(others)]
    fitted = []
    for change in changes(reference, q, ways):
        other = changed_model(model, q, change).fit(model.corpus_)
        if other.fit_.interrupted:
            break  # what is complete is compared
        fitted.append((change.label, other.result_))
    if not known and not fitted:
        raise ParameterError(
            "There is nothing to compare with; give fitted models, also=[...], rules=[...], "
            "extractors=[...] or seeds=..."
        )
    return compare_results(reference, [*known, *fitted], q, label=way_of(reference, q))


def changes(result: Result, q: int, ways: Ways) -> Iterator[Change]:
    """Yield what to change about query `q`; a way that it has been asked in already is left out."""
    concept = result.fit.concepts[q]
    query = concept.query
    for text in ways.also:
        yield Change(f"asked “{text}”", replace(query, text=text, name=text, keywords=()), {})
    for extractor in ways.extractors:
        if extractor != (concept.extractor or "none"):
            expansion: Any = None if extractor == "none" else extractor
            yield Change(f"extractor {extractor}", replace(query, expansion=expansion), {})
    for rule in ways.rules:
        if rule != concept.rule:
            changed: Any = rule
            yield Change(f"rule {rule}", replace(query, rule=changed), {})
    for n in range(1, ways.n_seeds + 1):
        seed = int(result.fit.parameters["random_state"]) + n
        yield Change(f"seed {seed}", query, {"random_state": seed})


def changed_model(model: QueryDrivenTopicModel, q: int, change: Change) -> QueryDrivenTopicModel:
    """Return the model with one thing changed, to be fitted on the same corpus."""
    queries = list(as_queries(model.queries))
    queries[q] = change.query
    parameters = model.get_params(deep=False) | {"queries": queries, "n_chains": 1} | change.parameters
    return type(model)(**parameters)


def way_of(result: Result, q: int) -> str:
    """Say how query `q` was asked."""
    query = result.fit.concepts[q].query
    return f"asked “{query.text or query.name}”"


def _result_of(other: Any) -> Result:
    result = other if isinstance(other, Result) else getattr(other, "result_", None)
    if not isinstance(result, Result):
        raise ParameterError(f"{type(other).__name__} is no fitted model; give models or results to compare.")
    return result
