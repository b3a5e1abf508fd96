"""The frozen outcome of a fit, and everything that can be read off it."""

from qdtm.results.fit import ModelFit
from qdtm.results.topic import Topic
from qdtm.results.trace import Trace

__all__ = ["ModelFit", "Topic", "Trace"]
