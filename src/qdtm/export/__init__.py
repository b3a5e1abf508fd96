"""A result as tables to hand on: .csv, .xlsx, .json, and what other topic-model tools read."""

from qdtm.export.formats import FORMATS, Format, export_result

__all__ = ["FORMATS", "Format", "export_result"]
