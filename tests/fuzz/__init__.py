"""Broken and hostile files for every reader: `python -m tests.fuzz --cases 100000` in the root folder."""
