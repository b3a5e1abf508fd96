"""The systems that the query-driven model is compared with, each a model in its own right."""
