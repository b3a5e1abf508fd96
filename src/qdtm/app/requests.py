"""What a worker process is asked to do, as it stands in a job's folder: dataclasses to JSON and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

from qdtm.errors import QdtmError, StorageError
from qdtm.queries.query import Query


@dataclass(frozen=True)
class Columns:
    """Which columns of the user's table are what; None where there is none, or it is found."""

    text: str | Sequence[str] | None = None
    id: str | None = None
    time: str | None = None
    group: str | None = None
    title: str | None = None


@dataclass(frozen=True)
class PreviewRequest:
    """Read the first rows of an upload."""

    kind: ClassVar[str] = "preview"
    corpus: str


@dataclass(frozen=True)
class IndexRequest:
    """Read all of an upload (or the demo articles, if `demo`) and save it as a corpus.

    Long documents are judged by passage if `split` says how, as for `Corpus.read`; else it is empty.
    """

    kind: ClassVar[str] = "index"
    corpus: str
    name: str
    columns: Columns = Columns()
    language: str = "english"
    demo: bool = False
    split: str = ""


@dataclass(frozen=True)
class FitRequest:
    """Find the topics of queries in a corpus.

    Attributes
    ----------
    corpus : str
        Its id in the workspace.
    corpus_name : str
        What the user calls it, also when it has been removed since.
    queries : tuple of Query
    seed : int
    subtopics : bool
    n_chains : int
        Independent runs.
    n_jobs : int
        Threads.
    columns : Columns
    language : str
        How the corpus was read, for the program that makes the result again.
    base : str or None
        The job from whose result to go on; then only the last queries are asked, beside those it has.
    n_added : int
        How many of the queries these are.
    """

    kind: ClassVar[str] = "fit"
    corpus: str
    corpus_name: str
    queries: tuple[Query, ...]
    seed: int = 0
    subtopics: bool = True
    n_chains: int = 1
    n_jobs: int = 1
    columns: Columns = Columns()
    language: str = "english"
    base: str | None = None
    n_added: int = 0

    @property
    def title(self) -> str:
        """What the user knows it by: the names of its queries."""
        return ", ".join(query.name for query in self.queries)

    @property
    def first_queries(self) -> tuple[Query, ...]:
        """Those that were fitted together, at first."""
        return self.queries[: len(self.queries) - self.n_added]

    @property
    def added_queries(self) -> tuple[Query, ...]:
        """Those that were added one by one, later."""
        return self.queries[len(self.queries) - self.n_added :]


Request = PreviewRequest | IndexRequest | FitRequest


def request_to_json(request: Request) -> dict[str, Any]:
    """Return a request in a form that JSON can hold."""
    return {"kind": request.kind, **asdict(request)}


def request_from_json(values: Mapping[str, Any]) -> Request:
    """Return the request that `request_to_json` described.

    Raises
    ------
    StorageError
        If it is none of ours.
    """
    rest = {name: value for name, value in values.items() if name not in ("kind", "created")}
    try:
        if values["kind"] == "preview":
            return PreviewRequest(**rest)
        if values["kind"] == "index":
            return IndexRequest(**rest | {"columns": Columns(**rest["columns"])})
        if values["kind"] == "fit":
            queries = tuple(query_from_json(query) for query in rest["queries"])
            return FitRequest(**rest | {"queries": queries, "columns": Columns(**rest["columns"])})
    except (KeyError, TypeError, ValueError, AttributeError, QdtmError):
        pass
    raise StorageError("A job in the workspace is damaged: its request makes no sense.")


def query_from_json(values: Mapping[str, Any]) -> Query:
    """Return the query that `asdict` took apart."""
    given: dict[str, Any] = {name: tuple(v) if isinstance(v, list) else v for name, v in values.items()}
    return Query(**given)
