"""How likely each document is to be about a query, from what its text says."""
