"""Which systems there are, by name, and in which tables they have a row.

In: a row's name and options. Out: a `System`. The module that makes a system is imported when the system is
asked for, so that a row whose packages are not installed harms no other row.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Literal

from qdtm.errors import EmbeddingError, MissingExtraError, ParameterError
from qdtm.evaluation.systems.outcome import System

Table = Literal["table1", "table3", "topics"]


@dataclass(frozen=True)
class SystemOptions:
    """What `qdtm bench` lets the user choose for every row; a system takes what means something to it.

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
    name : str
    factory : str
        "module:function"; the function is called with the name and the `SystemOptions`.
    tables : tuple of {"table1", "table3", "topics"}
        Where it has a row.
    in_default : tuple of {"table1", "table3", "topics"}
        Where it is run if no model is named.
    """

    name: str
    factory: str
    tables: tuple[Table, ...]
    in_default: tuple[Table, ...] = ()


_QUERY_DRIVEN = "qdtm.evaluation.systems.query_driven:make_query_driven"
_BASELINES = "qdtm.evaluation.systems.baselines"
_PEERS = "qdtm.evaluation.systems.peers:make_peer"
_ALL: tuple[Table, ...] = ("table1", "table3", "topics")
_FIRST: tuple[Table, ...] = ("table1",)
_THIRD: tuple[Table, ...] = ("table3",)

#: All rows, in the order of the tables.
ROWS: dict[str, Row] = {
    "lda": Row("lda", f"{_BASELINES}:make_topic_row", _FIRST, _FIRST),
    "dflda": Row("dflda", f"{_BASELINES}:make_topic_row", _FIRST, _FIRST),
    "sclda": Row("sclda", f"{_BASELINES}:make_topic_row", _FIRST, _FIRST),
    "islda": Row("islda", f"{_BASELINES}:make_topic_row", _FIRST, _FIRST),
    "bert": Row("bert", f"{_BASELINES}:make_encoder_row", _FIRST, _FIRST),
    "sbert": Row("sbert", f"{_BASELINES}:make_encoder_row", _FIRST, _FIRST),
    "avitm": Row("avitm", f"{_BASELINES}:make_topic_row", _FIRST, _FIRST),
    "htm": Row("htm", f"{_BASELINES}:make_tree_row", _THIRD, _THIRD),
    "htm-gamma-1": Row("htm-gamma-1", f"{_BASELINES}:make_tree_row", _THIRD),
    "bm25": Row("bm25", f"{_BASELINES}:make_retrieval_row", _FIRST),
    "bm25-expert": Row("bm25-expert", f"{_BASELINES}:make_retrieval_row", _FIRST),
    "ql": Row("ql", f"{_BASELINES}:make_retrieval_row", _FIRST),
    "ql-expert": Row("ql-expert", f"{_BASELINES}:make_retrieval_row", _FIRST),
    "seeded-lda": Row("seeded-lda", f"{_BASELINES}:make_topic_row", _FIRST),
    "keyatm": Row("keyatm", _PEERS, _FIRST),
    "topica-seeded-lda": Row("topica-seeded-lda", _PEERS, _FIRST),
    "corex": Row("corex", _PEERS, _FIRST),
    "keynmf": Row("keynmf", _PEERS, _FIRST),
    "bertopic": Row("bertopic", _PEERS, _FIRST),
    "qdtm-fre": Row("qdtm-fre", _QUERY_DRIVEN, _ALL, ("table1",)),
    "qdtm-rel": Row("qdtm-rel", _QUERY_DRIVEN, _ALL, ("table1",)),
    "qdtm-kld": Row("qdtm-kld", _QUERY_DRIVEN, _ALL, _ALL),
    "qdtm-expert": Row("qdtm-expert", _QUERY_DRIVEN, ("table1", "table3"), ("table1",)),
    "qdtm-no-filtering": Row("qdtm-no-filtering", _QUERY_DRIVEN, _ALL, ("table1",)),
    "qdtm-no-promotion": Row("qdtm-no-promotion", _QUERY_DRIVEN, _ALL, ("table1",)),
    "qdtm-default": Row("qdtm-default", _QUERY_DRIVEN, _ALL),
    "qdtm-relevance": Row("qdtm-relevance", _QUERY_DRIVEN, _FIRST),
    "qdtm-encoder": Row("qdtm-encoder", _QUERY_DRIVEN, _FIRST),
}


def register(row: Row) -> None:
    """Add a row.

    Raises
    ------
    ParameterError
        If there is one of that name.
    """
    if row.name in ROWS:
        raise ParameterError(f"There is a row {row.name!r} already; choose another name.")
    ROWS[row.name] = row


def rows_of(table: Table) -> tuple[str, ...]:
    """Return the names of the rows that a table can have, in order."""
    return tuple(name for name, row in ROWS.items() if table in row.tables)


def default_rows_of(table: Table) -> tuple[str, ...]:
    """Return the names of the rows that a table has if no model is named."""
    return tuple(name for name, row in ROWS.items() if table in row.in_default)


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


def make_systems(names: tuple[str, ...], table: Table, options: SystemOptions) -> Mapping[str, System]:
    """Make the systems of a table; if none is named, those of its usual rows that can be run here."""
    if names:
        return {name: make_system(name, table, options) for name in names}
    systems = {}
    for name in default_rows_of(table):
        try:
            systems[name] = make_system(name, table, options)
        except (MissingExtraError, EmbeddingError) as error:
            warnings.warn(f"The row {name!r} is left out. {error}", stacklevel=2)
    return systems
