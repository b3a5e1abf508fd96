"""A result as a page that anybody can read: one HTML file, no request to anywhere."""

from qdtm.report.comparing import render_comparison, write_comparison
from qdtm.report.rendering import render_report, write_report

__all__ = ["render_comparison", "render_report", "write_comparison", "write_report"]
