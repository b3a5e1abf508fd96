"""One or two modules a bench: what its cells are, how one is measured, and how rows are summed up."""
