"""Readers: a path in, records out, one module a kind of file."""
