"""Query-driven topic modelling: from a short query to a parent topic, its subtopics and their documents.

The public names are loaded when they are first used, so that ``qdtm --help`` is instant.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from qdtm.corpus import Corpus, TextPipeline
    from qdtm.model import QueryDrivenTopicModel
    from qdtm.present.notebook import ProgressBar
    from qdtm.queries import Query
    from qdtm.results.result import Result

__version__ = "0.1.0"

_HOMES = {
    "Corpus": "qdtm.corpus",
    "ProgressBar": "qdtm.present.notebook",
    "Query": "qdtm.queries",
    "QueryDrivenTopicModel": "qdtm.model",
    "Result": "qdtm.results.result",
    "TextPipeline": "qdtm.corpus",
}

__all__ = [
    "Corpus",
    "ProgressBar",
    "Query",
    "QueryDrivenTopicModel",
    "Result",
    "TextPipeline",
    "__version__",
]


def __getattr__(name: str) -> Any:
    """Load a public name on first use (PEP 562)."""
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'qdtm' has no attribute {name!r}")
