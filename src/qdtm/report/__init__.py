"""A result as a page that anybody can read: one HTML file, no request to anywhere."""

from qdtm.report.rendering import render_report, write_report

__all__ = ["render_report", "write_report"]
