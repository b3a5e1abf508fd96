"""A result as plotly figures (extra `plot`), returned and never shown."""

from qdtm.figures.contrast import contrast
from qdtm.figures.fates import fates
from qdtm.figures.maps import document_map, heatmap, topic_map
from qdtm.figures.sweeps import convergence
from qdtm.figures.trends import over_time, per_class
from qdtm.figures.words import barchart, hierarchy

__all__ = [
    "barchart",
    "contrast",
    "convergence",
    "document_map",
    "fates",
    "heatmap",
    "hierarchy",
    "over_time",
    "per_class",
    "topic_map",
]
