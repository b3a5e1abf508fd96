"""Rows of the tables: a model by its name, asked for all concepts of a data set or for one query."""
