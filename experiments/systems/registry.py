"""Which systems there are, by name, in which tables they have a row, and what each takes and gives.

In: a row's name and options. Out: a `System`, which makes an `Outcome` of a `Dataset` and a seed, so that one
metric call serves them all. A system that has no topics (retrieval by document embeddings) leaves them None,
and the table has no figure there. The module that makes a system is imported when the system is asked for, so
that a row whose packages are not installed harms no other row.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Literal, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from experiments.datasets.paper_corpora import Dataset
from qdtm.errors import EmbeddingError, MissingExtraError, ParameterError

FloatArray = NDArray[np.float32] | NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class SubtopicGroup:
    """The subtopics of one concept.

    Attributes
    ----------
    probabilities : ndarray of shape (S, V)
        p(word | subtopic); S may be 0.
    prevalence : ndarray of shape (S,)
        Share of the corpus' tokens.
    """

    probabilities: FloatArray
    prevalence: FloatArray


@dataclass(frozen=True, eq=False)
class Reading:
    """What the same topics say about documents, read in another way.

    Attributes
    ----------
    scores : ndarray of shape (D, Q)
    shares : ndarray of shape (D, K), optional
        None if they are those of the first reading.
    """

    scores: FloatArray
    shares: FloatArray | None = None


@dataclass(frozen=True, eq=False)
class Outcome:
    """What a system found in a corpus.

    Attributes
    ----------
    scores : ndarray of shape (D, Q)
        How much each document is about each concept, for ranking; the concepts in the data set's order.
    shares : ndarray of shape (D, K), optional
        Topic shares of each document, for classification: at most one for each concept and one for the rest,
        whatever the number of topics that the model found. A classifier with more to look at does better, so
        rows are compared on as many numbers.
    topics : ndarray of shape (Q, V), optional
        p(word | topic) of the topic that stands for each concept.
    subtopics : tuple of SubtopicGroup, length Q, optional
        The subtopics of each concept; None if the system has none or was not asked for them.
    own : Reading, optional
        What the model itself says of a document, where `scores` and `shares` are another reading: of a count
        model the mix of p(topic | word), of a model that weighs each concept by itself what sets one apart
        from the others. The tables print both and compare on the better, so that the way of reading does not
        decide the race.
    all_features : ndarray of shape (D, F), optional
        All that the model says of a document, where that is more than Q + 1 numbers; its accuracy stands
        beside that of `shares`, with F.
    """

    scores: FloatArray
    shares: FloatArray | None = None
    topics: FloatArray | None = None
    subtopics: tuple[SubtopicGroup, ...] | None = None
    own: Reading | None = None
    all_features: FloatArray | None = None


class System(Protocol):
    """A row of the tables. Worker processes get a copy, so it must be a plain object of a module."""

    @property
    def name(self) -> str:
        """The row's name, such as "qdtm-kld"."""
        ...

    @property
    def settings(self) -> Mapping[str, str | float | bool | None]:
        """Everything that decides about the outcome beside data and seed; finished runs are known by it."""
        ...

    def fit(self, dataset: Dataset, seed: int, *, subtopics: bool = False) -> Outcome:
        """Run the system.

        Parameters
        ----------
        dataset : Dataset
            `corpus` and `concepts` may be looked at; `labels` are for the metrics alone.
        seed : int
            The same seed gives the same outcome.
        subtopics : bool
            Whether subtopics are wanted; a system that has none ignores it.
        """
        ...


# --- rows by name -----------------------------------------------------------------------------------------


Table = Literal["table1", "table3", "topics"]
Made = TypeVar("Made")


@dataclass(frozen=True)
class SystemOptions:
    """What a table lets the user choose for every row; a system takes what means something to it.

    Attributes
    ----------
    preset : {"default", "paper"}
    max_sweeps : int, optional
        Sweeps (iterations) at most; None leaves it to the system.
    encoder : str, optional
        The Transformer of rows that need one, a folder or a name; None leaves it to the system.
    """

    preset: str = "default"
    max_sweeps: int | None = None
    encoder: str | None = None


@dataclass(frozen=True)
class Row:
    """A system by name.

    Attributes
    ----------
    factory : str
        "module:function"; the function is called with the name and the `SystemOptions`.
    tables : tuple of {"table1", "table3", "topics"}
        Where it has a row.
    in_default : tuple of {"table1", "table3", "topics"}
        Where it is run if no model is named.
    """

    factory: str
    tables: tuple[Table, ...]
    in_default: tuple[Table, ...] = ()


