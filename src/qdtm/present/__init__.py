"""A result as people see it and hand it on: report, figures, notebook, tables."""
