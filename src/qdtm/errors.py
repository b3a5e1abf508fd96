"""What can go wrong, as the user sees it.

Every error that a user can cause is a `QdtmError` whose message is one line: what was wrong, the value,
and the way out. The command line prints that line and exits with 2; anything else is our bug.
"""

from typing import Any


class QdtmError(Exception):
    """The base of every error that qdtm raises on purpose."""


class CorpusError(QdtmError, ValueError):
    """The corpus cannot be read, or nothing is left of it after cleaning."""


class QueryError(QdtmError, ValueError):
    """The query cannot be answered in this corpus as it was asked."""


class PassingQueryError(QueryError):
    """Documents mention the query, but none is mainly about it.

    Attributes
    ----------
    check : QueryCheck
        With the documents that mention it.
    """

    def __init__(self, message: str, check: Any = None) -> None:
        super().__init__(message)
        self.check = check

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (str(self), self.check)


class ParameterError(QdtmError, ValueError):
    """A parameter has a value that makes no sense."""


class EmbeddingError(QdtmError, ValueError):
    """Word vectors cannot be read or do not fit together."""


class StorageError(QdtmError, ValueError):
    """A saved corpus or model is damaged, too new, or cannot be written."""


class ClusterError(QdtmError, RuntimeError):
    """A cluster cannot be reached, does not suffice, or has lost what it held."""


class MissingExtraError(QdtmError, ImportError):
    """A feature needs a package that is not installed; the message names the extra."""


class OutOfMemoryError(QdtmError, MemoryError):
    """The work needs more memory than this process can have."""