_QUERY_DRIVEN = "experiments.systems.query_driven:make_query_driven"
_BASELINES = "experiments.systems.baselines"
_PEERS = "experiments.systems.peers:make_peer"
_ALL: tuple[Table, ...] = ("table1", "table3", "topics")
_FIRST: tuple[Table, ...] = ("table1",)
_THIRD: tuple[Table, ...] = ("table3",)

#: All rows, in the order of the tables.
ROWS: dict[str, Row] = {
    "lda": Row(f"{_BASELINES}:make_topic_row", _FIRST, _FIRST),
    "dflda": Row(f"{_BASELINES}:make_topic_row", _FIRST, _FIRST),
    "sclda": Row(f"{_BASELINES}:make_topic_row", _FIRST, _FIRST),
    "islda": Row(f"{_BASELINES}:make_topic_row", _FIRST, _FIRST),
    "bert": Row(f"{_BASELINES}:make_encoder_row", _FIRST, _FIRST),
    "sbert": Row(f"{_BASELINES}:make_encoder_row", _FIRST, _FIRST),
    "avitm": Row(f"{_BASELINES}:make_topic_row", _FIRST, _FIRST),
    "htm": Row(f"{_BASELINES}:make_tree_row", _THIRD, _THIRD),
    "htm-gamma-1": Row(f"{_BASELINES}:make_tree_row", _THIRD),
    "bm25": Row(f"{_BASELINES}:make_retrieval_row", _FIRST),
    "bm25-expert": Row(f"{_BASELINES}:make_retrieval_row", _FIRST),
    "ql": Row(f"{_BASELINES}:make_retrieval_row", _FIRST),
    "ql-expert": Row(f"{_BASELINES}:make_retrieval_row", _FIRST),
    "seeded-lda": Row(f"{_BASELINES}:make_topic_row", _FIRST),
    "hdp": Row(f"{_BASELINES}:make_topic_row", _FIRST),
    "keyatm": Row(_PEERS, _FIRST),
    "topica-seeded-lda": Row(_PEERS, _FIRST),
    "corex": Row(_PEERS, _FIRST),
    "keynmf": Row(_PEERS, _FIRST),
    "bertopic": Row(_PEERS, _FIRST),
    "qdtm-fre": Row(_QUERY_DRIVEN, _ALL, ("table1",)),
    "qdtm-rel": Row(_QUERY_DRIVEN, _ALL, ("table1",)),
    "qdtm-kld": Row(_QUERY_DRIVEN, _ALL, _ALL),
    "qdtm-expert": Row(_QUERY_DRIVEN, ("table1", "table3"), ("table1",)),
    "qdtm-no-filtering": Row(_QUERY_DRIVEN, _ALL, ("table1",)),
    "qdtm-no-promotion": Row(_QUERY_DRIVEN, _ALL, ("table1",)),
    "qdtm-default": Row(_QUERY_DRIVEN, _ALL),
    "qdtm-relevance": Row(_QUERY_DRIVEN, _FIRST),
    "qdtm-encoder": Row(_QUERY_DRIVEN, _FIRST),
}


def rows_of(table: Table) -> tuple[str, ...]:
    """Return the names of the rows that a table can have, in order."""
    return tuple(name for name, row in ROWS.items() if table in row.tables)


def make_system(name: str, table: Table, options: SystemOptions) -> System:
    """Make the system of a row.

    Raises
    ------
    ParameterError
        If the table has no row of that name.
    MissingExtraError
        If the row needs a package that is not installed.
    """
    if name not in rows_of(table):
        raise ParameterError(f"{table} has no row {name!r}. Choose one of {', '.join(rows_of(table))}.")
    module, _, function = ROWS[name].factory.partition(":")
    factory: Callable[[str, SystemOptions], System] = getattr(import_module(module), function)
    return factory(name, options)


def make_systems(
    names: Sequence[str], table: Table, options: SystemOptions, *, every: bool = False
) -> Mapping[str, System]:
    """Make the systems of a table; if none is named, its usual rows, or every one, that can be run here."""
    usual = [name for name, row in ROWS.items() if table in (row.tables if every else row.in_default)]
    return make_available(lambda name: make_system(name, table, options), names, usual)


def make_available(
    make: Callable[[str], Made], names: Sequence[str], usual: Iterable[str]
) -> dict[str, Made]:
    """Make what is named; if nothing is, what can be made here of the usual, and warn of the rest."""
    if names:
        return {name: make(name) for name in names}
    made = {}
    for name in usual:
        try:
            made[name] = make(name)
        except (MissingExtraError, EmbeddingError) as error:
            warnings.warn(f"The row {name!r} is left out. {error}", stacklevel=3)
    return made
